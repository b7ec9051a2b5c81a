package store_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// invariants are queries that find counts and rows that contradict each other: none may find any.
var invariants = map[string]string{
	"chunks of an entity by source": `SELECT 'differs: ' || coalesce(a.entity, b.entity) FROM
		(SELECT coalesce(e.canonical, e.id) AS entity, c.source, count(DISTINCT c.id) AS n FROM mentions m
			JOIN forms f ON f.id = m.form JOIN entities e ON e.id = f.entity JOIN chunks c ON c.id = m.chunk GROUP BY 1, 2) a
		FULL JOIN entity_counts b ON b.entity = a.entity AND b.source = a.source WHERE a.n IS NOT b.chunks`,
	"mentions of a form by source": `SELECT 'differs: ' || coalesce(a.form, b.form) FROM
		(SELECT m.form, c.source, sum(m.count) AS n FROM mentions m JOIN chunks c ON c.id = m.chunk GROUP BY 1, 2) a
		FULL JOIN form_counts b ON b.form = a.form AND b.source = a.source WHERE a.n IS NOT b.mentions`,
	"chunks of an entity": `SELECT entity_id FROM entities e
		WHERE chunks <> coalesce((SELECT sum(chunks) FROM entity_counts n WHERE n.entity = e.id), 0)`,
	"chunks of a source":    `SELECT source_id FROM sources s WHERE chunks <> (SELECT count(*) FROM chunks c WHERE c.source = s.id)`,
	"rows of the index":     `SELECT 'row ' || coalesce(c.id, x.rowid) FROM chunks c FULL JOIN chunk_index x ON x.rowid = c.id WHERE c.id IS NULL OR x.rowid IS NULL`,
	"mentions of no chunk":  `SELECT 'chunk ' || chunk FROM mentions WHERE chunk NOT IN (SELECT id FROM chunks)`,
	"mentions of no form":   `SELECT 'form ' || form FROM mentions WHERE form NOT IN (SELECT id FROM forms)`,
	"chunks of no author":   `SELECT chunk_id FROM chunks WHERE author NOT IN (SELECT id FROM authors) OR tags NOT IN (SELECT id FROM tagsets)`,
	"standing for a member": `SELECT e.entity_id FROM entities e JOIN entities r ON r.id = e.canonical WHERE r.canonical IS NOT NULL`,
	"broken references":     `SELECT "table" || ' ' || rowid FROM pragma_foreign_key_check`,
}

// leftovers must not exist after Finish.
var leftovers = map[string]string{
	"entities": `SELECT entity_id FROM entities WHERE id NOT IN (SELECT f.entity FROM forms f JOIN mentions m ON m.form = f.id)`,
	"authors":  `SELECT name FROM authors WHERE id NOT IN (SELECT author FROM chunks)`,
	"sources":  `SELECT source_id FROM sources WHERE id NOT IN (SELECT source FROM documents)`,
}

type fataler interface{ Fatalf(string, ...any) }

func expectNone(t fataler, s *store.Store, queries map[string]string, tb testing.TB) {
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		got, err := s.Strings(tb.Context(), queries[name])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got) > 0 {
			t.Fatalf("%s: %q", name, got)
		}
	}
}

// model is the memory as plain documents; it counts everything anew whenever it is asked.
type model map[string]store.DocumentRecord

// people returns the value that stands for each person, by the rule in people.go told another way:
// neighbours in the graph of shared addresses are coloured alike until nothing changes.
func (m model) people() map[string]string {
	mentions, owners := map[string]int{}, map[string]map[string]bool{}
	for _, d := range m {
		for _, c := range d.Chunks {
			for _, e := range c.Mentions {
				if e.Kind == "person" {
					mentions[e.Value] += e.Count
				}
			}
		}
		for _, l := range d.Links {
			if owners[l.Kind+l.Value] == nil {
				owners[l.Kind+l.Value] = map[string]bool{}
			}
			owners[l.Kind+l.Value][l.Person] = true
		}
	}
	colour := map[string]string{}
	of := func(p string) string {
		if c, ok := colour[p]; ok {
			return c
		}
		return p
	}
	for changed := true; changed; {
		changed = false
		for _, o := range owners {
			if len(o) > 8 {
				continue
			}
			least := ""
			for p := range o {
				if least == "" || of(p) < least {
					least = of(p)
				}
			}
			for p := range o {
				if of(p) != least {
					colour[p], changed = least, true
				}
			}
		}
	}
	best := map[string]string{}
	for p := range mentions {
		b, ok := best[of(p)]
		if !ok || cmp.Or(cmp.Compare(mentions[p], mentions[b]), cmp.Compare(len(p), len(b)), cmp.Compare(b, p)) > 0 {
			best[of(p)] = p
		}
	}
	rep := map[string]string{}
	for p := range mentions {
		rep[p] = best[of(p)]
	}
	return rep
}

