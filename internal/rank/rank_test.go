package rank_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/rank"
)

// cand is a candidate without neighbours, found by words when it has any.
func cand(id string, words, cover, meaning float64) rank.Candidate {
	return rank.Candidate{ID: id, Words: words, Cover: cover, Meaning: meaning, Related: meaning, Before: -1, After: -1, Found: words > 0}
}

func order(cs []rank.Candidate, o rank.Options) string {
	var ids []string
	for _, r := range rank.Fuse(cs, o) {
		ids = append(ids, cs[r.Index].ID)
	}
	return strings.Join(ids, " ")
}

func TestFuse(t *testing.T) {
	unknown := math.NaN()
	beside := []rank.Candidate{cand("a", .2, .4, .3), cand("b", .2, .4, .3), cand("c", .6, 1, .5)}
	beside[1].After, beside[2].Before = 2, 1
	for name, c := range map[string]struct {
		candidates []rank.Candidate
		want       string
	}{
		"nothing":                            {nil, ""},
		"meaning beats one word by accident": {[]rank.Candidate{cand("word", .2, .2, .1), cand("meant", 0, 0, .5)}, "meant word"},
		"all words beat meaning":             {[]rank.Candidate{cand("meant", 0, 0, .5), cand("words", .7, 1, .3)}, "words meant"},
		"too far from the question":          {[]rank.Candidate{cand("far", 0, 0, .2)}, ""},
		"far from the best":                  {[]rank.Candidate{cand("near", 0, 0, .7), cand("far", 0, 0, .3)}, "near"},
		"beside the question itself":         {[]rank.Candidate{cand("same", 0, 0, 1), cand("answer", 0, 0, .42), cand("far", 0, 0, .3)}, "same answer"},
		"a word needs no floor":              {[]rank.Candidate{cand("word", .2, .3, -.1)}, "word"},
		"without vectors":                    {[]rank.Candidate{cand("less", .2, .5, unknown), cand("more", .5, 1, unknown)}, "more less"},
		"one without a vector":               {[]rank.Candidate{cand("far", .4, .8, .05), cand("not known", .4, .8, unknown), cand("near", .4, .8, .5)}, "near not known far"},
		"beside the answer":                  {beside, "c b a"},
	} {
		if got := order(c.candidates, rank.Options{}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Whether a text is an answer at all is not asked of what its meaning weighs.
func TestRelatedDecidesWhatIsAnAnswer(t *testing.T) {
	near, far := cand("near", 0, 0, .24), cand("far", 0, 0, .24)
	near.Related, far.Related = .26, .24
	if got := order([]rank.Candidate{far, near}, rank.Options{}); got != "near" {
		t.Error(got)
	}
}

// A text that was written when the question says comes before one that was not.
func TestTimeCounts(t *testing.T) {
	then, month, other := cand("then", .2, .4, .3), cand("month", .2, .4, .3), cand("other", .2, .4, .3)
	then.Then, month.Then = 1, .7
	if got := order([]rank.Candidate{other, month, then}, rank.Options{}); got != "then month other" {
		t.Error(got)
	}
}

func TestLineMovesWhatStandsAtTheTop(t *testing.T) {
	cs := []rank.Candidate{cand("whole", .3, .5, .40), cand("line", .3, .5, .38), cand("short", .3, .5, .2)}
	got := order(cs, rank.Options{Line: func(i int) float64 { return []float64{.1, .8, math.NaN()}[i] }})
	if got != "line whole short" {
		t.Error(got)
	}
}

// Ten near-copies do not push out what else there is.
func TestCopiesStandBack(t *testing.T) {
	var cs []rank.Candidate
	var texts []string
	for i := range 10 {
		cs = append(cs, cand(fmt.Sprint("copy", i), .6, 1, .5))
		texts = append(texts, fmt.Sprintf("the weekly report of the harbour office about gauges and tides is attached as number %d, please read it before the meeting on Monday and send what you think to the whole group", i))
	}
	cs = append(cs, cand("other", .5, .9, .45))
	texts = append(texts, "gauges and tides are what the second annex is about")
	rs := rank.Fuse(cs, rank.Options{Sketch: func(i int) rank.Sketch { return rank.NewSketch(texts[i]) }})
	if len(rs) != len(cs) || cs[rs[1].Index].ID != "other" || rs[2].Repeated <= 0 {
		t.Errorf("%+v", rs)
	}
}

// What answers best by its words stands among the first although meaning speaks for many others, however
// many places it would stand behind them; a word by accident and a copy of what stands there have no such right.
func TestBestWordsKeepTheirPlaces(t *testing.T) {
	var cs []rank.Candidate
	texts := map[string]string{}
	for i := range 100 {
		cs = append(cs, cand(fmt.Sprintf("meant%02d", i), 0, 0, .7))
	}
	cs = append(cs, cand("accident", .2, .4, 0))
	for i := range 7 {
		cs = append(cs, cand(fmt.Sprint("words", i), .4-.01*float64(i), .6, 0))
	}
	cs = append(cs, cand("copy", .4, .6, 0))
	texts["copy"] = "what the tide gauges of the old harbour office say about the flood of last winter"
	texts["words0"] = texts["copy"]
	at := map[string]int{}
	for place, r := range rank.Fuse(cs, rank.Options{Sketch: func(i int) rank.Sketch { return rank.NewSketch(texts[cs[i].ID]) }}) {
		at[cs[r.Index].ID] = place + 1
	}
	if first := min(at["words0"], at["copy"]); first != 4 {
		t.Errorf("the best by words stands at place %d", first)
	}
	kept := 0
	for i := 1; i < 7; i++ {
		if at[fmt.Sprint("words", i)] <= 8 {
			kept++
		}
	}
	if kept != 3 || at["accident"] <= 64 || max(at["words0"], at["copy"]) <= 64 || at["meant00"] != 1 || at["meant03"] != 5 || at["meant04"] != 9 {
		t.Errorf("%d kept: %v", kept, at)
	}
	cs = cs[:101]
	cs[100].Cover, cs[100].Then = .4, 1 // written when the question says
	if rs := rank.Fuse(cs, rank.Options{}); rs[4].Index != 100 {
		t.Errorf("a word of the day does not stand at place 5: %+v", rs[:10])
	}
}

func TestSketch(t *testing.T) {
	for _, s := range []string{"", "word", "two words", "世界 和平"} {
		if first, again := rank.NewSketch(s), rank.NewSketch(strings.Clone(s)); first != again {
			t.Errorf("%q differs from itself", s)
		}
	}
	if rank.NewSketch("one thing") == rank.NewSketch("another thing") {
		t.Error("different texts have the same sketch")
	}
}

// Scores lie between 0 and 1 and do not rise, nothing comes twice, whatever was found by words comes,
// and every part of a score is a number.
func TestFuseKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 150).Draw(t, "n")
		cs := make([]rank.Candidate, n)
		for i := range cs {
			m := rapid.Float64Range(-1, 1).Draw(t, "meaning")
			if rapid.Bool().Draw(t, "unknown") {
				m = math.NaN()
			}
			w := rapid.Float64Range(0, 1).Draw(t, "words")
			cs[i] = rank.Candidate{
				Words: w, Cover: rapid.Float64Range(0, 1).Draw(t, "cover"), Meaning: m, Related: m, Before: -1, After: -1,
				Place: uint64(rapid.IntRange(0, 3).Draw(t, "place")), Found: w > .3, ID: fmt.Sprint(i), TimeMS: int64(i % 3),
			}
		}
		text := func(i int) rank.Sketch { return rank.NewSketch(fmt.Sprint("text", i%4)) }
		rs := rank.Fuse(cs, rank.Options{Sketch: text, Line: func(i int) float64 { return cs[i].Meaning }})
		seen := map[int]bool{}
		last := 1.0
		for _, r := range rs {
			if seen[r.Index] || !(r.Score >= 0 && r.Score <= last) || math.IsNaN(r.Keyword+r.Semantic+r.Beside+r.Repeated) {
				t.Fatalf("%+v after a score of %v", r, last)
			}
			seen[r.Index], last = true, r.Score
		}
		checkBestWords(t, cs, rs)
		for i := range cs {
			if cs[i].Found && !seen[i] {
				t.Fatalf("%d was found by words and is gone", i)
			}
		}
	})
}

// checkBestWords checks that the best words that hold enough of the question, or a copy, stand among the first.
func checkBestWords(t *rapid.T, cs []rank.Candidate, rs []rank.Result) {
	best, first, ties := 0.0, -1, 0
	for k, r := range rs {
		switch {
		case cs[r.Index].Cover < .5 || r.Keyword < best:
		case r.Keyword == best:
			ties++
		default:
			best, first, ties = r.Keyword, k, 0
		}
	}
	if first < 5 || ties > 0 {
		return
	}
	if !slices.ContainsFunc(rs[:5], func(r rank.Result) bool { return r.Index%4 == rs[first].Index%4 }) {
		t.Fatalf("the best by words stands at place %d", first+1)
	}
}
