package vecimage_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/vecimage"
	"github.com/openhuman/openhuman-core/internal/vecset"
)

func set(t testing.TB, dims, rows int) *vecset.Set {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(dims)))
	s := vecset.NewSet(dims, rows)
	for i := range rows {
		v := make([]float32, dims)
		for k := range v {
			v[k] = float32(r.NormFloat64())
		}
		if err := s.Append(int64(3*i+1), int64(100+i), i%3, vecset.Pack(v)); err != nil {
			t.Fatal(err)
		}
	}
	s.Encode()
	return s
}

func image(t testing.TB, dir string) (name string, sets []*vecset.Set) {
	t.Helper()
	sets = []*vecset.Set{set(t, 384, 50), set(t, 100, 7), set(t, 64, 0)}
	name, err := vecimage.Write(dir, 150, 9, vecimage.Models{"encoder", "other", "none"}, sets)
	if err != nil {
		t.Fatal(err)
	}
	return name, sets
}

func TestImage(t *testing.T) {
	dir := t.TempDir()
	name, sets := image(t, dir)
	m, err := vecimage.Open(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	if m.Last != 150 || m.Dead != 9 || len(m.Sections) != 3 || m.Sections[1] != (vecimage.Section{Fingerprint: "other", Dims: 100, Rows: 7}) {
		t.Errorf("header %+v", m.Header)
	}
	for i, want := range sets {
		got := m.Sets[i]
		if d := cmp.Diff(want.Columns, got.Columns, cmp.Comparer(func(a, b []byte) bool { return bytes.Equal(a, b) }),
			cmp.Comparer(func(a, b []int8) bool { return slices.Equal(a, b) })); d != "" || got.Dims != want.Dims || got.Len() != want.Len() {
			t.Errorf("set %d (-want +got):\n%s", i, d)
		}
		if want.Mean != nil && !slices.Equal(want.Mean, got.Mean) {
			t.Errorf("set %d has another mean", i)
		}
	}
	if fi, err := os.Stat(vecimage.Path(dir, name)); err != nil || fi.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("the file can be read by others: %v, %v", fi.Mode(), err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if err := m.Close(); err != nil {
		t.Error("a second time:", err)
	}
}

// Whatever is wrong with the file, it is refused.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	name, _ := image(t, dir)
	path := vecimage.Path(dir, name)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := vecimage.Open(dir, name)
		if err == nil {
			m.Close()
			t.Errorf("%s: it was taken", what)
		} else if !errors.Is(err, vecimage.ErrNotWhole) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Every byte of the header that is used, and some that are not.
	start := bytes.Index(good, []byte(`{"`)) // what stands before is binary and may hold a brace
	end := start + bytes.LastIndexByte(good[start:16<<10], '}') + 1
	for i := range end + 8 {
		b := slices.Clone(good)
		b[i] ^= 0x11
		refused("a changed byte of the header", b)
	}
	r := rand.New(rand.NewPCG(2, 3))
	for range 200 {
		b := slices.Clone(good)
		b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		refused("a changed byte", b)
	}
	for _, n := range []int{0, 1, 8, start, end, 16<<10 - 1, 16 << 10, len(good) / 2, len(good) - 64, len(good) - 1} {
		refused("cut short", good[:n])
	}
	refused("longer", append(slices.Clone(good), 0))

	// Headers whose checksum is right and that say something impossible.
	for what, change := range map[string]func(*vecimage.Header){
		"another name":      func(h *vecimage.Header) { h.Name = "another" },
		"more rows":         func(h *vecimage.Header) { h.Sections[0].Rows++ },
		"negative rows":     func(h *vecimage.Header) { h.Sections[0].Rows = -1 },
		"endless rows":      func(h *vecimage.Header) { h.Sections[0].Rows = 1 << 40 },
		"other dimensions":  func(h *vecimage.Header) { h.Sections[0].Dims = 448 },
		"no dimensions":     func(h *vecimage.Header) { h.Sections[1].Dims = 0 },
		"a missing section": func(h *vecimage.Header) { h.Sections = h.Sections[1:] },
		"another size":      func(h *vecimage.Header) { h.Size += 64 },
		"another sum":       func(h *vecimage.Header) { h.Sum++ },
	} {
		var h vecimage.Header
		if err := json.Unmarshal(good[start:end], &h); err != nil {
			t.Fatal(err)
		}
		change(&h)
		head, err := h.Encode()
		if err != nil {
			t.Fatal(err)
		}
		refused(what, append(head, good[len(head):]...))
	}

	if err := os.WriteFile(path, good, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := vecimage.Open(dir, name)
	if err != nil {
		t.Fatalf("the good one: %v", err)
	}
	m.Close()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := vecimage.Open(dir, name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing one: %v", err)
	}
	for _, name := range []string{"", "../memory", "a/b", "UPPER", "x\x00"} {
		if _, err := vecimage.Open(dir, name); !errors.Is(err, vecimage.ErrNotWhole) {
			t.Errorf("name %q: %v", name, err)
		}
	}
}

func TestClean(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	old := now.Add(-time.Hour)
	a, _ := image(t, dir)
	b, _ := image(t, dir)
	c, _ := image(t, dir)
	d, _ := image(t, dir)
	for _, name := range []string{a, d} {
		if err := os.Chtimes(vecimage.Path(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	for name, at := range map[string]time.Time{
		"memory-" + a + ".vectors.part": old, "memory-unfinished.vectors.part": now,
		"memory.db": old, "memory-notes.txt": old, "memory-x y.vectors": old,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	vecimage.Clean(dir, a, now, b)
	var left []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	// d is old and nobody's; c is young and may be about to be named.
	want := []string{
		"memory-" + a + ".vectors", "memory-" + c + ".vectors", "memory-notes.txt",
		"memory-unfinished.vectors.part", "memory-x y.vectors", "memory.db",
	}
	slices.Sort(want)
	slices.Sort(left)
	if d := cmp.Diff(want, left); d != "" {
		t.Errorf("left (-want +got):\n%s", d)
	}
}

func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	name, _ := image(f, dir)
	path := vecimage.Path(dir, name)
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good[:16<<10], 0)
	f.Add(good[:16<<10], len(good)-16<<10)
	f.Add([]byte("OHvecimg\x01\x00\x00\x00\xff\xff\xff\xff"), 20000)
	f.Fuzz(func(t *testing.T, head []byte, more int) {
		b := append(slices.Clone(head), make([]byte, min(max(more, 0), 1<<16))...)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := vecimage.Open(dir, name)
		if err == nil {
			defer m.Close()
			for _, s := range m.Sets { // all that the header promises is there
				s.Nearest(vecset.NewQuery(make([]float32, s.Dims)), vecset.Options{Limit: 3})
			}
		}
	})
}
