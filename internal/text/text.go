// Package text turns written text into what the index and the ranking need: folded forms, tokens,
// stems, token estimates. It knows no query language and no storage.
//
// The index and the query go through the same scanner, so what one side writes the other side finds.
package text

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// MaxToken is the length in bytes at which an index token is cut, at a character's end. Longer runs
// of letters and digits (base64, hashes in a row) are indexed by their beginning: they are found
// whole and by any prefix, and whoever searches them checks the written text (see [Token.Cut]).
const MaxToken = 64

// scratch is what one call needs besides its result; pooled, since a call may be for one word.
type scratch struct {
	word  []byte
	ends  []int
	stems stemCache
}

var pool = sync.Pool{New: func() any { return new(scratch) }}

// AppendIndex appends the index tokens of s to dst, joined by single blanks (with one before the
// first when dst is not empty): words folded and stemmed, runs of scripts without spaces as
// overlapping bigrams plus their last character, each emoji by itself. Tokens hold letters, marks,
// digits and emoji only.
func AppendIndex(dst []byte, s string) []byte { return appendIndex(dst, nil, nil, s) }

// AppendPlaces is AppendIndex that also appends to places where in s each token stands, in bytes.
// Inside a run of a script without spaces the place is an estimate. Tokens that the sieve is sure to
// stop are left empty, which saves stemming them; a nil sieve stops none.
func AppendPlaces(dst []byte, places []int, s string, sieve *Sieve) ([]byte, []int) {
	dst = appendIndex(dst, &places, sieve, s)
	return dst, places
}

// A Sieve lets those words pass whose index token may be, or begin with, one that was added.
type Sieve struct {
	pairs [1 << 16 / 64]uint64 // by the first two bytes
}

// Add lets words pass for a token, or the beginning of one.
func (v *Sieve) Add(token string) {
	switch {
	case token == "" || token[0] >= utf8.RuneSelf:
		return // only words of ASCII are stopped
	case len(token) == 1:
		for c := range 256 {
			v.set(token[0], byte(c))
		}
	default:
		v.set(token[0], token[1])
		if token[1] == 'i' {
			v.set(token[0], 'y') // dying has the stem die
		}
	}
}

func (v *Sieve) set(a, b byte) { v.pairs[(int(a)<<8|int(b))/64] |= 1 << (b % 64) }

func (v *Sieve) stops(w []byte) bool {
	i := int(w[0]) << 8
	if len(w) > 1 {
		i |= int(w[1])
	}
	return v.pairs[i/64]&(1<<(i%64)) == 0
}

func appendIndex(dst []byte, places *[]int, sieve *Sieve, s string) []byte {
	sc := pool.Get().(*scratch)
	defer pool.Put(sc)
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			lower := asciiLower[c]
			if lower == 0 {
				i++
				continue
			}
			start, letters := i, true
			w, h := sc.word[:0], uint32(0)
			for {
				letters = letters && lower >= 'a'
				w = append(w, lower)
				h = h*31 + uint32(lower)
				if i++; i == len(s) {
					break
				}
				if c = s[i]; c >= utf8.RuneSelf {
					break
				}
				if lower = asciiLower[c]; lower == 0 {
					break
				}
			}
			sc.word = w
			if i == len(s) || c < utf8.RuneSelf {
				if sieve != nil && sieve.stops(w) {
					dst = append(dst, ' ')
				} else {
					dst = sc.appendWord(dst, w, h, letters)
				}
				if places != nil {
					*places = append(*places, start)
				}
				continue
			}
			i = start
		}
		r := nextRun(s, i)
		i = r.end
		if r.class == classNone {
			continue
		}
		before := len(dst)
		dst = sc.appendRun(dst, s[r.start:r.end], r.class)
		if places == nil || len(dst) == before {
			continue
		}
		n := bytes.Count(dst[before:], []byte{' '})
		if before == 0 {
			n++ // no blank before the first token
		}
		for k := range n {
			*places = append(*places, r.start+(r.end-r.start)*k/n)
		}
	}
	return dst
}

// appendWord appends the index form of one folded word of ASCII.
func (sc *scratch) appendWord(dst, w []byte, hash uint32, letters bool) []byte {
	if len(dst) > 0 {
		dst = append(dst, ' ')
	}
	switch {
	case len(w) > MaxToken:
		return append(dst, w[:MaxToken]...)
	case letters && len(w) > 2:
		return sc.stems.appendStem(dst, w, hash)
	}
	return append(dst, w...)
}

