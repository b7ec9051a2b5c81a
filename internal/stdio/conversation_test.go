package stdio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/rs/zerolog"

	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/inbox"
	"github.com/openhuman/openhuman-core/internal/stdio"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

const conversations = "../../testdata/mcp"

// version is what goldens have in the place of the program's version.
const version = "0.0.0-test"

// TestConversations runs the wire conversations of testdata/mcp through the real server over the real
// transport and a real store. `client` is sent in one piece, followed by the end of input; `server`
// is everything that comes back; `log`, where there is one, is who called what and what was decided.
// Words before the first file are for people, except for lines "option: value":
//
//	store        missing, "empty file", corrupt or newer instead of testdata/mcp/memory.jsonl
//	tool_names   auto, dotted or underscore
//	deny_tools   names, separated by blanks
//	deny_sources globs, separated by blanks
//	write_tools  true: clients may write, at the level of the policy
//	level        readonly, supervised or full
//	delay        how long every read of the store takes
//	panic        true: every read of the store panics
//
// -update rewrites `server` and `log`.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(conversations, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			options := parseOptions(t, string(a.Comment))
			client := section(a, "client")
			if client == nil || section(a, "server") == nil {
				t.Fatal("a conversation needs the sections client and server")
			}
			path := options.path(t, a)
			server, log := options.talk(t, path, client.Data)
			checkAnswers(t, client.Data, server)

			section(a, "server").Data = []byte(normalise(server, path))
			if s := section(a, "log"); s != nil {
				s.Data = []byte(log)
			}
			golden.Check(t, file, txtar.Format(a))
		})
	}
}

var score = regexp.MustCompile(`(score\\?":)(0\.\d+)`)

// normalise replaces what differs between runs and machines: the place of the store, and the digits
// of scores, the last of which depend on the processor.
func normalise(server, path string) string {
	server = strings.ReplaceAll(server, path, "$STORE")
	return score.ReplaceAllStringFunc(server, func(s string) string {
		m := score.FindStringSubmatch(s)
		x, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return s
		}
		return m[1] + strconv.FormatFloat(x, 'f', 3, 64)
	})
}

func section(a *txtar.Archive, name string) *txtar.File {
	if i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name }); i >= 0 {
		return &a.Files[i]
	}
	return nil
}

type options map[string]string

func parseOptions(t *testing.T, comment string) options {
	t.Helper()
	known := []string{"store", "tool_names", "deny_tools", "deny_sources", "write_tools", "level", "delay", "panic"}
	o := options{}
	for line := range strings.Lines(comment) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && slices.Contains(known, key) {
			o[key] = value
		}
	}
	return o
}

