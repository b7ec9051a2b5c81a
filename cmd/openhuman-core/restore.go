package main

import (
	"fmt"

	"github.com/openhuman/openhuman-core/internal/backup"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/spf13/cobra"
)

func newRestoreCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup back in the place of the memory",
		Long: `Makes the memory what it was when "openhuman-core backup" wrote FILE. FILE is checked first, page by page; one of
an older version is brought up to date, one of a newer version is refused. Then the memory becomes the backup at once:
whatever interrupts it, you have the one or the other.

The memory that was there is kept beside it under a name that is told; remove it when you do not need it. Your words in
glosses.tsv come back too; where you have others by now, they are written to glosses.tsv.restored.

No other program may have the memory open: end "openhuman-core serve", running imports, and clients such as Claude
Desktop, which start "openhuman-core mcp". Run ingest or sync afterwards to take in what has changed since the backup.`,
		Args: cobra.MatchAll(one("FILE"), noneEmpty("FILE")),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := a.settings()
			if err != nil {
				return err
			}
			for _, w := range store.Warnings(storePath(cfg)) {
				a.warning(w)
			}
			p := newProgress(a)
			done, err := backup.Restore(c.Context(), backup.Options{
				Memory: storePath(cfg), Glosses: glossFile(cfg), File: args[0], Progress: p.backup,
			})
			p.done()
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(struct {
					File      string `json:"file"`
					Made      string `json:"made,omitempty"`
					Store     string `json:"store"`
					Former    string `json:"former,omitempty"`
					Damaged   bool   `json:"former_damaged,omitempty"`
					Glosses   string `json:"glosses,omitempty"`
					Sources   int    `json:"sources"`
					Documents int    `json:"documents"`
					Chunks    int    `json:"chunks"`
				}{done.From, done.Made, storePath(cfg), done.Former, done.Damaged, done.Glosses, done.Sources, done.Documents, done.Chunks})
			}
			from := done.From
			if done.Made != "" {
				from += ", which was made " + done.Made
			}
			fmt.Fprintf(a.stdout, "Restored %s documents in %s chunks from %s.\n", number(done.Documents), number(done.Chunks), term.Line(from))
			switch {
			case done.Damaged:
				fmt.Fprintf(a.stdout, "The memory that was there is damaged; it is kept as %s.\n", term.Line(done.Former))
			case done.Former != "":
				fmt.Fprintf(a.stdout, "The memory that was there is kept as %s.\n", term.Line(done.Former))
			}
			if done.Glosses != "" {
				fmt.Fprintf(a.stdout, "Your words of other languages are in %s.\n", term.Line(done.Glosses))
			}
			return nil
		},
	}
	a.jsonFlag(c)
	return c
}
