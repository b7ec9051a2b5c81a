package main

import (
	"fmt"
	"strings"

	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/spf13/cobra"
)

func newReadCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "read CHUNK_ID",
		Short: "Read one piece of text in full",
		Args:  one("CHUNK_ID"),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := ask[controller.GetChunkResult](c.Context(), a, "tree.read_chunk", controller.GetChunkParams{ChunkID: args[0]})
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			return a.printChunk(r.Chunk)
		},
	}
	a.jsonFlag(c)
	a.rawFlag(c)
	return c
}

func (a *app) printChunk(c controller.Chunk) error {
	line := func(name, value string) {
		if value = term.Line(value); value != "" {
			fmt.Fprintf(a.stdout, "%-9s %s\n", name, value)
		}
	}
	line("title", c.Title)
	line("source", c.SourceID)
	line("place", c.SourceRef)
	line("author", c.Author)
	line("time", c.Timestamp)
	line("tags", strings.Join(c.Tags, ", "))
	var names []string
	for _, e := range c.Entities {
		names = append(names, e.EntityID)
	}
	line("mentions", strings.Join(names, ", "))
	line("before", c.PrevChunkID)
	line("after", c.NextChunkID)
	line("under it", strings.Join(c.Children, ", "))
	_, err := fmt.Fprintf(a.stdout, "\n%s\n", strings.TrimRight(term.Clean(c.Content), "\n"))
	return err
}
