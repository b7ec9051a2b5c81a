package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/vecindex"
	"github.com/openhuman/openhuman-core/internal/vecset"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// TestDeniedSourcesLeaveNoTrace: over random memories and random denials, every tool answers as if the
// denied sources had never been taken in: rows, scores, order, counts, entities, summaries, neighbours
// and hints.
func TestDeniedSourcesLeaveNoTrace(t *testing.T) {
	model, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	sources := []string{"mail:hr", "mail:work", "slack:#eng", "notes:diary"}
	kinds := map[string]string{"mail": "email", "slack": "chat", "notes": "document"}
	words := strings.Fields("boiler warranty harbour wall mortar stone budget review lease boat rent salary secret Alice Bob POL-358 snake_case 龙井茶 账单 ünïcode the of and")
	people := []string{"Alice Meyer", "Bob", "Carol Ng"}
	rapid.Check(t, func(rt *rapid.T) {
		denied := rapid.SampledFrom([][]string{{"mail:hr"}, {"mail:*"}, {"slack:#eng", "mail:hr"}, {"*:#*"}, {"notes:diary"}}).Draw(rt, "denied")
		rules := policy.Options{DenySources: denied, RedactSecrets: true}
		if rapid.Bool().Draw(rt, "by client") {
			rules = policy.Options{Clients: map[string]policy.Client{"cursor": {DenySources: denied}}, RedactSecrets: true}
		}
		gated, open := gate(rt, rules), gate(rt, policy.Options{RedactSecrets: true})
		ctx := clientinfo.With(context.Background(), clientinfo.MCP("Cursor"))
		scope := gated.Scope(ctx)

		full, part := newMemory(rt, t, model), newMemory(rt, t, model)
		defer full.close()
		defer part.close()
		var ids []string
		for i := range rapid.IntRange(1, 25).Draw(rt, "documents") {
			source := rapid.SampledFrom(sources).Draw(rt, "source")
			platform, _, _ := strings.Cut(source, ":")
			var texts []storetest.Text
			for range rapid.IntRange(1, 3).Draw(rt, "chunks") {
				text := storetest.Text{
					Content: strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 3, 25).Draw(rt, "words"), " ") + ".",
					Author:  rapid.SampledFrom(people).Draw(rt, "author"), Title: rapid.SampledFrom([]string{"", "Budget", "Lease of the boat"}).Draw(rt, "title"),
					TimeMS: 1_700_000_000_000 + int64(rapid.IntRange(0, 5).Draw(rt, "hour"))*3_600_000,
					Tags:   rapid.SampledFrom([][]string{nil, {"money"}, {"sea", "money"}}).Draw(rt, "tags"),
				}
				for _, p := range people {
					if rapid.IntRange(0, 2).Draw(rt, "mention") == 0 {
						text.Mentions = append(text.Mentions, store.Mention{Kind: "person", Value: strings.ToLower(p), Surface: p, Count: 1})
					}
				}
				texts = append(texts, text)
			}
			doc := storetest.Doc(source, kinds[platform], fmt.Sprint("d", i), texts...)
			if rapid.IntRange(0, 2).Draw(rt, "linked") == 0 {
				doc.Links = append(doc.Links, store.PersonLink{Kind: "email", Value: "x@example.com", Person: strings.ToLower(rapid.SampledFrom(people).Draw(rt, "person"))})
			}
			doc.VectorModel = store.VectorModel{Fingerprint: model.Fingerprint(), Dims: model.Dims()}
			for j, c := range doc.Chunks {
				v, err := model.Embed(ctx, []string{c.Context + "\n" + c.Content})
				if err != nil {
					rt.Fatal(err)
				}
				doc.Chunks[j].Vector = vecset.Pack(v[0])
				ids = append(ids, c.ChunkID)
			}
			doc = storetest.Rehash(doc)
			full.put(rt, doc)
			if !scope.Hides(source) {
				part.put(rt, doc)
			}
		}
		full.seal(rt)
		part.seal(rt)

		ask := func(m *memoryOf, p *policy.Policy, tool, args string) string {
			o, ok := tools.ByTool(tool)
			if !ok {
				o, ok = tools.ByMethod(tool)
			}
			if !ok {
				rt.Fatalf("no tool %s", tool)
			}
			out, err := o.Call(ctx, tools.Deps{Controller: m.controller(p, model), Policy: p}, json.RawMessage(args))
			if err != nil {
				if fault.CodeOf(err) == fault.Internal {
					rt.Fatalf("%s %s: %v", tool, args, err)
				}
				return fault.Message(err)
			}
			data, err := tools.Encode(out)
			if err != nil {
				rt.Fatal(err)
			}
			return string(data)
		}
		calls := [][2]string{{"tree.list_sources", `{}`}, {"tree.list_sources", `{"user_email_hint":"x@example.com"}`}, {"tree.browse", `{}`}, {"tree.browse", `{"k":2,"offset":1}`}}
		calls = append(calls, [2]string{"openhuman.memory_tree_activity", `{"months":120}`})
		for _, kind := range []string{"", "person", "topic"} {
			calls = append(calls, [2]string{"tree.top_entities", fmt.Sprintf(`{"kind":%q}`, kind)})
		}
		for _, s := range append([]string{"mail:hx", "slack:eng"}, sources...) {
			calls = append(calls, [2]string{"tree.browse", fmt.Sprintf(`{"source_ids":[%q]}`, s)}, [2]string{"memory.search", fmt.Sprintf(`{"query":"the source:%s"}`, s)})
		}
		for _, s := range sources {
			calls = append(calls, [2]string{"openhuman.memory_tree_list_summaries", fmt.Sprintf(`{"source_id":%q}`, s)})
		}
		for _, id := range full.summaries(rt) {
			calls = append(calls, [2]string{"openhuman.memory_tree_list_summaries", fmt.Sprintf(`{"parent_id":%q}`, id)})
		}
		for _, p := range []string{"alice meyer", "bob", "carol", "nobody"} {
			calls = append(calls, [2]string{"tree.browse", fmt.Sprintf(`{"entity_ids":["person:%s"]}`, p)}, [2]string{"memory.search", fmt.Sprintf(`{"query":"from:\"%s\" the"}`, p)})
		}
		query := rapid.Custom(func(t *rapid.T) string {
			q := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 5).Draw(t, "query"), " ")
			return rapid.SampledFrom([]string{q, `"` + q + `"`, q + "*", q + " -stone", "tag:money " + q, "kind:email " + q, "from:x@example.com " + q}).Draw(t, "form")
		})
		for range 6 {
			q := query.Draw(rt, "q")
			k := rapid.IntRange(1, 12).Draw(rt, "k")
			for _, tool := range []string{"memory.search", "memory.recall", "tree.browse"} {
				args, err := json.Marshal(map[string]any{"query": q, "k": k})
				if err != nil {
					rt.Fatal(err)
				}
				calls = append(calls, [2]string{tool, string(args)})
			}
		}
		for _, id := range append(ids, full.summaries(rt)...) {
			calls = append(calls, [2]string{"tree.read_chunk", fmt.Sprintf(`{"chunk_id":%q}`, id)})
		}
		for _, c := range calls {
			got, want := ask(full, gated, c[0], c[1]), ask(part, open, c[0], c[1])
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("%s %s with %v denied (-never there +denied):\n%s", c[0], c[1], denied, diff)
			}
		}
	})
}

