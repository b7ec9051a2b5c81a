package tools

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/pkg/policy"
)

// A cleaner gives the texts of one value the form in which the caller is served them, and reports
// whether it may have changed anything. v can be set.
type cleaner func(v reflect.Value, text func(string) string)

// references are the members that callers hand back, and those whose values are the program's own.
// They hold nothing that is anybody's secret, and have to stay as they are.
var references = []string{"chunk_id", "chunk_ids", "document_id", "prev_chunk_id", "next_chunk_id", "children", "node_kind", "source_kind", "kind", "timestamp", "matched"}

// cleanerOf returns what cleans values of t, or nil when they hold no text.
func cleanerOf(t reflect.Type) cleaner {
	switch t.Kind() {
	case reflect.String:
		return func(v reflect.Value, text func(string) string) {
			if s := v.String(); s != "" {
				if clean := text(s); clean != s {
					v.SetString(clean)
				}
			}
		}
	case reflect.Pointer:
		below := cleanerOf(t.Elem())
		if below == nil {
			return nil
		}
		return func(v reflect.Value, text func(string) string) {
			if !v.IsNil() {
				below(v.Elem(), text)
			}
		}
	case reflect.Slice:
		below := cleanerOf(t.Elem())
		if below == nil {
			return nil
		}
		return func(v reflect.Value, text func(string) string) {
			for i := range v.Len() {
				below(v.Index(i), text)
			}
		}
	case reflect.Struct:
		type member struct {
			index int
			clean cleaner
		}
		var members []member
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || slices.Contains(references, name) {
				continue
			}
			if below := cleanerOf(f.Type); below != nil {
				members = append(members, member{i, below})
			}
		}
		if members == nil {
			return nil
		}
		return func(v reflect.Value, text func(string) string) {
			for _, m := range members {
				m.clean(v.Field(m.index), text)
			}
		}
	}
	return nil
}

// served returns out in the form in which the caller in ctx is served it. The controller has done so
// with what it cuts; this is for everything else.
func served[Out any](ctx context.Context, p *policy.Policy, clean cleaner, out Out) Out {
	if p != nil && clean != nil {
		clean(reflect.ValueOf(&out).Elem(), func(s string) string { return p.Served(ctx, s) })
	}
	return out
}
