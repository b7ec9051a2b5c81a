package rank

import (
	"math"

	"github.com/openhuman/openhuman-core/internal/text"
)

// A Sketch stands for a text where it is asked how much two texts have in common.
type Sketch [sketchSize]uint64

const (
	// sketchSize is how many bins there are. 64 tell a copy with a few words changed (a share of 0.9)
	// from a text of the same kind (0.4) with hardly an error.
	sketchSize = 64
	// shingle is how many words in a row are hashed together.
	shingle = 3
	// copyShare is which share of their shingles two near-copies have in common at least.
	copyShare = 0.75
)

// NewSketch returns the sketch of a text: its shingles' hashes in a number of bins, of each the least.
// Texts without a word have a sketch that resembles nothing.
func NewSketch(t string) Sketch {
	var out Sketch
	for i := range out {
		out[i] = math.MaxUint64
	}
	var last [shingle]uint64
	n := 0
	add := func(words []uint64) {
		h := uint64(len(words))
		for _, w := range words {
			h = mix(h ^ w)
		}
		out[h%sketchSize] = min(out[h%sketchSize], h/sketchSize)
	}
	for tok := range text.Tokens(t) {
		copy(last[:], last[1:])
		last[shingle-1] = hash(tok.Form)
		if n++; n >= shingle {
			add(last[:])
		}
	}
	if n > 0 && n < shingle {
		add(last[shingle-n:])
	}
	return out
}

// hash is FNV-1a: the same in every process, so that answers are.
func hash(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return h
}

// mix spreads what differs in any bit over all of them.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// copies reports whether two texts are near-copies of each other.
func copies(a, b *Sketch) bool {
	same, filled := 0, 0
	for i := range a {
		switch {
		case a[i] == math.MaxUint64 && b[i] == math.MaxUint64:
		case a[i] == b[i]:
			same++
			fallthrough
		default:
			filled++
		}
	}
	return same > 0 && float64(same) >= copyShare*float64(filled)
}
