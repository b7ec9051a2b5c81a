package main

import (
	"context"
	"fmt"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/spf13/cobra"
)

func newStatusCommand(a *app) *cobra.Command {
	var files bool
	var outcomes []string
	c := &cobra.Command{
		Use:   "status",
		Short: "Show what the memory holds, and what became of each file",
		Long: `Shows where the memory lies and what it holds. --files lists every file that was looked at with what became
of it: ok, partial (some of it could not be read), no_text, skipped or failed, and why. The sums below them say how many
files each rule left out; of a folder that was left out whole, they count the files that are in it now. --outcome narrows
the list, and not the sums.
Both count what policy.deny_sources hides as well: they are for the owner of the memory.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := knownOutcomes(outcomes, files); err != nil {
				return err
			}
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
				return a.printFiles(c.Context(), m.store, outcomes)
			}
			return a.printStatus(c.Context(), cfg, m)
		},
	}
	c.Flags().BoolVar(&files, "files", false, "list the files")
	c.Flags().StringSliceVar(&outcomes, "outcome", nil, "with --files, list only ok, partial, no_text, skipped or failed ones")
	a.jsonFlag(c)
	return c
}

func (a *app) printStatus(ctx context.Context, cfg config.Config, m *memory) error {
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
	w, err := loadWriters(cfg)
	if err != nil {
		return err
	}
	pending, err := w.pending(ctx, m.store)
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
			Pending    int            `json:"chunks_to_embed"`
			Warnings   []string       `json:"warnings"`
		}{m.store.Path(), s.Bytes, s.SchemaVersion, s.Sources, s.Documents, s.Chunks, s.Entities, summaryCounts(trees), s.Files, outcomes, unfinished, pending, append([]string{}, warnings...)})
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
	if pending > 0 {
		table.Row("to embed", chunkCount(pending)+": openhuman-core embed")
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
