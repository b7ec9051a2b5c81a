package main

import (
	"fmt"
	"strings"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/spf13/cobra"
)

func newRecallCommand(a *app) *cobra.Command {
	var k int
	var explain bool
	c := &cobra.Command{
		Use:   "recall QUESTION...",
		Short: "Find what answers a question in plain words",
		Args:  some("QUESTION"),
		RunE: func(c *cobra.Command, args []string) error {
			ctx := c.Context()
			var why *[]controller.Why
			if explain {
				ctx, why = controller.WithWhy(ctx)
			}
			params := controller.RecallParams{Query: strings.Join(args, " "), K: k}
			r, err := ask[controller.RecallResult](ctx, a, "memory.recall", params)
			if err != nil {
				return err
			}
			if why == nil {
				return a.printRows(r, r.Chunks, r.Truncated, r.Hint, "")
			}
			return a.printExplained(r, *why)
		},
	}
	rowsFlag(c, &k)
	c.SetFlagErrorFunc(wordFlag)
	c.Flags().BoolVar(&explain, "explain", false, "say for each row what put it there")
	a.jsonFlag(c)
	a.rawFlag(c)
	return c
}

// An explainedRow is a row with what put it there.
type explainedRow struct {
	controller.Row
	Why controller.Why `json:"why"`
}

// printExplained prints what a recall found and, for each row, what each kind of evidence added.
func (a *app) printExplained(r controller.RecallResult, why []controller.Why) error {
	if a.json {
		out := struct {
			Chunks    []explainedRow        `json:"chunks"`
			Truncated *controller.Truncated `json:"truncated,omitempty"`
			Hint      string                `json:"hint,omitempty"`
		}{[]explainedRow{}, r.Truncated, r.Hint}
		for i, row := range r.Chunks {
			out.Chunks = append(out.Chunks, explainedRow{row, why[i]})
		}
		return a.printJSON(out)
	}
	for i, row := range r.Chunks {
		w := why[i]
		fmt.Fprintf(a.stdout, "%2d. %s\n", i+1, headline(row))
		fmt.Fprintf(a.stdout, "    score %.3f from keyword %.3f + semantic %.3f + summary %.3f + beside %.3f + time %.3f - repeated %.3f\n",
			row.Score, w.Keyword, w.Semantic, w.Summary, w.Beside, w.Time, w.Repeated)
		cosine := "no vector"
		if w.Model != "" {
			cosine = fmt.Sprintf("cosine %.3f by %s", w.Cosine, w.Model)
		}
		fmt.Fprintf(a.stdout, "    holds %.0f%% of the question's words, %s\n", 100*w.Cover, cosine)
		fmt.Fprintf(a.stdout, "    %s\n", row.ChunkID)
	}
	a.remark(r.Truncated, r.Hint)
	if len(r.Chunks) == 0 && r.Hint == "" {
		fmt.Fprintln(a.stderr, "Nothing found.")
	}
	return nil
}
