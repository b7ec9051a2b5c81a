package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/datagen/algebra"
	"github.com/openhuman/openhuman-core/internal/embed/format"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/embed/vocab"
	"github.com/openhuman/openhuman-core/internal/embed/wordpiece"
)

// How the table of the static model is fitted.
const (
	trainEpochs = 10
	trainRate   = 0.15
	trainDecay  = 0.75
	heldOut     = 1000 // texts that are only looked at
)

// distil makes the static model: a vector for each token such that the sum over a text points where
// the encoder's vector of the text points, after the mean of all texts' vectors is taken away.
//
//  1. A token's first vector is the encoder's of the token alone, less the mean, weighted so that
//     rare tokens count more.
//  2. Descent on 1-cos over the corpus, one rate for each token (Adagrad).
//  3. The 256 directions in which tokens, weighted by how often they occur, differ most.
//  4. The same descent on the 256 coordinates, then rounding.
//
// Chance is seeded and everything runs in one goroutine, so that the outcome is the same each time.
func distil(args []string) error {
	t, err := loadTraining(args[0], args[1])
	if err != nil {
		return err
	}
	table, err := t.start()
	if err != nil {
		return err
	}
	fmt.Printf("%d texts, start: held-out cosine %.4f\n", len(t.texts), t.score(table, minilm.Dims, t.targets))
	t.descend(table, minilm.Dims, t.targets)

	basis := algebra.Directions(table, func(id int) float64 { return math.Sqrt(float64(t.counts[id] + 1)) }, static.Rank)
	small, targets := algebra.Project(table, basis), algebra.Project(t.targets, basis)
	fmt.Printf("in %d directions: held-out cosine %.4f of the target's part there\n", static.Rank, t.score(small, static.Rank, targets))
	t.descend(small, static.Rank, targets)

	w := format.NewWriter(static.Kind)
	w.Table(small, static.Bits)
	w.Halves(basis)
	w.Floats(t.mean)
	return os.WriteFile(args[2], w.File(), 0o644)
}

// training is the corpus as tokens and as what the encoder makes of it.
type training struct {
	texts   [][]int32
	targets []float32 // unit vectors, the mean taken away
	mean    []float32
	counts  []int
}

func loadTraining(corpusPath, teacherPath string) (*training, error) {
	text, err := os.ReadFile(corpusPath)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(teacherPath)
	if err != nil {
		return nil, err
	}
	v, err := vocab.Open()
	if err != nil {
		return nil, err
	}
	const d = minilm.Dims
	t := &training{targets: algebra.DecodeFloats(raw), mean: make([]float32, d), counts: make([]int, v.Len())}
	all := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(all)*d != len(t.targets) {
		return nil, fmt.Errorf("%d texts, but %d vectors", len(all), len(t.targets)/d)
	}
	var tokens []wordpiece.Token
	for _, s := range all {
		tokens = v.AppendTokens(tokens[:0], s)
		var ids []int32
		for _, tok := range tokens {
			if tok.ID != v.UNK() {
				ids = append(ids, tok.ID)
				t.counts[tok.ID]++
			}
		}
		t.texts = append(t.texts, ids)
	}
	sum := make([]float64, d)
	for i, x := range t.targets {
		sum[i%d] += float64(x)
	}
	for i := range t.mean {
		t.mean[i] = float32(sum[i] / float64(len(all)))
	}
	for i := range t.targets {
		t.targets[i] -= t.mean[i%d]
	}
	for row := range slices.Chunk(t.targets, d) {
		algebra.ScaleTo(row, 1)
	}
	return t, nil
}

// start is the table before training.
func (t *training) start() ([]float32, error) {
	v, err := vocab.Open()
	if err != nil {
		return nil, err
	}
	m, err := minilm.New(minilm.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	words := make([]string, v.Len())
	for id := range words {
		words[id] = strings.TrimPrefix(v.Token(int32(id)), "##")
	}
	vectors, err := m.Embed(context.Background(), words)
	if err != nil {
		return nil, err
	}
	const d = minilm.Dims
	table := make([]float32, 0, len(vectors)*d)
	harmonic := math.Log(float64(len(vectors))) + 0.577
	for id, row := range vectors {
		for i := range row {
			row[i] -= t.mean[i]
		}
		// How often a token occurs follows from its place: the vocabulary is sorted by that, after
		// some 1000 special ones and characters.
		p := 1 / float64(max(id-995, 1)) / harmonic
		algebra.ScaleTo(row, 1e-3/(1e-3+p))
		table = append(table, row...)
	}
	return table, nil
}

// score is the mean cosine over the texts held out.
func (t *training) score(table []float32, d int, targets []float32) float64 {
	sum, s := 0.0, make([]float32, d)
	for i, ids := range t.texts[:heldOut] {
		clear(s)
		algebra.AddRows(s, table, ids)
		y := targets[i*d : i*d+d]
		if n := math.Sqrt(algebra.Dot(s, s) * algebra.Dot(y, y)); n > 0 {
			sum += algebra.Dot(s, y) / n
		}
	}
	return sum / heldOut
}

// descend moves the rows of table so that sums point along targets.
func (t *training) descend(table []float32, d int, targets []float32) {
	r := rand.New(rand.NewPCG(7, uint64(d)))
	order := r.Perm(len(t.texts) - heldOut)
	descent, s := algebra.NewDescent(table, d), make([]float32, d)
	rate := float32(trainRate)
	for epoch := range trainEpochs {
		r.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		for _, k := range order {
			ids := t.texts[heldOut+k]
			clear(s)
			algebra.AddRows(s, table, ids)
			descent.Step(ids, s, targets[(heldOut+k)*d:][:d], 1, rate)
		}
		rate *= trainDecay
		fmt.Printf("%d dimensions, round %d: held-out cosine %.4f\n", d, epoch+1, t.score(table, d, targets))
	}
}
