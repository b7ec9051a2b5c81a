package mail

import (
	"strings"
)

// unflow undoes format=flowed (RFC 3676): lines that end in a blank go on in the next line of the
// same quote depth.
func unflow(s string, delSp bool) string {
	var out strings.Builder
	out.Grow(len(s))
	open := false // the line being written goes on
	depth := 0
	for len(s) > 0 {
		line, rest, _ := strings.Cut(s, "\n")
		s = rest
		n := 0
		for n < len(line) && line[n] == '>' {
			n++
		}
		text := strings.TrimPrefix(line[n:], " ")
		if open && (n != depth || text == "-- ") {
			out.WriteByte('\n')
			open = false
		}
		if !open && n > 0 {
			out.WriteString(strings.Repeat(">", n))
			out.WriteByte(' ')
		}
		depth = n
		flowed := strings.HasSuffix(text, " ") && text != "-- "
		if flowed && delSp {
			text = text[:len(text)-1]
		}
		out.WriteString(text)
		open = flowed
		if !flowed {
			out.WriteByte('\n')
		}
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// stripArmour takes the frames of PGP and uuencoded blocks out of a plain text.
func stripArmour(s string) string {
	if !strings.Contains(s, "-----BEGIN PGP ") && !strings.Contains(s, "begin ") {
		return s
	}
	var out []string
	lines := strings.Split(s, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \t")
		switch {
		case line == "-----BEGIN PGP SIGNED MESSAGE-----":
			// Its header ends at the first blank line.
			for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "Hash:") {
				i++
			}
		case strings.HasPrefix(line, "-----BEGIN PGP ") && strings.HasSuffix(line, "-----"):
			end := "-----END" + strings.TrimPrefix(line, "-----BEGIN")
			if j := indexLine(lines[i:], end); j >= 0 {
				i += j
				continue
			}
			out = append(out, lines[i])
		case uuBegin([]byte(line)) && i+1 < len(lines) && uuLine(lines[i+1]):
			i++
			for i < len(lines) && uuLine(lines[i]) {
				i++
			}
			if i >= len(lines) || strings.TrimSpace(lines[i]) != "end" {
				i--
			}
		default:
			out = append(out, lines[i])
		}
	}
	return strings.Join(out, "\n")
}

func indexLine(lines []string, want string) int {
	for i, l := range lines {
		if strings.TrimRight(l, " \t") == want {
			return i
		}
	}
	return -1
}

// uuLine reports whether a line is data of a uuencoded block: its first character tells its length.
func uuLine(l string) bool {
	l = strings.TrimRight(l, " ")
	if l == "`" || l == "" {
		return l != ""
	}
	if l[0] < ' ' || l[0] > '`' {
		return false
	}
	n := int(l[0]-' ') & 63
	return n > 0 && len(l) <= 1+(n+2)/3*4+1 && len(l) >= n*4/3-4 && !strings.ContainsAny(l, "abcdefghijklmnopqrstuvwxyz{|}~")
}
