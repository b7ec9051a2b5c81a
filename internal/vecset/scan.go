package vecset

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// A Hit is a chunk with the part of it that is nearest to the query.
type Hit struct {
	Chunk  int64
	Part   int
	Cosine float64
}

// Options say which rows count and how they are looked for.
type Options struct {
	// Allow, when set, decides which chunks count.
	Allow func(chunk int64) bool
	// Dead are rows that do not count.
	Dead Bits
	// Limit is how many chunks are returned at most.
	Limit int
	// Among, when not nil, are the only chunks that count, in ascending order; there are few.
	Among []int64
	// Exact compares every row in full, however many there are.
	Exact bool
}

// Bits is a set of rows. A nil one is empty.
type Bits []uint64

// Has reports whether row is in the set.
func (b Bits) Has(row int) bool { return row>>6 < len(b) && b[row>>6]&(1<<(row&63)) != 0 }

// Count is how many rows are in the set.
func (b Bits) Count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// With returns a copy of b, of n rows, that holds the given rows as well.
func (b Bits) With(n int, rows []int) Bits {
	out := make(Bits, (n+63)/64)
	copy(out, b)
	for _, r := range rows {
		out[r>>6] |= 1 << (r & 63)
	}
	return out
}

const (
	// exactRows is up to how many rows all are compared in full: that takes half a millisecond, and
	// codes tell little about rows that are all far away.
	exactRows = 16_384
	// Candidates that are chosen by their codes: at least minCandidates, one of candidateShare rows, and
	// candidatesPerHit for each chunk that is asked for. With 100,000 lines of text and 200 questions
	// by people, 2,000, 4,000, 6,000 and 12,000 candidates lost 0.3, 0.2, 0.1 and 0.05 of a hundred of
	// the ten nearest, at 0.26, 0.35, 0.45 and 0.7 of the time of comparing every row (bench/vectors).
	minCandidates    = 4000
	candidateShare   = 24
	candidatesPerHit = 40
	// rescored is how many of the best are compared once more, with the query as it is and not
	// rounded.
	rescored = 4
)

type scored struct {
	row   int32
	score float32
}

// Nearest returns the chunks nearest to q, the nearest first.
func (s *Set) Nearest(q *Query, o Options) []Hit {
	n := s.Len()
	if n == 0 || o.Limit <= 0 || len(q.cells) != stride(s.Dims) {
		return nil
	}
	var rows []scored
	if o.Among != nil {
		rows = s.compareAmong(q, o)
	} else if o.Exact || n <= exactRows || s.encoded() < n {
		rows = s.compareAll(q, o)
	} else {
		rows = s.candidates(q, o, wanted(n, o.Limit))
		var dot [1]int32
		for i := range rows {
			row := int(rows[i].row)
			q.kernels.Dots(dot[:], q.cells, s.Cells[row*len(q.cells):][:len(q.cells)])
			rows[i].score = float32(dot[0]) * s.scale(row)
		}
	}
	return s.best(q, rows, o.Limit)
}

// compareAmong scores the rows of o.Among.
func (s *Set) compareAmong(q *Query, o Options) (out []scored) {
	// Nearly all rows are told apart by a bit or two.
	var seen [128]uint64
	for _, c := range o.Among {
		seen[c>>6&127] |= 1 << (c & 63)
	}
	width := len(q.cells)
	var dot [1]int32
	for row := range s.Len() {
		c := s.Chunk(row)
		if seen[c>>6&127]&(1<<(c&63)) == 0 || o.Dead.Has(row) {
			continue
		}
		if _, ok := slices.BinarySearch(o.Among, c); ok && (o.Allow == nil || o.Allow(c)) {
			q.kernels.Dots(dot[:], q.cells, s.Cells[row*width:][:width])
			out = append(out, scored{int32(row), float32(dot[0]) * s.scale(row)})
		}
	}
	return out
}

// wanted is how many candidates are chosen from n rows.
func wanted(n, limit int) int { return max(minCandidates, n/candidateShare, candidatesPerHit*limit) }

func (s *Set) encoded() int { return 8 * len(s.Codes) / stride(s.Dims) }

// compareAll scores every row that counts.
func (s *Set) compareAll(q *Query, o Options) []scored {
	n, width := s.Len(), len(q.cells)
	var dots [256]int32
	out := make([]scored, 0, n)
	for from := 0; from < n; from += len(dots) {
		some := dots[:min(len(dots), n-from)]
		if o.Allow == nil {
			q.kernels.Dots(some, q.cells, s.Cells[from*width:][:len(some)*width])
		}
		for i := range some {
			row := from + i
			if o.Dead.Has(row) {
				continue
			}
			if o.Allow != nil {
				if !o.Allow(s.Chunk(row)) {
					continue
				}
				q.kernels.Dots(some[i:i+1], q.cells, s.Cells[row*width:][:width])
			}
			out = append(out, scored{int32(row), float32(some[i]) * s.scale(row)})
		}
	}
	return out
}

