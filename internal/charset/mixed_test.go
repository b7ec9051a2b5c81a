package charset_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/openhuman/openhuman-core/internal/charset"
)

// A file of lines in UTF-8 and in another set is read line by line, whichever comes first.
func TestDecodeLinesOfTwoSets(t *testing.T) {
	for name, c := range unlabelled {
		for i, enc := range c.encs {
			lines := strings.Join(c.texts, "\n") + "\n"
			b, err := enc.NewEncoder().Bytes([]byte(lines))
			if err != nil {
				t.Fatal(err)
			}
			if charset.Guess(b) == "iso-2022-jp" {
				continue // seven bits: nothing in it is not UTF-8
			}
			for _, in := range []string{string(b) + lines, lines + string(b), "plain\n" + string(b) + "plain\n" + lines + string(b)} {
				want := strings.ReplaceAll(in, string(b), lines)
				if got, certain := charset.Decode([]byte(in), ""); got != want || certain {
					t.Errorf("%s %d: got %q, certain %v; want %q", name, i, got, certain, want)
				}
				if got := charset.Guess([]byte(in)); got != "" {
					t.Errorf("%s %d: Guess is %q", name, i, got)
				}
			}
		}
	}
}

// Words alone on their lines, some of which could be UTF-8, stay in the set of the file.
func TestDecodeShortLinesOfOneSet(t *testing.T) {
	for name, c := range unlabelled {
		for i, enc := range c.encs {
			lines := strings.ReplaceAll(strings.Join(c.texts, "\n"), " ", "\n")
			if name == "Russian" {
				lines += "\nЕё\nЁж\n"
			}
			if strings.HasSuffix(name, "Chinese") {
				lines = strings.Join(strings.Split(lines, ""), "\n")
			}
			b, err := enc.NewEncoder().Bytes([]byte(lines))
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := charset.Decode(b, ""); got != lines {
				t.Errorf("%s %d (%v): got %q, want %q", name, i, enc, got, lines)
			}
		}
	}
}

func TestDecodeMixedLine(t *testing.T) {
	for in, want := range map[string]string{
		"R\xc3\xa9union, caf\xe9 cr\xe8me":                      "Réunion, café crème",
		"R\xc3\xa9union \x93hi\x94 10 \x80":                     "Réunion “hi” 10 €",
		"Die Gr\xc3\xb6\xc3\x9fe der Stra\xdfe":                 "Die Größe der Straße",
		"\xe2\x80\x9cquoted\xe2\x80\x9d caf\xe9":                "“quoted” café",
		"Er sagt \x84Spa\xdf\x93 und \x84Gru\xdf\x94":           "Er sagt „Spaß“ und „Gruß”",
		"CAF\xc9\x92 caf\xe9":                                   "CAFÉ’ café",
		"caf\xc3\xa9 cut \xe4\xbd here":                         "café cut \ufffd here",
		"一二三\xff\xfe四五六七八":                                      "一二三\ufffd四五六七八",
		"Notes\nR\xc3\xa9union\nFr\xfchst\xfcck\n\xc3\xa9t\xe9": "Notes\nRéunion\nFrühstück\nété",
	} {
		for _, label := range []string{"", "utf-8", "x-unknown"} {
			if got, certain := charset.Decode([]byte(in), label); got != want || certain {
				t.Errorf("%q as %q: got %q, certain %v; want %q", in, label, got, certain, want)
			}
		}
	}
	// A label for the rest does not make the lines of UTF-8 wrong.
	latin, _ := charmap.Windows1251.NewEncoder().String(russian)
	if got, _ := charset.Decode([]byte(russian+"\n"+latin), "windows-1251"); got != russian+"\n"+russian {
		t.Errorf("labelled: got %q", got)
	}
}
