package mail

import (
	"strings"

	"github.com/openhuman/openhuman-core/internal/charset"
)

// decodeWords decodes the encoded words of RFC 2047 wherever they stand, in every sloppy form: inside
// quotes and words, with blanks in them, cut inside a character, with a language, without padding,
// twice encoded.
func decodeWords(s string) string {
	for range 3 {
		if !strings.Contains(s, "=?") {
			return s
		}
		t := decodeWordsOnce(s)
		if t == s {
			return s
		}
		s = t
	}
	return s
}

func decodeWordsOnce(s string) string {
	var out strings.Builder
	var run []byte // bytes of adjacent words in one charset, decoded together
	label := ""
	flush := func() {
		if len(run) > 0 {
			text, _ := charset.Decode(run, label)
			out.WriteString(text)
			run = run[:0]
		}
	}
	decoded := false
	for s != "" {
		i := strings.Index(s, "=?")
		if i < 0 {
			break
		}
		cs, b, rest, ok := encodedWord(s[i:])
		if !ok {
			flush()
			out.WriteString(s[:i+2])
			s, decoded = s[i+2:], false
			continue
		}
		// Blanks between two encoded words are not part of the text.
		if !decoded || strings.Trim(s[:i], " \t\r\n") != "" {
			flush()
			out.WriteString(s[:i])
		}
		if !strings.EqualFold(cs, label) {
			flush()
			label = cs
		}
		run = append(run, b...)
		s, decoded = rest, true
	}
	flush()
	out.WriteString(s)
	return out.String()
}

// encodedWord parses the encoded word at the start of s.
func encodedWord(s string) (label string, b []byte, rest string, ok bool) {
	cs, tail, ok := strings.Cut(s[2:], "?")
	cs = strings.TrimSpace(cs)
	if !ok || cs == "" || len(cs) > 60 || strings.ContainsAny(cs, " \t=<>@\"") {
		return "", nil, "", false
	}
	enc, tail, ok := strings.Cut(tail, "?")
	enc = strings.TrimSpace(enc)
	if !ok || len(enc) != 1 {
		return "", nil, "", false
	}
	end := strings.Index(tail, "?=")
	// "=?utf-8?Q?=?=" and "?==": an equals sign of the text may stand right after the question mark.
	for end >= 0 && end+4 <= len(tail) && (enc == "Q" || enc == "q") && unhex(tail[end+2]) >= 0 && unhex(tail[end+3]) >= 0 {
		next := strings.Index(tail[end+2:], "?=")
		if next < 0 || strings.Contains(tail[end+2:end+2+next], "=?") {
			break
		}
		end += 2 + next
	}
	if end < 0 {
		// Cut off: take what is there when it is one word.
		end = strings.IndexAny(tail, " \t\r\n")
		if end < 0 {
			end = len(tail)
		}
		rest = tail[end:]
	} else {
		rest = tail[end+2:]
	}
	text := tail[:end]
	switch enc {
	case "B", "b":
		return cs, decodeBase64([]byte(text)), rest, true
	case "Q", "q":
		return cs, decodeQ(text), rest, true
	}
	return "", nil, "", false
}

func decodeQ(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '_':
			out = append(out, ' ')
		case c == '=' && i+2 < len(s) && unhex(s[i+1]) >= 0 && unhex(s[i+2]) >= 0:
			out = append(out, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
		default:
			out = append(out, c)
		}
	}
	return out
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
