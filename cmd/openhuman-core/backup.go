package main

import (
	"fmt"

	"github.com/openhuman/openhuman-core/internal/backup"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/spf13/cobra"
)

func newBackupCommand(a *app) *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the memory into one file while it is in use",
		Long: `Copies the memory into FILE as it is at one instant, whoever reads or writes it meanwhile. FILE appears when the
copy is whole, has been checked and is on the disk; only you may read it. A file that is there is replaced with --force
only.

FILE is an SQLite database with everything that the memory holds, forgotten text excluded, and with the words that you
explained in glosses.tsv. It does not hold config.toml, core.token, the record of calls in the folder audit, or your own
files: copy those as any other file.

"openhuman-core restore FILE" brings it back. "openhuman-core export" writes text that other programs read.`,
		Args: cobra.MatchAll(one("FILE"), noneEmpty("FILE")),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := a.settings()
			if err != nil {
				return err
			}
			p := newProgress(a)
			made, err := backup.Make(c.Context(), backup.Options{
				Memory: storePath(cfg), Glosses: glossFile(cfg), File: args[0], Force: force, Progress: p.backup,
			})
			p.done()
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(struct {
					File      string `json:"file"`
					Bytes     int64  `json:"bytes"`
					Schema    int    `json:"schema"`
					Sources   int    `json:"sources"`
					Documents int    `json:"documents"`
					Chunks    int    `json:"chunks"`
					Glosses   bool   `json:"glosses"`
				}{made.File, made.Bytes, made.SchemaVersion, made.Sources, made.Documents, made.Chunks, made.Glosses})
			}
			fmt.Fprintf(a.stdout, "Backed up %s documents in %s chunks to %s (%s).\n", number(made.Documents), number(made.Chunks), term.Line(made.File), size(made.Bytes))
			if made.Glosses {
				fmt.Fprintln(a.stdout, "It holds your words in glosses.tsv too.")
			}
			return nil
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replace FILE when it is there")
	a.jsonFlag(c)
	return c
}

// backup draws how far a backup or a restore is.
func (p *progress) backup(s backup.Step) {
	switch s.Stage {
	case backup.Checking:
		p.drawLine("checking the file")
	case backup.Placing:
		p.drawLine("putting it in place")
	default:
		share := 0.0
		if s.Bytes > 0 {
			share = float64(s.Done) / float64(s.Bytes)
		}
		p.drawLine(fmt.Sprintf("copying: %3.0f%% of about %s", share*100, size(s.Bytes)))
	}
}
