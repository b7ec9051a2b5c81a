package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/spf13/cobra"
)

func newForgetCommand(a *app) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "forget SOURCE",
		Short: "Remove one source and everything that came from it",
		Long: `Removes a source, as "openhuman-core sources" names it, and everything that came from it. The files that it came
from stay where they are, and ingesting them again brings it back. A mail that another mailbox holds too stays, in the
source of that one. SOURCE is one whole id, not a pattern. A source that policy.deny_sources hides can be removed as
well: the policy is for readers, and this command is the owner's.`,
		Args: one("SOURCE"),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := a.settings()
			if err != nil {
				return err
			}
			// Looking first: opening for changes would make a memory where there is none.
			m, err := openMemory(cfg, nil)
			if err != nil {
				return err
			}
			chunks, err := findSource(c.Context(), m.store, args[0])
			if fault.CodeOf(err) == fault.NotFound {
				// It may hold nothing but mails that are in other sources.
				if n, e := m.store.HoldsFor(c.Context(), args[0]); e == nil && n > 0 {
					chunks, err = 0, nil
				}
			}
			if fault.CodeOf(err) == fault.NotFound && strings.ContainsAny(args[0], "*?") {
				err = fault.New(fault.NotFound, "There is no source %q.", args[0]).
					WithHint("SOURCE is one whole id, not a pattern; `openhuman-core sources` lists them.")
			}
			if err != nil {
				m.Close()
				return err
			}
			if err := m.Close(); err != nil {
				return err
			}
			if !yes {
				if err := a.confirm(fmt.Sprintf("Remove %s with %s chunks from the memory?", term.Line(args[0]), number(chunks))); err != nil {
					return err
				}
			}
			s, err := a.openWriter(c.Context(), cfg)
			if err != nil {
				return err
			}
			// What other mailboxes hold too is not lost, and nobody should take it for removed.
			kept, err := s.SharedWith(c.Context(), args[0])
			if err != nil {
				return errors.Join(err, s.Close())
			}
			stay, err := s.HoldsFor(c.Context(), args[0])
			if err != nil {
				return errors.Join(err, s.Close())
			}
			documents, chunks, err := forgetSource(c.Context(), s, args[0])
			if closeErr := s.Close(); err == nil {
				err = closeErr
			}
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"source_id": args[0], "documents": documents, "chunks": chunks, "kept": kept})
			}
			fmt.Fprintf(a.stdout, "Removed %s: %s documents, %s chunks.\n", term.Line(args[0]), number(documents), number(chunks))
			for _, id := range slices.Sorted(maps.Keys(kept)) {
				fmt.Fprintf(a.stdout, "%s documents that %s holds too are in that source now.\n", number(kept[id]), term.Line(id))
			}
			if stay > 0 {
				fmt.Fprintf(a.stdout, "%s documents that it held too stay in other sources.\n", number(stay))
			}
			return nil
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	a.jsonFlag(c)
	return c
}

// confirm asks a person. Without one, only --yes will do.
func (a *app) confirm(question string) error {
	if !term.IsTerminal(a.stdin) || !term.IsTerminal(a.stderr) {
		return fault.New(fault.Invalid, "This removes memory, and there is nobody to ask.").WithHint("Add --yes to do it without asking.")
	}
	fmt.Fprintf(a.stderr, "%s [y/N] ", question)
	line, err := bufio.NewReader(a.stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	if err != nil {
		fmt.Fprintln(a.stderr)
	}
	return fault.New(fault.Conflict, "Nothing was removed.")
}
