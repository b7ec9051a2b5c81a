package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// child is the process that TestKilled kills: it ingests dir into the store beside it.
func child(dir string) {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Path: dir + ".db"})
	if err == nil {
		limits := ingest.DefaultLimits()
		limits.BatchChunks = 20
		_, err = ingest.Run(ctx, ingest.Options{Store: s, Limits: limits}, []string{dir})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// TestKilled kills an ingest at random instants. The store must be whole after each, and the run that
// is let through must give what a single run gives.
func TestKilled(t *testing.T) {
	files := map[string]string{"big.txt": strings.Repeat("A sentence in a long file about mortar. ", 9000)}
	for i := range 150 {
		files[fmt.Sprintf("n%03d.md", i)] = fmt.Sprintf("# Note %d\n\nMortar for @bob and alice%d@example.com.\n", i, i%7)
	}
	var lines strings.Builder
	for i := range 200 {
		fmt.Fprintf(&lines, `{"source_kind":"document","source_id":"drive:x","payload":{"title":"d%d","body":"Body %d.","modified_at":1714554000000,"source_ref":"r%d"}}`+"\n", i, i, i)
	}
	files["export.jsonl"] = lines.String()
	dir := folder(t, "home", files)

	fresh := open(t)
	begin := time.Now()
	run(t, ingest.Options{Store: fresh}, dir)
	whole := time.Since(begin)
	want := dump(t, fresh)

	self, err := os.Executable()
	must(t, err)
	start := func() *exec.Cmd {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "INGEST_TEST_CHILD="+dir)
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		return cmd
	}
	killed := 0
	for i := range 6 {
		cmd := start()
		time.Sleep(time.Duration(rand.Int64N(int64(whole)*4/3)) + 30*time.Millisecond*time.Duration(i))
		_ = cmd.Process.Kill()
		var exit *exec.ExitError
		if errors.As(cmd.Wait(), &exit) && !exit.Exited() {
			killed++
		}
		if _, err := os.Stat(dir + ".db"); err != nil {
			continue
		}
		s, err := store.Open(t.Context(), store.Options{Path: dir + ".db"})
		must(t, err)
		problems, err := s.Integrity(t.Context())
		must(t, err)
		if len(problems) > 0 {
			t.Errorf("after a kill: %q", problems)
		}
		must(t, s.Close())
	}
	t.Logf("killed %d of 6", killed)
	if err := start().Wait(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, dump(t, openAt(t, filepath.FromSlash(dir+".db")))); diff != "" {
		t.Error(diff)
	}
}
