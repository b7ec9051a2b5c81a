package xling

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/embed/format"
)

// What a language's words are kept in: Kind marks the file of words with their vectors, GlossKind
// that of what they mean in English.
const (
	Kind      = "xling-words/1"
	GlossKind = "xling-gloss/1"
	// Bits is how many bits a number of the table has.
	Bits = 4
	// maxWords keeps the number of a word within 16 bits.
	maxWords = 1<<16 - 1
	// costScale is how many steps of a stored cost make one nat.
	costScale = 256
)

// words are a language's words with their vectors, used where they lie in two files.
type words struct {
	n, rank  int
	longest  int // characters of the longest word
	slotBits int
	sum      string

	table   format.Table
	basis   []byte // rank rows of Dims 16-bit floats
	simpler []byte // pairs of 32-bit characters, by the first
	plain   []rune // characters of those pairs that are simplified ones themselves
	chars   []byte // a bit for each of the common Chinese characters: whether a word has it
	costs   []byte // n of 16 bits: -log of how often the word occurs
	offsets []byte // n+1 of 32 bits: where in text each word begins
	text    []byte
	slots   []byte // 32 bits each: number of a word plus one, and 16 bits of its hash; 0: none
	gaps    []byte // n+1 of 32 bits: where in gloss that of each word begins
	gloss   []byte
}

// openWords uses the files in place. It reads next to nothing of them.
func openWords(table, gloss []byte) (*words, error) {
	r, err := format.NewReader(Kind, table)
	if err != nil {
		return nil, err
	}
	head := r.Bytes(6 * 4)
	at := func(i int) int { return int(binary.LittleEndian.Uint32(head[4*i:])) }
	w := &words{n: at(0), rank: at(1), longest: at(2), slotBits: at(3), sum: r.Sum()}
	simpler, text := at(4), at(5)
	if w.n > maxWords || w.rank%32 != 0 || w.rank == 0 || w.rank > Dims || w.slotBits > 20 || w.longest > 64 {
		return nil, errors.New("the table of words has an impossible size")
	}
	w.table = r.Table(w.n, w.rank, Bits)
	w.basis = r.Bytes(2 * w.rank * Dims)
	w.simpler = r.Bytes(8 * simpler)
	w.chars = r.Bytes(charBytes)
	w.costs = r.Bytes(2 * w.n)
	w.offsets = r.Bytes(4 * (w.n + 1))
	w.text = r.Bytes(text)
	w.slots = r.Bytes(4 << w.slotBits)
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("read the table of words: %w", err)
	}
	g, err := format.NewReader(GlossKind, gloss)
	if err != nil {
		return nil, err
	}
	w.gaps = g.Bytes(4 * (w.n + 1))
	w.gloss = g.Rest()
	if err := g.Err(); err != nil {
		return nil, fmt.Errorf("read the glosses: %w", err)
	}
	if offset(w.offsets, w.n) != len(w.text) || offset(w.gaps, w.n) != len(w.gloss) {
		return nil, errors.New("the files of words are not of one making")
	}
	for i := 0; i < len(w.simpler); i += 8 {
		if r := rune(binary.LittleEndian.Uint32(w.simpler[i+4:])); w.simple(r) != r {
			w.plain = append(w.plain, r)
		}
	}
	w.sum = w.sum[:8] + g.Sum()[:8]
	return w, nil
}

func offset(list []byte, i int) int { return int(binary.LittleEndian.Uint32(list[4*i:])) }

// word is how a word is written.
func (w *words) word(id int32) []byte {
	return w.text[offset(w.offsets, int(id)):offset(w.offsets, int(id)+1)]
}

// glossOf is what a word means in English; empty for one that only holds a sentence together.
func (w *words) glossOf(id int32) string {
	return string(w.gloss[offset(w.gaps, int(id)):offset(w.gaps, int(id)+1)])
}

// cost is the price of a word in a segmentation.
func (w *words) cost(id int32) float32 {
	return float32(binary.LittleEndian.Uint16(w.costs[2*id:])) / costScale
}

const hashSeed = 2166136261

// step adds a byte to a hash (FNV-1a).
func step(h uint32, b byte) uint32 { return (h ^ uint32(b)) * 16777619 }

// spread makes all bits of a hash depend on all others.
func spread(h uint32) uint32 {
	h = (h ^ h>>15) * 2246822519
	return h ^ h>>13
}

// find looks a word up by its hash before spread; -1 when there is none.
func (w *words) find(h uint32, word []byte) int32 {
	h = spread(h)
	mask := uint32(1)<<w.slotBits - 1
	for s := h & mask; ; s = (s + 1) & mask {
		slot := binary.LittleEndian.Uint32(w.slots[4*s:])
		if slot == 0 {
			return -1
		}
		if slot>>16 == h>>16 {
			if id := int32(slot&0xffff) - 1; string(w.word(id)) == string(word) {
				return id
			}
		}
	}
}

