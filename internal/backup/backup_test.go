package backup_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/backup"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

var when = time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)

func now() time.Time { return when }

// start runs this binary in a role.
func start(t *testing.T, role, memory, file string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVar+"="+role, memoryVar+"="+memory, fileVar+"="+file)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestWhileWriting backs up while another process writes without a pause. Every backup is one state of
// the memory: whole, and with both documents of each transaction.
func TestWhileWriting(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "memory.db")
	memory(t, path, "old", 200)
	cmd := start(t, "write", path, "")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "writing\n" {
		t.Fatal(line, err)
	}
	last := 0
	for i := range 8 {
		file := filepath.Join(dir, fmt.Sprintf("b%d.db", i))
		made, err := backup.Make(t.Context(), backup.Options{Memory: path, File: file})
		must(t, err)
		n := titles(t, file)
		if n["old"] != 200 || n["left"] != n["right"] || n["left"] == 0 || made.Documents != 200+2*n["left"] {
			t.Errorf("backup %d: %v, said %+v", i, n, made.CopyInfo)
		}
		if n["left"] <= last {
			t.Errorf("backup %d: %d after %d, so nobody was writing", i, n["left"], last)
		}
		last = n["left"]
	}
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	path, file, glosses := filepath.Join(dir, "memory.db"), filepath.Join(dir, "b.db"), filepath.Join(dir, "glosses.tsv")
	memory(t, path, "old", 50)
	must(t, os.WriteFile(glosses, []byte("船\tboat\n"), 0o600))
	var steps []backup.Stage
	o := backup.Options{Memory: path, Glosses: glosses, File: file, Now: now, Progress: func(s backup.Step) { steps = append(steps, s.Stage) }}
	made, err := backup.Make(t.Context(), o)
	must(t, err)
	if made.File != file || made.Documents != 50 || !made.Glosses || len(steps) < 3 {
		t.Errorf("%+v, %v", made, steps)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	memory(t, path, "newer", 7)
	must(t, os.WriteFile(glosses, []byte("船\tship\n"), 0o600))

	done, err := backup.Restore(t.Context(), o)
	must(t, err)
	former := filepath.Join(dir, "memory-before-restore-20240501-090000.db")
	if done.Former != former || done.Made != "2024-05-01T09:00:00Z" || done.Documents != 50 || done.Damaged || done.Glosses != glosses+".restored" {
		t.Errorf("%+v", done)
	}
	for _, n := range names(t, dir) {
		if strings.HasPrefix(n, ".") || strings.HasSuffix(n, "-wal") {
			t.Errorf("left: %s", n)
		}
	}
	if n := titles(t, path); n["old"] != 50 || len(n) != 1 {
		t.Errorf("restored: %v", n)
	}
	if n := titles(t, former); n["old"] != 50 || n["newer"] != 7 {
		t.Errorf("former: %v", n)
	}
	if b, _ := os.ReadFile(glosses + ".restored"); string(b) != "船\tboat\n" {
		t.Errorf("words %q", b)
	}
	// A second one in the same second finds a name too, and what a backup has noted is in no memory.
	done, err = backup.Restore(t.Context(), o)
	must(t, err)
	if done.Former != strings.TrimSuffix(former, ".db")+"-2.db" {
		t.Errorf("%+v", done)
	}
	if info, err := store.Inspect(t.Context(), path); err != nil || len(info.Notes) > 0 {
		t.Errorf("%+v, %v", info, err)
	}
	// The memory takes more in.
	memory(t, path, "later", 3)
	if n := titles(t, path); n["old"] != 50 || n["later"] != 3 {
		t.Errorf("afterwards: %v", n)
	}
	for _, n := range names(t, dir) {
		if strings.HasPrefix(n, ".") {
			t.Errorf("left: %s", n)
		}
	}
}

// TestElsewhere restores where there is no memory, with a log that some former one has left.
func TestElsewhere(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "new", "place")
	path, file := filepath.Join(dir, "memory.db"), filepath.Join(dir, "b.db")
	memory(t, path, "old", 20)
	_, err := backup.Make(t.Context(), backup.Options{Memory: path, File: file})
	must(t, err)
	must(t, os.MkdirAll(other, 0o700))
	target := filepath.Join(other, "memory.db")
	must(t, os.WriteFile(target+"-wal", []byte("somebody's"), 0o600))
	done, err := backup.Restore(t.Context(), backup.Options{Memory: target, File: file, Now: now})
	must(t, err)
	if n := titles(t, target); n["old"] != 20 || done.Former != "" {
		t.Errorf("%v, %+v", n, done)
	}
	if b, _ := os.ReadFile(filepath.Join(other, "memory-before-restore-20240501-090000.db-wal")); string(b) != "somebody's" {
		t.Errorf("the log: %q", b)
	}
}

