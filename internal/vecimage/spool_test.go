package vecimage_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/vecimage"
	"github.com/openhuman/openhuman-core/internal/vecset"
)

// A set whose cells went through a spool is the set that was made in memory.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	spool, err := vecimage.NewSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	const dims, rows = 70, 300
	kept, spooled := vecset.NewSet(dims, rows), vecset.NewHeads(dims, rows)
	for i := range int64(rows) {
		v := make([]float32, dims)
		for k := range v {
			v[k] = float32((i*7+int64(k)*13)%31) - 15
		}
		if err := kept.Append(i, i/3, int(i%3), vecset.Pack(v)); err != nil {
			t.Fatal(err)
		}
		if err := spooled.AppendTo(spool, i, i/3, int(i%3), vecset.Pack(v)); err != nil {
			t.Fatal(err)
		}
	}
	if len(spooled.Cells) != 0 {
		t.Error("cells are in memory")
	}
	if spooled.Cells, err = spool.Cells(); err != nil {
		t.Fatal(err)
	}
	kept.Encode()
	spooled.Encode()
	if d := cmp.Diff(kept, spooled); d != "" {
		t.Error(d)
	}
	if err := spool.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v %v is left", left, err)
	}
}

func TestCleanRemovesAbandonedSpools(t *testing.T) {
	dir := t.TempDir()
	spool, err := vecimage.NewSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := spool.Write([]byte("cells")); err != nil {
		t.Fatal(err)
	}
	vecimage.Clean(dir, "", time.Now())
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Error("a spool in use was removed")
	}
	if err := spool.Close(); err != nil {
		t.Fatal(err)
	}
	// As after an interruption.
	if spool, err = vecimage.NewSpool(dir); err != nil {
		t.Fatal(err)
	}
	left, _ := os.ReadDir(dir)
	name := left[0].Name()
	if err := spool.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/"+name, []byte("cells"), 0o600); err != nil {
		t.Fatal(err)
	}
	vecimage.Clean(dir, "", time.Now().Add(time.Hour))
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

func TestSpoolOfNothing(t *testing.T) {
	spool, err := vecimage.NewSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if cells, err := spool.Cells(); err != nil || len(cells) != 0 {
		t.Errorf("%v %v", cells, err)
	}
	if err := spool.Close(); err != nil {
		t.Error(err)
	}
	if _, err := vecimage.NewSpool(t.TempDir() + "/none"); err == nil {
		t.Error("a spool where there is no folder")
	}
}
