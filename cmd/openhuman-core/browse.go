package main

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/spf13/cobra"
)

func newBrowseCommand(a *app) *cobra.Command {
	var p controller.ListChunksParams
	var since, until string
	c := &cobra.Command{
		Use:   "browse [WORDS...]",
		Short: "Page through the memory, newest first",
		Long: `Pages through the memory, newest first. Filters are combined with AND, the values of one filter with OR.
Times are a day (2024-05-01; as --until its end, so that both days are included), RFC 3339, or milliseconds since
1970; days are in UTC. WORDS are the language of search, and all of them have to be there. --source takes whole ids;
for patterns there is source: among the words, as in source:notes:*.`,
		RunE: func(c *cobra.Command, args []string) error {
			p.Query = joinWords(args)
			var err error
			if p.SinceMS, err = parseTime("--since", since, false); err != nil {
				return err
			}
			if p.UntilMS, err = parseTime("--until", until, true); err != nil {
				return err
			}
			r, err := ask[controller.ListChunksResult](c.Context(), a, "tree.browse", p)
			if err != nil {
				return err
			}
			note := fmt.Sprintf("%d in all.", r.Total)
			if r.NextOffset != nil {
				note = fmt.Sprintf("%d in all; the next page: --offset %d", r.Total, *r.NextOffset)
			}
			return a.printRows(r, r.Chunks, r.Truncated, r.Hint, note)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&p.SourceKinds, "kind", nil, "only chat, email or document")
	f.StringArrayVar(&p.SourceIDs, "source", nil, "only this source (may be repeated)")
	f.StringArrayVar(&p.EntityIDs, "entity", nil, "only what mentions this entity, such as person:alice (may be repeated)")
	f.StringVar(&since, "since", "", "not before this time")
	f.StringVar(&until, "until", "", "not after this time")
	rowsFlag(c, &p.K)
	wholeFlag(c, &p.Offset, "offset", "", 0, 0, math.MaxInt, "how many to skip")
	a.jsonFlag(c)
	a.rawFlag(c)
	return c
}

// parseTime reads a bound in time; a day as an upper bound means its last millisecond.
func parseTime(flag, s string, upper bool) (*int64, error) {
	if s == "" {
		return nil, nil
	}
	if day, err := time.Parse(time.DateOnly, s); err == nil {
		ms := day.UnixMilli()
		if upper {
			ms = day.AddDate(0, 0, 1).UnixMilli() - 1
		}
		return &ms, nil
	}
	if at, err := time.Parse(time.RFC3339, s); err == nil {
		ms := at.UnixMilli()
		return &ms, nil
	}
	// Four digits are a year that somebody forgot to finish.
	if ms, err := strconv.ParseInt(s, 10, 64); err == nil && len(s) > 4 {
		return &ms, nil
	}
	return nil, fault.New(fault.Invalid, "%s does not understand %q.", flag, s).
		WithHint("Write a day such as 2024-05-01, a time such as 2024-05-01T18:00:00Z, or milliseconds since 1970.")
}
