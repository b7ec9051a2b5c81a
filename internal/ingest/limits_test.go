package ingest_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/ingest/plain"
	"github.com/openhuman/openhuman-core/pkg/store"
)

func TestDefaultLimitsAreSet(t *testing.T) {
	if l := ingest.DefaultLimits(); l.BatchChunks < 1000 || l.BatchTime < time.Second || l.InFlightBytes == 0 || l.MarkdownBytes == 0 || l.Depth == 0 || l.Reported == 0 {
		t.Errorf("limits = %+v", l)
	}
}

func TestDepth(t *testing.T) {
	l := ingest.DefaultLimits()
	l.Depth = 3
	dir, s := folder(t, "home", map[string]string{"1/2/3/at.md": "At.", "1/2/3/4/past.md": "Past."}), open(t)
	run(t, ingest.Options{Store: s, Limits: l}, dir)
	if diff := cmp.Diff(map[string]string{"1/2/3/at.md": "ok", "1/2/3/4": "skipped: too many folders deep"}, outcomes(t, s, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestReportedProblems(t *testing.T) {
	l := ingest.DefaultLimits()
	l.Reported = 2
	dir := folder(t, "home", map[string]string{"1.md": "", "2.md": "", "3.md": "", "4.md": "x"})
	sum := run(t, ingest.Options{Store: open(t), Limits: l}, dir)
	if len(sum.Problems) != 2 || sum.Outcomes[doc.NoText] != 3 {
		t.Errorf("summary = %+v", sum)
	}
}

func TestMarkdownPastItsLimitIsPlainText(t *testing.T) {
	l := ingest.DefaultLimits()
	l.MarkdownBytes = 100
	at := "# Head\n\n" + strings.Repeat("x", 92)
	dir, s := folder(t, "home", map[string]string{"at.md": at, "past.md": "---\ntitle: Past\n---\n" + at}), open(t)
	run(t, ingest.Options{Store: s, Limits: l}, dir)
	page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 10})
	must(t, err)
	got := map[string]string{}
	for _, c := range page {
		got[c.SourceRef] = c.Title + "|" + c.Content[:5]
	}
	if diff := cmp.Diff(map[string]string{"at.md": "Head|# Hea", "past.md": "past|---\nt"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestHugeLine takes in a file of one line that is many times larger than what may be in memory.
func TestHugeLine(t *testing.T) {
	l := ingest.DefaultLimits()
	l.InFlightBytes, l.BatchChunks = 20_000, 10
	var b strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&b, "word%d ", i)
	}
	b.WriteString("zyxquartz.")
	dir, s := folder(t, "home", map[string]string{"huge.txt": b.String(), "after.md": "After."}), open(t)
	formats := []ingest.Format{{Reader: plain.WithLimits(4096, 1<<30), Kind: doc.KindDocument}}
	sum := run(t, ingest.Options{Store: s, Limits: l, Formats: formats}, dir)
	if sum.Outcomes[doc.OK] != 2 {
		t.Errorf("summary = %+v", sum)
	}
	all := map[string]bool{}
	for offset := 0; ; offset += 500 {
		page, total, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 500, Offset: offset})
		must(t, err)
		for _, c := range page {
			for w := range strings.FieldsSeq(c.Content) {
				all[w] = true
			}
		}
		if offset+500 >= total {
			break
		}
	}
	for i := range 40_000 {
		if !all[fmt.Sprintf("word%d", i)] {
			t.Fatalf("word%d is lost", i)
		}
	}
	if !all["zyxquartz."] {
		t.Error("the last word is lost")
	}
	t.Run("past the limit", func(t *testing.T) {
		formats := []ingest.Format{{Reader: plain.WithLimits(4096, int64(b.Len())-1), Kind: doc.KindDocument}}
		s := open(t)
		run(t, ingest.Options{Store: s, Limits: l, Formats: formats}, dir)
		if got := outcomes(t, s, dir)["huge.txt"]; !strings.HasPrefix(got, "partial: the first ") {
			t.Errorf("outcome: %s", got)
		}
	})
}

// TestTransactionsAreShort lets a second writer in while a long ingest runs.
func TestTransactionsAreShort(t *testing.T) {
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("n%d.md", i)] = strings.Repeat(fmt.Sprintf("Note %d about mortar. ", i), 20)
	}
	dir, s := folder(t, "home", files), open(t)
	l := ingest.DefaultLimits()
	l.BatchChunks = 20
	var turns atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if s.Update(t.Context(), func(tx *store.Tx) error { return tx.SetMeta("test", "x") }) == nil {
				turns.Add(1)
			}
		}
	}()
	run(t, ingest.Options{Store: s, Limits: l}, dir)
	close(stop)
	<-stopped
	if turns.Load() < 3 {
		t.Errorf("another writer had %d turns", turns.Load())
	}
}
