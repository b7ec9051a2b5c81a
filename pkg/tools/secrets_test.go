package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/inbox"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// letters is what is left of a text when its form is gone: what an id that is made of it still tells.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// A secret in any part of a document is in no answer, neither as it was written nor in what is made of
// it: ids and names of entities, sources, titles, paths, previews, hints.
func TestNothingMadeOfASecretIsServed(t *testing.T) {
	secrets := map[string]string{ // each with the part of it that must not be seen
		"gh" + "p_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8":                      "c3d4e5f6g7h8i9j0k1l2m3n4",
		"AK" + "IAIOSFODNN7EXAMPLE":                                          "iosfodnn7example",
		"ey" + "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.a1B2c3D4e5F6g7H8i9J0": "a1b2c3d4e5f6g7h8i9j0",
		"postgres://ann:Hunter2Secret@db.example.com/x":                      "hunter2secret",
		"h" + "f_abcdefGHIJklmnopQRSTuvwxYZabcdefGH":                         "ghijklmnopqrstuvwx",
		"4111 1111 1111 1111":                                                "4111111111111111",
	}
	path := filepath.Join(t.TempDir(), "memory.db")
	box := inbox.New(inbox.Options{Path: path})
	n := 0
	for secret := range secrets {
		n++
		quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
		for _, line := range []string{
			fmt.Sprintf(`{"source_kind":"chat","source_id":%s,"payload":{"platform":"slack","channel_label":%s,"messages":[{"author":%s,"timestamp":1700000000000,"text":%s,"source_ref":%s}]}}`,
				quoted("slack:#"+secret), quoted(secret), quoted(secret), quoted("the wall and "+secret), quoted("ref/"+secret)),
			fmt.Sprintf(`{"source_kind":"email","source_id":%s,"tags":[%s],"payload":{"provider":"gmail","thread_subject":%s,"messages":[{"from":%s,"to":[%s],"subject":%s,"sent_at":1700000000000,"body":%s,"source_ref":"m%d"}]}}`,
				quoted(fmt.Sprintf("gmail:a%d@x", n)), quoted(secret), quoted("wall "+secret), quoted(secret+" <ann@example.com>"), quoted(`"`+secret+`" <bob@example.com>`), quoted("wall "+secret), quoted("#"+secret+" the wall @"+secret), n),
			fmt.Sprintf(`{"source_kind":"document","source_id":"notes:n%d","tags":[%s],"payload":{"provider":"notes","title":%s,"body":%s,"modified_at":1700000000000,"source_ref":%s}}`,
				n, quoted(secret), quoted(secret), quoted("# "+secret+"\n\nThe wall. https://x.example/"+secret), quoted(secret+".md")),
		} {
			if _, err := box.TakeIn(t.Context(), []byte(line), func(string) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := store.Lazy(store.Options{Path: path, ReadOnly: true})
	defer s.Close()
	p := gate(t, policy.Options{RedactSecrets: true})
	d := tools.Deps{Controller: controller.New(controller.Options{Store: s, Policy: p, Registry: controller.Registry{Tools: tools.Registry}}), Policy: p}
	served := clientinfo.With(t.Context(), clientinfo.MCP("x"))
	call := func(ctx context.Context, method, params string) string {
		o, ok := tools.ByMethod(method)
		if !ok {
			t.Fatal(method)
		}
		out, err := o.Call(ctx, d, json.RawMessage(params))
		if err != nil {
			return err.Error()
		}
		data, err := tools.Encode(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	calls := [][2]string{
		{"openhuman.memory_tree_search", `{"query":"wall","k":50}`}, {"openhuman.memory_tree_search", `{"query":"wall source:nothing from:akiaiosfodnn tag:nothing"}`},
		{"openhuman.memory_tree_recall", `{"query":"wall","k":50}`}, {"openhuman.memory_tree_list_chunks", `{"k":50}`},
		{"openhuman.memory_tree_list_sources", `{}`}, {"openhuman.memory_tree_activity", `{"months":120}`},
	}
	for _, kind := range controller.EntityKinds {
		calls = append(calls, [2]string{"openhuman.memory_tree_top_entities", `{"kind":"` + kind + `","k":50}`})
		for _, near := range []string{"postgres-ann-hunter2", "ghp-a1b2c3d4e5f6", "akiaiosfodnn7exampl", "eyjhbgcioijiuzi1nij9-eyjzdwiioiixmjm0in", "hf-abcdefghijklmnopq", "4111-1111-1111-111"} {
			calls = append(calls, [2]string{"openhuman.memory_tree_list_chunks", `{"entity_ids":["` + kind + `:` + near + `"],"source_ids":["slack:#` + near + `"]}`})
		}
	}
	var all struct{ Chunks []controller.Row }
	if err := json.Unmarshal([]byte(call(served, "openhuman.memory_tree_list_chunks", `{"k":50}`)), &all); err != nil || len(all.Chunks) < 3*len(secrets) {
		t.Fatalf("%v, %d chunks", err, len(all.Chunks))
	}
	for _, row := range all.Chunks {
		calls = append(calls, [2]string{"openhuman.memory_tree_get_chunk", `{"chunk_id":"` + row.ChunkID + `"}`})
	}
	seen := 0
	for _, c := range calls {
		got, stored := call(served, c[0], c[1]), call(policy.Raw(served), c[0], c[1])
		for secret, part := range secrets {
			asked := strings.Contains(letters(c[1]), part)
			if strings.Contains(letters(got), part) && !asked {
				i := strings.Index(strings.ToLower(got), part[:6])
				t.Errorf("%s %s serves %s: …%.120s", c[0], c[1], secret, got[max(0, i-40):])
			}
			if strings.Contains(letters(stored), part) {
				seen++
			}
		}
	}
	if seen < 100 { // what is there, the owner sees
		t.Errorf("only %d answers hold a secret as it is stored", seen)
	}
}