// TestDamagedMemory restores over what is no memory any more.
func TestDamagedMemory(t *testing.T) {
	dir := t.TempDir()
	path, file := filepath.Join(dir, "memory.db"), filepath.Join(dir, "b.db")
	memory(t, path, "old", 300)
	_, err := backup.Make(t.Context(), backup.Options{Memory: path, File: file})
	must(t, err)
	whole, err := os.ReadFile(path)
	must(t, err)
	for name, bytes := range map[string][]byte{
		"no database": []byte(strings.Repeat("no database at all ", 1000)),
		"half":        append(append([]byte{}, whole[:len(whole)/2]...), make([]byte, len(whole)/2)...),
		"cut":         whole[:len(whole)/3],
	} {
		t.Run(name, func(t *testing.T) {
			must(t, os.WriteFile(path, bytes, 0o600))
			done, err := backup.Restore(t.Context(), backup.Options{Memory: path, File: file})
			must(t, err)
			if n := titles(t, path); n["old"] != 300 || !done.Damaged {
				t.Errorf("%v, %+v", n, done)
			}
			if kept, _ := os.ReadFile(done.Former); string(kept) != string(bytes) {
				t.Errorf("the former file was not kept as it was: %d bytes", len(kept))
			}
			must(t, os.Remove(done.Former))
		})
	}
	t.Run("empty", func(t *testing.T) {
		must(t, os.WriteFile(path, nil, 0o600))
		done, err := backup.Restore(t.Context(), backup.Options{Memory: path, File: file})
		must(t, err)
		if n := titles(t, path); n["old"] != 300 || done.Former != "" {
			t.Errorf("%v, %+v", n, done)
		}
	})
}

// TestRefused: before anything is touched.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	path, file := filepath.Join(dir, "memory.db"), filepath.Join(dir, "b.db")
	memory(t, path, "old", 300)
	_, err := backup.Make(t.Context(), backup.Options{Memory: path, File: file})
	must(t, err)
	good, err := os.ReadFile(file)
	must(t, err)
	changed := func(name string, change func(b []byte) []byte) string {
		p := filepath.Join(dir, name)
		must(t, os.WriteFile(p, change(append([]byte{}, good...)), 0o600))
		return p
	}
	newer := changed("newer.db", func(b []byte) []byte { b[63] = 200; return b }) // user_version
	foreign := filepath.Join(dir, "foreign.db")
	db, err := sql.Open("sqlite", foreign)
	must(t, err)
	_, err = db.Exec("CREATE TABLE t (x)")
	must(t, err)
	must(t, db.Close())
	before := names(t, dir)
	for name, c := range map[string]struct {
		file string
		code fault.Code
		says string
	}{
		"missing":         {filepath.Join(dir, "none.db"), fault.NotFound, "There is no file"},
		"a folder":        {dir, fault.Unavailable, "is no backup that can be restored"},
		"no database":     {changed("text.db", func([]byte) []byte { return []byte(strings.Repeat("text ", 2000)) }), fault.Unavailable, "is no backup that can be restored"},
		"empty":           {changed("empty.db", func([]byte) []byte { return nil }), fault.Unavailable, "is no backup that can be restored"},
		"of others":       {foreign, fault.Conflict, "is no backup that can be restored"},
		"newer":           {newer, fault.Conflict, "was made by a newer version"},
		"damaged":         {changed("damaged.db", func(b []byte) []byte { copy(b[len(b)/2:], make([]byte, 40<<10)); return b }), fault.Unavailable, "damaged"},
		"cut":             {changed("cut.db", func(b []byte) []byte { return b[:len(b)/2/4096*4096] }), fault.Unavailable, "damaged"},
		"the memory":      {path, fault.Invalid, "is the memory itself"},
		"the memory, too": {filepath.Join(dir, ".", "x", "..", "memory.db"), fault.Invalid, "is the memory itself"},
	} {
		_, err := backup.Restore(t.Context(), backup.Options{Memory: path, File: c.file})
		if fault.CodeOf(err) != c.code || !strings.Contains(fault.Message(err), c.says) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v (%s) %q", name, err, fault.CodeOf(err), fault.HintOf(err))
		}
	}
	for _, f := range []string{"text.db", "empty.db", "damaged.db", "cut.db"} {
		must(t, os.Remove(filepath.Join(dir, f)))
	}
	if after := names(t, dir); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("files: %q, before %q", after, before)
	}
	if n := titles(t, path); n["old"] != 300 {
		t.Errorf("%v", n)
	}
	t.Run("over a database of others", func(t *testing.T) {
		_, err := backup.Restore(t.Context(), backup.Options{Memory: foreign, File: file})
		if fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.Message(err), "another program") {
			t.Errorf("%v", err)
		}
	})
	for name, c := range map[string]struct {
		o    backup.Options
		code fault.Code
	}{
		"there already":   {backup.Options{Memory: path, File: file}, fault.Conflict},
		"no such folder":  {backup.Options{Memory: path, File: filepath.Join(dir, "none", "b.db")}, fault.NotFound},
		"the memory":      {backup.Options{Memory: path, File: path, Force: true}, fault.Invalid},
		"a folder":        {backup.Options{Memory: path, File: dir, Force: true}, fault.Invalid},
		"no memory":       {backup.Options{Memory: filepath.Join(dir, "none.db"), File: filepath.Join(dir, "c.db")}, fault.Unavailable},
		"words unread":    {backup.Options{Memory: path, File: filepath.Join(dir, "c.db"), Glosses: dir}, fault.Unavailable},
		"a newer memory":  {backup.Options{Memory: newer, File: filepath.Join(dir, "c.db")}, fault.Conflict},
		"a foreign thing": {backup.Options{Memory: foreign, File: filepath.Join(dir, "c.db")}, fault.Conflict},
	} {
		if _, err := backup.Make(t.Context(), c.o); fault.CodeOf(err) != c.code || fault.HintOf(err) == "" {
			t.Errorf("backup, %s: %v", name, err)
		}
	}
	t.Run("forced", func(t *testing.T) {
		if _, err := backup.Make(t.Context(), backup.Options{Memory: path, File: foreign, Force: true}); err != nil {
			t.Fatal(err)
		}
		if n := titles(t, foreign); n["old"] != 300 {
			t.Errorf("%v", n)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		o := backup.Options{Memory: path, File: filepath.Join(dir, "never.db"), Progress: func(backup.Step) { cancel() }, Poll: time.Microsecond}
		if _, err := backup.Make(ctx, o); err == nil {
			t.Error("it was made")
		}
		if after := names(t, dir); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("files: %q, before %q", after, before)
		}
	})
}

// TestInUse: others have the memory open, whether they write or only read.
func TestInUse(t *testing.T) {
	dir := t.TempDir()
	path, file := filepath.Join(dir, "memory.db"), filepath.Join(dir, "b.db")
	memory(t, path, "old", 20)
	o := backup.Options{Memory: path, File: file}
	_, err := backup.Make(t.Context(), o)
	must(t, err)
	for _, readOnly := range []bool{true, false} {
		s, err := store.Open(t.Context(), store.Options{Path: path, ReadOnly: readOnly})
		must(t, err)
		_, err = backup.Restore(t.Context(), o)
		if fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.Message(err), "Another program has the memory") || !strings.Contains(fault.HintOf(err), "openhuman-core mcp") {
			t.Errorf("%v", err)
		}
		must(t, s.Close())
		for _, n := range names(t, dir) {
			if strings.HasPrefix(n, ".") || strings.Contains(n, "before") {
				t.Errorf("left: %s", n)
			}
		}
	}
	if _, err = backup.Restore(t.Context(), o); err != nil {
		t.Error(err)
	}
}

// TestOlderSchema restores what an earlier version has written, and the memory is of this version.
func TestOlderSchema(t *testing.T) {
	dir := t.TempDir()
	path, file := filepath.Join(dir, "memory.db"), filepath.Join(dir, "b.db")
	packed, err := os.Open("../../pkg/store/testdata/migrate/schema3.db.gz")
	must(t, err)
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	must(t, err)
	b, err := io.ReadAll(z)
	must(t, err)
	must(t, os.WriteFile(file, b, 0o600))
	memory(t, path, "old", 20)
	done, err := backup.Restore(t.Context(), backup.Options{Memory: path, File: file})
	must(t, err)
	if done.SchemaVersion != store.SchemaVersion || done.Documents != 3 {
		t.Errorf("%+v", done)
	}
	if n := titles(t, path); n["old"] != 0 {
		t.Errorf("%v", n)
	}
	if was, _ := os.ReadFile(file); string(was) != string(b) {
		t.Error("the backup was changed")
	}
	if n := titles(t, done.Former); n["old"] != 20 {
		t.Errorf("former: %v", n)
	}
}

// TestKilled kills restores at random instants: the memory is the old one or the new one, whole, and in
// the second case the old one is beside it.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	path, other, file := filepath.Join(dir, "memory.db"), filepath.Join(dir, "other.db"), filepath.Join(t.TempDir(), "b.db")
	memory(t, path, "old", 700)
	memory(t, other, "new", 600)
	_, err := backup.Make(t.Context(), backup.Options{Memory: other, File: file})
	must(t, err)
	must(t, os.Remove(other))
	old, err := os.ReadFile(path)
	must(t, err)
	begin := time.Now()
	must(t, start(t, "restore", path, file).Run())
	whole := time.Since(begin)
	seen := map[string]int{}
	for range 10 {
		for _, n := range names(t, dir) {
			must(t, os.Remove(filepath.Join(dir, n)))
		}
		must(t, os.WriteFile(path, old, 0o600))
		cmd := start(t, "restore", path, file)
		must(t, cmd.Start())
		time.Sleep(whole/4 + time.Duration(rand.Int64N(int64(whole))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		n := titles(t, path)
		switch {
		case n["old"] == 700 && len(n) == 1:
			seen["old"]++
		case n["new"] == 600 && len(n) == 1:
			seen["new"]++
			former, err := filepath.Glob(filepath.Join(dir, "memory-before-restore-*.db"))
			if err != nil || len(former) != 1 || titles(t, former[0])["old"] != 700 {
				t.Errorf("the former memory: %q, %v", former, err)
			}
		default:
			t.Fatalf("after a kill: %v", n)
		}
		// The next restore comes to its end and leaves nothing of this one.
		if _, err := backup.Restore(t.Context(), backup.Options{Memory: path, File: file}); err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
	t.Logf("after the kills: %v", seen)
}
