package contentline_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/ingest/contentline"
)

// lines writes out the content lines of s, one each.
func lines(t testing.TB, s string) []string {
	t.Helper()
	var out []string
	r := contentline.NewReader(strings.NewReader(s), []byte(s[:min(len(s), 64<<10)]))
	for {
		l, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.ValidString(l.Value) || len(l.Value) > 3*contentline.MaxLine {
			t.Fatalf("value %.100q of %d bytes", l.Value, len(l.Value))
		}
		s := fmt.Sprint(l.Number, " ", strings.TrimPrefix(l.Group+".", "."), l.Name)
		for _, p := range l.Params {
			s += fmt.Sprintf(";%s=%q", p.Name, p.Values)
		}
		if s += fmt.Sprintf(":%q", l.Value); l.Cut {
			s += " cut"
		}
		out = append(out, s)
	}
}

func TestLines(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"folded":                 {"NOTE:one t\r\n wo\r\n\t three\r\nFN:A\r\n", []string{`1 NOTE:"one two three"`, `4 FN:"A"`}},
		"folded in a character":  {"NOTE:K\xc3\r\n \xb6ln\n", []string{`1 NOTE:"Köln"`}},
		"bare line ends":         {"FN:A\nEMAIL:b\n", []string{`1 FN:"A"`, `2 EMAIL:"b"`}},
		"no end":                 {"FN:A", []string{`1 FN:"A"`}},
		"groups":                 {"item1.EMAIL;type=INTERNET;type=pref:a@b.c\nitem1.X-ABLabel:_$!<Other>!$_\n", []string{`1 item1.EMAIL;TYPE=["INTERNET"];TYPE=["pref"]:"a@b.c"`, `2 item1.X-ABLABEL:"_$!<Other>!$_"`}},
		"bare parameters":        {"TEL;HOME;VOICE:1\n", []string{`1 TEL;TYPE=["HOME"];TYPE=["VOICE"]:"1"`}},
		"quoted parameters":      {"ATTENDEE;CN=\"Lee, Ann: it's; her\";ROLE=CHAIR:mailto:a@b.c\n", []string{`1 ATTENDEE;CN=["Lee, Ann: it's; her"];ROLE=["CHAIR"]:"mailto:a@b.c"`}},
		"several values":         {"TEL;TYPE=\"a\",b,c:1\n", []string{`1 TEL;TYPE=["a" "b" "c"]:"1"`}},
		"a quote left open":      {"ATTENDEE;CN=\"Ann:mailto:a@b.c\n", []string{`1 ATTENDEE;CN=["Ann:mailto"]:"a@b.c"`}},
		"carets":                 {"A;CN=Ann ^'the^' Lee^nx ^^:1\n", []string{`1 A;CN=["Ann \"the\" Lee\nx ^"]:"1"`}},
		"quoted-printable":       {"FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=BCrgen=20=\n=57olf=0D=0Aend\nTEL:1\n", []string{`1 FN;CHARSET=["UTF-8"];ENCODING=["QUOTED-PRINTABLE"]:"Jürgen Wolf\nend"`, `3 TEL:"1"`}},
		"quoted, bare":           {"N;QUOTED-PRINTABLE;CHARSET=windows-1251:=C8=E2=E0=ED\n", []string{`1 N;ENCODING=["QUOTED-PRINTABLE"];CHARSET=["windows-1251"]:"Иван"`}},
		"quoted wrongly":         {"N;ENCODING=QUOTED-PRINTABLE:100=% =4", []string{`1 N;ENCODING=["QUOTED-PRINTABLE"]:"100=% =4"`}},
		"binary":                 {"PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ\n SkZJ\nFN:A\n", []string{`1 PHOTO;ENCODING=["b"];TYPE=["JPEG"]:""`, `3 FN:"A"`}},
		"binary in an address":   {"PHOTO:data:image/jpeg;base64,AAAA\n", []string{`1 PHOTO:""`}},
		"never folded":           {"NOTE:first line\nand a second.\n\nA third: with a colon\nhttps://example.org\nFN:A\n", []string{`1 NOTE:"first line\nand a second.\nA third: with a colon\nhttps://example.org"`, `6 FN:"A"`}},
		"blank lines between":    {"END:VCARD\n\n\r\nBEGIN:VCARD\n", []string{`1 END:"VCARD"`, `4 BEGIN:"VCARD"`}},
		"words after an object":  {"END:VCARD\nwords\nBEGIN:VCARD\n", []string{`1 END:"VCARD"`, `3 BEGIN:"VCARD"`}},
		"names in small letters": {"begin:vcard\nfn:A\n", []string{`1 BEGIN:"vcard"`, `2 FN:"A"`}},
		"a mark":                 {"\ufeffBEGIN:VCARD\n", []string{`1 BEGIN:"VCARD"`}},
		"escape codes":           {"FN:A\x1b[2J\x00b\n", []string{`1 FN:"A[2Jb"`}},
		"nothing":                {"\n\n", nil},
		"no value":               {"FN\nwords\n;:\n", nil},
	} {
		if d := cmp.Diff(c.want, lines(t, c.in)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestCharsets(t *testing.T) {
	const in = "BEGIN:VCARD\r\nFN:Jürgen Größe\r\nNOTE:Fährt gern nach Österreich\r\nEND:VCARD\r\n"
	want := lines(t, in)
	latin, err := charmap.ISO8859_1.NewEncoder().String(in)
	if err != nil {
		t.Fatal(err)
	}
	wide := []byte("\xff\xfe")
	for _, u := range utf16.Encode([]rune(in)) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for name, s := range map[string]string{"one byte": latin, "two bytes": string(wide)} {
		if d := cmp.Diff(want, lines(t, s)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if !contentline.Begins([]byte(s), "VCARD") {
			t.Errorf("%s: not known", name)
		}
	}
	for s, known := range map[string]bool{in: true, "\r\n begin:vcard \n": true, "BEGIN:VCALENDAR\n": false, "BEGIN:VCARDS": false, "": false, "FN:A": false} {
		if contentline.Begins([]byte(s), "VCARD") != known {
			t.Errorf("%q: not %v", s, known)
		}
	}
}

func TestLongLine(t *testing.T) {
	got := lines(t, "PHOTO:"+strings.Repeat("x", 3*contentline.MaxLine)+"\nNOTE:"+strings.Repeat("ab\n  ", contentline.MaxLine)+"\nFN:A\n")
	if len(got) != 3 || !strings.HasSuffix(got[0], " cut") || !strings.HasSuffix(got[1], " cut") || got[2] != fmt.Sprintf("%d FN:\"A\"", contentline.MaxLine+3) {
		t.Errorf("%d lines, the last %.40q", len(got), got[len(got)-1])
	}
}

func TestReadError(t *testing.T) {
	damp := errors.New("damp")
	r := contentline.NewReader(io.MultiReader(strings.NewReader("FN:A\nTEL:1"), iotest.ErrReader(damp)), nil)
	for _, want := range []string{"A", "1"} {
		if l, err := r.Next(); err != nil || l.Value != want {
			t.Errorf("%+v, %v", l, err)
		}
	}
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, damp) {
			t.Errorf("err = %v", err)
		}
	}
}

func TestValues(t *testing.T) {
	if d := cmp.Diff([]string{"Lee", "Ann; Mary", "", `a\b,c`, "x\ny"}, contentline.Fields(`Lee;Ann\; Mary;;a\\b\,c;x\ny`, ';')); d != "" {
		t.Error(d)
	}
	for in, want := range map[string]string{`C:\Users\ann`: `C:\Users\ann`, `a\Nb\`: "a\nb\\", "": ""} {
		if got := contentline.Text(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// TestFoldingIsUndone: whatever text is escaped, folded anywhere and read again is the same.
func TestFoldingIsUndone(t *testing.T) {
	escape := strings.NewReplacer(`\`, `\\`, ",", `\,`, ";", `\;`, "\n", `\n`)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("ab \\,;:\nüß漢字😀=\"")), rapid.Rune())).Filter(func(s string) bool {
			return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f || r == utf8.RuneError || r == 0xfeff })
		}).Draw(rt, "text")
		raw := "NOTE:" + escape.Replace(text)
		width := rapid.IntRange(5, 40).Draw(rt, "width")
		var b strings.Builder
		for i := 0; i < len(raw); i += width {
			if i > 0 {
				b.WriteString(rapid.SampledFrom([]string{"\r\n ", "\n\t"}).Draw(rt, "fold"))
			}
			b.WriteString(raw[i:min(len(raw), i+width)])
		}
		b.WriteString("\r\nFN:A\r\n")
		r := contentline.NewReader(strings.NewReader(b.String()), nil)
		l, err := r.Next()
		if err != nil || contentline.Text(l.Value) != text {
			rt.Fatalf("%q, %v; want %q", contentline.Text(l.Value), err, text)
		}
		if l, err = r.Next(); err != nil || l.Name != "FN" {
			rt.Fatalf("then %+v, %v", l, err)
		}
	})
}

func FuzzNext(f *testing.F) {
	for _, s := range []string{"item1.A;B=c,\"d\";E:f\n g\n\nwords\nEND:X", "N;QUOTED-PRINTABLE:=C3=\n =B6", "\xff\xfeB\x00:\x00", "A;\":\":", "A;b=\"", "A;:;:", "begin:vcard\r\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		contentline.Begins(in, "VCARD")
		for _, l := range lines(t, string(in)) {
			if l == "" {
				t.Error("an empty line")
			}
		}
	})
}
