package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

func TestActivity(t *testing.T) {
	s := twoMailboxes(t) // mail:hr at 2000 and, shared, 3000; mail:work at 1000
	at := func(ms ...int64) (bounds []time.Time) {
		for _, m := range ms {
			bounds = append(bounds, time.UnixMilli(m))
		}
		return bounds
	}
	type active = []store.SourceActivity
	for name, c := range map[string]struct {
		bounds []time.Time
		scope  store.Scope
		want   active
	}{
		"all":               {at(0, 1500, 2500, 4000), nil, active{{"mail:hr", []int{0, 1, 1}}, {"mail:work", []int{1, 0, 0}}}},
		"bounds are half":   {at(1000, 2000, 3000), nil, active{{"mail:hr", []int{0, 1}}, {"mail:work", []int{1, 0}}}},
		"nothing is in it":  {at(5000, 6000), nil, nil},
		"no span":           {at(0), nil, nil},
		"the other is gone": {at(0, 1500, 2500, 4000), storetest.Without{"mail:hr"}, active{{"mail:work", []int{1, 0, 1}}}},
		"one is gone":       {at(0, 1500, 2500, 4000), storetest.Without{"mail:work"}, active{{"mail:hr", []int{0, 1, 1}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := s.Activity(t.Context(), c.bounds, c.scope)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}
