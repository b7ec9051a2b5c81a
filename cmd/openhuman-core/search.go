package main

import (
	"strings"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/spf13/cobra"
)

func newSearchCommand(a *app) *cobra.Command {
	var k int
	c := &cobra.Command{
		Use:   "search WORDS...",
		Short: "Find text by its words, best match first",
		Long: `Finds text by its words, best match first.

"a phrase" is exact, word* is a prefix, -word excludes; from: source: kind: tag: after:YYYY-MM-DD and
before:YYYY-MM-DD narrow. after: and before: include the day, month or year that they name; days are in UTC. source:
takes an id, the platform before its colon, the name after it, or a pattern such as slack:*. Put -- before the words
when one of them starts with a minus:

  openhuman-core search -- budget -draft`,
		Args: some("WORDS"),
		RunE: func(c *cobra.Command, args []string) error {
			params := controller.SearchParams{Query: joinWords(args), K: k}
			r, err := ask[controller.SearchResult](c.Context(), a, "memory.search", params)
			if err != nil {
				return err
			}
			return a.printRows(r, r.Chunks, r.Truncated, r.Hint, more(r.HasMore))
		},
	}
	rowsFlag(c, &k)
	c.SetFlagErrorFunc(wordFlag)
	a.jsonFlag(c)
	a.rawFlag(c)
	return c
}

func more(is bool) string {
	if is {
		return "There is more: -k shows up to 50, and further words narrow."
	}
	return ""
}

// joinWords makes a query of the words as the shell handed them over: one that holds blanks was
// quoted, and is a phrase unless it is the whole query or has quotes of its own.
func joinWords(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	words := make([]string, len(args))
	for i, w := range args {
		if strings.ContainsAny(w, " \t") && !strings.Contains(w, `"`) {
			w = `"` + w + `"`
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}
