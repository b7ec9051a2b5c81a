package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/spf13/cobra"
)

func newStatusCommand(a *app) *cobra.Command {
	var files bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show what the memory holds, and what became of each file",
		Long: `Shows where the memory lies and what it holds. --files lists every file that was looked at with what became
of it: ok, partial (some of it could not be read), no_text, skipped or failed, and why.
Both count what policy.deny_sources hides as well: they are for the owner of the memory.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := a.settings()
			if err != nil {
				return err
			}
			m, err := openMemory(cfg, nil)
			if err != nil {
				return err
			}
			defer m.Close()
			if files {
				return a.printFiles(c.Context(), m.store)
			}
			return a.printStatus(c.Context(), m)
		},
	}
	c.Flags().BoolVar(&files, "files", false, "list the files")
	a.jsonFlag(c)
	return c
}

func (a *app) printStatus(ctx context.Context, m *memory) error {
	s, err := m.Controller.Stats(ctx)
	if err != nil {
		return err
	}
	trees, err := m.store.TreeStats(ctx)
	if err != nil {
		return err
	}
	files, err := m.store.Files(ctx, "")
	if err != nil {
		return err
	}
	outcomes := map[string]int{}
	unfinished := 0
	for _, f := range files {
		outcomes[f.Outcome]++
		if !f.Complete {
			unfinished++
		}
	}
	warnings := store.Warnings(m.store.Path())
	if a.json {
		return a.printJSON(struct {
			Store      string         `json:"store"`
			Bytes      int64          `json:"bytes"`
			Schema     int            `json:"schema"`
			Sources    int            `json:"sources"`
			Documents  int            `json:"documents"`
			Chunks     int            `json:"chunks"`
			Entities   int            `json:"entities"`
			Summaries  summaryCounts  `json:"summaries"`
			Files      int            `json:"files"`
			Outcomes   map[string]int `json:"outcomes"`
			Unfinished int            `json:"unfinished"`
			Warnings   []string       `json:"warnings"`
		}{m.store.Path(), s.Bytes, s.SchemaVersion, s.Sources, s.Documents, s.Chunks, s.Entities, summaryCounts(trees), s.Files, outcomes, unfinished, append([]string{}, warnings...)})
	}
	table := term.Table{}
	table.Row("memory", m.store.Path())
	table.Row("size", size(s.Bytes))
	for _, n := range []struct {
		name  string
		count int
	}{{"sources", s.Sources}, {"documents", s.Documents}, {"chunks", s.Chunks}, {"entities", s.Entities}} {
		table.Row(n.name, number(n.count))
	}
	what := number(trees.Summaries)
	if trees.Summaries > 0 {
		what += fmt.Sprintf(" (over %s chunks, %s by meaning)", number(trees.Sealed), number(trees.Vectors))
	}
	table.Row("summaries", what)
	what = number(s.Files)
	if s.Files > 0 {
		what += " (" + inWords(outcomes) + ")"
	}
	table.Row("files", what)
	if unfinished > 0 {
		table.Row("unfinished", fmt.Sprintf("%s files: run the same ingest again", number(unfinished)))
	}
	if n := trees.Stale; n > 0 {
		table.Row("to seal", fmt.Sprintf("%s sources: openhuman-core embed", number(n)))
	}
	if err := table.Write(a.stdout, term.Columns(a.stdout)); err != nil {
		return err
	}
	for _, w := range warnings {
		a.warning(w)
	}
	return nil
}

// summaryCounts are the counts of the summary trees for programs.
type summaryCounts struct {
	Summaries   int `json:"count"`
	Vectors     int `json:"embedded"`
	Provisional int `json:"provisional"`
	Levels      int `json:"levels"`
	Sealed      int `json:"chunks_sealed"`
	Stale       int `json:"sources_to_seal"`
}

func (a *app) printFiles(ctx context.Context, s *store.Store) error {
	files, err := s.Files(ctx, "")
	if err != nil {
		return err
	}
	slices.SortFunc(files, func(x, y store.FileRecord) int { return strings.Compare(x.Path, y.Path) })
	if a.json {
		type file struct {
			Path       string `json:"path"`
			Outcome    string `json:"outcome"`
			Reason     string `json:"reason,omitempty"`
			Documents  int    `json:"documents"`
			Bytes      int64  `json:"bytes"`
			IngestedAt string `json:"ingested_at"`
			Complete   bool   `json:"complete"`
		}
		list := []file{}
		for _, f := range files {
			list = append(list, file{f.Path, f.Outcome, f.Reason, f.Documents, f.Size, f.IngestedAt.UTC().Format(time.RFC3339), f.Complete})
		}
		return a.printJSON(map[string]any{"files": list})
	}
	table := term.Table{Head: []string{"OUTCOME", "DOCUMENTS", "FILE", "WHY"}, Right: []int{1}, Wide: 3}
	for _, f := range files {
		outcome := f.Outcome
		if !f.Complete {
			outcome += " (unfinished)"
		}
		table.Row(outcome, number(f.Documents), f.Path, f.Reason)
	}
	return table.Write(a.stdout, term.Columns(a.stdout))
}
