package ingest_test

import (
	"testing"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
)

// answering is a reader of everything that is as sure as it says, and tells that it was asked.
type answering struct {
	fake
	sure  int
	asked *int
}

func (a answering) Detect(*doc.Input) int {
	*a.asked++
	return a.sure
}

// TestCertain: nobody is asked after a reader that is certain, and everybody after one that is not.
func TestCertain(t *testing.T) {
	for sure, want := range map[int]int{doc.Certain - 1: 1, doc.Certain: 0} {
		asked, ignored := 0, 0
		o := ingest.Options{Store: open(t), Formats: []ingest.Format{
			{Reader: answering{fake{"FIRST", doc.KindDocument}, sure, &ignored}, Kind: doc.KindDocument},
			{Reader: answering{fake{"SECOND", doc.KindDocument}, 1, &asked}, Kind: doc.KindDocument},
		}}
		if _, err := ingest.Run(t.Context(), o, []string{folder(t, "notes", map[string]string{"a": "FIRST\nk some words\n"})}); err != nil {
			t.Fatal(err)
		}
		if asked != want {
			t.Errorf("after one that is sure by %d, the next was asked %d times", sure, asked)
		}
	}
}
