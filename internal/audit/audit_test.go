package audit_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/audit"
)

// writerEnv makes this test binary a process that writes records.
const writerEnv = "AUDIT_TEST_WRITER"

func TestMain(m *testing.M) {
	if who := os.Getenv(writerEnv); who != "" {
		l := audit.New(audit.Options{Dir: os.Getenv("AUDIT_TEST_DIR"), MaxBytes: 4096, MaxFiles: 1000, Trouble: func(err error) { panic(err) }})
		for i := range 300 {
			r := record(i)
			r.Client = who
			l.Write(r)
		}
		_ = l.Close()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func record(i int) audit.Record {
	return audit.Record{
		Time: time.Date(2026, 3, 1, 12, 0, i, 0, time.UTC), Client: "mcp:cursor", Tool: "memory.search",
		Args: map[string]int{"query": 14, "k": 2}, Rows: i, MS: 3, Decision: audit.Allowed,
	}
}

func read(t *testing.T, dir string) (all []audit.Record, damaged int) {
	t.Helper()
	damaged, err := audit.Read(dir, func(r audit.Record) bool { all = append(all, r); return true })
	if err != nil {
		t.Fatal(err)
	}
	return all, damaged
}

func open(t *testing.T, o audit.Options) *audit.Log {
	t.Helper()
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 20
	}
	if o.MaxFiles == 0 {
		o.MaxFiles = 3
	}
	l := audit.New(o)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func files(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWriteAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := open(t, audit.Options{Dir: dir, Trouble: func(err error) { t.Error(err) }})
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is there before the first record")
	}
	want := []audit.Record{record(1), record(2), {Time: record(3).Time, Client: "cli", Pinned: "work", Tool: "tree.browse", Args: map[string]int{}, Decision: audit.Denied, Code: "denied"}}
	for _, r := range want {
		l.Write(r)
	}
	got, damaged := read(t, dir)
	if diff := cmp.Diff(want, got); diff != "" || damaged != 0 {
		t.Errorf("%d damaged, (-want +got):\n%s", damaged, diff)
	}
	data, err := os.ReadFile(filepath.Join(dir, "audit-000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	if want := `{"time":"2026-03-01T12:00:01Z","client":"mcp:cursor","tool":"memory.search","args":{"k":2,"query":14},"rows":1,"ms":3,"decision":"allowed"}`; first != want {
		t.Errorf("line %s\nwant %s", first, want)
	}
	if os.PathSeparator == '/' {
		for path, mode := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "audit-000001.jsonl"): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}
	seen := 0
	if _, err := audit.Read(dir, func(audit.Record) bool { seen++; return false }); err != nil || seen != 1 {
		t.Errorf("read %d records after false: %v", seen, err)
	}
}

func TestRotation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	l := open(t, audit.Options{Dir: dir, MaxBytes: 1000, MaxFiles: 3})
	for i := range 100 {
		l.Write(record(i))
		total := int64(0)
		for _, name := range files(t, dir) {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			total += info.Size()
		}
		if total > 3*(1000+200) {
			t.Fatalf("%d bytes after %d records", total, i)
		}
	}
	if names := files(t, dir); len(names) != 3 {
		t.Errorf("files %v", names)
	}
	got, _ := read(t, dir)
	if len(got) < 10 || got[len(got)-1].Rows != 99 {
		t.Errorf("%d records, the last is %v", len(got), got[len(got)-1])
	}
	for i, r := range got {
		if r.Rows != 100-len(got)+i {
			t.Fatalf("record %d is %d: not the latest in their order", i, r.Rows)
		}
	}
	// Another process goes on where this one was.
	again := open(t, audit.Options{Dir: dir, MaxBytes: 1000, MaxFiles: 2})
	for i := 100; i < 120; i++ {
		again.Write(record(i))
	}
	if names := files(t, dir); len(names) != 2 {
		t.Errorf("files %v", names)
	}
	l.Write(record(120)) // the old one sees that it is behind
	if got, _ := read(t, dir); got[len(got)-1].Rows != 120 {
		t.Errorf("the last record is %v", got[len(got)-1])
	}
}

