package pdf

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// clean turns the lines of pages into text as it was written: hyphens at line ends go, lines become
// paragraphs again, and what stands on every page (its title, its number) goes. Entries of the table
// of contents become headings where they stand on their pages.
func clean(pages []string, heads []head) []string {
	lines := make([][]string, len(pages))
	words := map[string]bool{} // with a hyphen inside a line
	for i, p := range pages {
		for l := range strings.SplitSeq(fold(p), "\n") {
			l = oneLine(l)
			lines[i] = append(lines[i], l)
			for w := range strings.FieldsSeq(l) {
				if j := strings.IndexByte(w, '-'); j > 0 && j < len(w)-1 && len(words) < 100_000 {
					words[bare(w)] = true
				}
			}
		}
	}
	dropRunning(lines)
	byPage := map[int][]head{}
	for _, h := range heads {
		if h.page >= 0 && h.page < len(pages) {
			byPage[h.page] = append(byPage[h.page], h)
		}
	}
	out := make([]string, len(pages))
	for i, ls := range lines {
		out[i] = paragraphs(ls, words, byPage[i])
	}
	return out
}

// fold makes one character of what fonts have as another: ligatures, presentation forms, radicals,
// letters of formulas. Hyphens that only the layout needs become hyphenMark.
func fold(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\u0002' || r == '\ufffe' || r == '\u00ad':
			b.WriteRune(hyphenMark)
		case r == '\r' || r == '\u200b' || r == '\ufeff' || r == 0:
		case r == '\u2028' || r == '\u2029' || r == '\f' || r == '\v':
			b.WriteByte('\n')
		case r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0:
		case r == '\u00a0' || r >= '\u2000' && r <= '\u200a' || r == '\u202f':
			b.WriteByte(' ')
		case r >= 0xfb00 && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc || r >= 0x2e80 && r <= 0x2fdf || r >= 0xf900 && r <= 0xfaff || r >= 0x1d400 && r <= 0x1d7ff:
			b.WriteString(norm.NFKC.String(string(r)))
		case r >= 0xe000 && r <= 0xf8ff: // of a font's own
		default:
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// hyphenMark stands for a hyphen that the layout has put in; it never stays in a text.
const hyphenMark = '\u00ad'

// bare returns a word in lower case without the marks around it.
func bare(w string) string {
	return strings.ToLower(strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

// dropRunning takes out the first and last lines that most pages share, but for their numbers when they
// are short, and lines that are nothing but the number of their page.
func dropRunning(pages [][]string) {
	for range 2 { // a header may have two lines
		shared(pages)
	}
	for i, ls := range pages {
		at := edges(ls)
		if len(at) < 2 {
			continue
		}
		for _, k := range at {
			if ls[k] == strconv.Itoa(i+1) {
				ls[k] = ""
			}
		}
	}
}

func shared(pages [][]string) {
	if len(pages) < 3 {
		return
	}
	const short = 60 // of a line in which only numbers differ, in bytes
	key := func(l string) string {
		if len(l) > short {
			return l
		}
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return '#'
			}
			return unicode.ToLower(r)
		}, l)
	}
	count := map[string]int{}
	full := 0
	for _, ls := range pages {
		at := edges(ls)
		if len(at) > 0 {
			full++
		}
		for i, k := range at {
			if i == 0 || key(ls[k]) != key(ls[at[0]]) {
				count[key(ls[k])]++
			}
		}
	}
	for _, ls := range pages {
		at := edges(ls)
		for _, k := range at {
			if n := count[key(ls[k])]; len(at) == 2 && n >= 3 && n*2 > full && len(ls[k]) <= 150 {
				ls[k] = ""
			}
		}
	}
}

// edges returns where the first and the last line with text are.
func edges(ls []string) []int {
	var out []int
	for i := range ls {
		if ls[i] != "" {
			out = append(out, i)
			break
		}
	}
	for i := len(ls) - 1; i >= 0; i-- {
		if ls[i] != "" {
			if i != out[0] {
				out = append(out, i)
			}
			break
		}
	}
	return out
}

