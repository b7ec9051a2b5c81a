//go:build unix

package vecindex_test

import (
	"os"
	"testing"

	"github.com/openhuman/openhuman-core/internal/vecimage"
)

// Somebody who cuts the image short while it is mapped does not end the processes that have it.
func TestCutShortWhileMapped(t *testing.T) {
	for _, n := range []int{200, 3000} { // compared in full, and by codes first
		w := newWorld(t)
		w.add(n, 0)
		x, other := w.index(w.dir), w.index(w.dir)
		name := w.write()
		w.check(x)
		w.check(other)
		if err := os.Truncate(vecimage.Path(w.dir, name), 0); err != nil {
			t.Fatal(err)
		}
		w.check(x)
		w.check(x)
		w.embed(1, 20) // looks for what is gone in the image
		w.check(other)
	}
}
