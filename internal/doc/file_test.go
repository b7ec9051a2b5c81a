package doc_test

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
)

func TestInMemory(t *testing.T) {
	f := doc.InMemory([]byte("some text"))
	b, err := io.ReadAll(f)
	if err != nil || string(b) != "some text" {
		t.Errorf("read %q, %v", b, err)
	}
	at := make([]byte, 4)
	if n, err := f.ReadAt(at, 5); n != 4 || string(at) != "text" || err != nil {
		t.Errorf("read %q at 5, %v", at[:n], err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestNotOpened(t *testing.T) {
	for cause, want := range map[error]string{
		fs.ErrPermission: "there is no permission to open it", fs.ErrNotExist: "it is no longer there", errors.New("damp"): "it cannot be opened",
	} {
		got := doc.NotOpened(&fs.PathError{Op: "open", Path: "/home/ann/a.txt", Err: cause})
		if got != (doc.Report{Outcome: doc.Failed, Reason: want}) {
			t.Errorf("%v: %+v", cause, got)
		}
	}
}

func TestFileTitle(t *testing.T) {
	for rel, want := range map[string]string{
		"notes/Trip to Lisbon.docx": "Trip to Lisbon", "a/.csv": ".csv", "README": "README", "v1.2 release notes": "v1.2 release notes", "a.b.txt": "a.b",
	} {
		if got := doc.FileTitle(rel); got != want {
			t.Errorf("%s: %q, want %q", rel, got, want)
		}
	}
}

func TestPart(t *testing.T) {
	whole := doc.Document{Key: "a.pdf", SourceRef: "a.pdf", Title: "A"}
	first, second := whole, whole
	first.Part(1, "a.pdf#page=1")
	second.Part(2, "a.pdf#page=9")
	if d := cmp.Diff(whole, first); d != "" {
		t.Errorf("the first: %s", d)
	}
	if d := cmp.Diff(doc.Document{Key: "a.pdf#part2", SourceRef: "a.pdf#page=9", Title: "A (part 2)"}, second); d != "" {
		t.Errorf("the second: %s", d)
	}
}
