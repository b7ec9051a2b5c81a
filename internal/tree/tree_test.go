package tree_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/tree"
)

// mailbox makes n mails, one or several a day.
func mailbox(seed uint64, n int) []tree.Leaf {
	r := rand.New(rand.NewPCG(seed, 1))
	leaves := make([]tree.Leaf, n)
	at := int64(1_700_000_000_000)
	for i := range leaves {
		at += r.Int64N(40_000_000)
		leaves[i] = tree.Leaf{Row: int64(i), ChunkID: fmt.Sprintf("%d-%d", seed, i), Sum: r.Int64(), TimeMS: at, Document: fmt.Sprint("doc", i/3), Ordinal: i % 3, Tokens: 100}
	}
	return leaves
}

// ids returns the nodes' ids with their levels.
func ids(p tree.Plan) map[string]int {
	out := map[string]int{}
	for _, level := range p.Levels {
		for _, n := range level {
			out[n.ID] = n.Level
		}
	}
	return out
}

func TestArrivalOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		leaves := mailbox(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 400).Draw(t, "n"))
		want := tree.Make("gmail:a", "x", slices.Clone(leaves))
		shuffled := slices.Clone(leaves)
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 2)).Shuffle(len(shuffled), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		if d := cmp.Diff(want, tree.Make("gmail:a", "x", shuffled)); d != "" {
			t.Fatal(d)
		}
	})
}

func TestShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		leaves := mailbox(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 2000).Draw(t, "n"))
		if rapid.Bool().Draw(t, "one document at one time") {
			for i := range leaves {
				leaves[i].Document, leaves[i].TimeMS, leaves[i].Ordinal = "d", 5, i
			}
		}
		p := tree.Make("s", "x", leaves)
		below := len(p.Leaves)
		for i, level := range p.Levels {
			at := 0
			for _, n := range level {
				if n.First != at || n.Level != i+1 {
					t.Fatalf("node %+v of level %d begins at %d, not %d", n, i+1, n.First, at)
				}
				if size := n.Last - n.First; size < tree.MinChildren || size > tree.MaxChildren {
					t.Fatalf("node %+v has %d children", n, size)
				}
				at = n.Last
			}
			if open := below - at; open > tree.MaxChildren {
				t.Fatalf("%d children of level %d are open", open, i+1)
			}
			below = len(level)
		}
		if below > tree.MaxChildren {
			t.Fatalf("%d roots", below)
		}
	})
}

// TestOneMailSealsItsOwnPath adds and removes single mails anywhere and counts the nodes that are
// new: a few a level, however many there are.
func TestOneMailSealsItsOwnPath(t *testing.T) {
	leaves := mailbox(7, 5000)
	before := ids(tree.Make("s", "x", slices.Clone(leaves)))
	r := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		i := r.IntN(len(leaves))
		changed := slices.Delete(slices.Clone(leaves), i, i+1)
		if r.IntN(2) == 0 {
			extra := leaves[i]
			extra.ChunkID, extra.TimeMS = "extra", extra.TimeMS+r.Int64N(1000)
			changed = append(changed, leaves[i], extra)
		}
		p := tree.Make("s", "x", changed)
		fresh := make([]int, len(p.Levels))
		for id, level := range ids(p) {
			if _, ok := before[id]; !ok {
				fresh[level-1]++
			}
		}
		for level, n := range fresh {
			if n > 4 {
				t.Errorf("a change at %d makes %d new nodes of level %d", i, n, level+1)
			}
		}
	}
}

// TestAppendingKeepsWhatIsSealed adds the newest mail: all that was sealed by a border stays.
func TestAppendingKeepsWhatIsSealed(t *testing.T) {
	leaves := mailbox(9, 1500)
	made, last := 0, map[string]int{}
	for n := 1; n <= len(leaves); n++ {
		now := ids(tree.Make("s", "x", slices.Clone(leaves[:n])))
		for id := range now {
			if _, ok := last[id]; !ok {
				made++
			}
		}
		last = now
	}
	if len(last) < 100 {
		t.Fatalf("%d nodes over 1500 mails", len(last))
	}
	if made > 3*len(last)/2 {
		t.Errorf("%d nodes were sealed for a tree of %d", made, len(last))
	}
}

func TestWhatMakesAnotherNode(t *testing.T) {
	leaves := mailbox(1, 40)
	base := ids(tree.Make("s", "x", slices.Clone(leaves)))
	for name, change := range map[string]func([]tree.Leaf) (source, sealer string){
		"source": func([]tree.Leaf) (string, string) { return "other", "x" },
		"sealer": func([]tree.Leaf) (string, string) { return "s", "y" },
		"texts": func(l []tree.Leaf) (string, string) {
			for i := range l {
				l[i].Sum++
			}
			return "s", "x"
		},
	} {
		l := slices.Clone(leaves)
		source, sealer := change(l)
		for id := range ids(tree.Make(source, sealer, l)) {
			if _, ok := base[id]; ok {
				t.Errorf("another %s gives the same node %s", name, id)
			}
		}
	}
}

func BenchmarkMake(b *testing.B) {
	leaves := mailbox(5, 100_000)
	for b.Loop() {
		tree.Make("s", "x", slices.Clone(leaves))
	}
}
