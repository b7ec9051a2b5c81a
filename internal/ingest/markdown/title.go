package markdown

import "strings"

// maxTitle bounds a title in bytes.
const maxTitle = 300

// firstHeading returns the text of the first heading of the first rank in body, or "".
func firstHeading(body string) string {
	fence := ""
	prev := ""
	for line := range strings.SplitSeq(body, "\n") {
		t := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(t, fence) {
				fence = ""
			}
			t = ""
		case strings.HasPrefix(t, "```"), strings.HasPrefix(t, "~~~"):
			fence, t = t[:3], ""
		case indented(line):
			t = ""
		case strings.HasPrefix(t, "# "), strings.HasPrefix(t, "#\t"):
			h := strings.TrimSpace(t[1:])
			if i := strings.LastIndexByte(h, ' '); i >= 0 && strings.Trim(h[i+1:], "#") == "" {
				h = h[:i] // a closing sequence
			}
			if h = plainTitle(h); h != "" {
				return h
			}
		case len(t) >= 2 && strings.Trim(t, "=") == "" && prev != "":
			if h := plainTitle(prev); h != "" {
				return h
			}
		}
		prev = t
	}
	return ""
}

// indented reports whether line is indented like code.
func indented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}

// plainTitle takes the markup off a title: links show their text, emphasis goes.
func plainTitle(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if strings.HasPrefix(s[i:], "[[") {
			if end := strings.Index(s[i:], "]]"); end > 0 {
				in := s[i+2 : i+end]
				if _, alias, ok := strings.Cut(in, "|"); ok {
					in = alias
				}
				b.WriteString(in)
				i += end + 2
				continue
			}
		}
		if s[i] == '[' {
			if text, length, ok := inlineLink(s[i:]); ok {
				b.WriteString(text)
				i += length
				continue
			}
		}
		switch {
		case strings.HasPrefix(s[i:], "**"), strings.HasPrefix(s[i:], "__"), strings.HasPrefix(s[i:], "~~"), strings.HasPrefix(s[i:], "=="):
			i += 2
		case s[i] == '`':
			i++
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	t := oneLine(strings.Trim(oneLine(b.String()), "*_"))
	if len(t) > maxTitle {
		t = strings.ToValidUTF8(t[:maxTitle], "")
		if i := strings.LastIndexByte(t, ' '); i > maxTitle/2 {
			t = t[:i]
		}
	}
	return t
}

// inlineLink reads [text](target) at the start of s.
func inlineLink(s string) (text string, length int, ok bool) {
	end := strings.IndexByte(s, ']')
	if end < 0 || end+1 >= len(s) || s[end+1] != '(' {
		return "", 0, false
	}
	target := strings.IndexByte(s[end:], ')')
	if target < 0 {
		return "", 0, false
	}
	return s[1:end], end + target + 1, true
}
