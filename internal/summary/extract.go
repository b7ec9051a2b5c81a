package summary

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/text"
)

const (
	// novelty is how much likeness to what is picked already costs, centrality being worth 1.
	novelty = 0.75
	// spread is what a sentence gets whose passage has no other yet.
	spread = 0.12
	// repeated is in how many passages the same sentence stands when it is a footer.
	repeated = 3
	// maxUnits bounds the sentences that are weighed together.
	maxUnits = 3000
)

// Extract picks the sentences that say most about all of the units in the budget of tokens, and
// returns them in the order of the text. There is at least one, if there are units; only a single
// one that is longer than allowed is cut. Without an encoder, likeness is by the words.
func Extract(ctx context.Context, units []Unit, budget int, enc Encoder) (Summary, error) {
	units = distinct(units)
	if len(units) == 0 {
		return Summary{}, nil
	}
	for i := range units {
		units[i].tokens = text.EstimateTokens(units[i].Text) + 1 // with the line end
	}
	if len(units) > maxUnits {
		best := slices.Clone(units)
		slices.SortStableFunc(best, func(a, b Unit) int { return cmp.Compare(b.Weight, a.Weight) })
		least := best[maxUnits-1].Weight
		units = slices.DeleteFunc(units, func(u Unit) bool { return u.Weight < least })
		units = units[:maxUnits]
	}
	like, err := likeness(ctx, units, enc)
	if err != nil {
		return Summary{}, err
	}
	chosen := pick(units, like, budget)
	slices.Sort(chosen)
	var s Summary
	for _, i := range chosen {
		s.Lines = append(s.Lines, Line{units[i].Text, units[i].Cites})
	}
	if len(chosen) == 1 {
		s.Lines[0].Text = cut(s.Lines[0].Text, max(budget, 1))
	}
	s.Tokens = text.EstimateTokens(s.Text())
	return s, nil
}

// distinct keeps each sentence once, where it stands first, and makes light of what many passages
// hold in the same words.
func distinct(units []Unit) []Unit {
	out := make([]Unit, 0, len(units))
	at := map[string]int{}
	count, last := map[string]int{}, map[string]int{}
	for _, u := range units {
		key := text.Fold(u.Text)
		if _, ok := at[key]; !ok {
			at[key] = len(out)
			out = append(out, u)
			last[key] = -1
		}
		if last[key] != u.Passage {
			last[key] = u.Passage
			count[key]++
		}
	}
	for key, i := range at {
		if count[key] >= repeated {
			out[i].Weight *= 0.2
		}
	}
	return out
}

// A measure says how alike two units are, and how near one is to the middle of all.
type measure interface {
	alike(i, j int) float64
	central(i int) float64
}

// pick chooses units greedily.
func pick(units []Unit, like measure, budget int) []int {
	var chosen []int
	most := make([]float64, len(units)) // likeness to the nearest that is chosen
	taken := make([]bool, len(units))
	passages := map[int]bool{}
	for {
		best, bestScore := -1, 0.0
		for i := range units {
			u := &units[i]
			if taken[i] || (u.tokens > budget || u.Weight < poor) && len(chosen) > 0 {
				continue
			}
			score := u.Weight * (like.central(i) + 0.05)
			if !passages[u.Passage] {
				score += u.Weight * spread
			}
			if score -= novelty * u.Weight * most[i]; score <= 0 && len(chosen) > 0 {
				continue
			}
			if u.tokens > budget { // only if nothing fits
				score -= 100
			}
			if best < 0 || score > bestScore {
				best, bestScore = i, score
			}
		}
		if best < 0 {
			return chosen
		}
		taken[best] = true
		chosen = append(chosen, best)
		budget -= units[best].tokens
		passages[units[best].Passage] = true
		for i := range units {
			if !taken[i] {
				most[i] = max(most[i], like.alike(best, i))
			}
		}
	}
}

