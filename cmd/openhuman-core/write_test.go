package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/pkg/controller"
)

// TestWriting lets a client of stdio, one of HTTP and the command line write, and goes on as people do:
// what was written stays through ingest and embed, gets its vectors, and goes when it is forgotten.
func TestWriting(t *testing.T) {
	s := newSession(t, "OPENHUMAN_MCP_WRITE_TOOLS=1")
	url, token, _ := s.served()
	const line = `{"source_kind":"document","source_id":"drive:plans","payload":{"title":"Roof","body":"The roof over the kitchen leaks when it rains for long.","modified_at":1714554000000,"source_ref":"roof.md"}}`
	if result, failure := post(t, url, token, "openhuman.memory_tree_ingest", `{"payload":`+line+`}`); string(result) != `{"source_id":"drive:plans","documents":1,"chunks":1,"unchanged":0}` {
		t.Fatalf("%s %s", result, failure)
	}
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"Some Client","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_store","arguments":{"title":"Plumber","content":"The plumber who repairs our pipes is called Dana."}}}
`
	var out, errs bytes.Buffer
	if status := run(context.Background(), []string{"mcp"}, strings.NewReader(in), &out, &errs, s.environ); status != 0 || !strings.Contains(out.String(), `"structuredContent":{"document_id":"`) || !strings.Contains(out.String(), "With memory.store you may add") {
		t.Fatalf("%d %s %s", status, &out, &errs)
	}
	s.run(0, "call", "openhuman.memory_store", `{"title":"Cat","content":"The cat is called Miso and likes herring."}`)
	found := func(query, source string) {
		t.Helper()
		for _, command := range []string{"search", "recall"} {
			if out, _ := s.run(0, command, "--json", query); !strings.Contains(out, fmt.Sprintf("%q", source)) {
				t.Errorf("%s %s: no %s in %s", command, query, source, out)
			}
		}
	}
	all := func() {
		t.Helper()
		found("kitchen roof", "drive:plans")
		found("plumber pipes", "mcp:some-client")
		found("cat herring", "cli")
	}
	all()
	s.run(0, "ingest", "--no-embed", s.notes(3))
	all()
	s.run(0, "embed")
	all()
	for range 2 { // a second run finds nothing to do
		out, _ := s.run(0, "embed")
		if !strings.Contains(out, "nothing to embed") {
			t.Error(out)
		}
	}
	if out, _ := s.run(0, "status", "--files"); strings.Contains(out, "openhuman:") {
		t.Error(out)
	}
	s.run(0, "forget", "--yes", "mcp:some-client")
	if out, _ := s.run(0, "sources", "--json"); strings.Contains(out, "some-client") || !strings.Contains(out, "drive:plans") {
		t.Error(out)
	}
	if out, _ := s.run(0, "audit", "--json"); !strings.Contains(out, "mcp:some-client") || strings.Contains(out, "Dana") || strings.Contains(out, "Plumber") {
		t.Error(out)
	}
}

func TestPolicySurfaces(t *testing.T) {
	cfg := config.Defaults()
	cfg.Policy.DenyTools, cfg.Policy.MaxReadsPerMinute = []string{"tree.browse"}, 60
	cfg.Policy.Clients = map[string]config.ClientPolicy{
		"cursor": {}, "http": {DenyTools: []string{"memory.search", "memory.recall"}}, "default": {DenyTools: []string{"tree.top_entities"}},
	}
	row := func(name string, denied, scopes, rate int) controller.PolicySurface {
		return controller.PolicySurface{Surface: name, Gate: "before every controller", Level: "supervised", DeniedTools: denied, ClientScopes: scopes, RateLimit: rate, Redact: true, Audit: true}
	}
	want := []controller.PolicySurface{row("mcp_stdio", 1, 2, 60), row("mcp_http", 1, 2, 60), row("json_rpc", 3, 1, 60), row("cli", 2, 1, 0)}
	if diff := cmp.Diff(want, policySurfaces(cfg)); diff != "" {
		t.Error(diff)
	}
}
