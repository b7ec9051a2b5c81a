package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/store"
)

const (
	vocabulary = 200_000
	chunkBytes = 1000
	perDoc     = 20
	firstTime  = 1_600_000_000_000
)

// corpus generates the same text for the same size every time.
type corpus struct {
	words []string  // by rank: words[0] is the commonest
	cum   []float64 // cumulated Zipf weights
	rnd   *rand.Rand
}

func newCorpus() *corpus {
	c := &corpus{rnd: rand.New(rand.NewPCG(1, 2))}
	seen := make(map[string]bool, vocabulary)
	onset := strings.Fields("b c d f g h j k l m n p r s t v w z br cl dr fl gr pl st tr sh ch")
	vowel := strings.Fields("a e i o u ai ea ou")
	coda := append(strings.Fields("n r s l t m nd rk st ck"), "", "", "")
	syllable := func() string {
		return onset[c.rnd.IntN(len(onset))] + vowel[c.rnd.IntN(len(vowel))] + coda[c.rnd.IntN(len(coda))]
	}
	for sum := 0.0; len(c.words) < vocabulary; {
		w := syllable()
		// Common words are short.
		for n := c.rnd.IntN(2) + min(2, len(c.words)/300); n > 0; n-- {
			w += syllable()
		}
		// Words that share a stem would be one word for one side and two for the other.
		if s := text.Stem(w); s != w || seen[s] {
			continue
		}
		seen[w] = true
		c.words = append(c.words, w)
		sum += 1 / float64(len(c.words))
		c.cum = append(c.cum, sum)
	}
	return c
}

func (c *corpus) word() string {
	x := c.rnd.Float64() * c.cum[len(c.cum)-1]
	return c.words[sort.SearchFloat64s(c.cum, x)]
}

// chunk returns about chunkBytes of words in lines.
func (c *corpus) chunk() string {
	var b strings.Builder
	for n := 1; b.Len() < chunkBytes; n++ {
		b.WriteString(c.word())
		switch {
		case n%14 == 0:
			b.WriteString(".\n")
		case n%7 == 0:
			b.WriteString(", ")
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

// build writes the store to dir/memory.db and the same chunks, one a line with blanks for line ends,
// to dir/chunks.txt.
func build(ctx context.Context, dir string, chunks int) (err error) {
	c := newCorpus()
	st, err := store.Open(ctx, store.Options{Path: filepath.Join(dir, "memory.db")})
	if err != nil {
		return err
	}
	defer func() {
		if e := st.Close(); err == nil {
			err = e
		}
	}()
	f, err := os.Create(filepath.Join(dir, "chunks.txt"))
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewWriterSize(f, 1<<20)
	for done := 0; done < chunks; {
		err := st.Update(ctx, func(tx *store.Tx) error {
			for batch := min(done+5000, chunks); done < batch; {
				rec := c.document(done, min(perDoc, batch-done))
				for i := range rec.Chunks {
					fmt.Fprintln(lines, strings.ReplaceAll(rec.Chunks[i].Content, "\n", " "))
				}
				if _, _, err := tx.PutDocument(rec); err != nil {
					return err
				}
				done += len(rec.Chunks)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := st.Finish(ctx); err != nil {
		return err
	}
	return lines.Flush()
}

func (c *corpus) document(first, n int) store.DocumentRecord {
	rec := store.DocumentRecord{
		Source:      store.SourceMeta{SourceID: fmt.Sprintf("notes:s%d", first/5000), Kind: "document"},
		Identity:    fmt.Sprintf("d%d", first),
		TimestampMS: firstTime + int64(first)*60_000,
		Hash:        sha256.Sum256(fmt.Append(nil, first)),
	}
	for i := range n {
		content := c.chunk()
		rec.Chunks = append(rec.Chunks, store.ChunkRecord{
			ChunkID:     fmt.Sprintf("%032x", first+i),
			Content:     content,
			TimestampMS: rec.TimestampMS,
			TokenCount:  text.EstimateTokens(content),
			Index:       store.IndexText{Body: string(text.AppendIndex(nil, content))},
		})
	}
	return rec
}

// A question is one kind of measured query: what people type, and what the baseline is asked.
type question struct {
	Name              string
	Queries, Baseline []string
	Bound             float64
}

// variants is how many queries there are of each kind.
const variants = 20

// questions picks words by their rank, so that the figures mean the same for every vocabulary. Those
// of one kind have neighbouring ranks.
func questions(c *corpus) []question {
	kind := func(name string, bound float64, query, baseline func(words ...string) string, ranks ...int) question {
		q := question{Name: name, Bound: bound}
		for i := range variants {
			words := make([]string, len(ranks))
			for j, rank := range ranks {
				words[j] = c.words[rank+i]
			}
			q.Queries, q.Baseline = append(q.Queries, query(words...)), append(q.Baseline, baseline(words...))
		}
		return q
	}
	words := func(ws ...string) string { return strings.Join(ws, " ") }
	phrase := func(ws ...string) string { return `"` + strings.Join(ws, " ") + `"` }
	or := func(ws ...string) string { return `"` + strings.Join(ws, `" OR "`) + `"` }
	return []question{
		kind("rare word", 7, words, or, 120_000),
		kind("three middling words", 2.5, words, or, 1000, 1400, 1900),
		kind("a phrase", 10, phrase, phrase, 40, 60),
		kind("a plain question", 2, words, or, 30, 250, 900, 2500, 6000),
	}
}
