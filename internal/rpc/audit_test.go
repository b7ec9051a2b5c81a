package rpc_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/audit"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

// TestUnknownMethodsAreRecorded: that there was such a call, and no word of it.
func TestUnknownMethodsAreRecorded(t *testing.T) {
	dir := t.TempDir()
	log := audit.New(audit.Options{Dir: dir, MaxBytes: 1 << 20, MaxFiles: 2})
	defer log.Close()
	b := backend(memory(t), policy.Options{})
	b.Deps.Audit = log
	s := open(t, b, nil)
	s.rpc(`{"jsonrpc":"2.0","id":1,"method":"` + secret + `","params":{"` + secret + `":"` + secret + `"}}`)
	s.rpc(`{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_list_sources"}`)
	var got []string
	if _, err := audit.Read(dir, func(r audit.Record) bool {
		args, _ := json.Marshal(r.Args)
		got = append(got, fmt.Sprintf("%s %s %s %s %s", r.Client, r.Tool, args, r.Decision, r.Code))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{`http unknown {"?":7} allowed invalid`, "http tree.list_sources {} allowed "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