func (m model) top(kind string, limit int, scope storetest.Without) []store.EntityCount {
	m = maps.Clone(m)
	maps.DeleteFunc(m, func(_ string, d store.DocumentRecord) bool { return scope.Hides(d.Source.SourceID) })
	people := m.people() // from what can be seen alone
	chunks, forms := map[string]int{}, map[string]map[string]int{}
	for _, d := range m {
		for _, c := range d.Chunks {
			seen := map[string]bool{}
			for _, e := range c.Mentions {
				if e.Kind != kind {
					continue
				}
				value := e.Value
				if kind == "person" {
					value = people[value]
				}
				if !seen[value] {
					seen[value] = true
					chunks[value]++
				}
				if forms[value] == nil {
					forms[value] = map[string]int{}
				}
				forms[value][e.Surface] += e.Count
			}
		}
	}
	var out []store.EntityCount
	for v, n := range chunks {
		surface := slices.MinFunc(slices.Collect(maps.Keys(forms[v])), func(a, b string) int {
			return cmp.Or(cmp.Compare(forms[v][b], forms[v][a]), cmp.Compare(a, b))
		})
		out = append(out, store.EntityCount{EntityRef: store.EntityRef{EntityID: kind + ":" + v, Kind: kind, Surface: surface}, Count: n})
	}
	slices.SortFunc(out, func(a, b store.EntityCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.EntityID, b.EntityID))
	})
	return out[:min(len(out), limit)]
}

func genDoc(t *rapid.T) store.DocumentRecord {
	source := rapid.SampledFrom([]string{"mail:a", "mail:b", "mail:c"}).Draw(t, "source")
	var texts []storetest.Text
	for i := range rapid.IntRange(0, 3).Draw(t, "chunks") {
		var ms []store.Mention
		seen := map[string]bool{}
		for range rapid.IntRange(0, 4).Draw(t, "mentions") {
			e := store.Mention{
				Kind: rapid.SampledFrom([]string{"person", "topic"}).Draw(t, "kind"), Value: rapid.SampledFrom([]string{"ann", "anna", "bo", "cy"}).Draw(t, "value"),
				Surface: rapid.SampledFrom([]string{"A", "B"}).Draw(t, "surface"), Count: rapid.IntRange(1, 3).Draw(t, "count"),
			}
			if key := e.Kind + e.Value + e.Surface; !seen[key] {
				seen[key] = true
				ms = append(ms, e)
			}
		}
		texts = append(texts, storetest.Text{
			Content: fmt.Sprint("text ", i, " ", rapid.IntRange(0, 2).Draw(t, "text")), Author: rapid.SampledFrom([]string{"", "Ann", "Bo"}).Draw(t, "author"), Mentions: ms,
		})
	}
	doc := storetest.Doc(source, "email", "key", texts...)
	doc.Identity = rapid.SampledFrom([]string{"d1", "d2", "d3", "d4", "d5"}).Draw(t, "identity")
	for i := range doc.Chunks {
		doc.Chunks[i].ChunkID = fmt.Sprint(doc.Identity, " ", doc.Chunks[i].Content)
	}
	for range rapid.IntRange(0, 2).Draw(t, "links") {
		doc.Links = append(doc.Links, store.PersonLink{
			Kind: "email", Value: rapid.SampledFrom([]string{"x@x", "y@y"}).Draw(t, "address"), Person: rapid.SampledFrom([]string{"ann", "anna", "bo", "cy"}).Draw(t, "person"),
		})
	}
	return storetest.Rehash(doc)
}

// TestCountsHold: after any sequence of puts, replacements, removals and forgets, the counts that
// the store keeps are those that a recount gives.
func TestCountsHold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
		if err != nil {
			rt.Fatalf("open: %v", err)
		}
		defer s.Close()
		m := model{}
		update := func(fn func(*store.Tx) error) {
			if err := s.Update(t.Context(), fn); err != nil {
				rt.Fatalf("update: %v", err)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				docs := []store.DocumentRecord{genDoc(rt)}
				if rapid.Bool().Draw(rt, "two in one transaction") {
					docs = append(docs, genDoc(rt))
				}
				update(func(tx *store.Tx) error {
					for _, d := range docs {
						id, _, err := tx.PutDocument(d)
						if err != nil {
							return err
						}
						m[d.Identity] = d
						file, err := tx.PutFile(store.FileRecord{Path: d.Identity})
						if err != nil {
							return err
						}
						if err := tx.Hold(file, id); err != nil {
							return err
						}
					}
					return nil
				})
			},
			"drop": func(rt *rapid.T) {
				name := rapid.SampledFrom([]string{"d1", "d2", "d3", "d4", "d5"}).Draw(rt, "identity")
				update(func(tx *store.Tx) error {
					_, _, err := tx.DropFile(name)
					return err
				})
				delete(m, name)
			},
			"forget": func(rt *rapid.T) {
				source := rapid.SampledFrom([]string{"mail:a", "mail:b", "mail:c"}).Draw(rt, "source")
				update(func(tx *store.Tx) error {
					tx.ForgetSource(source) //nolint:errcheck // it may be unknown
					return nil
				})
				maps.DeleteFunc(m, func(_ string, d store.DocumentRecord) bool { return d.Source.SourceID == source })
			},
			"finish": func(rt *rapid.T) {
				if err := s.Finish(t.Context()); err != nil {
					rt.Fatalf("finish: %v", err)
				}
				expectNone(rt, s, leftovers, t)
				for _, kind := range []string{"person", "topic"} {
					for _, scope := range []storetest.Without{nil, {"mail:a"}, {"mail:b", "mail:c"}} {
						limit := rapid.IntRange(1, 5).Draw(rt, "limit")
						got, err := s.TopEntities(t.Context(), kind, limit, scope)
						if err != nil {
							rt.Fatalf("top: %v", err)
						}
						if diff := gocmp.Diff(m.top(kind, limit, scope), got); diff != "" {
							rt.Fatalf("top %s without %v (-recount +store):\n%s", kind, scope, diff)
						}
					}
				}
			},
			"": func(rt *rapid.T) { expectNone(rt, s, invariants, t) },
		})
	})
}
