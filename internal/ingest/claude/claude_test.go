package claude_test

import (
	"testing"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/chattest"
	"github.com/openhuman/openhuman-core/internal/ingest/claude"
)

const conversations = `[{"uuid":"c-1","name":"Roof repair","summary":"","created_at":"2024-05-01T10:00:00.123456Z","updated_at":"2024-05-01T11:00:00Z","account":{"uuid":"acc"},"chat_messages":[
 {"uuid":"m1","text":"How do I fix the slates?","content":[{"type":"text","text":"How do I fix the slates?"}],"sender":"human","created_at":"2024-05-01T10:00:01Z","updated_at":"2024-05-01T10:00:01Z","attachments":[{"file_name":"offer.txt","file_size":12,"file_type":"txt","extracted_content":"Offer of the roofer: 4,200"}],"files":[{"file_name":"offer.txt"},{"file_name":"roof.jpg"}]},
 {"uuid":"m2","text":null,"content":[{"type":"thinking","thinking":"slates are heavy","text":null},{"type":"tool_use","name":"web_search","input":{"query":"slates"}},{"type":"tool_result","content":[{"type":"text","text":"a page about slates"}]},{"type":"text","text":"Lift them with a ripper."},{"type":"tool_use","name":"artifacts","input":{"command":"create","title":"Shopping list","content":"hooks, copper nails"}}],"sender":"assistant","created_at":"2024-05-01T10:00:30Z","attachments":[],"files":[]},
 {"uuid":"m3","text":"old form of export","sender":"human","created_at":"2024-05-01T10:01:00Z","attachments":[],"files":[]},
 {"uuid":"m4","text":null,"content":null,"sender":"assistant","created_at":null}]},
{"uuid":"c-2","name":"","created_at":"2024-05-02T10:00:00Z","current_leaf_message_uuid":"b2","chat_messages":[
 {"uuid":"a","text":"first question","sender":"human","created_at":"2024-05-02T10:00:00Z","parent_message_uuid":"00000000-0000-4000-8000-000000000000"},
 {"uuid":"b1","text":"an answer that was asked for again","sender":"assistant","created_at":"2024-05-02T10:00:05Z","parent_message_uuid":"a"},
 {"uuid":"b2","text":"the answer that stayed","sender":"assistant","created_at":"2024-05-02T10:00:09Z","parent_message_uuid":"a"}]},
{"uuid":"c-3","name":"empty","created_at":"2024-05-02T10:00:00Z","chat_messages":[]}]`

const projects = `[{"uuid":"p-1","name":"House","description":"Everything about the house","is_private":true,"is_starter_project":false,"prompt_template":"Answer in metres.","created_at":"2024-04-01T10:00:00Z","updated_at":"2024-04-02T10:00:00Z","creator":{"uuid":"acc","full_name":"Ada Byron"},
 "docs":[{"uuid":"d-1","filename":"measures.md","content":"# Measures\n\nkitchen 4.20","created_at":"2024-04-03T10:00:00Z"},{"uuid":"d-1","filename":"twin.md","content":"same id","created_at":"x"}]},
{"uuid":"p-0","name":"How to use Claude","is_starter_project":true,"prompt_template":"x","docs":[{"uuid":"d","filename":"f","content":"not the person's"}]}]`

func TestRead(t *testing.T) {
	golden.Check(t, "testdata/conversations.golden.txt", []byte(chattest.Write(chattest.Read(t, claude.New(), chattest.Input("conversations.json", []byte(conversations), nil)))))
	golden.Check(t, "testdata/projects.golden.txt", []byte(chattest.Write(chattest.Read(t, claude.New(), chattest.Input("projects.json", []byte(projects), nil)))))
}

func TestContract(t *testing.T) {
	chattest.Run(t, claude.New(), "conversations.json", []byte(conversations), nil)
	chattest.Run(t, claude.New(), "projects.json", []byte(projects), nil)
}

func TestOtherFiles(t *testing.T) {
	users := chattest.Input("users.json", []byte(`[{"uuid":"acc","full_name":"Ada Byron","email_address":"ada@example.com"}]`), nil)
	if claude.New().Detect(users) == 0 {
		t.Error("the list of users is not recognised")
	}
	if docs, report := chattest.Read(t, claude.New(), users); len(docs) > 0 || report.Outcome != doc.Skipped {
		t.Errorf("%d documents, %+v", len(docs), report)
	}
	for _, s := range []string{`[]`, `[{"mapping":{},"title":"x"}]`, `{"chat_messages":1}`, `[{"uuid":"x"}]`, `uuid chat_messages`} {
		if n := claude.New().Detect(chattest.Input("conversations.json", []byte(s), nil)); n != 0 {
			t.Errorf("%s: %d", s, n)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(conversations))
	f.Add([]byte(projects))
	f.Add([]byte(`[{"uuid":"u","chat_messages":[{"content":[{"type":"text"}],"attachments":3},null,1]},{"docs":{}}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := chattest.Input("conversations.json", b, nil)
		claude.New().Detect(in)
		chattest.Read(t, claude.New(), in)
	})
}