// paragraphs joins the lines of a page. A line that is much shorter than others ends a paragraph.
func paragraphs(ls []string, words map[string]bool, heads []head) string {
	var lengths []int
	for _, l := range ls {
		if n := utf8.RuneCountInString(l); n > 0 {
			lengths = append(lengths, n)
		}
	}
	if len(lengths) == 0 {
		return ""
	}
	slices.Sort(lengths)
	long := lengths[(len(lengths)-1)*9/10]
	var b bytes.Buffer
	prev := "" // the line before, "" at the start of a paragraph
	for _, l := range ls {
		if l == "" {
			if prev != "" {
				prev = ""
				b.WriteString("\n\n")
			}
			continue
		}
		if h := heading(l, &heads); h > 0 {
			if b.Len() > 0 && prev != "" {
				b.WriteString("\n\n")
			}
			b.WriteString(strings.Repeat("#", min(h, 6)) + " " + strings.ReplaceAll(l, string(hyphenMark), "") + "\n\n")
			prev = ""
			continue
		}
		if prev != "" {
			join(&b, prev, l, long, words)
		}
		b.WriteString(l)
		prev = l
	}
	return strings.TrimSpace(unmark(b.String(), words))
}

// unmark replaces the marks inside lines, where the reader has joined two: by a hyphen where the word
// has one elsewhere, or is a name, else by nothing.
func unmark(s string, words map[string]bool) string {
	if !strings.ContainsRune(s, hyphenMark) {
		return s
	}
	inner := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, string(hyphenMark))
		b.WriteString(before)
		if !found {
			return b.String()
		}
		first, _ := utf8.DecodeRuneInString(after)
		last, _ := utf8.DecodeLastRuneInString(before)
		if unicode.IsLetter(last) && unicode.IsLetter(first) {
			from := before[max(0, len(before)-100):]
			from = from[strings.LastIndexFunc(from, inner)+1:]
			to := after[:min(len(after), 100)]
			if i := strings.IndexFunc(to, inner); i >= 0 {
				to = to[:i]
			}
			if !unicode.IsLower(first) || words[strings.ToLower(from+"-"+to)] {
				b.WriteByte('-')
			}
		}
		s = after
	}
}

// heading reports the level of the entry that a line is, and takes the entry away.
func heading(l string, heads *[]head) int {
	want := key(l)
	if want == "" {
		return 0
	}
	for i, h := range *heads {
		if key(h.title) == want {
			*heads = slices.Delete(slices.Clone(*heads), i, i+1)
			return h.level
		}
	}
	return 0
}

// key is a line without blanks, numbers and marks, as a heading is compared.
func key(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, fold(s))
}

// join writes what stands between two lines: nothing, a blank, or a line end. b ends with prev.
func join(b *bytes.Buffer, prev, next string, long int, words map[string]bool) {
	last, _ := utf8.DecodeLastRuneInString(prev)
	first, _ := utf8.DecodeRuneInString(next)
	n := utf8.RuneCountInString(prev)
	switch {
	case starts(next):
		b.WriteByte('\n')
	case (last == hyphenMark || last == '-' || last == '\u2010') && (unicode.IsLetter(first) || unicode.IsDigit(first)) && n > 1:
		before, _ := utf8.DecodeLastRuneInString(strings.TrimSuffix(prev, string(last)))
		head := prev[strings.LastIndexByte(prev, ' ')+1:]
		tail, _, _ := strings.Cut(next, " ")
		whole := strings.TrimRight(head, string(hyphenMark)+"-\u2010") + "-" + tail
		b.Truncate(b.Len() - utf8.RuneLen(last))
		if !unicode.IsLetter(before) || !unicode.IsLower(first) || words[bare(whole)] {
			b.WriteByte('-') // a hyphen of the word
		}
	case n*10 < long*6 && ended(last):
		b.WriteString("\n\n")
	case n*10 < long*6:
		b.WriteByte('\n')
	case wide(last) && wide(first):
	default:
		b.WriteByte(' ')
	}
}

// starts reports whether a line begins something of its own: an item of a list.
func starts(l string) bool {
	for _, p := range []string{"- ", "• ", "* ", "– ", "▪ ", "◦ ", "● ", "‣ ", "■ ", "o "} {
		if strings.HasPrefix(l, p) {
			return true
		}
	}
	n := 0
	for n < len(l) && l[n] >= '0' && l[n] <= '9' {
		n++
	}
	return n > 0 && n < 4 && n+1 < len(l) && (l[n] == '.' || l[n] == ')') && l[n+1] == ' '
}

// ended reports whether a paragraph may end with r.
func ended(r rune) bool { return strings.ContainsRune(".!?:;…。！？」”\"'’)", r) }

// wide reports whether r is of a script without blanks between words.
func wide(r rune) bool {
	return r >= 0x2e80 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff || r >= 0xff01 && r <= 0xff60 || r >= 0x20000 && r <= 0x3ffff
}
