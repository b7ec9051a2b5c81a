// Package wordpiece cuts text into the tokens of BERT models that know no upper case: text is
// cleaned, cut at spaces, punctuation and Chinese characters, stripped of accents, lowered, and each
// word taken apart greedily into the longest pieces the vocabulary has. It knows where in the text
// each token stood, so that long text can be cut into windows at word borders.
//
// Words that look like special tokens ("[SEP]") are text like any other, as notes are not trusted.
package wordpiece

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// A Vocab is a vocabulary used where it lies: a hash table prepared in advance, so that opening it
// costs nothing. Safe for concurrent use.
type Vocab struct {
	n       int
	offsets []byte // n+1 of 32 bits: where in text each token begins
	slots   []byte // 1<<slotBits of 16 bits: id+1 of a token, or 0
	text    []byte

	cls, sep, unk int32
}

const (
	vocabMagic = "OHVOCAB1"
	slotBits   = 16
	slotCount  = 1 << slotBits
	// hashFirst and hashInner start the hash of a word's first piece and of a later one. They keep
	// "ing" and "##ing" apart without a copy of the text.
	hashFirst = 2166136261
	hashInner = 84696351
)

// step adds a byte to a hash (FNV-1a), finish spreads it over the slots.
func step(h uint32, b byte) uint32 { return (h ^ uint32(b)) * 16777619 }
func finish(h uint32) uint32       { return (h ^ h>>15) * 2654435769 >> (32 - slotBits) }

// Pack makes the table from the lines of a vocabulary file.
func Pack(lines []string) ([]byte, error) {
	if len(lines) >= slotCount*3/4 {
		return nil, fmt.Errorf("%d tokens are too many", len(lines))
	}
	out := append([]byte(vocabMagic), 0, 0, 0, 0, 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out[8:], uint32(len(lines)))
	at := 0
	for _, l := range lines {
		out = binary.LittleEndian.AppendUint32(out, uint32(at))
		at += len(l)
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(at))
	slots := make([]byte, 2*slotCount)
	seen := make(map[string]bool, len(lines))
	for id, l := range lines {
		if l == "" || seen[l] {
			return nil, fmt.Errorf("line %d: token %q is empty or there twice", id+1, l)
		}
		seen[l] = true
		h, piece := uint32(hashFirst), l
		if isInner(l) {
			h, piece = hashInner, l[2:]
		}
		for i := range len(piece) {
			h = step(h, piece[i])
		}
		s := finish(h)
		for binary.LittleEndian.Uint16(slots[2*s:]) != 0 {
			s = (s + 1) % slotCount
		}
		binary.LittleEndian.PutUint16(slots[2*s:], uint16(id+1))
	}
	out = append(out, slots...)
	return append(out, strings.Join(lines, "")...), nil
}

func isInner(token string) bool { return len(token) > 2 && token[:2] == "##" }

// Open uses a packed vocabulary in place.
func Open(packed []byte) (*Vocab, error) {
	const head = len(vocabMagic) + 8
	if len(packed) < head || string(packed[:len(vocabMagic)]) != vocabMagic {
		return nil, errors.New("not a packed vocabulary")
	}
	n := int(binary.LittleEndian.Uint32(packed[8:]))
	if n >= slotCount || len(packed) < head+4*(n+1)+2*slotCount {
		return nil, errors.New("packed vocabulary is cut short")
	}
	v := &Vocab{n: n, offsets: packed[head:][:4*(n+1)]}
	packed = packed[head+4*(n+1):]
	v.slots, v.text = packed[:2*slotCount], packed[2*slotCount:]
	if v.offset(n) != len(v.text) {
		return nil, errors.New("packed vocabulary is cut short")
	}
	for token, id := range map[string]*int32{"[CLS]": &v.cls, "[SEP]": &v.sep, "[UNK]": &v.unk} {
		h := uint32(hashFirst)
		for i := range len(token) {
			h = step(h, token[i])
		}
		var ok bool
		if *id, ok = v.find(h, []byte(token), false); !ok {
			return nil, fmt.Errorf("vocabulary has no token %s", token)
		}
	}
	return v, nil
}

// Len is how many tokens there are.
func (v *Vocab) Len() int { return v.n }

// CLS, SEP and UNK are the ids of the tokens that begin a text, end it, and stand for a word that
// cannot be put together.
func (v *Vocab) CLS() int32 { return v.cls }

// SEP is described at CLS.
func (v *Vocab) SEP() int32 { return v.sep }

// UNK is described at CLS.
func (v *Vocab) UNK() int32 { return v.unk }

// Token is the text of a token, later pieces of words with "##" before them.
func (v *Vocab) Token(id int32) string { return string(v.token(int(id))) }

func (v *Vocab) offset(id int) int { return int(binary.LittleEndian.Uint32(v.offsets[4*id:])) }

func (v *Vocab) token(id int) []byte { return v.text[v.offset(id):v.offset(id+1)] }

// find looks up a piece by its hash before finish.
func (v *Vocab) find(h uint32, piece []byte, inner bool) (int32, bool) {
	for s := finish(h); ; s = (s + 1) % slotCount {
		id := int(binary.LittleEndian.Uint16(v.slots[2*s:])) - 1
		if id < 0 {
			return 0, false
		}
		token := v.token(id)
		if inner {
			if len(token) == len(piece)+2 && token[0] == '#' && token[1] == '#' && string(token[2:]) == string(piece) {
				return int32(id), true
			}
		} else if string(token) == string(piece) && !isInner(string(token)) {
			return int32(id), true
		}
	}
}
