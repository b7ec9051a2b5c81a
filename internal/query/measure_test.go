package query_test

import (
	"testing"

	"github.com/openhuman/openhuman-core/internal/query"
)

func TestMeasure(t *testing.T) {
	q := query.Natural("tide gauges in the harbour")
	m := query.NewMeasurer(q.Terms, []int{3, 3, 3}, 100)
	near := m.Measure("", "Anna: hello there\nBob: the tide gauges of the harbour\nAnna: fine")
	far := m.Measure("", "Anna: the tide\nBob: hello\nAnna: so\nBob: gauges\nAnna: well\nBob: harbour")
	one := m.Measure("", "the tide")
	if near.Cover != 1 || far.Cover != 1 || near.Passage <= far.Passage || one.Cover >= .5 || one.Words <= 0 || near.Words >= 1 {
		t.Errorf("near %+v, far %+v, one %+v", near, far, one)
	}
	if none := m.Measure("title", "nothing of it"); none != (query.Measure{}) {
		t.Errorf("%+v", none)
	}
	if head := m.Measure("harbour", "nothing of it"); head.Words <= 0 || head.Passage != 0 {
		t.Errorf("%+v", head)
	}
}

func TestPlain(t *testing.T) {
	for s, want := range map[string]string{
		"anything from:alice about the plan": "anything about the plan", `what of "running late" kind:mail`: "what of running late", "": "", "from:x": "",
	} {
		if got := query.Plain(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