// appendRun appends the index forms of one run that is not plain ASCII.
func (sc *scratch) appendRun(dst []byte, s string, class class) []byte {
	sc.word = appendFold(sc.word[:0], s)
	w := sc.word
	// Compatibility forms may unfold to characters that are no letters: ⅓ is 1⁄3.
	for len(w) > 0 {
		part, rest := cutPart(w)
		w = rest
		if len(part) == 0 {
			continue
		}
		if class == classWord || class == classSymbol {
			dst = sc.appendWord(dst, cutToken(part), hashOf(part), len(part) <= MaxToken && isLetters(part))
		} else {
			dst = sc.appendGrams(dst, part)
		}
	}
	return dst
}

// appendGrams appends the overlapping bigrams of a folded run and its last character. A character
// here is a base with the marks on it.
func (sc *scratch) appendGrams(dst, run []byte) []byte {
	ends := sc.ends[:0]
	for i := 0; i < len(run); {
		i = unitEnd(run, i)
		ends = append(ends, i)
	}
	sc.ends = ends
	start := 0
	for k, e := range ends {
		if k+1 < len(ends) {
			e = ends[k+1]
		}
		if len(dst) > 0 {
			dst = append(dst, ' ')
		}
		dst = append(dst, cutToken(run[start:e])...)
		start = ends[k]
	}
	return dst
}

// AppendExtra appends tokens for the parts that AppendIndex does not give: the words of camelCase,
// and what stands on both sides of a border between letters and digits, as in worker3.
func AppendExtra(dst []byte, s string) []byte {
	sc := pool.Get().(*scratch)
	defer pool.Put(sc)
	for i := 0; i < len(s); {
		// Only words of ASCII letters and digits have such borders; others are passed over.
		c := s[i]
		if c >= utf8.RuneSelf || asciiLower[c] == 0 {
			i++
			continue
		}
		start, kinds, camel := i, uint8(0), false
		for ; i < len(s) && s[i] < utf8.RuneSelf && asciiLower[s[i]] != 0; i++ {
			k := asciiKind(s[i])
			camel = camel || k == kindUpper && i > start && asciiKind(s[i-1]) == kindLower
			kinds |= k
		}
		mixed := kinds&kindDigit != 0 && kinds != kindDigit
		// HTTPServer has no lower-upper border, but an upper run that ends inside.
		camel = camel || kinds&(kindUpper|kindLower) == kindUpper|kindLower && upperRun(s[start:i])
		if (!mixed && !camel) || i-start > MaxToken || glued(s, start, i) {
			continue
		}
		parts := 0
		for p := start; p < i; parts++ {
			e := partEnd(s[:i], p)
			if p == start && e == i {
				break // the whole word: AppendIndex has it
			}
			w, h := sc.word[:0], uint32(0)
			for _, c := range []byte(s[p:e]) {
				w = append(w, asciiLower[c])
				h = h*31 + uint32(asciiLower[c])
			}
			sc.word = w
			dst = sc.appendWord(dst, w, h, asciiKind(s[p]) != kindDigit)
			p = e
		}
	}
	return dst
}

// glued reports whether the ASCII word s[start:end] is only a part of a longer word.
func glued(s string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	return start > 0 && classOf(before) == classWord && before >= utf8.RuneSelf ||
		end < len(s) && after >= utf8.RuneSelf && (classOf(after) == classWord || classOf(after) == classExtend)
}

const (
	kindLower = 1 << iota
	kindUpper
	kindDigit
)

func asciiKind(c byte) uint8 {
	switch {
	case c >= 'a':
		return kindLower
	case c >= 'A':
		return kindUpper
	}
	return kindDigit
}

// upperRun reports whether two upper-case letters are followed by a lower-case one.
func upperRun(s string) bool {
	for i := 2; i < len(s); i++ {
		if asciiKind(s[i]) == kindLower && asciiKind(s[i-1]) == kindUpper && asciiKind(s[i-2]) == kindUpper {
			// Plurals of abbreviations (URLs, PDFs) are one word.
			if i == len(s)-1 && s[i] == 's' {
				continue
			}
			return true
		}
	}
	return false
}

// partEnd returns where the part of an identifier that starts at p ends: getHTTPServer2 has the
// parts get, HTTP, Server, 2.
func partEnd(s string, p int) int {
	i := p + 1
	for ; i < len(s); i++ {
		a, b := asciiKind(s[i-1]), asciiKind(s[i])
		switch {
		case a == b:
			continue
		case a == kindUpper && b == kindLower:
			if i-p > 1 && !(i == len(s)-1 && s[i] == 's') {
				return i - 1 // the last capital begins the next word
			}
		default:
			return i
		}
	}
	return i
}

// EstimateTokens estimates how many tokens a language model would count in s. The weights were
// fitted to a common vocabulary: a token is about four ASCII letters, one and a quarter CJK
// characters or two and a half others.
func EstimateTokens(s string) int {
	sum := 0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			sum += 10
		case classOf(r) == classCJK:
			sum += 32
		default:
			sum += 16
		}
	}
	return (sum + 39) / 40
}
