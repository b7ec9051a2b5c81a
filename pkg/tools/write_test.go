package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/openhuman/openhuman-core/internal/audit"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// tray counts what it is given.
type tray struct{ lines [][]byte }

func (w *tray) TakeIn(_ context.Context, line []byte, may func(string) error) ([]controller.Written, error) {
	if err := may("mcp:x"); err != nil {
		return nil, err
	}
	w.lines = append(w.lines, line)
	return []controller.Written{{SourceID: "mcp:x", DocumentID: "d", ChunkIDs: []string{"c"}}}, nil
}

// TestLevels: readonly refuses acts, supervised limits them for each client, full does not.
func TestLevels(t *testing.T) {
	for _, method := range []string{"openhuman.memory_store", "openhuman.memory_tree_ingest"} {
		for level, most := range map[policy.Level]int{policy.ReadOnly: 0, policy.Supervised: policy.ActsPerHour, policy.Full: 3 * policy.ActsPerHour} {
			t.Run(method+" "+string(level), func(t *testing.T) {
				now := time.Unix(1_770_000_000, 0)
				p, err := policy.New(policy.Options{Level: level, Now: func() time.Time { return now }})
				if err != nil {
					t.Fatal(err)
				}
				w, dir := &tray{}, t.TempDir()
				log := audit.New(audit.Options{Dir: dir, MaxBytes: 1 << 20, MaxFiles: 2})
				d := tools.Deps{Controller: controller.New(controller.Options{Store: fakeStore{do: fails(nil)}, Policy: p, Writer: w}), Policy: p, Audit: log}
				o, _ := tools.ByMethod(method)
				write := func(client string) error {
					params := `{"title":"secret title","content":"secret text"}`
					if o.Tool == nil {
						params = `{"payload":"{\"secret text\":1}"}`
					}
					_, err := o.Call(clientinfo.With(t.Context(), clientinfo.MCP(client)), d, json.RawMessage(params))
					return err
				}
				for i := range most {
					if err := write("x"); err != nil {
						t.Fatalf("act %d: %v", i, err)
					}
				}
				switch err := write("x"); level {
				case policy.Full:
					if err != nil {
						t.Error(err)
					}
				case policy.ReadOnly:
					if fault.CodeOf(err) != fault.Denied || errors.Is(err, policy.ErrTooMany) || !strings.Contains(fault.HintOf(err), "policy.level") {
						t.Error(err)
					}
				case policy.Supervised:
					if seconds, ok := tools.RetryAfter(err); fault.CodeOf(err) != fault.Denied || !errors.Is(err, policy.ErrTooMany) || !ok || seconds != 3600 || fault.HintOf(err) != "Try again in 3600 seconds." {
						t.Error(err, seconds)
					}
					if err := write("y"); err != nil {
						t.Errorf("another client: %v", err)
					}
					now = now.Add(time.Hour)
					if err := write("x"); err != nil {
						t.Errorf("an hour later: %v", err)
					}
					most += 1 + 1
				}
				if level == policy.Full {
					most++
				}
				if len(w.lines) != most {
					t.Errorf("%d acts were done, want %d", len(w.lines), most)
				}
				if err := log.Close(); err != nil {
					t.Fatal(err)
				}
				records := 0
				if _, err := audit.Read(dir, func(r audit.Record) bool {
					records++
					if data, _ := json.Marshal(r); strings.Contains(string(data), "secret") || len(r.Args) == 0 {
						t.Errorf("%s", data)
					}
					return true
				}); err != nil {
					t.Fatal(err)
				}
				if want := map[policy.Level]int{policy.ReadOnly: 1, policy.Supervised: most + 1, policy.Full: most}[level]; records != want {
					t.Errorf("%d records, want %d", records, want)
				}
			})
		}
	}
}

// TestWritingIsOff: by default there is no such tool, whatever the level, and a method says so.
func TestWritingIsOff(t *testing.T) {
	p, err := policy.New(policy.Options{Level: policy.Full})
	if err != nil {
		t.Fatal(err)
	}
	d := tools.Deps{Controller: controller.New(controller.Options{Store: fakeStore{do: fails(nil)}, Policy: p}), Policy: p}
	for method, params := range map[string]string{"openhuman.memory_store": `{"title":"t","content":"c"}`, "openhuman.memory_tree_ingest": `{"payload":{}}`} {
		o, _ := tools.ByMethod(method)
		if _, err := o.Call(t.Context(), d, json.RawMessage(params)); fault.CodeOf(err) != fault.Denied || !strings.Contains(fault.HintOf(err), "write_tools = true") {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// TestWritersSee: who may write is told so, and is shown the tool after the six; who is denied the tool
// is told what everybody is told by default.
func TestWritersSee(t *testing.T) {
	see := func(o policy.Options, w controller.Writer) (instructions string, names []string) {
		t.Helper()
		p, err := policy.New(o)
		if err != nil {
			t.Fatal(err)
		}
		server := tools.Server(tools.Options{
			Controller: controller.New(controller.Options{Store: fakeStore{do: fails(nil)}, Policy: p, Writer: w}), Policy: p, Log: zerolog.Nop(), Version: "1",
		})
		here, there := mcp.NewInMemoryTransports()
		s, err := server.Connect(t.Context(), here, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		c, err := mcp.NewClient(&mcp.Implementation{Name: "x", Version: "1"}, nil).Connect(t.Context(), there, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if reads := tool.Name != "memory.store"; tool.Annotations.ReadOnlyHint != reads || !reads && *tool.Annotations.DestructiveHint {
				t.Errorf("%s: %+v", tool.Name, tool.Annotations)
			}
		}
		return c.InitializeResult().Instructions, names
	}
	plain, six := see(policy.Options{}, nil)
	if !strings.Contains(plain, "is read-only") || len(six) != 6 {
		t.Fatalf("%s\n%q", plain, six)
	}
	told, seven := see(policy.Options{}, &tray{})
	if strings.Contains(told, "read-only") || !strings.Contains(told, "memory.store") || len(seven) != 7 || seven[6] != "memory.store" {
		t.Errorf("%s\n%q", told, seven)
	}
	if told, names := see(policy.Options{DenyTools: []string{"memory_store"}}, &tray{}); told != plain || len(names) != 6 {
		t.Errorf("%s\n%q", told, names)
	}
	if told, names := see(policy.Options{Level: policy.ReadOnly}, &tray{}); told != plain || len(names) != 7 {
		t.Errorf("%s\n%q", told, names)
	}
}
