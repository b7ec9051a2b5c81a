package ingest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/summary"
	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// A draft is what the summary of a node is made from.
type draft struct {
	rec    store.SummaryRecord
	units  []summary.Unit
	parts  []summary.Part
	tokens int
}

// record makes the summary of a node.
func (s *sealing) record(ctx context.Context, u *unsealed) (store.SummaryRecord, error) {
	d := draft{rec: store.SummaryRecord{SummaryID: u.ID, Level: u.Level, Children: u.children, FirstMS: math.MaxInt64, LastMS: math.MinInt64}}
	gather := s.gatherSummaries
	if u.Level == 1 {
		gather = s.gatherChunks
	}
	if err := gather(ctx, u, &d); err != nil {
		return d.rec, err
	}
	made, err := s.write(ctx, &d)
	if err != nil {
		return d.rec, err
	}
	d.finish(u.source.SourceID, made)
	return d.rec, nil
}

func (s *sealing) gatherChunks(ctx context.Context, u *unsealed, d *draft) error {
	chunks, entities, err := s.o.Store.SealChunks(ctx, u.rows)
	if err != nil {
		return err
	}
	passages := make([]summary.Passage, len(chunks))
	for i, c := range chunks {
		passages[i] = summary.Passage{
			ChunkID: c.ChunkID, Text: c.Content, Begins: u.begins[i], Chat: u.source.SourceKind == "chat", Authors: c.Author,
		}
		d.parts = append(d.parts, summary.Part{Head: c.Context, Text: c.Content, Cites: []summary.Citation{{ChunkID: c.ChunkID}}})
		d.covers(c.TimestampMS, c.TimestampMS, c.TokenCount, 1)
	}
	d.rec.Entities = countEntities(entities)
	d.units = summary.Units(passages)
	return nil
}

func (s *sealing) gatherSummaries(ctx context.Context, u *unsealed, d *draft) error {
	below, err := s.o.Store.SummariesByID(ctx, u.children)
	if err != nil {
		return err
	}
	var lines [][]summary.Line
	var entities [][]store.EntityCount
	for _, x := range below {
		part, of := summary.Part{Head: x.Title, Text: x.Content}, linesOf(&x)
		for _, l := range of {
			part.Cites = append(part.Cites, l.Cites...)
		}
		d.parts, lines, entities = append(d.parts, part), append(lines, of), append(entities, x.Entities)
		d.covers(x.FirstMS, x.LastMS, x.TokenCount, x.Chunks)
	}
	d.rec.Entities = sumEntities(entities)
	d.units = summary.LineUnits(lines, u.source.SourceKind == "chat")
	return nil
}

func (d *draft) covers(firstMS, lastMS int64, tokens, chunks int) {
	d.rec.FirstMS, d.rec.LastMS = min(d.rec.FirstMS, firstMS), max(d.rec.LastMS, lastMS)
	d.tokens += tokens
	d.rec.Chunks += chunks
}

