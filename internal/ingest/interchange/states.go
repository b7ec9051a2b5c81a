package interchange

import (
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// An item is a document of a line. named says that a source_ref identifies it.
type item struct {
	d     *doc.Document
	named bool
}

// States tells which of the documents of one file with one source_ref is served: the last one, since a
// later line is a newer state. A chat that only its messages identify is a newer state of another when
// it holds all the messages of that; else both stand, under two keys. It keeps some 30 bytes of each
// such document.
type states struct {
	seed  maphash.Seed
	seen  int
	last  map[uint64][]variant
	stale map[int]bool
	again map[int]int // which variant of its key a document is, when not the first
}

type variant struct {
	n    int      // the document, counted
	refs []uint64 // of its messages, when it is a chat known by them
}

func newStates() *states {
	return &states{seed: maphash.MakeSeed(), last: map[uint64][]variant{}, stale: map[int]bool{}, again: map[int]int{}}
}

// note takes a document into account.
func (s *states) note(it item) {
	if !it.named {
		return
	}
	s.seen++
	v := variant{n: s.seen}
	d := it.d
	if d.Kind == doc.KindChat && len(d.Messages) > 0 && d.Key == d.Messages[0].SourceRef {
		for i := range d.Messages {
			m := &d.Messages[i]
			if m.SourceRef != "" {
				v.refs = append(v.refs, maphash.String(s.seed, m.SourceRef))
			} else {
				v.refs = append(v.refs, maphash.String(s.seed, m.Time.String()+m.Author.String()+m.Text))
			}
		}
		slices.Sort(v.refs)
	}
	id := maphash.String(s.seed, string(d.Kind)+"\x00"+d.SourceID+"\x00"+d.Key)
	vs := s.last[id]
	for i := range vs {
		if holds(v.refs, vs[i].refs) {
			s.stale[vs[i].n] = true
			vs[i] = v
			if i > 0 {
				s.again[v.n] = i
			}
			return
		}
	}
	if len(vs) > 0 {
		s.again[v.n] = len(vs)
	}
	s.last[id] = append(vs, v)
}

// serve reports whether a document, met in the same order again, is served, and gives it its key.
func (s *states) serve(it item) bool {
	if !it.named {
		return true
	}
	s.seen++
	if i := s.again[s.seen]; i > 0 {
		it.d.Key = fmt.Sprintf("%s~%d", it.d.Key, i+1)
	}
	return !s.stale[s.seen]
}

// holds reports whether all of part, which is sorted as whole is, is in whole.
func holds(whole, part []uint64) bool {
	for _, p := range part {
		if _, ok := slices.BinarySearch(whole, p); !ok {
			return false
		}
	}
	return true
}
