package mail

import (
	"bytes"
	"strings"
)

// base64Values maps the alphabets of RFC 4648, both of them, to their values; 255 is no digit.
func base64Value(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+' || c == '-':
		return 62
	case c == '/' || c == '_':
		return 63
	}
	return -1
}

// decodeBase64 decodes what can be decoded: foreign characters are skipped, padding in the middle
// starts anew, a cut end is dropped.
func decodeBase64(b []byte) []byte {
	out := make([]byte, 0, len(b)*3/4+3)
	var acc uint32
	n := 0
	for _, c := range b {
		if c == '=' {
			switch n {
			case 2:
				out = append(out, byte(acc>>4))
			case 3:
				out = append(out, byte(acc>>10), byte(acc>>2))
			}
			acc, n = 0, 0
			continue
		}
		v := base64Value(c)
		if v < 0 {
			continue
		}
		acc = acc<<6 | uint32(v)
		if n++; n == 4 {
			out = append(out, byte(acc>>16), byte(acc>>8), byte(acc))
			acc, n = 0, 0
		}
	}
	switch n {
	case 2:
		out = append(out, byte(acc>>4))
	case 3:
		out = append(out, byte(acc>>10), byte(acc>>2))
	}
	return out
}

// looksBase64 reports whether b is long, unbroken base64 rather than text.
func looksBase64(b []byte) bool {
	b = bytes.TrimSpace(b)
	if len(b) < 60 {
		return false
	}
	// The lines of an encoder are of equal length and have no blanks.
	first, _ := cutLine(b)
	width := len(bytes.TrimRight(first, "\r\n"))
	if width < 40 && width < len(b) {
		return false
	}
	lines, upper, lower, digit := 0, false, false, false
	for rest := b; len(rest) > 0 && lines < 100; lines++ {
		var line []byte
		line, rest = cutLine(rest)
		line = bytes.TrimRight(line, "\r\n")
		if len(line) != width && len(rest) > 0 {
			return false
		}
		for _, c := range line {
			if base64Value(c) < 0 && c != '=' {
				return false
			}
			upper = upper || c >= 'A' && c <= 'Z'
			lower = lower || c >= 'a' && c <= 'z'
			digit = digit || c >= '0' && c <= '9'
		}
	}
	return upper && lower && digit
}

// decodeQuotedPrintable decodes RFC 2045 6.7; wrong escapes stay as they are.
func decodeQuotedPrintable(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		line, rest := cutLine(b)
		body := bytes.TrimRight(line, "\r\n")
		end := line[len(body):]
		body = bytes.TrimRight(body, " \t")
		b = rest
		soft := false
		for {
			i := bytes.IndexByte(body, '=')
			if i < 0 {
				out = append(out, body...)
				break
			}
			out = append(out, body[:i]...)
			body = body[i+1:]
			switch {
			case len(body) == 0:
				soft = true
			case len(body) >= 2 && unhex(body[0]) >= 0 && unhex(body[1]) >= 0:
				out = append(out, byte(unhex(body[0])<<4|unhex(body[1])))
				body = body[2:]
			default:
				out = append(out, '=')
			}
			if len(body) == 0 {
				break
			}
		}
		if !soft {
			out = append(out, end...)
		}
	}
	return out
}

// decodeUU decodes the first uuencoded block of b.
func decodeUU(b []byte) []byte {
	var out []byte
	inside := false
	for len(b) > 0 {
		var line []byte
		line, b = cutLine(b)
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case !inside:
			inside = uuBegin(line)
		case bytes.Equal(line, []byte("end")):
			return out
		case len(line) > 1:
			n := int(line[0]-' ') & 63
			for line = line[1:]; n > 0 && len(line) > 1; n -= 3 {
				var q [4]byte
				copy(q[:], line)
				for i := range q {
					q[i] = (q[i] - ' ') & 63
				}
				three := []byte{q[0]<<2 | q[1]>>4, q[1]<<4 | q[2]>>2, q[2]<<6 | q[3]}
				out = append(out, three[:min(n, 3)]...)
				line = line[min(4, len(line)):]
			}
		}
	}
	return out
}

func uuBegin(line []byte) bool {
	return len(line) > 10 && bytes.HasPrefix(line, []byte("begin ")) && line[9] == ' ' &&
		line[6] >= '0' && line[6] <= '7' && line[7] >= '0' && line[7] <= '7' && line[8] >= '0' && line[8] <= '7'
}

// decodeTransfer undoes a content transfer encoding. Unknown encodings are taken as none.
func decodeTransfer(b []byte, encoding string) []byte {
	encoding = strings.ToLower(strings.Trim(stripComment(encoding), " \t\"';"))
	switch encoding {
	case "base64", "base-64", "b64", "b":
		if !mostlyBase64(b) {
			return b // labelled base64, but plain text
		}
		return decodeBase64(b)
	case "quoted-printable", "quotedprintable", "qp", "q", "quoted-printabel":
		return decodeQuotedPrintable(b)
	case "x-uuencode", "uuencode", "x-uue", "uue":
		if out := decodeUU(b); len(out) > 0 {
			return out
		}
	}
	return b
}

// mostlyBase64 reports whether the start of b has few characters, and hardly any blanks inside its
// lines, that base64 does not have.
func mostlyBase64(b []byte) bool {
	b = bytes.TrimSpace(b[:min(len(b), 4096)])
	foreign, blanks := 0, 0
	for _, c := range b {
		switch {
		case c == ' ' || c == '\t':
			blanks++
		case base64Value(c) < 0 && c != '=' && c != '\r' && c != '\n':
			foreign++
		}
	}
	lines := bytes.Count(b, []byte{'\n'}) + 1
	return foreign*8 <= len(b)+8 && blanks <= 2*lines
}