// linesOf returns the lines of a stored summary with what they cite.
func linesOf(x *store.Summary) []summary.Line {
	if x.Content == "" {
		return nil
	}
	var lines []summary.Line
	for i, l := range strings.Split(x.Content, "\n") {
		line := summary.Line{Text: l}
		if i < len(x.Citations) {
			for _, c := range x.Citations[i] {
				line.Cites = append(line.Cites, summary.Citation(c))
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// write has the text written by the model, if there is one, or else picks it.
func (s *sealing) write(ctx context.Context, d *draft) (summary.Summary, error) {
	if s.o.Chat != nil && !s.down {
		made, err := s.ask(ctx, d)
		switch {
		case err == nil:
			d.rec.Maker = s.o.Chat.Name()
			return made, nil
		case ctx.Err() != nil:
			return made, ctx.Err()
		case !errors.Is(err, summary.ErrRefused): // the model itself is away: not again in this run
			s.down = true
		}
		s.once.Do(func() {
			if s.o.Fallback != nil {
				s.o.Fallback(err)
			}
		})
	}
	d.rec.Maker = "builtin"
	d.rec.Provisional = s.down
	return summary.Extract(ctx, d.units, summary.Budget(d.tokens), s.o.Encoder)
}

// ask has the model write the text and checks it.
func (s *sealing) ask(ctx context.Context, d *draft) (summary.Summary, error) {
	budget := summary.Budget(d.tokens)
	system, user := summary.Prompt(d.parts, budget)
	answer, err := s.o.Chat.Chat(ctx, system, user)
	if fault.CodeOf(err) == fault.Invalid { // this text is too much for it, others may not be
		return summary.Summary{}, errors.Join(summary.ErrRefused, err)
	}
	if err != nil {
		return summary.Summary{}, err
	}
	return summary.Read(answer, d.parts, budget)
}

// finish fills in what follows from the text.
func (d *draft) finish(source string, made summary.Summary) {
	r := &d.rec
	r.Content, r.TokenCount = made.Text(), made.Tokens
	for _, l := range made.Lines {
		cites := []store.Citation{}
		for _, c := range l.Cites {
			cites = append(cites, store.Citation(c))
		}
		r.Citations = append(r.Citations, cites)
	}
	where := source + ", " + summary.Period(time.UnixMilli(r.FirstMS), time.UnixMilli(r.LastMS))
	r.Title, r.Context = "Summary of "+where, where
	if about := names(r.Entities, summary.Keywords(d.units, 5)); len(about) > 0 {
		r.Context += ": " + strings.Join(about, ", ")
	}
	r.Index = store.IndexText{
		Head: string(text.AppendIndex(nil, r.Context)), Body: string(text.AppendIndex(nil, r.Content)),
		Extra: string(text.AppendExtra(text.AppendExtra(nil, r.Content), r.Context)),
	}
}

// named are the kinds of entities that tell what a summary is about.
var named = []string{"person", "organization", "location", "event", "product", "technology", "topic", "hashtag"}

// names returns what a summary is about: entities first, then words that are not among them.
func names(entities []store.EntityCount, words []string) []string {
	var out []string
	for _, e := range entities {
		if slices.Contains(named, e.Kind) && len(out) < 4 && len(e.Surface) <= 80 {
			out = append(out, e.Surface)
		}
	}
	folded := text.Fold(strings.Join(out, " "))
	for _, w := range words {
		if !strings.Contains(folded, text.Fold(w)) {
			out = append(out, w)
		}
	}
	return out
}

// countEntities counts in how many of the chunks each entity is, the most mentioned first, each in
// the form that is written most often.
func countEntities(chunks [][]store.EntityCount) []store.EntityCount {
	type form struct{ id, surface string }
	forms := map[form]int{}
	var lists [][]store.EntityCount
	for _, mentions := range chunks {
		var list []store.EntityCount
		for _, m := range mentions {
			if slices.Contains(store.CrowdingKinds, m.Kind) {
				continue
			}
			forms[form{m.EntityID, m.Surface}] += m.Count
			if !slices.ContainsFunc(list, func(e store.EntityCount) bool { return e.EntityID == m.EntityID }) {
				m.Count = 1
				list = append(list, m)
			}
		}
		lists = append(lists, list)
	}
	best := map[string]string{}
	for f, n := range forms {
		old, ok := best[f.id]
		if was := forms[form{f.id, old}]; !ok || n > was || n == was && f.surface < old {
			best[f.id] = f.surface
		}
	}
	out := sumEntities(lists)
	for i := range out {
		out[i].Surface = best[out[i].EntityID]
	}
	return out
}

// sumEntities adds the counts up.
func sumEntities(lists [][]store.EntityCount) []store.EntityCount {
	at := map[string]int{}
	var out []store.EntityCount
	for _, list := range lists {
		for _, e := range list {
			if i, ok := at[e.EntityID]; ok {
				out[i].Count += e.Count
				continue
			}
			at[e.EntityID] = len(out)
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b store.EntityCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.EntityID, b.EntityID))
	})
	return out[:min(len(out), maxEntities)]
}
