package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/spf13/cobra"
)

// errUnwell ends doctor when it has found something that has to be mended, which it has named.
var errUnwell = errors.New("something has to be mended")

func newDoctorCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check the settings and the memory, and say how to mend what is wrong",
		Long: `Checks the settings, the folder of the memory and its permissions, your words in glosses.tsv, and the whole file of
the memory, and says for everything that is wrong what mends it. It changes nothing and contacts nobody.

Exit status 1 means that something has to be mended; warnings alone are status 0.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			all, err := a.examine(c.Context())
			if err != nil {
				return err
			}
			return a.printFindings(all)
		},
	}
	a.jsonFlag(c)
	return c
}

// A verdict is how bad a finding is.
type verdict string

const (
	well    verdict = "ok"
	warning verdict = "warning"
	unwell  verdict = "problem"
)

// A finding is the result of one check.
type finding struct {
	Check   string  `json:"check"`
	Verdict verdict `json:"verdict"`
	Message string  `json:"message"`
	Mend    string  `json:"mend,omitempty"`
}

// examine runs every check. It fails only when it is interrupted.
func (a *app) examine(ctx context.Context) ([]finding, error) {
	l := a.loadConfig()
	all := examineSettings(l)
	path := storePath(l.Config)
	all = append(all, examinePlace(l.Config.Workspace, path)...)
	all = append(all, newGlossary(l.Config).examine()...)
	// What the policy hides is the owner's to see.
	s := store.Lazy(store.Options{Path: path, ReadOnly: true})
	memory := examineMemory(ctx, s)
	if err := s.Close(); err != nil && ctx.Err() == nil {
		memory = append(memory, finding{"memory", warning, "Closing the memory failed: " + fault.Message(err), ""})
	}
	return append(all, memory...), ctx.Err()
}

func examineSettings(l *config.Loaded) []finding {
	var all []finding
	for _, p := range l.Problems {
		f := finding{"settings", unwell, p.String(), "Correct it there; docs/config.md describes every setting."}
		if p.Warning {
			f.Verdict, f.Mend = warning, ""
		}
		all = append(all, f)
	}
	if l.PolicyUnknown() != nil {
		all = append(all, finding{"settings", unwell, "Clients get nothing until the policy in the settings can be read.", "Correct the settings above."})
	}
	if all == nil {
		all = append(all, finding{"settings", well, "No mistakes.", ""})
	}
	return all
}

// examinePlace checks the folder and the file from outside.
func examinePlace(workspace, path string) []finding {
	var all []finding
	for _, w := range store.Warnings(path) {
		all = append(all, finding{"folder", warning, w, ""})
	}
	for _, name := range []string{workspace, path} {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // what that means is said by the check of the memory
		}
		if err == nil {
			err = accessible(name, info)
		}
		if err != nil {
			all = append(all, finding{"folder", unwell, fmt.Sprintf("%s cannot be used by this user: %v.", name, reason(err)), "Correct its owner and permissions."})
			continue
		}
		if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
			only := "600"
			if info.IsDir() {
				only = "700"
			}
			all = append(all, finding{"folder", warning, fmt.Sprintf("Other users of this machine may open %s (mode %o).", name, mode), fmt.Sprintf("chmod %s %q", only, name)})
		}
	}
	if all == nil {
		all = append(all, finding{"folder", well, workspace + " is a good place.", ""})
	}
	return all
}

// accessible reports whether this user may read and change what is there. It changes nothing.
func accessible(name string, info fs.FileInfo) error {
	if info.IsDir() {
		_, err := os.ReadDir(name)
		return err
	}
	if !info.Mode().IsRegular() {
		return nil // the check of the memory says so
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// examineMemory opens the memory and has the whole file checked.
func examineMemory(ctx context.Context, s *store.Store) []finding {
	bad := func(check string, err error) finding {
		f := finding{check, unwell, err.Error(), strings.TrimSpace(fault.HintOf(err))}
		var known *fault.Error
		if errors.As(err, &known) {
			f.Message = known.Msg
		}
		// What points at this command says nothing here.
		f.Mend = strings.TrimPrefix(f.Mend, "See what is damaged with: openhuman-core doctor. ")
		if errors.Is(err, fs.ErrNotExist) {
			f.Verdict = warning // nothing has been taken in yet
		}
		return f
	}
	stats, err := s.Stats(ctx)
	if err != nil {
		return []finding{bad("memory", err)}
	}
	all := []finding{{"memory", well, fmt.Sprintf("%s: %s, %s documents, %s chunks.", s.Path(), size(stats.Bytes), number(stats.Documents), number(stats.Chunks)), ""}}
	gone, err := s.Missing(ctx)
	problems := make([]string, 0, len(gone))
	for _, what := range gone {
		problems = append(problems, "it has no "+what+".")
	}
	if err == nil {
		var found []string
		found, err = s.Integrity(ctx)
		problems = append(problems, found...)
	}
	switch {
	case err != nil:
		all = append(all, bad("file", err))
	case len(problems) == 0:
		all = append(all, finding{"file", well, "Every page and index of it is in order.", ""})
	}
	for _, p := range problems {
		all = append(all, finding{"file", unwell, "The file is damaged: " + p, "Put a backup back with: openhuman-core restore FILE. Without one, move it away and run: openhuman-core ingest PATH"})
	}
	return append(all, examineFiles(ctx, s)...)
}

// examineFiles looks at what became of the files that were taken in.
func examineFiles(ctx context.Context, s *store.Store) []finding {
	files, err := s.Files(ctx, "")
	if err != nil {
		return []finding{{"files", unwell, fault.Message(err), ""}}
	}
	var all []finding
	failed, unfinished := 0, 0
	for _, f := range files {
		if !f.Complete {
			unfinished++
		}
		if f.Outcome == string(doc.Failed) {
			failed++
		}
	}
	if unfinished > 0 {
		all = append(all, finding{"files", warning, fmt.Sprintf("An ingest was interrupted: %s files are unfinished.", number(unfinished)), "Run the same ingest again."})
	}
	if failed > 0 {
		all = append(all, finding{"files", warning, fmt.Sprintf("%s files could not be taken in.", number(failed)), "See why with: openhuman-core status --files"})
	}
	if all == nil {
		all = append(all, finding{"files", well, number(len(files)) + " were looked at, none failed.", ""})
	}
	return all
}

func (a *app) printFindings(all []finding) error {
	var err error
	for _, f := range all {
		if f.Verdict == unwell {
			err = errUnwell
		}
	}
	if a.json {
		return errors.Join(a.printJSON(struct {
			Healthy  bool      `json:"healthy"`
			Findings []finding `json:"findings"`
		}{err == nil, all}), err)
	}
	for _, f := range all {
		fmt.Fprintf(a.stdout, "%-8s %-9s %s\n", f.Verdict, f.Check, term.Line(f.Message))
		if f.Mend != "" {
			fmt.Fprintf(a.stdout, "%-8s %-9s -> %s\n", "", "", term.Line(f.Mend))
		}
	}
	return err
}
