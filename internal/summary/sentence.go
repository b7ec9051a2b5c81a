package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A span is a sentence in a text.
type span struct {
	start, end int
	author     string // "Ann: ", of a chat, when the span does not hold it itself
	weight     float64
}

// What a line is worth by its form.
const (
	inHeading = 0.25
	inTable   = 0.1
	inQuote   = 0.3
)

// wrapped is how long a line is at least when its end is no end of a sentence: where mail programs
// and editors break lines.
const wrapped = 50

// sentences cuts the text of a passage. Code is left out.
func sentences(p *Passage) []span {
	var out []span
	block := struct {
		start, end int // of lines that belong together
		line       int // runes of the last
		weight     float64
		author     string
		open       bool
	}{}
	flush := func() {
		if block.open {
			out = appendSentences(out, p.Text, block.start, block.end, block.author, block.weight)
		}
		block.open = false
	}
	author, fence := "", false
	for at := 0; at < len(p.Text); {
		end := len(p.Text)
		if i := strings.IndexByte(p.Text[at:], '\n'); i >= 0 {
			end = at + i
		}
		line := p.Text[at:end]
		start := at
		at = end + 1
		begins := false
		if p.Chat {
			if name, n := speaker(line, p.Authors); n > 0 {
				flush()
				// The name is shown before every sentence of the message.
				author, begins = name+": ", true
				start += n
				line = line[n:]
			}
		}
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			flush()
			fence = !fence
			continue
		}
		if trimmed == "" || fence {
			flush()
			continue
		}
		mark, weight, own := marker(trimmed)
		start += strings.Index(line, trimmed) + mark
		stop := start + len(trimmed) - mark
		if start >= stop {
			flush()
			continue
		}
		if block.open && !own && !begins && !p.Chat && block.weight == weight && block.line >= wrapped {
			block.end, block.line = stop, utf8.RuneCountInString(trimmed)
			continue
		}
		flush()
		block.open, block.start, block.end = true, start, stop
		block.line, block.weight, block.author = utf8.RuneCountInString(trimmed), weight, author
		if weight == inHeading {
			block.line = 0
		}
	}
	flush()
	return out
}

// speaker returns the name that a line of a chat begins with and how many bytes it takes with what
// parts it from the text.
func speaker(line, authors string) (name string, n int) {
	for i := 0; ; {
		k := strings.Index(line[i:], ": ")
		if k < 0 {
			if !strings.HasSuffix(line, ":") {
				return "", 0
			}
			k = len(line) - 1 - i
		}
		i += k
		if strings.Contains(", "+authors+", ", ", "+line[:i]+", ") && i > 0 {
			return line[:i], min(i+2, len(line))
		}
		if i += 2; i >= len(line) || i > 200 {
			return "", 0
		}
	}
}

// marker returns how many bytes of a trimmed line only say what kind of line it is, what the rest is
// worth, and whether the line stands for itself.
func marker(line string) (n int, weight float64, own bool) {
	switch c := line[0]; {
	case c == '#':
		n = len(line) - len(strings.TrimLeft(line, "#"))
		if n > 6 || n == len(line) || line[n] != ' ' { // a hashtag
			return 0, 1, false
		}
		return n + 1, inHeading, true
	case c == '|':
		return 0, inTable, true
	case c == '>':
		return len(line) - len(strings.TrimLeft(line, "> ")), inQuote, false
	case (c == '-' || c == '*' || c == '+') && strings.HasPrefix(line[1:], " "):
		line = line[2:]
		for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
			if strings.HasPrefix(line, box) {
				return 2 + len(box), 1, true
			}
		}
		return 2, 1, true
	case c >= '0' && c <= '9':
		d := len(line) - len(strings.TrimLeft(line, "0123456789"))
		if d <= 3 && len(line) > d+1 && (line[d] == '.' || line[d] == ')') && line[d+1] == ' ' {
			return d + 2, 1, true
		}
	case strings.HasPrefix(line, "• "):
		return len("• "), 1, true
	}
	return 0, 1, false
}

