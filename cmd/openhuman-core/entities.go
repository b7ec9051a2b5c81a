package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/spf13/cobra"
)

func newEntitiesCommand(a *app) *cobra.Command {
	var p controller.TopEntitiesParams
	c := &cobra.Command{
		Use:   "entities",
		Short: "List the people, topics and things that are mentioned most",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := ask[controller.TopEntitiesResult](c.Context(), a, "tree.top_entities", p)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			table := term.Table{Head: []string{"MENTIONS", "ENTITY", "WRITTEN"}, Right: []int{0}, Wide: 2}
			for _, e := range r.Entities {
				table.Row(strconv.Itoa(e.Count), e.EntityID, e.Surface)
			}
			return a.printTable(table, len(r.Entities), r.Truncated, r.Hint)
		},
	}
	c.Flags().StringVar(&p.Kind, "kind", "", "only this kind: "+strings.Join(controller.EntityKinds, ", "))
	rowsFlag(c, &p.K)
	a.jsonFlag(c)
	a.rawFlag(c)
	return c
}

func newSourcesCommand(a *app) *cobra.Command {
	var p controller.ListSourcesParams
	c := &cobra.Command{
		Use:   "sources",
		Short: "List where the memory came from",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := ask[controller.ListSourcesResult](c.Context(), a, "tree.list_sources", p)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			table := term.Table{Head: []string{"SOURCE", "KIND", "CHUNKS", "LATEST", "NAME"}, Right: []int{2}, Wide: 4}
			for _, s := range r.Sources {
				table.Row(s.SourceID, s.SourceKind, strconv.Itoa(s.ChunkCount), day(s.MostRecentMS), s.DisplayName)
			}
			return a.printTable(table, len(r.Sources), r.Truncated, r.Hint)
		},
	}
	c.Flags().StringVar(&p.UserEmailHint, "email", "", "your own address, left out of the names of conversations")
	a.jsonFlag(c)
	a.rawFlag(c)
	return c
}

// printTable prints a table and what there is to say about it.
func (a *app) printTable(t term.Table, rows int, cut *controller.Truncated, hint string) error {
	if rows > 0 {
		if err := t.Write(a.stdout, term.Columns(a.stdout)); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	a.remark(cut, hint)
	return nil
}
