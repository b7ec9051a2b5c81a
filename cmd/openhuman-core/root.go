package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/spf13/cobra"
)

// Exit statuses that are not those of a fault.
const (
	exitFailed      = 1
	exitSomeFailed  = 3
	exitInterrupted = 130
)

// errSomeFailed ends a command that did its work except for some items, which it has named.
var errSomeFailed = errors.New("some items failed")

// app is what the commands share: the streams, the environment and the flags that every command has.
type app struct {
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	environ []string

	configPath string
	workspace  string
	verbose    bool
	json       bool
	raw        bool

	flags map[string]string // settings that the flags of one command set

	started bool // past the flags: an error before that is a mistake in the command line
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "openhuman-core",
		Short: "Your notes, mail and chats as a memory for MCP clients",
		Long: `openhuman-core keeps your notes, mail and chats in a memory on this machine and serves it, read-only,
to MCP clients such as Claude Desktop, Cursor and Zed.

Fill the memory, look into it, then let a client start "openhuman-core mcp":

  openhuman-core ingest ~/notes ~/mail.mbox
  openhuman-core search budget
  openhuman-core demo

Exit status: 0 done, 1 failed, 2 wrong usage or settings, 3 some items failed, 4 not found, 5 not allowed,
6 in use or changed by somebody else, 7 not available, 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if err := noEmptyFlags(c, "config", "workspace"); err != nil {
				return err
			}
			a.started = true
			return nil
		},
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	f := root.PersistentFlags()
	f.StringVar(&a.configPath, "config", "", "read settings from `FILE` instead of config.toml in the workspace")
	f.StringVar(&a.workspace, "workspace", "", "keep the memory in `FOLDER` (default ~/.openhuman)")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "log what happens to stderr")

	root.AddGroup(
		&cobra.Group{ID: "serve", Title: "Serving:"},
		&cobra.Group{ID: "fill", Title: "Filling:"},
		&cobra.Group{ID: "read", Title: "Reading:"},
	)
	for group, commands := range map[string][]*cobra.Command{
		"serve": {newMCPCommand(a), newServeCommand(a), newDemoCommand(a)},
		"fill":  {newIngestCommand(a), newSyncCommand(a), newEmbedCommand(a), newForgetCommand(a), newExportCommand(a), newBackupCommand(a), newRestoreCommand(a), newStatusCommand(a), newDoctorCommand(a)},
		"read": {
			newSearchCommand(a), newRecallCommand(a), newReadCommand(a), newBrowseCommand(a),
			newEntitiesCommand(a), newSourcesCommand(a), newCallCommand(a), newAuditCommand(a),
		},
		"": {newConfigCommand(a), newVersionCommand(a)},
	} {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	return root
}

// jsonFlag gives c the flag --json.
func (a *app) jsonFlag(c *cobra.Command) {
	c.Flags().BoolVar(&a.json, "json", false, "print JSON for programs")
}

// rawFlag gives c, which prints what is in the memory, the flag --raw.
func (a *app) rawFlag(c *cobra.Command) {
	c.Flags().BoolVar(&a.raw, "raw", false, "show text as it is stored, with secrets and invisible characters")
}

// exit says what went wrong, if anything did, and returns the exit status.
func (a *app) exit(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errSomeFailed):
		return exitSomeFailed
	case errors.Is(err, errUnwell):
		return exitFailed
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || fault.CodeOf(err) == fault.Unavailable):
		fmt.Fprintln(a.stderr, "openhuman-core: interrupted")
		return exitInterrupted
	}
	if !a.started && fault.HintOf(err) == "" {
		err = fault.Wrap(fault.Invalid, err, "%s", err).WithHint("`openhuman-core --help` lists the commands and their flags.")
	}
	a.report(err)
	return fault.WireOf(err).Exit
}

// report prints an error to stderr. The owner of the memory sits in front of it, so that the cause is
// shown as well.
func (a *app) report(err error) {
	msg, hint := err.Error(), fault.HintOf(err)
	var f *fault.Error
	if errors.As(err, &f) && f.Err != nil && f.Code != fault.Internal && !a.verbose {
		msg = f.Msg
	}
	if a.json {
		type failure struct {
			Code    fault.Code `json:"code"`
			Message string     `json:"message"`
			Hint    string     `json:"hint,omitempty"`
		}
		line, jsonErr := json.Marshal(map[string]failure{"error": {fault.CodeOf(err), msg, strings.TrimSpace(hint)}})
		if jsonErr == nil {
			fmt.Fprintf(a.stderr, "%s\n", line)
			return
		}
	}
	fmt.Fprintln(a.stderr, term.Clean("openhuman-core: "+msg))
	if hint != "" {
		fmt.Fprintln(a.stderr, term.Clean(strings.TrimPrefix(hint, "\n")))
	}
}

// printJSON prints v for programs.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
