package xling

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"unicode/utf8"
)

// unknownCost is the price of a character that no word has.
const unknownCost = 25

// A piece is a word of a run, by byte offsets.
type piece struct {
	start, end int
	// id is the number of a word, or unknown, or -2-k for entry k of a person's own.
	id int32
	// asis says that the word is as it was written, and not in simplified characters.
	asis bool
}

const unknown = -1

// lattice is the working memory of a segmentation.
type lattice struct {
	run  []byte
	asis []byte // run with the characters as written that some words have so; empty: the same
	ends []int  // where each character of run ends
	was  []int  // and each of asis
	best []float32
	from []piece // the piece that ends at a character
	out  []piece

	own    []ownPiece // of the person's own words, those that are in the run, in order
	names  []ownPiece // of the names, those that may be
	inside []bool     // whether a character begins within a word
}

// segment cuts the run in l into the pieces whose words are the likeliest together. use, when set,
// says which words there are.
func (w *words) segment(l *lattice, own *personal, use func(id int32, characters int) bool) []piece {
	l.ends, l.was = ends(l.ends[:0], l.run), ends(l.was[:0], l.asis)
	if l.find(own); len(l.names) > 0 {
		w.relax(l, use)
		l.admit(w, own)
	}
	w.relax(l, use)
	for i := range l.out { // from characters to bytes
		p := &l.out[i]
		ends := l.ends
		if p.asis {
			ends = l.was
		}
		if p.start > 0 {
			p.start = ends[p.start-1]
		}
		p.end = ends[p.end-1]
	}
	return l.out
}

// relax leaves in l.out the cheapest pieces that make up the run: words of the language and of l.own. They
// begin and end at characters.
func (w *words) relax(l *lattice, use func(id int32, characters int) bool) {
	n := len(l.ends)
	l.best = append(l.best[:0], 0)
	for range n {
		l.best = append(l.best, math.MaxFloat32)
	}
	l.from = slices.Grow(l.from[:0], n+1)[:n+1]
	start, begin, own := 0, 0, l.own
	for i := range n {
		base := l.best[i]
		relax := func(k int, cost float32, id int32, asis bool) {
			if c := base + cost; c < l.best[k] {
				l.best[k], l.from[k] = c, piece{i, k, id, asis}
			}
		}
		known := false
		look := func(run []byte, start int, ends []int, asis bool) {
			h, at := uint32(hashSeed), start
			for k := i; k < n && k-i < w.longest; k++ {
				for ; at < ends[k]; at++ {
					h = step(h, run[at])
				}
				id := w.find(h, run[start:at])
				if id < 0 || use != nil && !use(id, k+1-i) {
					continue
				}
				known = known || k == i
				relax(k+1, w.cost(id), id, asis)
			}
		}
		look(l.run, start, l.ends, false)
		if len(l.asis) > 0 { // 著名 is famous, though 着 is what 著 is elsewhere
			look(l.asis, begin, l.was, true)
			begin = l.was[i]
		}
		if !known {
			relax(i+1, unknownCost, unknown, false)
		}
		for ; len(own) > 0 && own[0].start == i; own = own[1:] {
			relax(own[0].end, own[0].cost, own[0].id, false)
		}
		start = l.ends[i]
	}
	l.out = l.out[:0]
	for k := n; k > 0; k = l.from[k].start {
		l.out = append(l.out, l.from[k])
	}
	slices.Reverse(l.out)
}

// written is what a piece stands for.
func (l *lattice) written(p piece) []byte {
	if p.asis {
		return l.asis[p.start:p.end]
	}
	return l.run[p.start:p.end]
}

// ends appends where each character of a run ends.
func ends(dst []int, run []byte) []int {
	for i := 0; i < len(run); {
		_, n := utf8.DecodeRune(run[i:])
		i += n
		dst = append(dst, i)
	}
	return dst
}

func packSimpler(m map[rune]rune) []byte {
	var out []byte
	for _, r := range slices.SortedFunc(maps.Keys(m), cmp.Compare[rune]) {
		out = binary.LittleEndian.AppendUint32(out, uint32(r))
		out = binary.LittleEndian.AppendUint32(out, uint32(m[r]))
	}
	return out
}
