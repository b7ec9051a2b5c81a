package controller

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Days of the record of calls: how many when nothing is said, and at most.
const (
	defaultDays = 30
	maxDays     = 3660
)

// AuditCallsParams are the arguments of audit_calls.
type AuditCallsParams struct {
	Days int `json:"days,omitempty"` // 0: defaultDays; above maxDays: maxDays
}

// AuditCallsResult is the answer of audit_calls.
type AuditCallsResult struct {
	Calls     []CallSum  `json:"calls"` // by client, the most called tool first
	Truncated *Truncated `json:"truncated,omitempty"`
	Hint      string     `json:"hint,omitempty"`
}

// A CallSum counts the calls of one client to one tool.
type CallSum struct {
	Client   string `json:"client"`
	Tool     string `json:"tool"`
	Calls    int    `json:"calls"`
	Denied   int    `json:"denied"` // by the policy, for good or for too many calls
	Failed   int    `json:"failed"`
	Rows     int    `json:"rows"`
	LatestMS int64  `json:"latest_ms"`
}

// A CallRecord sums up the calls that were recorded since a time. What was asked and found is not in it.
type CallRecord func(ctx context.Context, since time.Time) ([]CallSum, error)

// AuditCalls tells which client has called what, and how often.
func (c *Controller) AuditCalls(ctx context.Context, p AuditCallsParams) (AuditCallsResult, error) {
	res := AuditCallsResult{Calls: []CallSum{}}
	days, err := amount("days", p.Days, defaultDays, maxDays, "how many days to look back")
	if err != nil {
		return res, err
	}
	if c.calls == nil {
		res.Hint = "Calls are not recorded: audit.enabled is false."
		return res, nil
	}
	calls, err := c.calls(ctx, c.now().AddDate(0, 0, -days))
	if err != nil {
		return res, err
	}
	slices.SortFunc(calls, func(x, y CallSum) int {
		return cmp.Or(cmp.Compare(x.Client, y.Client), cmp.Compare(y.Calls, x.Calls), cmp.Compare(x.Tool, y.Tool))
	})
	res.Calls, res.Truncated = fitList(list(calls), "calls", c.maxBytes)
	res.Hint = res.Truncated.hint()
	return res, nil
}
