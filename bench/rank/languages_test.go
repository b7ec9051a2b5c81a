package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A triple is a text and a question to it in three languages.
type triple struct {
	ID        string `json:"id"`
	English   string `json:"en"`
	Chinese   string `json:"zh"`
	Japanese  string `json:"ja"`
	InEnglish string `json:"q_en"`
	InChinese string `json:"q_zh"`
	InJapan   string `json:"q_ja"`
}

func (t *triple) texts() map[string]string {
	return map[string]string{"en": t.English, "zh": t.Chinese, "ja": t.Japanese}
}

func (t *triple) questions() map[string]string {
	return map[string]string{"en": t.InEnglish, "zh": t.InChinese, "ja": t.InJapan}
}

func readTriples(t *testing.T, path string) (list []triple) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var x triple
		if err := json.Unmarshal(s.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	return list
}

// A question in one language finds the text in another, among all texts of all three languages: the
// same text in the other languages is left out of the ranking. "mixed" asks in one language for texts
// half of which are in it.
func TestLanguages(t *testing.T) {
	m, err := loadModels()
	if err != nil {
		t.Fatal(err)
	}
	const dir = "../../testdata/rank/xling"
	triples := readTriples(t, filepath.Join(dir, "triples.jsonl"))
	lines, err := readLines(filepath.Join(dir, "distractors.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(triples) < 100 || len(lines) < 2000 {
		t.Fatalf("%d triples among %d others", len(triples), len(lines))
	}
	for i := range triples {
		for _, lang := range []string{"en", "ja", "zh"} {
			lines = append(lines, line{ID: triples[i].ID + lang, Text: triples[i].texts()[lang]})
		}
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "set.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeDocuments(f, lines); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	mem, err := newMemory(t.Context(), m, "all", f.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	got := map[string]result{}
	ask := func(set, id, question, lang string) {
		rows, _, err := mem.ask(t.Context(), "recall", question, 14)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range rows {
			found := strings.TrimPrefix(r.SourceRef, "id:")
			if twin := len(found) > 2 && found[:len(found)-2] == id; (!twin || found == id+lang) && len(ids) < 10 {
				ids = append(ids, found)
			}
		}
		r := got[set]
		r.add(1 + slices.Index(ids, id+lang))
		got[set] = r
	}
	for i := range triples {
		x := &triples[i]
		for _, set := range []string{"en-en", "zh-zh", "en-zh", "zh-en", "ja-ja", "en-ja", "ja-en"} {
			ask(set, x.ID, x.questions()[set[:2]], set[3:])
		}
		ask("mixed zh", x.ID, x.InChinese, []string{"zh", "en"}[i%2])
		ask("mixed ja", x.ID, x.InJapan, []string{"ja", "en"}[i%2])
	}
	for set, r := range got {
		got[set] = r.mean()
	}
	checkNotWorse(t, filepath.Join(dir, "golden.json"), report{"recall": got})
}
