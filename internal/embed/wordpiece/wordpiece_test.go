package wordpiece_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/embed/vocab"
	"github.com/openhuman/openhuman-core/internal/embed/wordpiece"
)

func open(t testing.TB) *wordpiece.Vocab {
	t.Helper()
	v, err := vocab.Open()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestTokensAreTheReference compares with what the model's own tokenizer makes of the texts (see
// datagen/README.md).
func TestTokensAreTheReference(t *testing.T) {
	v := open(t)
	b, err := os.ReadFile("testdata/tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text string
		IDs  []int32
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 60 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		got := []int32{v.CLS()}
		for _, tok := range v.Encode(c.Text) {
			got = append(got, tok.ID)
		}
		got = append(got, v.SEP())
		if diff := cmp.Diff(c.IDs, got); diff != "" {
			t.Errorf("%.60q:\n%s", c.Text, diff)
		}
	}
}

func TestEncode(t *testing.T) {
	v := open(t)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"Unaffable Straße", "una ##ffa ##ble st ##raße"},
		{"ΟΔΟΣ σς", "ο ##δ ##ο ##σ σ ##ς"},
		{"[CLS] [SEP]", "[ cl ##s ] [ sep ]"},
		{"a\x00b\x07c\u200bd", "abc ##d"},
		{"ing ##ing", "ing # # ing"},
		{"\xff\xfea", "a"},
		{strings.Repeat("漢", 3), "漢 漢 漢"},
		{strings.Repeat("x", 101), "[UNK]"},
		{"각", "ᄀ ##ᅡ ##ᆨ"},
	} {
		var got []string
		for _, tok := range v.Encode(c.text) {
			got = append(got, v.Token(tok.ID))
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%.40q: %q, want %q", c.text, g, c.want)
		}
	}
}

func TestOffsets(t *testing.T) {
	v := open(t)
	const text = "  Café-au-lait,\t你好 unaffable"
	var got []string
	for _, tok := range v.Encode(text) {
		got = append(got, text[tok.Start:tok.End])
	}
	// A word of several pieces is there once for each.
	want := []string{"Café", "-", "au", "-", "lai", "t", ",", "你", "好", "unaffable", "unaffable", "unaffable"}
	want = append(want[:4], append([]string{"lait", "lait"}, want[6:]...)...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// check holds what is true of any text.
func check(t interface{ Fatalf(string, ...any) }, v *wordpiece.Vocab, text string) {
	end, start := 0, 0
	for i, tok := range v.Encode(text) {
		if int(tok.ID) < 0 || int(tok.ID) >= v.Len() {
			t.Fatalf("%q: token %d has id %d", text, i, tok.ID)
		}
		if tok.Start >= tok.End || tok.End > len(text) {
			t.Fatalf("%q: token %d is at %d…%d of %d", text, i, tok.Start, tok.End, len(text))
		}
		if tok.Start != start && tok.Start < end {
			t.Fatalf("%q: token %d at %d…%d overlaps the word before, which ends at %d", text, i, tok.Start, tok.End, end)
		}
		start, end = tok.Start, tok.End
	}
}

func FuzzEncode(f *testing.F) {
	v := open(f)
	for _, s := range []string{"", "Hello, wörld! 你好 👍🏽", "e\u0301\u0301", "a\x00\xffb\u2028c", "각힣", strings.Repeat("ab", 60), "豈\U0002f800"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, v, text) })
}

// TestJoining says that spaces keep texts apart: tokens of a + " " + b are those of a, then b's.
func TestJoining(t *testing.T) {
	v := open(t)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		check(t, v, a)
		ids := func(s string) (out []int32) {
			for _, tok := range v.Encode(s) {
				out = append(out, tok.ID)
			}
			return out
		}
		if diff := cmp.Diff(append(ids(a), ids(b)...), ids(a+" "+b)); diff != "" {
			t.Fatalf("%q and %q:\n%s", a, b, diff)
		}
	})
}

func TestVocabulary(t *testing.T) {
	v := open(t)
	if v.Len() != 30522 || v.Token(v.CLS()) != "[CLS]" || v.CLS() != 101 || v.SEP() != 102 || v.UNK() != 100 {
		t.Fatalf("%d tokens, CLS %d, SEP %d, UNK %d", v.Len(), v.CLS(), v.SEP(), v.UNK())
	}
	for id := range int32(v.Len()) {
		if s := v.Token(id); s == "" || !utf8.ValidString(s) {
			t.Errorf("token %d is %q", id, s)
		}
	}
	// Each word of the vocabulary that survives cleaning is found as itself.
	for id := int32(1996); id < int32(v.Len()); id++ {
		s := v.Token(id)
		if strings.HasPrefix(s, "##") {
			continue
		}
		if got := v.Encode(s); len(got) == 1 && got[0].ID != id {
			t.Errorf("token %d %q encodes as %d", id, s, got[0].ID)
		}
	}
}

func TestPackRefuses(t *testing.T) {
	if _, err := wordpiece.Pack([]string{"a", "a"}); err == nil {
		t.Error("packed a token twice")
	}
	packed, err := wordpiece.Pack([]string{"[UNK]", "[CLS]", "[SEP]", "a", "##a"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := wordpiece.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Encode("aaa b"); len(got) != 4 || got[0].ID != 3 || got[1].ID != 4 || got[3].ID != 0 {
		t.Errorf("tokens %v", got)
	}
	for n := range packed {
		if n%997 == 0 || n > len(packed)-20 {
			if _, err := wordpiece.Open(packed[:n]); err == nil {
				t.Errorf("opened %d of %d bytes", n, len(packed))
			}
		}
	}
	if noSep, err := wordpiece.Pack([]string{"[UNK]", "[CLS]"}); err != nil {
		t.Error(err)
	} else if _, err := wordpiece.Open(noSep); err == nil {
		t.Error("opened a vocabulary without [SEP]")
	}
}

func BenchmarkEncode(b *testing.B) {
	v := open(b)
	text := strings.Repeat("I went to a support group yesterday and it was powerful; we talked about adoption agencies, ", 6)
	var tokens []wordpiece.Token
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokens = v.AppendTokens(tokens[:0], text)
	}
	b.ReportMetric(float64(len(tokens)), "tokens")
}