// hash is the hash of a word before spread.
func hash(word string) uint32 {
	h := uint32(hashSeed)
	for i := range len(word) {
		h = step(h, word[i])
	}
	return h
}

// number returns the number of a word, or -1.
func (w *words) number(word string) int32 { return w.find(hash(word), []byte(word)) }

// The characters that has knows: those of Unicode's main block and its first extension.
const (
	firstChar, lastChar = 0x3400, 0x9FFF
	charBytes           = (lastChar - firstChar + 1) / 8
)

// has reports whether any word has a Chinese character.
func (w *words) has(r rune) bool {
	if r < firstChar || r > lastChar {
		return false
	}
	r -= firstChar
	return w.chars[r/8]>>(r%8)&1 != 0
}

func packChars(list []Word) []byte {
	out := make([]byte, charBytes)
	for _, w := range list {
		for _, r := range w.Text {
			if r >= firstChar && r <= lastChar {
				out[(r-firstChar)/8] |= 1 << ((r - firstChar) % 8)
			}
		}
	}
	return out
}

// simple returns the simplified form of a traditional character; others stay as they are.
func (w *words) simple(r rune) rune {
	if slices.Contains(w.plain, r) {
		return r
	}
	lo, hi := 0, len(w.simpler)/8
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch c := rune(binary.LittleEndian.Uint32(w.simpler[8*mid:])); {
		case c == r:
			return rune(binary.LittleEndian.Uint32(w.simpler[8*mid+4:]))
		case c < r:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return r
}

// A Word is one word for Pack.
type Word struct {
	Text  string
	Count float64 // how often it occurs, on any scale
	Gloss string  // what it means in English; empty for a word that only holds a sentence together
}

// A Source is what the files of a language are made from.
type Source struct {
	Words []Word
	// Rows are the coordinates of the words in Basis, rank of them for each; Basis is rank rows of
	// Dims. Both nil: every word has a vector of zeros.
	Rows, Basis []float32
	Simpler     map[rune]rune // traditional to simplified characters
}

// Pack makes the two files of a language.
func Pack(s Source) (table, gloss []byte, err error) {
	n := len(s.Words)
	if n == 0 || n > maxWords {
		return nil, nil, fmt.Errorf("%d words cannot be packed", n)
	}
	rank := len(s.Basis) / Dims
	if rank == 0 {
		rank = 32
		s.Rows, s.Basis = make([]float32, n*rank), make([]float32, rank*Dims)
	}
	if rank%32 != 0 || len(s.Rows) != n*rank || len(s.Basis) != rank*Dims {
		return nil, nil, errors.New("rows and basis do not fit the words")
	}
	slotBits := max(bits.Len(uint(n)*2-1), 4)
	slots := make([]byte, 4<<slotBits)
	mask := uint32(1)<<slotBits - 1
	var all float64
	for _, w := range s.Words {
		all += math.Max(w.Count, leastCount)
	}
	var text, costs, offsets, gaps, glosses []byte
	longest, seen := 0, map[string]bool{}
	for i, w := range s.Words {
		if w.Text == "" || seen[w.Text] || !utf8.ValidString(w.Text) {
			return nil, nil, fmt.Errorf("word %d, %q, is empty, not text or there twice", i, w.Text)
		}
		seen[w.Text] = true
		longest = max(longest, utf8.RuneCountInString(w.Text))
		h := spread(hash(w.Text))
		at := h & mask
		for binary.LittleEndian.Uint32(slots[4*at:]) != 0 {
			at = (at + 1) & mask
		}
		binary.LittleEndian.PutUint32(slots[4*at:], h&0xffff0000|uint32(i+1))
		cost := math.Round(-math.Log(math.Max(w.Count, leastCount)/all) * costScale)
		costs = binary.LittleEndian.AppendUint16(costs, uint16(math.Min(cost, math.MaxUint16)))
		offsets = binary.LittleEndian.AppendUint32(offsets, uint32(len(text)))
		text = append(text, w.Text...)
		gaps = binary.LittleEndian.AppendUint32(gaps, uint32(len(glosses)))
		glosses = append(glosses, w.Gloss...)
	}
	offsets = binary.LittleEndian.AppendUint32(offsets, uint32(len(text)))
	gaps = binary.LittleEndian.AppendUint32(gaps, uint32(len(glosses)))

	t := format.NewWriter(Kind)
	var head []byte
	for _, x := range []int{n, rank, longest, slotBits, len(s.Simpler), len(text)} {
		head = binary.LittleEndian.AppendUint32(head, uint32(x))
	}
	t.Bytes(head)
	t.Table(s.Rows, Bits)
	t.Halves(s.Basis)
	t.Bytes(packSimpler(s.Simpler))
	t.Bytes(packChars(s.Words))
	for _, b := range [][]byte{costs, offsets, text, slots} {
		t.Bytes(b)
	}
	g := format.NewWriter(GlossKind)
	g.Bytes(gaps)
	g.Bytes(glosses)
	return t.File(), g.File(), nil
}

// leastCount is what a word counts as that was never met.
const leastCount = 0.5
