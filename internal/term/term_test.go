package term_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/openhuman/openhuman-core/internal/term"
	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":     "plain\ttext\n",
		"\x1b[2Jgone":       `\x1b[2Jgone`,
		"bell\a back\b\r\n": `bell\x07 back\x08\x0d` + "\n",
		"\u009b31m":         `\x9b31m`,
		"evil\u202etxt.exe": `evil\u202etxt.exe`,
		"zero\u200bwidth":   `zero\u200bwidth`,
		"tag\U000e0041":     `tag\U000e0041`,
		"bad\xffbyte":       `bad\xffbyte`,
		"replaced \ufffd":   "replaced \ufffd",
		"会议👩‍👩‍👧":           "会议👩‍👩‍👧",
		"\x7f":              `\x7f`,
		"line\u2028sep":     `line\u2028sep`,
		"می\u200cخواهم":     "می\u200cخواهم",
	} {
		if got := term.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"exactly ten", 11, "exactly ten"},
		{"something longer", 8, "somethi…"},
		{"我们在里斯本开会", 16, "我们在里斯本开会"},
		{"我们在里斯本开会", 8, "我们在…"},
		{"我们在里斯本开会", 7, "我们在…"},
		{"👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5, "👩‍👩‍👧👩‍👩‍👧…"},
		{"anything", 0, "anything"},
		{"anything", 1, "…"},
	} {
		if got := term.Cut(c.in, c.width); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	got := term.Wrap("the quick brown fox 跳过懒狗 and runs away", 10, 3)
	want := []string{"the quick", "brown fox", "跳过懒狗…"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
}

// Whatever the text, nothing is wider than asked for, and nothing acts on a terminal.
func TestFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := term.Line(rapid.String().Draw(t, "s"))
		width := rapid.IntRange(2, 40).Draw(t, "width")
		if c := term.Cut(s, width); term.Width(c) > width {
			t.Fatalf("Cut(%q, %d) takes %d columns: %q", s, width, term.Width(c), c)
		}
		for _, line := range term.Wrap(s, width, 4) {
			if term.Width(line) > width {
				t.Fatalf("%q is wider than %d", line, width)
			}
		}
		for _, r := range s {
			if unicode.IsControl(r) {
				t.Fatalf("%q holds %U", s, r)
			}
		}
	})
}

func TestTable(t *testing.T) {
	var b strings.Builder
	table := term.Table{Head: []string{"SOURCE", "CHUNKS", "WHAT"}, Right: []int{1}, Wide: 2}
	table.Row("slack:#eng", "12", "all about\nthe release")
	table.Row("笔记:工作", "1234", "a\x1b[31mred")
	if err := table.Write(&b, 34); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"SOURCE      CHUNKS  WHAT\n" +
		"slack:#eng      12  all about the…\n" +
		"笔记:工作     1234  a\\x1b[31mred\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
