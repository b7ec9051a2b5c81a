package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/audit"
	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/spf13/cobra"
)

// auditFilter says which calls of the record are wanted.
type auditFilter struct {
	clients, tools, decisions []string
	since, until              *int64
	last                      int
}

func newAuditCommand(a *app) *cobra.Command {
	var f auditFilter
	var since, until string
	var sum bool
	c := &cobra.Command{
		Use:   "audit",
		Short: "Show who has called what",
		Long: `Shows the calls that clients have made, latest last: when, who, which tool, the arguments with the length of each,
how many rows came back, in how many milliseconds, and what the policy said: allowed, denied, or limited for too many
calls. What was asked and what was found is not recorded.

The record lies in the folder audit of the workspace, and the oldest of it goes when it grows: [audit] in config.toml.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var err error
			if f.since, err = parseTime("--since", since, false); err != nil {
				return err
			}
			if f.until, err = parseTime("--until", until, true); err != nil {
				return err
			}
			if f.last < 0 {
				return fmt.Errorf("--last is %d, and has to be 0 for all or more", f.last)
			}
			for _, d := range f.decisions {
				if d != audit.Allowed && d != audit.Denied && d != audit.Limited {
					return fault.New(fault.Invalid, "There is no decision %q.", d).WithHint("The decisions are %s, %s and %s.", audit.Allowed, audit.Denied, audit.Limited)
				}
			}
			if sum {
				return a.printAuditSums(f)
			}
			return a.printAudit(f)
		},
	}
	c.Flags().StringSliceVar(&f.clients, "client", nil, "only this client, such as claude-desktop, http or cli")
	c.Flags().StringSliceVar(&f.tools, "tool", nil, "only this tool or method; * is any run of characters")
	c.Flags().StringSliceVar(&f.decisions, "decision", nil, "only allowed, denied or limited calls")
	c.Flags().StringVar(&since, "since", "", "not before this time")
	c.Flags().StringVar(&until, "until", "", "not after this time")
	c.Flags().IntVarP(&f.last, "last", "n", 50, "how many, the latest; 0 is all")
	c.Flags().BoolVar(&sum, "sum", false, "count the calls of each client to each tool instead")
	a.jsonFlag(c)
	return c
}

func (f *auditFilter) wants(r audit.Record) bool {
	ms := r.Time.UnixMilli()
	return (f.since == nil || ms >= *f.since) && (f.until == nil || ms <= *f.until) &&
		(len(f.decisions) == 0 || slices.Contains(f.decisions, r.Decision)) &&
		(len(f.tools) == 0 || slices.ContainsFunc(f.tools, func(t string) bool { return policy.Names(t, r.Tool) })) &&
		(len(f.clients) == 0 || slices.ContainsFunc(f.clients, func(c string) bool {
			return strings.EqualFold(c, r.Client) || clientinfo.Label(c) == r.Client || r.Pinned != "" && clientinfo.Normalize(c) == r.Pinned
		}))
}

// readAudit hands the wanted records to each, the oldest first.
func (a *app) readAudit(f auditFilter, each func(audit.Record)) error {
	cfg, err := a.settings()
	if err != nil {
		return err
	}
	damaged, err := audit.Read(auditPath(cfg), func(r audit.Record) bool {
		if f.wants(r) {
			each(r)
		}
		return true
	})
	if damaged > 0 {
		a.warning(fmt.Sprintf("%d lines of the record are damaged", damaged))
	}
	if !cfg.Audit.Enabled {
		fmt.Fprintln(a.stderr, "openhuman-core: audit.enabled is false, so nothing is recorded")
	}
	return unreadable(err)
}

// unreadable is the fault of a record of calls that cannot be read. Callers of other surfaces see it,
// so that it names no path.
func unreadable(err error) error {
	if err == nil || fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(fault.Unavailable, err, "The record of calls cannot be read.").
		WithHint("It is the folder audit in the workspace, with files that you may read. If something else is in its place, move that away, and a new record is begun with the next call.")
}

func (a *app) printAudit(f auditFilter) error {
	records := []audit.Record{}
	err := a.readAudit(f, func(r audit.Record) {
		if records = append(records, r); f.last > 0 && len(records) >= 2*f.last {
			records = append(records[:0], records[len(records)-f.last:]...)
		}
	})
	if err != nil {
		return err
	}
	if f.last > 0 {
		records = records[max(0, len(records)-f.last):]
	}
	if a.json {
		return a.printJSON(map[string]any{"calls": records})
	}
	if len(records) == 0 {
		fmt.Fprintln(a.stderr, "No calls are recorded.")
		return nil
	}
	table := term.Table{Head: []string{"TIME", "CLIENT", "TOOL", "ARGUMENTS", "ROWS", "MS", "DECISION"}, Right: []int{4, 5}, Wide: 3}
	for _, r := range records {
		var args []string
		for _, name := range slices.Sorted(maps.Keys(r.Args)) {
			args = append(args, fmt.Sprintf("%s(%d)", name, r.Args[name]))
		}
		said := r.Decision
		if r.Code != "" && r.Decision == audit.Allowed {
			said += ", " + r.Code
		}
		table.Row(r.Time.Local().Format(time.DateTime), caller(r), r.Tool, strings.Join(args, " "), strconv.Itoa(r.Rows), strconv.FormatInt(r.MS, 10), said)
	}
	return table.Write(a.stdout, term.Columns(a.stdout))
}

// caller is a client as the table shows it: with the name that it was given.
func caller(r audit.Record) string {
	if r.Pinned == "" || clientinfo.Label(r.Pinned) == r.Client {
		return r.Client
	}
	return r.Client + " as " + r.Pinned
}

// A callSum counts the calls of one client to one tool.
type callSum struct {
	Client string    `json:"client"`
	Tool   string    `json:"tool"`
	Calls  int       `json:"calls"`
	Denied int       `json:"denied"`
	Failed int       `json:"failed"`
	Rows   int       `json:"rows"`
	Latest time.Time `json:"latest"`
}

// callSums are the sums by client and tool.
type callSums map[[2]string]*callSum

func (by callSums) add(r audit.Record) {
	key := [2]string{caller(r), r.Tool}
	s := by[key]
	if s == nil {
		s = &callSum{Client: key[0], Tool: key[1]}
		by[key] = s
	}
	s.Calls++
	s.Rows += r.Rows
	switch {
	case r.Decision != audit.Allowed:
		s.Denied++
	case r.Code != "":
		s.Failed++
	}
	if r.Time.After(s.Latest) {
		s.Latest = r.Time
	}
}

// callRecord sums up the record of calls for the controller; nil when the settings want none.
func callRecord(cfg config.Config) controller.CallRecord {
	if !cfg.Audit.Enabled {
		return nil
	}
	return func(ctx context.Context, since time.Time) ([]controller.CallSum, error) {
		by := callSums{}
		_, err := audit.Read(auditPath(cfg), func(r audit.Record) bool {
			if !r.Time.Before(since) {
				by.add(r)
			}
			return ctx.Err() == nil
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, unreadable(err)
		}
		var list []controller.CallSum
		for _, s := range by {
			list = append(list, controller.CallSum{
				Client: s.Client, Tool: s.Tool, Calls: s.Calls, Denied: s.Denied, Failed: s.Failed, Rows: s.Rows, LatestMS: s.Latest.UnixMilli(),
			})
		}
		return list, nil
	}
}

func (a *app) printAuditSums(f auditFilter) error {
	by := callSums{}
	err := a.readAudit(f, by.add)
	if err != nil {
		return err
	}
	sums := slices.SortedFunc(maps.Values(by), func(x, y *callSum) int {
		return cmp.Or(cmp.Compare(x.Client, y.Client), cmp.Compare(y.Calls, x.Calls), cmp.Compare(x.Tool, y.Tool))
	})
	if a.json {
		return a.printJSON(map[string]any{"sums": append([]*callSum{}, sums...)})
	}
	if len(sums) == 0 {
		fmt.Fprintln(a.stderr, "No calls are recorded.")
		return nil
	}
	table := term.Table{Head: []string{"CLIENT", "TOOL", "CALLS", "DENIED", "FAILED", "ROWS", "LATEST"}, Right: []int{2, 3, 4, 5}, Wide: 1}
	for _, s := range sums {
		table.Row(s.Client, s.Tool, strconv.Itoa(s.Calls), strconv.Itoa(s.Denied), strconv.Itoa(s.Failed), strconv.Itoa(s.Rows), s.Latest.Local().Format(time.DateTime))
	}
	return table.Write(a.stdout, term.Columns(a.stdout))
}