// Several processes and goroutines write at once: every record arrives, whole.
func TestTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for p := range 4 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), writerEnv+"=p"+strconv.Itoa(p), "AUDIT_TEST_DIR="+dir)
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	l := open(t, audit.Options{Dir: dir, MaxBytes: 4096, MaxFiles: 1000, Trouble: func(err error) { t.Error(err) }})
	for g := range 4 {
		wg.Go(func() {
			for i := range 100 {
				r := record(i)
				r.Client = "g" + strconv.Itoa(g)
				l.Write(r)
			}
		})
	}
	wg.Wait()
	got, damaged := read(t, dir)
	counts := map[string]int{}
	for _, r := range got {
		counts[r.Client]++
	}
	want := map[string]int{"p0": 300, "p1": 300, "p2": 300, "p3": 300, "g0": 100, "g1": 100, "g2": 100, "g3": 100}
	if diff := cmp.Diff(want, counts); diff != "" || damaged != 0 {
		t.Errorf("%d damaged, (-want +got):\n%s", damaged, diff)
	}
	if n := len(files(t, dir)); n < 10 {
		t.Errorf("only %d files", n)
	}
}

func TestTrouble(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	var told []error
	l := open(t, audit.Options{Dir: dir, MaxBytes: 4096, Trouble: func(err error) { told = append(told, err) }})
	for i := range 3 {
		l.Write(record(i))
	}
	if len(told) != 1 {
		t.Fatalf("told %v", told)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	l.Write(record(3))
	if got, _ := read(t, dir); len(got) != 1 || len(told) != 1 {
		t.Errorf("%d records, told %v", len(got), told)
	}
	// Somebody tidies up.
	if err := os.RemoveAll(dir); err != nil {
		t.Skipf("this system keeps open files: %v", err)
	}
	l.Write(record(4))
	if got, _ := read(t, dir); len(got) != 1 || got[0].Rows != 4 {
		t.Errorf("records %v", got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l.Write(record(5))
	if got, _ := read(t, dir); len(got) != 1 {
		t.Error("written after the end")
	}
}

// Without a workspace there is nothing to tell of, and none is made.
func TestNoWorkspace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nothing", "audit")
	l := open(t, audit.Options{Dir: dir, Trouble: func(err error) { t.Error(err) }})
	l.Write(record(1))
	if _, err := os.Stat(filepath.Dir(dir)); err == nil {
		t.Error("a workspace was made")
	}
	if got, damaged := read(t, dir); len(got) != 0 || damaged != 0 {
		t.Errorf("%v, %d", got, damaged)
	}
	var none *audit.Log
	none.Write(record(1))
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// A line that was not written whole costs itself and no other.
func TestDamaged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	whole, err := json.Marshal(record(1))
	if err != nil {
		t.Fatal(err)
	}
	text := string(whole) + "\n" + `{"time":"x"}` + "\nnull\n[1]\n" + strings.Repeat("x", 200_000) + "\n" + string(whole) + "\n\n" + `{"time":"2026-03-01T12:`
	if err := os.WriteFile(filepath.Join(dir, "audit-000001.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, stranger := range []string{"notes.txt", "audit-1.jsonl", "audit-000000.jsonl", "audit--00001.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, stranger), []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, damaged := read(t, dir); len(got) != 2 || damaged != 4 {
		t.Errorf("%d records, %d damaged", len(got), damaged)
	}
	open(t, audit.Options{Dir: dir}).Write(record(2))
	got, damaged := read(t, dir)
	if len(got) != 3 || got[2].Rows != 2 || damaged != 5 {
		t.Errorf("%d records, %d damaged", len(got), damaged)
	}
}

// Whatever a client calls itself, a line stays short enough to be written at once.
func TestLongNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	r := record(1)
	r.Client, r.Pinned = "mcp:"+strings.Repeat("名", 10_000), strings.Repeat("\x00", 10_000)
	open(t, audit.Options{Dir: dir}).Write(r)
	f, err := os.Open(filepath.Join(dir, "audit-000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	if err != nil || len(line) > 2000 || strings.Contains(line, "\ufffd") {
		t.Errorf("%d bytes: %v", len(line), err)
	}
}

func BenchmarkWrite(b *testing.B) {
	l := audit.New(audit.Options{Dir: filepath.Join(b.TempDir(), "audit"), MaxBytes: 10 << 20, MaxFiles: 5})
	defer l.Close()
	r := record(1)
	for b.Loop() {
		l.Write(r)
	}
}
