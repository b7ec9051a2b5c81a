package stdio_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/stdio"
)

// FuzzInput: whatever comes in, every line of output is one JSON-RPC answer, the session lives to the
// end of input, and a good request at the end is still answered.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{
		"", "\n\n", "{}", "[]", "null", "\xef\xbb\xbf{}", "\x00", "\xff",
		call("1", "a") + "\n" + call("1", "b"),
		initialize("2025-03-26") + "\n[" + call("1", "a") + ",{}]",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":5,"capabilities":[],"_meta":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/clientInfo":[1]}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1e999,"method":"a"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		last := call(`"the-last-request"`, "z")
		var lines []string
		synctest.Test(t, func(t *testing.T) {
			out := newOutput()
			serve(t, stdio.Transport{In: bytes.NewReader(append(bytes.Clone(in), "\n"+last...)), Out: out, MaxLine: 4096})
			lines = out.lines()
		})
		if len(lines) == 0 || lines[len(lines)-1] != ok(`"the-last-request"`, "z") {
			t.Fatalf("the last request was not answered last: %q", lines)
		}
		for _, line := range lines {
			if !utf8.ValidString(line) {
				t.Errorf("not UTF-8: %q", line)
			}
			answers := []json.RawMessage{json.RawMessage(line)}
			if line[0] == '[' {
				if err := json.Unmarshal([]byte(line), &answers); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
			}
			for _, raw := range answers {
				var a struct {
					Version string          `json:"jsonrpc"`
					ID      json.RawMessage `json:"id"`
					Result  json.RawMessage `json:"result"`
					Error   *struct {
						Code    int
						Message string
					} `json:"error"`
				}
				if err := json.Unmarshal(raw, &a); err != nil || a.Version != "2.0" || len(a.ID) == 0 {
					t.Fatalf("not an answer: %q (%v)", raw, err)
				}
				if (a.Result == nil) == (a.Error == nil) || a.Error != nil && a.Error.Code == 0 {
					t.Errorf("neither a result nor an error: %q", raw)
				}
			}
		}
	})
}