func gate(t interface{ Fatal(...any) }, o policy.Options) *policy.Policy {
	p, err := policy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// memoryOf is a memory of one test with its vectors.
type memoryOf struct {
	store *store.Store
	index *vecindex.Index
}

func newMemory(rt *rapid.T, t *testing.T, model *static.Model) *memoryOf {
	s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		rt.Fatal(err)
	}
	return &memoryOf{s, vecindex.New(s, t.TempDir())}
}

func (m *memoryOf) close() {
	_ = m.index.Close()
	_ = m.store.Close()
}

func (m *memoryOf) controller(p *policy.Policy, model *static.Model) *controller.Controller {
	return controller.New(controller.Options{
		Store: m.store, Policy: p, Embedders: []controller.Embedder{model}, Instant: model, Vectors: m.index,
	})
}

func (m *memoryOf) put(rt *rapid.T, doc store.DocumentRecord) {
	err := m.store.Update(context.Background(), func(tx *store.Tx) error {
		_, _, err := tx.PutDocument(doc)
		return err
	})
	if err != nil {
		rt.Fatal(err)
	}
}

// seal finishes the memory and makes its summaries.
func (m *memoryOf) seal(rt *rapid.T) {
	if err := m.store.Finish(context.Background()); err != nil {
		rt.Fatal(err)
	}
	if _, err := ingest.Seal(context.Background(), ingest.SealOptions{Store: m.store}); err != nil {
		rt.Fatal(err)
	}
}

func (m *memoryOf) summaries(rt *rapid.T) (ids []string) {
	list, err := m.store.PendingSummaries(context.Background(), []string{"none"}, 0, 100)
	if err != nil {
		rt.Fatal(err)
	}
	for _, x := range list {
		ids = append(ids, x.SummaryID)
	}
	return ids
}
