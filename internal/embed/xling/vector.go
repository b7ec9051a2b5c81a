package xling

import (
	"encoding/binary"

	"github.com/openhuman/openhuman-core/internal/embed/format"
)

// wide returns the basis as numbers. It is made once, when it is first needed.
func (l *Language) wide() []float32 {
	l.once.Do(func() {
		b := l.words.basis
		l.basis = make([]float32, len(b)/2)
		for i := range l.basis {
			l.basis[i] = format.Half(binary.LittleEndian.Uint16(b[2*i:]))
		}
	})
	return l.basis
}

// sum adds the vectors of all foreign words of a text to dst, which has Dims numbers, and hands the
// rest of the text to other. It returns how many words it added.
func (s *Set) sum(dst []float32, text string, other func(string)) (words int) {
	coordinates := map[*Language][]float32{}
	s.visit(text, visitor{
		word: func(l *Language, id int32, written []byte) {
			switch {
			case id >= 0:
				c := coordinates[l]
				if c == nil {
					c = make([]float32, l.words.rank)
					coordinates[l] = c
				}
				l.words.table.AddTo(c, int(id))
				words++
			case id < unknown:
				other(s.personal().get(id).Gloss)
			}
		},
		other: other,
	})
	for _, l := range s.languages { // in order, so that the sum is the same each time
		basis := l.wide()
		for k, x := range coordinates[l] {
			if x == 0 {
				continue
			}
			row := basis[k*Dims:][:Dims]
			for i, y := range row {
				dst[i] += x * y
			}
		}
	}
	return words
}

// Each tells what a text in the language is made of, for whoever makes tables: the numbers of its
// words, in the order of Pack, and what is between them. use says which words there are.
func (l *Language) Each(text string, use func(id int32, characters int) bool, word func(id int32), other func(string)) {
	one := NewSet(l)
	one.use = use
	one.visit(text, visitor{
		word: func(_ *Language, id int32, _ []byte) {
			if id >= 0 {
				word(id)
			}
		},
		other: other,
	})
}
