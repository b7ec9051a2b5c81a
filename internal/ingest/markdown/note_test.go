package markdown_test

import (
	"os"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/entity"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/ingest/markdown"
)

// A note of a vault keeps every word that its writer wrote, under its headings, and what the front
// matter says becomes what the document is.
func TestVaultNote(t *testing.T) {
	data, err := os.ReadFile("testdata/note.md")
	if err != nil {
		t.Fatal(err)
	}
	docs, report := doctest.Read(t, markdown.Reader{}, "vault/weir.md", data)
	doctest.Golden(t, "testdata/note.golden.json", docs, report)
	if len(docs) != 1 || report.Outcome != doc.OK {
		t.Fatalf("%d documents, %+v", len(docs), report)
	}
	d := docs[0]
	_, body, _ := strings.Cut(string(data), "# The weir")
	for _, line := range strings.Split(body, "\n") {
		if !strings.Contains(d.Body, line) {
			t.Errorf("%q is lost", line)
		}
	}
	found := map[string]bool{}
	for _, m := range entity.Extract(entity.Input{Content: d.Body, Markdown: true, Tags: d.Tags}) {
		found[m.Kind+":"+m.Value] = true
	}
	for _, want := range []string{"url:https://example.org/water", "hashtag:urgent"} {
		if !found[want] {
			t.Errorf("%s is not found: %v", want, found)
		}
	}
	if found["hashtag:nottag"] {
		t.Error("a comment in code is a tag")
	}
}

func TestContract(t *testing.T) {
	data, err := os.ReadFile("testdata/note.md")
	if err != nil {
		t.Fatal(err)
	}
	doctest.Contract(t, markdown.Reader{}, "vault/weir.md", data)
}