// candidates returns at least want rows that count, those whose codes differ least from that of q.
func (s *Set) candidates(q *Query, o Options, want int) []scored {
	n, words := s.Len(), len(q.cells)/64
	code := make([]uint64, words)
	for i, x := range q.exact {
		if x > s.Mean[i] {
			code[i>>6] |= 1 << (i & 63)
		}
	}
	const ignored = math.MaxUint16
	far := make([]uint16, n)
	counts := make([]int32, 64*words+1)
	if words == 6 {
		distances6(far, (*[6]uint64)(code), s.Codes)
	} else {
		distances(far, code, s.Codes)
	}
	plain := o.Allow == nil && len(o.Dead) == 0
	for row, d := range far {
		if !plain && (o.Dead.Has(row) || o.Allow != nil && !o.Allow(s.Chunk(row))) {
			far[row] = ignored
			continue
		}
		counts[d]++
	}
	limit, total := 0, 0
	for limit < len(counts) {
		total += int(counts[limit])
		if total >= want {
			break
		}
		limit++
	}
	out := make([]scored, 0, total)
	for row, d := range far {
		if int(d) <= limit && d != ignored {
			out = append(out, scored{row: int32(row)})
		}
	}
	return out
}

func distances(far []uint16, code []uint64, codes []byte) {
	for row := range far {
		d := 0
		for _, w := range code {
			d += bits.OnesCount64(w ^ binary.LittleEndian.Uint64(codes))
			codes = codes[8:]
		}
		far[row] = uint16(d)
	}
}

// distances6 is distances for codes of 384 bits.
func distances6(far []uint16, code *[6]uint64, codes []byte) {
	c0, c1, c2, c3, c4, c5 := code[0], code[1], code[2], code[3], code[4], code[5]
	for row := range far {
		b := codes[48*row : 48*row+48 : 48*row+48]
		d := bits.OnesCount64(c0^binary.LittleEndian.Uint64(b)) + bits.OnesCount64(c1^binary.LittleEndian.Uint64(b[8:])) +
			bits.OnesCount64(c2^binary.LittleEndian.Uint64(b[16:])) + bits.OnesCount64(c3^binary.LittleEndian.Uint64(b[24:])) +
			bits.OnesCount64(c4^binary.LittleEndian.Uint64(b[32:])) + bits.OnesCount64(c5^binary.LittleEndian.Uint64(b[40:]))
		far[row] = uint16(d)
	}
}

// best returns the chunks of the rows that score most. The best rows are compared once more with the
// query as it is.
func (s *Set) best(q *Query, rows []scored, limit int) []Hit {
	for n := max(rescored*limit, 64); ; n *= 4 {
		some := top(rows, n)
		for i := range some {
			some[i].score = s.cosine(q, int(some[i].row))
		}
		slices.SortFunc(some, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.row, b.row))
		})
		hits := make([]Hit, 0, limit)
		seen := make(map[int64]bool, limit)
		for _, r := range some {
			chunk := s.Chunk(int(r.row))
			if len(hits) == limit || seen[chunk] {
				continue
			}
			seen[chunk] = true
			hits = append(hits, Hit{Chunk: chunk, Part: s.Part(int(r.row)), Cosine: float64(r.score)})
		}
		if len(hits) == limit || len(some) == len(rows) { // else too many are parts of the same chunks
			return hits
		}
	}
}

func (s *Set) cosine(q *Query, row int) float32 {
	var sum float32
	for i, c := range s.Cells[row*len(q.exact):][:len(q.exact)] {
		sum += q.exact[i] * float32(c)
	}
	return sum * s.scale(row)
}

// top returns the n rows that score most, and those that score as much as the last of them, in no
// order.
func top(rows []scored, n int) []scored {
	if len(rows) <= n {
		return slices.Clone(rows)
	}
	scores := make([]float32, len(rows))
	for i, r := range rows {
		scores[i] = r.score
	}
	floor := nthLargest(scores, n)
	var out []scored
	for _, r := range rows {
		if r.score >= floor {
			out = append(out, r)
		}
	}
	return out
}

// nthLargest returns the n-th largest of x, which it reorders. None of x is NaN.
func nthLargest(x []float32, n int) float32 {
	k, lo, hi := n-1, 0, len(x)-1
	for lo < hi {
		a, b, c := x[lo], x[(lo+hi)/2], x[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for x[i] > pivot {
				i++
			}
			for x[j] < pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return pivot
		}
	}
	return x[k]
}