// appendSentences cuts s[start:end], which has no blank line inside.
func appendSentences(out []span, s string, start, end int, author string, weight float64) []span {
	begin := start
	emit := func(to int) {
		from := begin
		begin = to
		for from < to {
			r, size := utf8.DecodeRuneInString(s[from:to])
			if !unicode.IsSpace(r) {
				break
			}
			from += size
		}
		to = from + len(strings.TrimRightFunc(s[from:to], unicode.IsSpace))
		if from < to {
			out = append(out, span{from, to, author, weight})
		}
	}
	quoted := start // where the quotation ends that i stands in
	before := rune(0)
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(s[i:end])
		last := before
		i += size
		before = r
		if i > quoted {
			quoted = max(quoted, i+quotation(r, s[i:end]))
		}
		wide := r == '。' || r == '！' || r == '？' || r == '｡' || r == '．' && !unicode.IsDigit(last)
		if !wide && r != '.' && r != '!' && r != '?' && r != '…' {
			continue
		}
		// What belongs to the end: more stops, closing marks.
		stop := i
		for stop < end {
			n, size := utf8.DecodeRuneInString(s[stop:end])
			if !strings.ContainsRune(".!?…。！？｡\"'”’»)]}」』）】》", n) {
				break
			}
			wide = wide || n == '。' || n == '！' || n == '？'
			before = n
			stop += size
		}
		next, _ := utf8.DecodeRuneInString(s[stop:end])
		switch {
		case stop == end:
		case stop < quoted, goesOn(before, next):
			continue
		case wide, r != '…' && isWide(last) && isWide(next):
		case !unicode.IsSpace(next):
			continue
		case r == '.' && stop == i && abbreviated(s[begin:i-1]):
			continue
		default:
			after, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s[stop:end], unicode.IsSpace))
			if unicode.IsLower(after) {
				continue
			}
		}
		emit(stop)
		i = stop
	}
	emit(end)
	return out
}

// longestQuote is how many characters a quotation has at most that stays in one piece.
const longestQuote = 80

// quotation returns how many bytes of s a quotation in Chinese or Japanese takes with its closing mark
// when r, before s, opens one; else 0.
func quotation(r rune, s string) int {
	opening := strings.Index("「『“《（", string(r))
	if opening < 0 {
		return 0
	}
	closing := []rune("」』”》）")[opening/len("「")]
	depth, runes := 1, 0
	for i, c := range s {
		if r == '“' && runes == 0 && !isWide(c) {
			return 0 // curly quotation marks are those of English too
		}
		switch c {
		case r:
			depth++
		case closing:
			if depth--; depth == 0 {
				return i + utf8.RuneLen(closing)
			}
		}
		if runes++; runes > longestQuote {
			break
		}
	}
	return 0
}

// goesOn reports whether what follows an end or a closing mark belongs to the same sentence: what a comma
// parts from it, after a title, and before the particle that makes a quotation a part of a Japanese sentence.
func goesOn(closing, next rune) bool {
	if strings.ContainsRune("，、；：,;:", next) {
		return true
	}
	switch closing {
	case '》':
		return !unicode.IsSpace(next)
	case '」', '』':
		return strings.ContainsRune("とってはがをにもので", next)
	}
	return false
}

// isWide reports whether r is of a script that is written without spaces.
func isWide(r rune) bool { return r >= 0x2E80 && unicode.IsLetter(r) }

// abbreviated reports whether a full stop after s most likely ends no sentence.
func abbreviated(s string) bool {
	i := strings.LastIndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '.' })
	w := s[i+1:]
	if i >= 0 {
		_, size := utf8.DecodeRuneInString(s[i:])
		w = s[i+size:]
	}
	switch strings.ToLower(w) {
	case "mr", "mrs", "ms", "dr", "prof", "st", "no", "nr", "vs", "etc", "ca", "cf", "approx", "inc", "ltd", "e.g", "i.e", "z.b", "d.h",
		"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "fig", "ref", "dept", "est", "gen", "jr", "sr":
		return true
	}
	r, size := utf8.DecodeRuneInString(w)
	return size == len(w) && size > 0 && unicode.IsUpper(r) // an initial
}
