package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/embed/xling"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/vecindex"
	"github.com/openhuman/openhuman-core/internal/vecset"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// models are those of the program. Without vectors both are nil.
type models struct {
	encoder *xling.Encoder
	instant *xling.Instant
}

func loadModels() (m models, err error) {
	quick, err := static.Load()
	if err != nil {
		return m, err
	}
	set, err := xling.Load()
	if err != nil {
		return m, err
	}
	m.instant = xling.NewInstant(quick, set)
	encoder, err := minilm.Load()
	if err != nil {
		return m, err
	}
	m.encoder = xling.NewEncoder(encoder, m.instant)
	return m, nil
}

// knowing is the encoder as the program asks it: it owns up to what it does not understand.
type knowing struct{ *xling.Encoder }

func (k knowing) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := k.Encoder.Embed(ctx, texts)
	for i := range vectors {
		if !k.Knows(texts[i]) {
			clear(vectors[i])
		}
	}
	return vectors, err
}

type packer struct{ *xling.Encoder }

func (p packer) Pack(ctx context.Context, texts []string) ([][]byte, error) {
	vectors, err := p.Embed(ctx, texts)
	out := make([][]byte, len(vectors))
	for i, v := range vectors {
		out[i] = vecset.Pack(v)
	}
	return out, err
}

// A memory is a store that files were taken into, in a folder of its own.
type memory struct {
	*controller.Controller
	store *store.Store
	index *vecindex.Index
	dir   string
}

func (m *memory) Close() error {
	return errors.Join(m.index.Close(), m.store.Close(), os.RemoveAll(m.dir))
}

// newMemory takes files in as "ingest" does. stage is how far: "words", "instant" or "all".
func newMemory(ctx context.Context, m models, stage string, paths ...string) (_ *memory, err error) {
	dir, err := os.MkdirTemp("", "rank")
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, store.Options{Path: filepath.Join(dir, "memory.db")})
	if err != nil {
		return nil, err
	}
	mem := &memory{store: s, index: vecindex.New(s, ""), dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, mem.Close())
		}
	}()
	p, err := policy.New(policy.Options{Level: policy.Full})
	if err != nil {
		return nil, err
	}
	o := controller.Options{Store: s, Policy: p}
	in := ingest.Options{Store: s}
	seal := ingest.SealOptions{Store: s}
	if stage != "words" {
		in.Instant = m.instant
		seal.Encoder, seal.EncoderName = m.instant, m.instant.Fingerprint()
		o.Vectors, o.Instant, o.Translator = mem.index, m.instant, m.instant
		o.Embedders = []controller.Embedder{knowing{m.encoder}, m.instant}
	}
	mem.Controller = controller.New(o)
	if _, err := ingest.Run(ctx, in, paths); err != nil {
		return nil, err
	}
	if _, err := ingest.Seal(ctx, seal); err != nil {
		return nil, err
	}
	if stage == "all" {
		if _, err := ingest.Embed(ctx, ingest.EmbedOptions{Store: s, Instant: m.instant, Encoder: m.encoder}); err != nil {
			return nil, err
		}
		seal.Vectors, seal.TreesMade = packer{m.encoder}, true
		if _, err := ingest.Seal(ctx, seal); err != nil {
			return nil, err
		}
	}
	return mem, nil
}

// ask asks by recall or search.
func (m *memory) ask(ctx context.Context, tool, question string, k int) ([]controller.Row, time.Duration, error) {
	start := time.Now()
	if tool == "search" {
		r, err := m.Search(ctx, controller.SearchParams{Query: question, K: k})
		return r.Chunks, time.Since(start), err
	}
	r, err := m.Recall(ctx, controller.RecallParams{Query: question, K: k})
	return r.Chunks, time.Since(start), err
}

// A line is one of a set's: a text of the memory, a question whose answers are the texts with the
// wanted ids (its own text, if it has one), or both.
type line struct {
	ID, Text, Title, Author, Source, Kind, Time string
	Set, Question                               string
	Want                                        []string
}

func readLines(path string) ([]line, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []line
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, l)
	}
	return out, in.Err()
}

// writeDocuments writes the texts as interchange lines, each a document that its reference names.
func writeDocuments(w io.Writer, lines []line) error {
	e := json.NewEncoder(w)
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, l := range lines {
		if l.Text == "" {
			continue
		}
		at := day.Add(time.Duration(i) * time.Hour)
		if l.Time != "" {
			t, err := time.Parse(time.DateOnly, l.Time)
			if err != nil {
				return err
			}
			at = t
		}
		err := e.Encode(map[string]any{
			"source_kind": "document", "source_id": cmp.Or(l.Source, "set:"+l.ID), "owner": "", "tags": []string{},
			"payload": map[string]any{
				"provider": "set", "title": l.Title, "body": l.Text, "modified_at": at.UnixMilli(), "source_ref": "id:" + l.ID,
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A result is how well the questions of one set were answered.
type result struct {
	Questions          int
	R1, R5, R10, MRR10 float64
}

func (r *result) add(rank int) {
	r.Questions++
	if rank == 1 {
		r.R1++
	}
	if rank > 0 && rank <= 5 {
		r.R5++
	}
	if rank > 0 && rank <= 10 {
		r.R10++
		r.MRR10 += 1 / float64(rank)
	}
}

func (r result) mean() result {
	n := float64(r.Questions)
	return result{r.Questions, r.R1 / n, r.R5 / n, r.R10 / n, r.MRR10 / n}
}

// measureSet asks every question of the lines, by set.
func measureSet(ctx context.Context, m models, stage, tool string, lines []line) (map[string]result, error) {
	f, err := os.CreateTemp("", "rank*.jsonl")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(writeDocuments(f, lines), f.Close()); err != nil {
		return nil, err
	}
	mem, err := newMemory(ctx, m, stage, f.Name())
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	sums := map[string]result{}
	for _, l := range lines {
		if l.Question == "" {
			continue
		}
		want := l.Want
		if want == nil {
			want = []string{l.ID}
		}
		rows, _, err := mem.ask(ctx, tool, l.Question, 10)
		if err != nil {
			return nil, err
		}
		rank := 1 + slices.IndexFunc(rows, func(r controller.Row) bool {
			return slices.Contains(want, strings.TrimPrefix(r.SourceRef, "id:"))
		})
		r := sums[l.Set]
		r.add(rank)
		sums[l.Set] = r
	}
	for set, r := range sums {
		sums[set] = r.mean()
	}
	return sums, nil
}
