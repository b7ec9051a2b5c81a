// Package tree decides which chunks of a source seal into one summary, and which summaries into a
// higher one. The answer depends on the chunks alone, never on the order in which they came, and a
// change moves only the borders near it. It writes no summary and knows no storage.
package tree

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"
	"math/bits"
	"slices"
)

// Bounds on the children of a node.
const (
	MinChildren = 6
	MaxChildren = 16
)

// Prefix is how the id of every summary begins; no chunk's does.
const Prefix = "sum_"

// version is raised whenever the same leaves would give other nodes.
const version = 1

// A Leaf is one chunk of a source.
type Leaf struct {
	Row      int64
	ChunkID  string
	Sum      int64 // checksum of what is indexed of it, so that a new title makes a new leaf
	TimeMS   int64
	Document string // identity of its document
	Ordinal  int    // its place in the document
	Tokens   int
}

// A Node is one sealed summary.
type Node struct {
	ID    string
	Level int // 1 is over chunks
	// Children are the positions of its children, First to Last without it: in Plan.Leaves for level
	// 1, else in the level below.
	First, Last int
}

// A Plan is the tree of one source. What no node covers is still open: it seals when more comes.
type Plan struct {
	Leaves []Leaf   // in the order of the tree
	Levels [][]Node // Levels[0] is level 1
}

// Nodes returns how many nodes the plan has.
func (p *Plan) Nodes() (n int) {
	for _, l := range p.Levels {
		n += len(l)
	}
	return n
}

// Make plans the tree of a source. sealer names what writes the summaries: another one makes other
// nodes. It sorts leaves in place.
func Make(source, sealer string, leaves []Leaf) Plan {
	slices.SortFunc(leaves, func(a, b Leaf) int {
		return cmp.Or(cmp.Compare(a.TimeMS, b.TimeMS), cmp.Compare(a.Document, b.Document),
			cmp.Compare(a.Ordinal, b.Ordinal), cmp.Compare(a.ChunkID, b.ChunkID))
	})
	p := Plan{Leaves: leaves}
	// gaps[i] is what parts child i from child i+1, at every level the gap of the leaves there.
	gaps := make([]gap, max(len(leaves)-1, 0))
	for i := range gaps {
		gaps[i] = between(&leaves[i], &leaves[i+1])
	}
	var names []string // of the children from level 2 on
	for level := 1; ; level++ {
		ends := borders(gaps)
		if len(ends) == 0 {
			return p
		}
		nodes, above := make([]Node, len(ends)), make([]string, len(ends))
		first := 0
		for i, end := range ends {
			h := sha256.New()
			number(h, version)
			number(h, int64(level))
			text(h, source)
			text(h, sealer)
			for i := first; i < end; i++ {
				if level > 1 {
					text(h, names[i])
					continue
				}
				l := &leaves[i]
				text(h, l.ChunkID)
				number(h, l.TimeMS)
				number(h, l.Sum)
			}
			above[i] = sum(h)
			nodes[i] = Node{ID: Prefix + above[i], Level: level, First: first, Last: end}
			first = end
		}
		p.Levels = append(p.Levels, nodes)
		next := make([]gap, max(len(ends)-1, 0))
		for i := range next {
			next[i] = gaps[ends[i]-1]
		}
		gaps, names = next, above
	}
}

// A gap parts two neighbours; the stronger, the likelier a node ends there.
type gap struct {
	strength int
	tie      uint64
}

func (g gap) less(o gap) bool {
	return g.strength < o.strength || g.strength == o.strength && g.tie < o.tie
}

// between weighs the place between two leaves: a new document and a long silence are where one thing
// ends and another begins. Only these two leaves count, so that nothing far away moves a border; of
// equals a hash decides, which spreads borders evenly.
func between(a, b *Leaf) gap {
	const newDocument = 8
	s := bits.Len64(uint64(max(b.TimeMS-a.TimeMS, 0)) / 1000)
	if a.Document != b.Document {
		s += newDocument
	}
	tie := uint64(14695981039346656037) // FNV-1a
	for _, id := range [...]string{a.ChunkID, "\n", b.ChunkID} {
		for i := range len(id) {
			tie = (tie ^ uint64(id[i])) * 1099511628211
		}
	}
	return gap{s, tie ^ tie>>32}
}

// borders returns where the nodes over the children end; what follows the last end is open. A border
// is a gap that is stronger than all within MinChildren of it: it depends on these alone, what comes
// behind them changes nothing. Longer nodes are then parted at their strongest gap.
func borders(gaps []gap) []int {
	var ends []int
	start := 0
	for i := MinChildren - 1; i+MinChildren <= len(gaps); i++ {
		strongest := true
		for k := max(i-MinChildren+1, 0); k < i+MinChildren && strongest; k++ {
			strongest = k == i || gaps[k].less(gaps[i])
		}
		if strongest {
			ends = part(ends, gaps, start, i+1)
			ends = append(ends, i+1)
			start = i + 1
		}
	}
	// Of the open end, what is too long seals as well.
	return part(ends, gaps, start, len(gaps)+1)
}

// part appends the borders inside the children from start to end that keep each part within
// MaxChildren.
func part(ends []int, gaps []gap, start, end int) []int {
	for end-start > MaxChildren {
		best := start + MinChildren - 1
		for i := best; i+MinChildren < end; i++ {
			if gaps[best].less(gaps[i]) {
				best = i
			}
		}
		ends = part(ends, gaps, start, best+1)
		ends = append(ends, best+1)
		start = best + 1
	}
	return ends
}

func text(h hash.Hash, s string) {
	number(h, int64(len(s)))
	io.WriteString(h, s) //nolint:errcheck // never fails
}

func number(h hash.Hash, n int64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:]) //nolint:errcheck // never fails
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }
