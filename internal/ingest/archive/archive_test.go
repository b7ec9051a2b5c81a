package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/archive"
)

var when = time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)

// A file is an entry of an archive that a test makes.
type file struct{ name, body string }

func zipOf(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		e, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when})
		must(t, err)
		_, err = e.Write([]byte(f.body))
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

func tarOf(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		must(t, w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.body)), Mode: 0o600, ModTime: when}))
		_, err := w.Write([]byte(f.body))
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

func gz(t testing.TB, name string, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name = name
	_, err := w.Write(body)
	must(t, err)
	must(t, w.Close())
	return b.Bytes()
}

// bz2 is what bzip2 makes of "Hello, bzip2.\n".
const bz2 = "QlpoOTFBWSZTWbkqZ0MAAALdgAAQQAUQAABAEiTAECAAIgADQgGgBm2OiaGggPF3JFOFCQuSpnQw"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func input(b []byte, name string) archive.Input {
	return archive.Input{
		Path: "/x/" + name, Size: int64(len(b)), ModTime: when, Head: b[:min(len(b), doc.HeadSize)],
		Open: func() (doc.File, error) { return doc.InMemory(b), nil },
	}
}

func open(ctx context.Context, b []byte, name string, l archive.Limits, temp string) (*archive.Archive, error) {
	return archive.Open(ctx, input(b, name), l, archive.NewBudget(l, int64(len(b)), nil), temp)
}

// contents reads everything in an archive as a scheduler would, and by ReadAt as well.
func contents(t testing.TB, a *archive.Archive) map[string]string {
	t.Helper()
	out := map[string]string{}
	var paths []string
	var walk func(dir, rel string)
	walk = func(dir, rel string) {
		list, err := a.ReadDir(dir)
		must(t, err)
		for _, de := range list {
			at, rel := dir+"/"+de.Name(), path.Join(rel, de.Name())
			if de.IsDir() {
				walk(at, rel)
			} else if de.Type().IsRegular() {
				paths = append(paths, at)
			}
		}
	}
	top := "/x/" + topOf(a)
	walk(top, "")
	slices.SortStableFunc(paths, func(x, y string) int { return a.Position(x) - a.Position(y) })
	for _, p := range paths {
		name := strings.TrimPrefix(p, top+"/")
		if err := a.Load(p); err != nil {
			out[name] = "load: " + err.Error()
			continue
		}
		f, err := a.Open(p)
		if err != nil {
			out[name] = "open: " + err.Error()
			continue
		}
		b, err := io.ReadAll(f)
		if err == nil && len(b) > 0 {
			at := make([]byte, 1)
			if _, e := f.ReadAt(at, int64(len(b)-1)); !a.Trouble() && (e != nil && !errors.Is(e, io.EOF) || at[0] != b[len(b)-1]) {
				t.Errorf("%s: read %q at its end, %v", name, at, e)
			}
		}
		out[name] = string(b)
		if err != nil {
			out[name] += "|" + err.Error()
		}
		must(t, f.Close())
		a.Free(p)
	}
	return out
}

// topOf finds what the archive calls itself.
func topOf(a *archive.Archive) string {
	for _, n := range []string{"a.zip!", "a.tar!", "a.tgz!", "a.txt.gz!", "a.bz2!", "a!"} {
		if _, err := a.ReadDir("/x/" + n); err == nil {
			return n
		}
	}
	return ""
}

var threeFiles = []file{{"./one.md", "First."}, {"deep/er/two.md", strings.Repeat("Second. ", 10_000)}, {"deep/three.md", ""}}

func TestContents(t *testing.T) {
	want := map[string]string{"one.md": "First.", "deep/er/two.md": strings.Repeat("Second. ", 10_000), "deep/three.md": ""}
	hello, err := base64.StdEncoding.DecodeString(bz2)
	must(t, err)
	for name, c := range map[string]struct {
		data []byte
		want map[string]string
	}{
		"a.zip":    {zipOf(t, threeFiles...), want},
		"a.tar":    {tarOf(t, threeFiles...), want},
		"a.tgz":    {gz(t, "", tarOf(t, threeFiles...)), want},
		"a.txt.gz": {gz(t, "", []byte("alone")), map[string]string{"a.txt": "alone"}},
		"a":        {gz(t, "named.txt", []byte("alone")), map[string]string{"named.txt": "alone"}},
		"a.bz2":    {hello, map[string]string{"a": "Hello, bzip2.\n"}},
	} {
		for _, memory := range []int64{1 << 20, 4} { // in memory, on disk
			t.Run(name, func(t *testing.T) {
				l, temp := archive.DefaultLimits(), t.TempDir()
				l.Memory = memory
				a, err := open(t.Context(), c.data, name, l, temp)
				must(t, err)
				if d := cmp.Diff(c.want, contents(t, a)); d != "" || a.Damage != "" || a.Refused != nil {
					t.Errorf("%s %q %v", d, a.Damage, a.Refused)
				}
				a.Close()
				if left, _ := os.ReadDir(temp); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			})
		}
	}
}

// TestContract holds archives to what readers are held to.
func TestContract(t *testing.T) {
	for name, data := range map[string][]byte{"a.zip": zipOf(t, threeFiles...), "a.tar": tarOf(t, threeFiles...), "a.tgz": gz(t, "", tarOf(t, threeFiles...))} {
		t.Run(name, func(t *testing.T) {
			l := archive.DefaultLimits()
			for n := 0; n < len(data); n += max(1, len(data)/199) {
				a, err := open(t.Context(), data[:n], name, l, t.TempDir())
				if err != nil {
					continue
				}
				if a.Damage == "" {
					t.Errorf("%d bytes of %d look whole", n, len(data))
				}
				contents(t, a)
				a.Close()
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := open(ctx, data, name, l, ""); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled: %v", err)
			}
			in := input(data, name)
			in.Open = func() (doc.File, error) { return nil, fs.ErrPermission }
			if _, err := archive.Open(t.Context(), in, l, archive.NewBudget(l, in.Size, nil), ""); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("closed: %v", err)
			}
			l.Memory = 1
			a, err := open(t.Context(), data, name, l, filepath.Join(t.TempDir(), "none"))
			must(t, err)
			defer a.Close()
			if contents(t, a); !a.Trouble() {
				t.Error("nowhere to put anything is no trouble")
			}
		})
	}
}

func TestNamesInOtherCharsets(t *testing.T) {
	gbk := []string{"\xbb\xe1\xd2\xe9\xbc\xc7\xc2\xbc.txt", "\xcb\xbd\xc8\xcb\xb1\xca\xbc\xc7/\xc2\xc3\xd0\xd0\xbc\xc6\xbb\xae.md"}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, n := range gbk {
		f, err := w.CreateHeader(&zip.FileHeader{Name: n, NonUTF8: true})
		must(t, err)
		_, err = f.Write([]byte("x"))
		must(t, err)
	}
	must(t, w.Close())
	a, err := open(t.Context(), b.Bytes(), "a.zip", archive.DefaultLimits(), "")
	must(t, err)
	defer a.Close()
	if d := cmp.Diff([]string{"会议记录.txt", "私人笔记/旅行计划.md"}, a.Names()); d != "" {
		t.Error(d)
	}
}

func TestSniff(t *testing.T) {
	for want, data := range map[archive.Kind][]byte{
		archive.Zip: zipOf(t, threeFiles...), archive.Tar: tarOf(t, threeFiles...), archive.Gzip: gz(t, "", []byte("x")),
		archive.None: []byte(strings.Repeat("BZh is no archive, and neither is this. ", 30)),
	} {
		if got := archive.Sniff(data); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	old := make([]byte, 512) // of a time before tar had a mark
	copy(old, "old.txt")
	copy(old[124:], "00000000000\x00")
	copy(old[148:], "        ")
	sum := 0
	for _, c := range old {
		sum += int(c)
	}
	copy(old[148:], fmt.Sprintf("%06o\x00 ", sum))
	if got := archive.Sniff(old); got != archive.Tar {
		t.Errorf("%q, want an old tar archive", got)
	}
}

func TestStem(t *testing.T) {
	for name, want := range map[string]string{
		"a/takeout-1.tgz": "takeout-1", "x.tar.gz": "x", "All.mbox.gz": "All.mbox", "WhatsApp Chat - Ada.ZIP": "WhatsApp Chat - Ada", "plain": "plain", ".zip": ".zip",
	} {
		if got := archive.Stem(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// FuzzArchive: whatever the bytes are, listing and reading end, within the bounds.
func FuzzArchive(f *testing.F) {
	small := []file{{"./one.md", "First."}, {"deep/two.md", strings.Repeat("Second. ", 100)}, {"../out", "x"}}
	hello, err := base64.StdEncoding.DecodeString(bz2)
	must(f, err)
	for _, seed := range [][]byte{zipOf(f, small...), tarOf(f, small...), gz(f, "", tarOf(f, small...)), gz(f, "a", []byte("alone")), hello, nil} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := archive.Limits{Depth: 2, Entries: 100, Directory: 1 << 16, Total: 1 << 20, Ratio: 100, Floor: 1 << 16, Memory: 64, Spool: 1 << 16}
		a, err := open(t.Context(), data, "a", l, "")
		if err != nil {
			return
		}
		defer a.Close()
		total := 0
		for name, body := range contents(t, a) {
			if name == "" || strings.HasPrefix(name, "/") || slices.Contains(strings.Split(name, "/"), "..") {
				t.Errorf("the name %q leads out", name)
			}
			total += len(body)
		}
		if total > 3<<20 {
			t.Errorf("%d bytes were read", total)
		}
	})
}
