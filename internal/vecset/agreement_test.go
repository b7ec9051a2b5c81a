package vecset

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
)

// lines are lines of this project that are texts, and the questions of a ranking set.
func lines(t *testing.T, encoder *minilm.Model) (texts, questions []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !slices.Contains([]string{".go", ".md", ".txt", ".jsonl"}, filepath.Ext(path)) {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(b)) {
			var row struct{ Text, Question string }
			if json.Unmarshal([]byte(line), &row) == nil {
				line = row.Text
			}
			// The models know no Chinese: such a question has no nearest rows that could agree.
			if row.Question != "" && encoder.Knows(row.Question) {
				questions = append(questions, row.Question)
			}
			if line = strings.Trim(line, " \t\n/*#-"); len(strings.Fields(line)) >= 5 && !seen[line] {
				seen[line] = true
				texts = append(texts, line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 15_000 || len(questions) < 100 {
		t.Fatalf("%d texts, %d questions", len(texts), len(questions))
	}
	return texts, questions[:60]
}

// On vectors of real text, choosing candidates by their codes loses less than one in a hundred of the
// ten nearest, and packing changes about as few of them, those that are as near as others. With as
// small a share of candidates as among 100,000 rows, codes lose more among so few rows, but not much.
func TestAgreement(t *testing.T) {
	instant, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := minilm.Load()
	if err != nil {
		t.Fatal(err)
	}
	texts, questions := lines(t, encoder)
	for _, c := range []struct {
		name  string
		texts []string
		embed func([]string) ([][]float32, error)
	}{
		{"instant", texts, func(s []string) ([][]float32, error) { return instant.Embed(t.Context(), s) }},
		{"encoder", texts[:min(len(texts), 1000)], func(s []string) ([][]float32, error) { return encoder.Embed(t.Context(), s) }},
	} {
		rows, err := c.embed(c.texts)
		if err != nil {
			t.Fatal(err)
		}
		queries, err := c.embed(questions)
		if err != nil {
			t.Fatal(err)
		}
		s := NewSet(len(rows[0]), len(rows))
		for i, v := range rows {
			if err := s.Append(int64(i+1), int64(i), 0, Pack(v)); err != nil {
				t.Fatal(err)
			}
		}
		s.Encode()
		const k = 10
		var packed, chosen, few int
		for _, v := range queries {
			type scored struct {
				row int64
				dot float64
			}
			all := make([]scored, len(rows))
			for i, r := range rows {
				all[i] = scored{int64(i), dot(r, v)}
			}
			slices.SortFunc(all, func(a, b scored) int {
				return cmp.Or(cmp.Compare(b.dot, a.dot), cmp.Compare(a.row, b.row))
			})
			best := map[int64]bool{}
			for _, a := range all[:k] {
				best[a.row] = true
			}
			q := NewQuery(v)
			count := func(hits []Hit) (n int) {
				for _, h := range hits {
					if best[h.Chunk] {
						n++
					}
				}
				return n
			}
			byCodes := func(candidates int) []Hit {
				rows := s.candidates(q, Options{}, candidates)
				for i := range rows {
					rows[i].score = s.cosine(q, int(rows[i].row))
				}
				return s.best(q, rows, k)
			}
			exact := s.Nearest(q, Options{Limit: k, Exact: true})
			packed += count(exact)
			clear(best)
			for _, h := range exact {
				best[h.Chunk] = true
			}
			chosen += count(byCodes(wanted(len(rows), k)))
			few += count(byCodes(max(len(rows)/candidateShare, 20*k)))
		}
		share := func(n int) float64 { return float64(n) / float64(k*len(queries)) }
		t.Logf("%s, %d rows: %.4f packed, %.4f by codes, %.4f by codes and few candidates",
			c.name, len(rows), share(packed), share(chosen), share(few))
		if share(packed) < 0.98 || share(chosen) < 0.99 || share(few) < 0.93 {
			t.Errorf("%s: %.4f packed, %.4f by codes, %.4f by codes and few candidates", c.name, share(packed), share(chosen), share(few))
		}
	}
}
