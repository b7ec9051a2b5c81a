package controller

import (
	"context"
	"time"
)

// Months of activity: how many when nothing is said, and at most.
const (
	defaultMonths = 24
	maxMonths     = 120
)

// ActivityParams are the arguments of memory_tree_activity.
type ActivityParams struct {
	Months int `json:"months,omitempty"` // 0: defaultMonths; above maxMonths: maxMonths
}

// ActivityResult is the answer of memory_tree_activity.
type ActivityResult struct {
	Sources   []ActivityRow `json:"sources"` // by source_id; those with nothing in these months are left out
	Months    []string      `json:"months"`  // ascending, as 2024-03, UTC; the last is this month
	Truncated *Truncated    `json:"truncated,omitempty"`
	Hint      string        `json:"hint,omitempty"`
}

// ActivityRow is the activity of one source.
type ActivityRow struct {
	SourceID string `json:"source_id"`
	Counts   []int  `json:"counts"` // chunks in each of the months
}

// Activity counts the chunks of each source by month, up to this one.
func (c *Controller) Activity(ctx context.Context, p ActivityParams) (ActivityResult, error) {
	res := ActivityResult{Sources: []ActivityRow{}, Months: []string{}}
	months, err := amount("months", p.Months, defaultMonths, maxMonths, "how many months to look back")
	if err != nil {
		return res, err
	}
	now := c.now().UTC()
	bounds := make([]time.Time, 0, months+1)
	for i := range months + 1 {
		bounds = append(bounds, time.Date(now.Year(), now.Month()+time.Month(i+1-months), 1, 0, 0, 0, 0, time.UTC))
	}
	for _, b := range bounds[:months] {
		res.Months = append(res.Months, b.Format("2006-01"))
	}
	sources, err := c.store.Activity(ctx, bounds, c.scope(ctx))
	if err != nil {
		return res, err
	}
	for _, s := range sources {
		res.Sources = append(res.Sources, ActivityRow(s))
	}
	res.Sources, res.Truncated = fitList(res.Sources, "sources", c.maxBytes-16*months)
	res.Hint = res.Truncated.hint()
	return res, nil
}
