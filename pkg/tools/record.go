package tools

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/openhuman/openhuman-core/internal/audit"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

// strangers is under which the arguments are counted that an operation does not have.
const strangers = "?"

// record adds a call to the audit: who, what and how it went, never what was asked or found.
func (o Op) record(ctx context.Context, d Deps, params json.RawMessage, began time.Time, out any, err error) {
	if d.Audit == nil {
		return
	}
	who := clientinfo.From(ctx)
	r := audit.Record{
		Time: began.UTC(), Client: who.Label, Pinned: who.Pinned, Tool: o.names()[0], Args: o.args.lengths(params),
		MS: time.Since(began).Milliseconds(), Decision: decision(err), Code: string(fault.CodeOf(err)),
	}
	if err == nil {
		r.Rows = rows(out)
		if e, ok := out.(controller.Entry); ok {
			r.Of = e.ToolID
		}
	}
	d.Audit.Write(r)
}

// unknownTool is what stands in the record for what a caller calls that does not exist: the name is its
// own words.
const unknownTool = "unknown"

// RecordUnknown adds the call of a tool or a method to the audit that does not exist.
func RecordUnknown(ctx context.Context, d Deps, params json.RawMessage) {
	if d.Audit == nil {
		return
	}
	who := clientinfo.From(ctx)
	d.Audit.Write(audit.Record{
		Time: time.Now().UTC(), Client: who.Label, Pinned: who.Pinned, Tool: unknownTool, Args: new(arguments).lengths(params),
		Decision: audit.Allowed, Code: string(fault.Invalid),
	})
}

// decision is what the policy said to a call that ended with err.
func decision(err error) string {
	switch {
	case errors.Is(err, policy.ErrTooMany):
		return audit.Limited
	case fault.CodeOf(err) == fault.Denied:
		return audit.Denied
	}
	return audit.Allowed
}

// lengths returns how long each argument is, in bytes without quotation marks.
func (a *arguments) lengths(params json.RawMessage) map[string]int {
	members, err := a.members(params)
	if err != nil {
		return nil
	}
	lengths := make(map[string]int, len(members))
	for name, value := range members {
		n := len(unquoted(value))
		if !a.has(name) {
			name, n = strangers, lengths[strangers]+n
		}
		lengths[name] = n
	}
	return lengths
}

func (a *arguments) has(name string) bool {
	for _, f := range a.fields {
		if f.name == name {
			return true
		}
	}
	return false
}

// rows counts the rows that a result lists, or 1 for a result that is one thing.
func rows(out any) int {
	v := reflect.ValueOf(out)
	if v.Kind() != reflect.Struct || v.NumField() == 0 {
		return 0
	}
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct {
			return f.Len()
		}
	}
	return 1
}