// path makes the store of a conversation.
func (o options) path(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	if state := o["store"]; state != "" {
		return spoilt(t, state)
	}
	if s := section(a, "store"); s != nil {
		return makeStore(t, s.Data)
	}
	lines, err := os.ReadFile(filepath.Join(conversations, "memory.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return makeStore(t, lines)
}

// talk holds the conversation and returns what the server wrote and logged.
func (o options) talk(t *testing.T, path string, client []byte) (server, log string) {
	t.Helper()
	p, err := policy.New(policy.Options{Level: policy.Level(o["level"]), DenyTools: strings.Fields(o["deny_tools"]), DenySources: strings.Fields(o["deny_sources"])})
	if err != nil {
		t.Fatal(err)
	}
	lazy := store.Lazy(store.Options{Path: path, ReadOnly: true})
	defer lazy.Close()
	var memory controller.Store = lazy
	if o["panic"] != "" {
		memory = panicking{}
	}
	if d, err := time.ParseDuration(o["delay"]); err == nil {
		memory = delayed{memory, d}
	}
	var writer controller.Writer
	if o["write_tools"] != "" {
		writer = inbox.New(inbox.Options{Path: path, Now: func() time.Time { return time.Unix(1_770_000_000, 0) }})
	}
	logged, out := &syncBuffer{}, &syncBuffer{}
	logger := zerolog.New(logged).Level(zerolog.InfoLevel)
	srv := tools.Server(tools.Options{
		Controller: controller.New(controller.Options{Store: memory, Policy: p, Writer: writer}),
		Policy:     p,
		Version:    version,
		Log:        logger,
		ToolNames:  tools.NameStyle(o["tool_names"]),
	})
	silent := onlyProtocol(t)
	err = stdio.Serve(t.Context(), srv, stdio.Transport{In: bytes.NewReader(client), Out: out, Log: logger, Order: 10 * time.Second})
	silent()
	if err != nil {
		t.Errorf("serve: %v", err)
	}
	return out.String(), decisions(t, logged.String())
}

// onlyProtocol makes the test fail when anything is written to the process's standard output until
// the returned function is called.
func onlyProtocol(t *testing.T) func() {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "stdout")
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = f
	return func() {
		os.Stdout = stdout
		if info, err := f.Stat(); err != nil || info.Size() > 0 {
			t.Errorf("%d bytes went to standard output beside the protocol (%v)", info.Size(), err)
		}
		f.Close()
	}
}

// decisions reduces the log to its repeatable parts, in alphabetical order: calls run at once.
func decisions(t *testing.T, log string) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(log) {
		var e struct {
			Message, Client, Tool, Decision, Code string
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		lines = append(lines, strings.Join(strings.Fields(fmt.Sprintln(e.Message+":", e.Client, e.Tool, e.Decision, e.Code)), " ")+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// checkAnswers holds every answer to what is promised of all of them.
func checkAnswers(t *testing.T, client []byte, server string) {
	t.Helper()
	called := map[string]tools.Op{}
	for line := range strings.Lines(string(client)) {
		var req struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if json.Unmarshal([]byte(line), &req) == nil && req.Method == "tools/call" {
			called[string(req.ID)], _ = tools.ByTool(req.Params.Name)
		}
	}
	for line := range strings.Lines(server) {
		var resp struct {
			ID     json.RawMessage
			Result struct {
				Content    []struct{ Type, Text string }
				Structured json.RawMessage `json:"structuredContent"`
				IsError    bool
			}
		}
		if strings.HasPrefix(line, "[") {
			continue
		}
		if err := json.Unmarshal([]byte(line), &resp); err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		r := resp.Result
		if len(r.Content) == 0 {
			continue
		}
		if r.IsError {
			if r.Structured != nil || r.Content[0].Text == "" {
				t.Errorf("a tool error is one text: %s", line)
			}
			continue
		}
		if r.Content[0].Text != string(r.Structured) {
			t.Errorf("text and structured content differ: %s", line)
		}
		if bytes.Contains(r.Structured, []byte(":null")) {
			t.Errorf("null in a result: %s", line)
		}
		o, ok := called[string(resp.ID)]
		if !ok {
			t.Errorf("an answer to no call: %s", line)
			continue
		}
		schema, err := o.Out.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(r.Structured, &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: the result does not fit the schema: %v", o.Method, err)
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string { s.mu.Lock(); defer s.mu.Unlock(); return s.b.String() }

// panicking is a store with a bug: its embedded interface is nil.
type panicking struct{ controller.Store }

// delayed is a store on a slow disk.
type delayed struct {
	controller.Store
	by time.Duration
}

func (d delayed) wait(ctx context.Context) error {
	select {
	case <-time.After(d.by):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d delayed) Chunk(ctx context.Context, id string, s store.Scope) (*store.ChunkDetail, error) {
	if err := d.wait(ctx); err != nil {
		return nil, err
	}
	return d.Store.Chunk(ctx, id, s)
}

func (d delayed) Sources(ctx context.Context, s store.Scope) ([]store.SourceInfo, error) {
	if err := d.wait(ctx); err != nil {
		return nil, err
	}
	return d.Store.Sources(ctx, s)
}