func likeness(ctx context.Context, units []Unit, enc Encoder) (measure, error) {
	if enc == nil {
		return newWords(units), nil
	}
	texts := make([]string, len(units))
	for i := range units {
		texts[i] = units[i].body()
	}
	vectors, err := enc.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed sentences: %w", err)
	}
	if len(vectors) != len(units) {
		return nil, fmt.Errorf("embed sentences: %d vectors for %d", len(vectors), len(units))
	}
	return &meanings{vectors, middle(units, vectors), newWords(units)}, nil
}

// meanings is likeness by vectors, and by words as far as those see more.
type meanings struct {
	vectors [][]float32
	middle  []float32
	words   *words
}

func (m *meanings) alike(i, j int) float64 {
	return max(float64(dot(m.vectors[i], m.vectors[j])), m.words.alike(i, j))
}

func (m *meanings) central(i int) float64 {
	return 0.6*max(float64(dot(m.vectors[i], m.middle)), 0) + 0.4*m.words.central(i)
}

func middle(units []Unit, vectors [][]float32) []float32 {
	sum := make([]float32, len(vectors[0]))
	for i, v := range vectors {
		for k, x := range v {
			sum[k] += x * float32(units[i].Weight)
		}
	}
	if n := math.Sqrt(float64(dot(sum, sum))); n > 0 {
		for k := range sum {
			sum[k] /= float32(n)
		}
	}
	return sum
}

func dot(a, b []float32) (s float32) {
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// words is likeness by the terms that two sentences share, rare ones counting more.
type words struct {
	terms  [][]term // of each unit, by number
	middle []float64
}

type term struct {
	id     int
	weight float64
}

func newWords(units []Unit) *words {
	ids, df := map[string]int{}, []int{}
	terms := make([][]term, len(units))
	var buf []byte
	for i := range units {
		buf = text.AppendIndex(buf[:0], units[i].body())
		counts := map[int]int{}
		for t := range strings.FieldsSeq(string(buf)) {
			if text.IsStopWord(t) {
				continue
			}
			id, ok := ids[t]
			if !ok {
				id = len(df)
				ids[t] = id
				df = append(df, 0)
			}
			counts[id]++
		}
		for id, n := range counts {
			df[id]++
			terms[i] = append(terms[i], term{id, 1 + math.Log(float64(n))})
		}
		slices.SortFunc(terms[i], func(a, b term) int { return cmp.Compare(a.id, b.id) })
	}
	w := &words{terms, make([]float64, len(df))}
	for i := range terms {
		norm := 0.0
		for k := range terms[i] {
			t := &terms[i][k]
			t.weight *= math.Log(1 + float64(len(units))/float64(df[t.id]))
			norm += t.weight * t.weight
		}
		if norm = math.Sqrt(norm); norm == 0 {
			continue
		}
		for k := range terms[i] {
			t := &terms[i][k]
			t.weight /= norm
			// A word that stands in one sentence only is not what the text is about.
			if df[t.id] > 1 || len(units) < 4 {
				w.middle[t.id] += t.weight * units[i].Weight
			}
		}
	}
	norm := 0.0
	for _, x := range w.middle {
		norm += x * x
	}
	if norm = math.Sqrt(norm); norm > 0 {
		for i := range w.middle {
			w.middle[i] /= norm
		}
	}
	return w
}

func (w *words) central(i int) (s float64) {
	for _, t := range w.terms[i] {
		s += t.weight * w.middle[t.id]
	}
	return s
}

func (w *words) alike(i, j int) (s float64) {
	a, b := w.terms[i], w.terms[j]
	for len(a) > 0 && len(b) > 0 {
		switch d := a[0].id - b[0].id; {
		case d < 0:
			a = a[1:]
		case d > 0:
			b = b[1:]
		default:
			s += a[0].weight * b[0].weight
			a, b = a[1:], b[1:]
		}
	}
	return s
}
