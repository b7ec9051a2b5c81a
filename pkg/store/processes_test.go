package store_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// The test binary runs itself as other processes: TEST_STORE_ROLE says what a copy is to do with
// the store at TEST_STORE_PATH.
const (
	roleVar = "TEST_STORE_ROLE"
	pathVar = "TEST_STORE_PATH"
	fromVar = "TEST_STORE_FROM"
)

// perTx and perRun are how many documents a writing process stores in a transaction and in all.
const (
	perTx  = 4
	perRun = 40
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleVar)
	if role == "" {
		if raceEnabled { // unless the command line says how many
			flag.Set("rapid.checks", "10") //nolint:errcheck // rapid defines it
		}
		os.Exit(m.Run())
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	switch path := os.Getenv(pathVar); role {
	case "open":
		err = openOnce(ctx, path)
	case "write":
		var from int
		if from, err = strconv.Atoi(os.Getenv(fromVar)); err == nil {
			err = writeRun(ctx, path, from)
		}
	case "crash":
		err = crashNow(ctx, path)
	case "read":
		err = readRun(ctx, path)
	case "look":
		err = look(ctx, path)
	default:
		err = fmt.Errorf("unknown role %q", role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, role, "failed:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func openOnce(ctx context.Context, path string) error {
	s, err := store.Open(ctx, store.Options{Path: path})
	if err != nil {
		return err
	}
	return s.Close()
}

// writeRun stores documents from, from+1, … and passes over those that are there.
func writeRun(ctx context.Context, path string, from int) error {
	s, err := store.Open(ctx, store.Options{Path: path})
	if err != nil {
		return err
	}
	for i := from; i < from+perRun; i += perTx {
		err := s.Update(ctx, func(tx *store.Tx) error {
			for j := i; j < i+perTx; j++ {
				if _, _, err := tx.PutDocument(numbered(j)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return errors.Join(s.Finish(ctx), s.Close())
}

// crashNow writes and ends the process without closing anything.
func crashNow(ctx context.Context, path string) error {
	s, err := store.Open(ctx, store.Options{Path: path})
	if err != nil {
		return err
	}
	err = s.Update(ctx, func(tx *store.Tx) error {
		_, _, err := tx.PutDocument(numbered(0))
		return err
	})
	if err != nil {
		return err
	}
	os.Exit(0)
	return nil
}

// numbered is a document of ten chunks.
func numbered(n int) store.DocumentRecord {
	var texts []storetest.Text
	for i := range 10 {
		texts = append(texts, storetest.Text{
			Content: fmt.Sprintf("document %d part %d %s", n, i, strings.Repeat("filling words ", 50)), TimeMS: int64(n),
			Author: "Ann", Mentions: []store.Mention{{Kind: "topic", Value: fmt.Sprint("t", n%7), Surface: "T", Count: 1}},
		})
	}
	return storetest.Doc("notes:n", "document", fmt.Sprint(n), texts...)
}

// readRun reads until its standard input ends: every state that it sees is that after a whole
// transaction, and none is older than the one before.
func readRun(ctx context.Context, path string) error {
	s := store.Lazy(store.Options{Path: path, ReadOnly: true})
	defer s.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		os.Stdin.Read(make([]byte, 1)) //nolint:errcheck // its end is all that matters
	}()
	for last, rounds := 0, 0; ; rounds++ {
		select {
		case <-done:
			if rounds == 0 {
				return errors.New("nothing was read")
			}
			return nil
		default:
		}
		_, total, err := s.ListChunks(ctx, store.ListQuery{Match: "document", Limit: 5})
		if err != nil {
			return err
		}
		if total < last || total%(10*perTx) != 0 {
			return fmt.Errorf("%d chunks after %d", total, last)
		}
		last = total
		if _, err := s.TopEntities(ctx, "", 10, nil); err != nil {
			return err
		}
	}
}

// look reads once.
func look(ctx context.Context, path string) error {
	s, err := store.Open(ctx, store.Options{Path: path, ReadOnly: true})
	if err != nil {
		return err
	}
	src, err := s.Sources(ctx, nil)
	if err == nil && len(src) == 0 {
		err = errors.New("no sources")
	}
	return errors.Join(err, s.Close())
}

func child(t *testing.T, role, path string, from int) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), roleVar+"="+role, pathVar+"="+path, fromVar+"="+strconv.Itoa(from))
	cmd.Stderr = os.Stderr
	return cmd
}

// readersOn starts reading processes and returns what ends them and reports how they fared.
func readersOn(t *testing.T, path string, n int) (stop func()) {
	t.Helper()
	var stops []func()
	for range n {
		cmd := child(t, "read", path, 0)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stops = append(stops, func() {
			in.Close() //nolint:errcheck // the process may have ended
			if err := cmd.Wait(); err != nil {
				t.Errorf("a reader: %v", err)
			}
		})
	}
	return func() {
		for _, s := range stops {
			s()
		}
	}
}

func sound(t *testing.T, path string, documents int) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if problems, err := s.Integrity(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("integrity: %q, %v", problems, err)
	}
	if err := s.CheckIndex(t.Context()); err != nil {
		t.Errorf("index: %v", err)
	}
	expectNone(t, s, invariants, t)
	st, err := s.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if documents >= 0 && (st.Documents != documents || st.Chunks != 10*documents) {
		t.Errorf("%d documents, %d chunks; want %d, %d", st.Documents, st.Chunks, documents, 10*documents)
	}
}

func TestManyStartAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "workspace", "memory.db")
	var wg sync.WaitGroup
	for range 7 {
		cmd := child(t, "open", path, 0)
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("one of seven: %v", err)
			}
		})
	}
	wg.Wait()
	sound(t, path, 0)
}

func TestTwoWritersAndReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	open(t, store.Options{Path: path})
	stop := readersOn(t, path, 2)
	var wg sync.WaitGroup
	for i := range 2 {
		cmd := child(t, "write", path, i*perRun)
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	stop()
	sound(t, path, 2*perRun)
}

// TestKilledWriter kills a writer at random instants while others read; what it leaves is whole,
// and the next one finishes the work.
func TestKilledWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	open(t, store.Options{Path: path}).Close() //nolint:errcheck // closed again by its clean-up
	stop := readersOn(t, path, 1)
	for range 5 {
		cmd := child(t, "write", path, 0)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(10+rand.IntN(150)) * time.Millisecond)
		cmd.Process.Kill() //nolint:errcheck // it may have ended
		cmd.Wait()         //nolint:errcheck // it was killed
		sound(t, path, -1)
	}
	if err := child(t, "write", path, 0).Run(); err != nil {
		t.Errorf("the next writer: %v", err)
	}
	stop()
	sound(t, path, perRun)
}

// TestWritersInOneProcess queue up behind each other.
func TestWritersInOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			if err := writeRun(t.Context(), path, i*perRun); err != nil {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	sound(t, path, 2*perRun)
}
