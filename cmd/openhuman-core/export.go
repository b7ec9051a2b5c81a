package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/openhuman/openhuman-core/internal/export"
	"github.com/openhuman/openhuman-core/internal/ingest/interchange"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/internal/wholefile"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/spf13/cobra"
)

func newExportCommand(a *app) *cobra.Command {
	var source, output string
	var force bool
	c := &cobra.Command{
		Use:   "export",
		Short: "Write the memory as lines of JSON that other programs read",
		Long: `Writes everything in the memory, or one source, as interchange lines (docs/interchange.md): to stdout, or to the FILE of
--output, which appears when it is whole and which only you may read. "openhuman-core ingest FILE" makes an equal memory
of it, with the same ids; a memory that has a document already keeps the one that it has.

The same memory gives the same bytes. Of your files only the names below the folder that was ingested show, in
source_ref, and the name of that folder in source_id.

Text is written as it stands in the memory, secrets included, also of sources that policy.deny_sources hides: the policy
is for readers, and this command is the owner's.`,
		Args: cobra.NoArgs,
		PreRunE: func(c *cobra.Command, _ []string) error {
			return noEmptyFlags(c, "source", "output")
		},
		RunE: func(c *cobra.Command, _ []string) error { return a.export(c.Context(), source, output, force) },
	}
	f := c.Flags()
	f.StringVar(&source, "source", "", "only the source with this `ID`")
	f.StringVarP(&output, "output", "o", "", "write to `FILE`")
	f.BoolVar(&force, "force", false, "replace FILE when it is there")
	a.jsonFlag(c)
	return c
}

func (a *app) export(ctx context.Context, source, output string, force bool) (err error) {
	cfg, err := a.settings()
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{Path: storePath(cfg), ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if source != "" {
		if _, err := findSource(ctx, s, source); err != nil {
			return err
		}
	}
	p := newProgress(a)
	o := export.Options{Store: s, Source: source, Progress: func(n export.Counts) {
		p.drawLine(fmt.Sprintf("%s documents, %s", number(n.Documents), size(n.Bytes)))
	}}
	var n export.Counts
	write := func(w io.Writer) error {
		n, err = export.Write(ctx, o, w)
		return err
	}
	if output == "" || output == "-" {
		if term.IsTerminal(a.stdout) {
			o.Progress = nil // the lines themselves are to be seen
		}
		err = write(a.stdout)
	} else {
		err = wholefile.Write(output, force, write)
	}
	p.done()
	if err != nil {
		return written(ctx, err, output)
	}
	return a.printExport(n, output)
}

// written says what it means that an export cannot be written.
func written(ctx context.Context, err error, output string) error {
	var f *fault.Error
	if ctx.Err() != nil || errors.As(err, &f) {
		return err
	}
	where := "The output"
	if output != "" && output != "-" {
		where = output
	}
	return fault.Wrap(fault.Unavailable, err, "%s cannot be written: %v.", where, reason(err)).
		WithHint("Look at the free space there; nothing half-written is left of a file.")
}

func (a *app) printExport(n export.Counts, output string) error {
	toFile := output != "" && output != "-"
	switch {
	case toFile && a.json:
		if err := a.printJSON(struct {
			File      string `json:"file"`
			Bytes     int64  `json:"bytes"`
			Sources   int    `json:"sources"`
			Documents int    `json:"documents"`
			Chunks    int    `json:"chunks"`
			Rebuilt   int    `json:"rebuilt"`
			TooLong   int    `json:"too_long"`
		}{output, n.Bytes, n.Sources, n.Documents, n.Chunks, n.Rebuilt, n.TooLong}); err != nil {
			return err
		}
	case toFile:
		fmt.Fprintf(a.stdout, "Exported %s documents of %s sources to %s (%s).\n", number(n.Documents), number(n.Sources), term.Line(output), size(n.Bytes))
	}
	if n.Rebuilt > 0 {
		a.warning(fmt.Sprintf("%s documents were taken in by an earlier version that kept less of them; they were put together from their pieces. Ingest their files again to have them whole.", number(n.Rebuilt)))
	}
	if n.TooLong > 0 {
		a.warning(fmt.Sprintf("%s lines are longer than the %d MB that ingest reads.", number(n.TooLong), interchange.MaxLine>>20))
		return errSomeFailed
	}
	return nil
}
