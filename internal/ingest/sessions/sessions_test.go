package sessions_test

import (
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/chattest"
	"github.com/openhuman/openhuman-core/internal/ingest/sessions"
)

const claudeCode = `{"type":"summary","summary":"Mending the importer","leafUuid":"x"}
{"type":"file-history-snapshot","messageId":"a","snapshot":{}}
{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/home/ada/importer","sessionId":"s-1","version":"1.0.1","gitBranch":"main","type":"user","message":{"role":"user","content":"Why does the import double everything?\n<system-reminder>be brief</system-reminder>"},"uuid":"u1","timestamp":"2025-05-01T10:00:00.000Z"}
{"parentUuid":"u1","isSidechain":false,"cwd":"/home/ada/importer","sessionId":"s-1","type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"The key holds the time."},{"type":"tool_use","name":"Read","input":{"file":"x"}}]},"uuid":"a1","timestamp":"2025-05-01T10:00:10.000Z"}
{"parentUuid":"a1","isSidechain":false,"sessionId":"s-1","type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"a thousand lines of a file"}]},"toolUseResult":{"x":1},"uuid":"u2","timestamp":"2025-05-01T10:00:11.000Z"}
{"isSidechain":true,"sessionId":"s-1","type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"a subagent's words"}]},"uuid":"a2","timestamp":"2025-05-01T10:00:12.000Z"}
{"sessionId":"s-1","type":"user","isMeta":true,"message":{"role":"user","content":"Caveat: The messages below"},"uuid":"u3","timestamp":"2025-05-01T10:00:13.000Z"}
{"sessionId":"s-1","type":"user","message":{"role":"user","content":"<command-name>/clear</command-name>\n<command-message>clear</command-message>\n<command-args></command-args>"},"uuid":"u4","timestamp":"2025-05-01T10:00:14.000Z"}
{"sessionId":"s-1","type":"user","message":{"role":"user","content":"<command-name>/review</command-name>\n<command-message>review</command-message>\n<command-args>the lease parser</command-args>"},"uuid":"u5","timestamp":"2025-05-01T10:00:15.000Z"}
{"sessionId":"s-1","type":"user","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]},"uuid":"u6","timestamp":"2025-05-01T10:00:16.000Z"}
{"sessionId":"s-1","type":"user","message":{"role":"us
{"sessionId":"s-1","type":"user","message":{"role":"user","content":[{"type":"text","text":"Then take it out."},{"type":"image","source":{}}]},"uuid":"u7","timestamp":"2025-05-01T10:01:00.000Z"}
{"sessionId":"s-1","type":"user","message":{"role":"user","content":"Then take it out."},"uuid":"u7","timestamp":"2025-05-01T10:01:00.000Z"}
`

const codex = `{"timestamp":"2025-10-29T00:59:38.317Z","type":"session_meta","payload":{"id":"x-1","timestamp":"2025-10-29T00:59:38.308Z","cwd":"C:\\Users\\ada\\tides\\","instructions":null}}
{"timestamp":"2025-10-29T00:59:38.317Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"be a developer"}]}}
{"timestamp":"2025-10-29T00:59:38.317Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for x\n\n<INSTRUCTIONS>"},{"type":"input_text","text":"<environment_context>\n<cwd>x</cwd></environment_context>"}]}}
{"timestamp":"2025-10-29T00:59:39.317Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"When is high tide in Lisbon?"}]}}
{"timestamp":"2025-10-29T00:59:39.317Z","type":"event_msg","payload":{"type":"user_message","message":"When is high tide in Lisbon?"}}
{"timestamp":"2025-10-29T00:59:40.317Z","type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"thinking"}]}}
{"timestamp":"2025-10-29T00:59:41.317Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}"}}
{"timestamp":"2025-10-29T00:59:42.317Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"At 15:42."}]}}
`

const oldCodex = `{"id":"o-1","timestamp":"2025-05-20T10:00:00.000Z","instructions":"","git":{}}
{"record_type":"state"}
{"type":"message","role":"user","content":[{"type":"input_text","text":"List the tides."}]}
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Here they are."}]}
`

func TestRead(t *testing.T) {
	for name, text := range map[string]string{"claude-code": claudeCode, "codex": codex, "codex-old": oldCodex} {
		golden.Check(t, "testdata/"+name+".golden.txt", []byte(chattest.Write(chattest.Read(t, sessions.New(), chattest.Input("2025/"+name+".jsonl", []byte(text), nil)))))
	}
}

func TestContract(t *testing.T) {
	for _, text := range []string{claudeCode, codex, oldCodex} {
		chattest.Run(t, sessions.New(), "a.jsonl", []byte(text), nil)
	}
}

func TestNotMine(t *testing.T) {
	for _, s := range []string{"", "text", `{"source_kind":"chat","payload":{}}`, `{"type":"a","payload":1,"timestamp":2}`, "[1]\n", `{"a":1}` + "\n" + `{"a":2}`} {
		if n := sessions.New().Detect(chattest.Input("a.jsonl", []byte(s), nil)); n != 0 {
			t.Errorf("%s: %d", s, n)
		}
	}
	// The first line may be longer than what Detect sees.
	long := `{"sessionId":"s","type":"user","message":{"role":"user","content":"` + strings.Repeat("x", 100_000) + `"}}`
	if n := sessions.New().Detect(chattest.Input("a.jsonl", []byte(long), nil)); n == 0 {
		t.Error("a long first line is not recognised")
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{claudeCode, codex, oldCodex, `{"sessionId":1,"message":{"content":[[]]}}`, `{"payload":"x","type":"response_item"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in := chattest.Input("a.jsonl", b, nil)
		sessions.New().Detect(in)
		chattest.Read(t, sessions.New(), in)
	})
}
