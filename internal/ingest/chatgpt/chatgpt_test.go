package chatgpt_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/chatgpt"
	"github.com/openhuman/openhuman-core/internal/ingest/chattest"
)

const export = `[{"title":"Trip to Lisbon","create_time":1714557600.123,"update_time":1714561200,"mapping":{
 "root":{"id":"root","message":null,"parent":null,"children":["sys"]},
 "sys":{"id":"sys","message":{"id":"sys","author":{"role":"system"},"content":{"content_type":"text","parts":["You are ChatGPT"]},"metadata":{"is_visually_hidden_from_conversation":true}},"parent":"root","children":["ctx"]},
 "ctx":{"id":"ctx","message":{"id":"ctx","author":{"role":"user"},"content":{"content_type":"user_editable_context","user_profile":"hidden profile"},"metadata":{"is_visually_hidden_from_conversation":true,"is_user_system_message":true}},"parent":"sys","children":["q"]},
 "q":{"id":"q","message":{"id":"q","author":{"role":"user"},"create_time":1714557601.5,"content":{"content_type":"text","parts":["When does the night train leave?"]},"recipient":"all","metadata":{}},"parent":"ctx","children":["old","think"]},
 "old":{"id":"old","message":{"id":"old","author":{"role":"assistant"},"create_time":1714557602,"content":{"content_type":"text","parts":["an answer that was asked for again"]},"recipient":"all"},"parent":"q","children":[]},
 "think":{"id":"think","message":{"id":"think","author":{"role":"assistant"},"create_time":1714557603,"content":{"content_type":"thoughts","thoughts":[{"content":"thinking about trains"}]},"recipient":"all"},"parent":"q","children":["call"]},
 "call":{"id":"call","message":{"id":"call","author":{"role":"assistant"},"create_time":null,"content":{"content_type":"code","text":"search(\"night train\")"},"recipient":"web"},"parent":"think","children":["tool"]},
 "tool":{"id":"tool","message":{"id":"tool","author":{"role":"tool","name":"web"},"create_time":1714557604,"content":{"content_type":"text","parts":["page text of a site"]},"recipient":"all"},"parent":"call","children":["a"]},
 "a":{"id":"a","message":{"id":"a","author":{"role":"assistant"},"create_time":null,"content":{"content_type":"text","parts":["At 21:25 from Santa Apolónia.` + "\ue200cite\ue202turn0search1\ue201" + ` 【4†source】"]},"recipient":"all"},"parent":"tool","children":["q2"]},
 "q2":{"id":"q2","message":{"id":"q2","author":{"role":"user"},"create_time":1714560000,"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"sediment://x"},"What is on this picture?",{"content_type":"audio_transcription","text":"and what did I say"}]},"metadata":{"attachments":[{"name":"ticket.pdf"}]}},"parent":"a","children":["c"]},
 "c":{"id":"c","message":{"id":"c","author":{"role":"assistant"},"create_time":1714560001,"content":{"content_type":"code","text":"{\"name\":\"packing\",\"type\":\"document\",\"content\":\"socks, azulejo book\"}"},"recipient":"canmore.create_textdoc"},"parent":"q2","children":[]}
},"current_node":"c","conversation_id":"11111111-aaaa"},
{"title":null,"create_time":1714615000,"mapping":{
 "x":{"id":"x","message":{"id":"x","author":{"role":"user"},"create_time":1714615001,"content":{"content_type":"text","parts":["no current node"]}},"parent":null,"children":["y"]},
 "y":{"id":"y","message":{"id":"y","author":{"role":"assistant"},"create_time":1714615002,"content":{"content_type":"text","parts":["answered all the same"]}},"parent":"x","children":[]}},
 "id":"22222222-bbbb"},
{"title":"Nothing said","create_time":1714615000,"mapping":{"r":{"id":"r","message":null,"parent":null,"children":[]}},"current_node":"r","id":"3"},
{"title":"A circle","create_time":1714615000,"mapping":{"r":{"message":{"author":{"role":"user"},"content":{"parts":["round"]}},"parent":"s"},"s":{"message":{"author":{"role":"user"},"content":{"parts":["and round"]}},"parent":"r"}},"current_node":"r","id":"4"}
]`

func TestRead(t *testing.T) {
	golden.Check(t, "testdata/export.golden.txt", []byte(chattest.Write(chattest.Read(t, chatgpt.New(), chattest.Input("conversations.json", []byte(export), nil)))))
}

func TestContract(t *testing.T) {
	chattest.Run(t, chatgpt.New(), "conversations.json", []byte(export), nil)
	one := strings.TrimSuffix(export[1:strings.Index(export, ",\n{\"title\":null")], ",")
	chattest.Run(t, chatgpt.New(), "trip.json", []byte(one), nil)
}

func TestNotMine(t *testing.T) {
	for _, s := range []string{`[]`, `{"mapping":{}}`, `[{"title":"x","chat_messages":[]}]`, `text`, `[{"uuid":"mapping","title":"x"}]`} {
		if n := chatgpt.New().Detect(chattest.Input("conversations.json", []byte(s), nil)); n != 0 {
			t.Errorf("%s: %d", s, n)
		}
	}
}

// A long is an export with many conversations, of which each is made when it is read.
type long struct {
	n, left int
	part    string
}

func (l *long) Read(p []byte) (int, error) {
	for l.part == "" {
		switch {
		case l.left < 0:
			return 0, io.EOF
		case l.left == 0:
			l.part = "]"
		default:
			sep := ","
			if l.left == l.n {
				sep = "["
			}
			l.part = fmt.Sprintf(`%s{"title":"t","create_time":1714557600,"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["%s"]}}}},"current_node":"a","id":"%d"}`, sep, strings.Repeat("word ", 4000), l.left)
		}
		l.left--
	}
	n := copy(p, l.part)
	l.part = l.part[n:]
	return n, nil
}

func (*long) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }
func (*long) Close() error                      { return nil }

// TestLongExport reads 30 MB and looks at what is in use meanwhile.
func TestLongExport(t *testing.T) {
	in := chattest.Input("conversations.json", []byte(export), nil)
	in.Open = func() (doc.File, error) { return &long{n: 1500, left: 1500}, nil }
	var top uint64
	docs := 0
	report, err := chatgpt.New().Read(t.Context(), in, func(*doc.Document) error {
		if docs++; docs%300 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			top = max(top, m.HeapAlloc)
		}
		return nil
	})
	if err != nil || report.Outcome != doc.OK || docs != 1500 {
		t.Errorf("%d documents, %+v, %v", docs, report, err)
	}
	if top > 16<<20 {
		t.Errorf("%d MB in use", top>>20)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(export))
	f.Add([]byte(`{"title":"x","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["hi",1,{"text":"x"}]}},"parent":3}},"current_node":7}`))
	f.Add([]byte(`[{"mapping":[]},{"mapping":{"a":null}},[],1]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := chattest.Input("conversations.json", b, nil)
		chatgpt.New().Detect(in)
		chattest.Read(t, chatgpt.New(), in)
	})
}

func BenchmarkRead(b *testing.B) {
	in := chattest.Input("conversations.json", []byte(export), nil)
	const n = 500
	in.Open = func() (doc.File, error) { return &long{n: n, left: n}, nil }
	b.SetBytes(n * 20_150)
	for b.Loop() {
		if _, err := chatgpt.New().Read(b.Context(), in, func(*doc.Document) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
