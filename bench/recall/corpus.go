package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/vecindex"
	"github.com/openhuman/openhuman-core/internal/vecset"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

const (
	vocabulary = 40_000
	lines      = 9 // of a chunk, as in a chat
	perDoc     = 10
)

var names = strings.Fields("Alice Bob Carla Dmitri Erika Faisal Grace Hiro Ines Jon Kim Lena Mateo Noor Olga Pavel")

// corpus generates the same text every time: the commonest words are English, so that the encoder
// has something to read, and the rest are made up.
type corpus struct {
	words []string
	cum   []float64
	rnd   *rand.Rand
}

func newCorpus() *corpus {
	c := &corpus{rnd: rand.New(rand.NewPCG(3, 4))}
	c.words = strings.Fields(`the a to of and in we it was for is on that at with my they he she but not have from this
		house boiler garden invoice holiday contract kitchen bicycle server dentist piano budget roof passport deposit
		tenant recipe doctor train meeting report password summer winter school birthday insurance appointment neighbour
		paint window printer luggage harbour lighthouse engine battery warranty ticket museum concert rehearsal violin
		tomatoes soup bread coffee cousin mother father daughter client project deadline release database backup`)
	syllables := strings.Fields("ba ke li mo nu ra se ti vo zu dal fen gor hin jas kel lom mir nov pas")
	for sum := 0.0; len(c.cum) < vocabulary; {
		if len(c.cum) == len(c.words) {
			w := ""
			for range 2 + c.rnd.IntN(3) {
				w += syllables[c.rnd.IntN(len(syllables))]
			}
			c.words = append(c.words, w)
		}
		sum += 1 / float64(len(c.cum)+1)
		c.cum = append(c.cum, sum)
	}
	return c
}

func (c *corpus) word() string {
	return c.words[sort.SearchFloat64s(c.cum, c.rnd.Float64()*c.cum[len(c.cum)-1])]
}

func (c *corpus) chunk() string {
	var b strings.Builder
	for range lines {
		fmt.Fprintf(&b, "%s:", names[c.rnd.IntN(len(names))])
		for range 8 + c.rnd.IntN(12) {
			b.WriteString(" " + c.word())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// questions are those of one kind: the same words of a question, and others to look for.
func (c *corpus) questions(kind int) []string {
	forms := []string{
		"When did %s talk about the %s?", "What did %s say about %s?", "Who repaired the %[2]s?", "Where does %s keep the %s and the %[3]s?",
		"how much did the %[2]s cost", "%[2]s %[3]s", "Which %[2]s did %[1]s choose after the %[3]s?", "why was the %[2]s late", "%s %s",
	}
	var out []string
	for i := range each {
		name := names[(kind+i)%len(names)]
		common, rare := c.words[24+(7*kind+3*i)%70], c.words[200+(97*kind+131*i)%20_000]
		q := fmt.Sprintf(forms[kind%len(forms)]+"%.0[1]s%.0[2]s%.0[3]s", name, common, rare)
		out = append(out, q)
	}
	return out
}

// build makes a memory of which every chunk has a vector as by the encoder.
func build(ctx context.Context, dir string, chunks int) (err error) {
	s, err := store.Open(ctx, store.Options{Path: filepath.Join(dir, "memory.db")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	instant, err := static.Load()
	if err != nil {
		return err
	}
	encoder, err := minilm.Load()
	if err != nil {
		return err
	}
	c := newCorpus()
	for at := 0; at < chunks; {
		err := s.Update(ctx, func(tx *store.Tx) error {
			for n := 0; n < 2000 && at < chunks; n += perDoc {
				rec, err := c.document(ctx, instant, at)
				if err != nil {
					return err
				}
				rec.VectorModel = store.VectorModel{Fingerprint: encoder.Fingerprint(), Dims: minilm.Dims}
				if _, _, err := tx.PutDocument(rec); err != nil {
					return err
				}
				at += perDoc
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return errors.Join(s.Finish(ctx), vecindex.Refresh(ctx, s, time.Now()))
}

func (c *corpus) document(ctx context.Context, instant *static.Model, at int) (store.DocumentRecord, error) {
	var texts []storetest.Text
	var contents []string
	for i := range perDoc {
		contents = append(contents, c.chunk())
		texts = append(texts, storetest.Text{Content: contents[i], TimeMS: 1_600_000_000_000 + int64(at+i)*600_000})
	}
	rec := storetest.Doc(fmt.Sprint("chat:", at/10_000), "chat", strconv.Itoa(at), texts...)
	vectors, err := instant.Embed(ctx, contents)
	for i, v := range vectors {
		rec.Chunks[i].Vector = vecset.Pack(v)
	}
	return rec, err
}
