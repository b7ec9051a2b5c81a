package controller

import (
	"context"
	"slices"

	"github.com/openhuman/openhuman-core/internal/query"
	"github.com/openhuman/openhuman-core/pkg/store"
)

const (
	matchedByWords   = "keyword"
	matchedByMeaning = "semantic"
	matchedBySummary = "summary"
)

// Recall returns the chunks that answer a question in plain words, and summaries of many that do so
// better, best first. What is not related to the question is left out, so the list may be empty.
func (c *Controller) Recall(ctx context.Context, p RecallParams) (RecallResult, error) {
	res := RecallResult{Chunks: []Row{}}
	k, err := limit(p.K)
	if err != nil {
		return res, err
	}
	if err := checkQuery(p.Query); err != nil {
		return res, err
	}
	q := query.Natural(p.Query)
	filter := narrow(q)
	filter.Scope = c.scope(ctx)
	var answers []answer
	note := ""
	if len(q.Terms) == 0 {
		answers, err = c.newestAnswers(ctx, q, filter, k)
	} else {
		r := recalling{c: c, q: q, question: query.Plain(p.Query), filter: filter}
		answers, err = r.answers(ctx)
		note = r.note
	}
	if err != nil {
		return res, err
	}
	answers = answers[:min(len(answers), k)]
	if res.Hint, err = c.searchHint(ctx, q, filter, len(answers)); err != nil {
		return res, err
	}
	res.Hint = hints(note, res.Hint)
	res.Chunks, res.Truncated = c.answerRows(ctx, answers, q.Terms, len(res.Hint)+100)
	res.Hint = hints(res.Truncated.hint(), res.Hint)
	if why := whyIn(ctx); why != nil {
		for _, a := range answers[:len(res.Chunks)] {
			*why = append(*why, a.why)
		}
	}
	return res, nil
}

// An answer is one row of a recall.
type answer struct {
	chunk   *store.Chunk   // or
	summary *store.Summary // one of the two
	score   float64
	matched []string
	why     Why
}

func (a *answer) content() string {
	if a.summary != nil {
		return a.summary.Content
	}
	return a.chunk.Content
}

// newestAnswers is for a query of operators alone.
func (c *Controller) newestAnswers(ctx context.Context, q *query.Query, filter store.Filter, k int) ([]answer, error) {
	hits, err := c.newest(ctx, q, filter, k)
	answers := make([]answer, len(hits))
	for i := range hits {
		answers[i].chunk = &hits[i].Chunk
	}
	return answers, err
}

// answerRows makes rows of answers, small enough for one answer.
func (c *Controller) answerRows(ctx context.Context, answers []answer, terms []query.Term, other int) ([]Row, *Truncated) {
	p := newPreviewer(terms)
	rows := make([]Row, len(answers))
	for i := range answers {
		a := &answers[i]
		if a.summary != nil {
			x := c.servedSummary(ctx, *a.summary)
			a.summary = &x
		} else {
			ch := c.servedChunk(ctx, *a.chunk)
			a.chunk = &ch
		}
		preview := p.preview(a.content(), MaxPreviewRunes)
		if a.summary != nil {
			rows[i] = newSummaryRow(a.summary, preview)
		} else {
			rows[i] = newRow(a.chunk, preview)
		}
		rows[i].Score, rows[i].Matched = a.score, a.matched
	}
	return c.fit(rows, func(i, runes int) string { return p.preview(answers[i].content(), runes) }, other)
}

// Why tells what contributed to the place of one row. The contributions add up to the evidence; the
// score grows with it.
type Why struct {
	Keyword  float64 `json:"keyword"`  // by the words of the question
	Semantic float64 `json:"semantic"` // by what it means
	Beside   float64 `json:"beside"`   // by the texts next to it in the same conversation
	Time     float64 `json:"time"`     // by being of the month that the question names
	Summary  float64 `json:"summary"`  // by being a summary of several answers
	Repeated float64 `json:"repeated"` // taken away: earlier rows say the same, or are from the same place
	Cover    float64 `json:"cover"`    // the share of the question's words, by weight, that it holds
	Cosine   float64 `json:"cosine"`   // between the question and its nearest part; 0 when not known
	Model    string  `json:"model,omitempty"`
}

type whyKey struct{}

// WithWhy returns a context in which Recall appends to the list why each of its rows stands where it
// does.
func WithWhy(ctx context.Context) (context.Context, *[]Why) {
	list := new([]Why)
	return context.WithValue(ctx, whyKey{}, list), list
}

func whyIn(ctx context.Context) *[]Why {
	list, _ := ctx.Value(whyKey{}).(*[]Why)
	return list
}

// insertByScore puts a into its place in answers, which are in the order of their scores.
func insertByScore(answers []answer, a answer) []answer {
	i, _ := slices.BinarySearchFunc(answers, a.score, func(x answer, score float64) int {
		if x.score >= score {
			return -1
		}
		return 1
	})
	return slices.Insert(answers, i, a)
}
