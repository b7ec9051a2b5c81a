package policy

import "strings"

const (
	// fullLine is from how many characters on a line of nothing but base64 is taken for a part of a
	// key whose beginning stands elsewhere; mostLine is the longest such line.
	fullLine, mostLine = 60, 80
	// keyPiece is from how many characters on a run of base64 after the beginning of a key belongs to
	// it, whatever follows.
	keyPiece = 24
)

// keys adds private keys in PEM and its relatives. A text may hold a part of a key only, since what is
// stored is cut to pieces, and the lines may have been joined.
func (f *finder) keys(s string) {
	if !strings.Contains(s, "-----") {
		f.body(s, 0)
		return
	}
	for at := 0; ; {
		rest := s[at:]
		from, after := keyLine(rest, "-----BEGIN ")
		to, end := keyLine(rest, "-----END ")
		switch {
		case end > 0 && (after == 0 || to < from): // the beginning stands in another piece
			if start := bodyBefore(rest[:to]); start < to {
				f.add(at+start, at+end, privateKey)
			}
			at += end
		case after > 0:
			if n := bodyAfter(rest[after:]); n > 0 {
				after += n
				f.add(at+from, at+after, privateKey)
			} // else only the words
			at += after
		case strings.Contains(s, "-----BEGIN "): // also of something that is no secret
			return
		default:
			f.body(rest, at)
			return
		}
	}
}

// keyLine finds the first line of a private key that begins with lead, and returns where it begins and
// ends; the end is 0 when there is none.
func keyLine(s, lead string) (from, end int) {
	for at := 0; ; {
		i := strings.Index(s[at:], lead)
		if i < 0 {
			return 0, 0
		}
		at += i
		label := s[at+len(lead):]
		if n := strings.Index(label, "-----"); n >= 0 && n <= 40 && strings.Contains(label[:n], "PRIVATE KEY") {
			return at, at + len(lead) + n + len("-----")
		}
		at += len(lead)
	}
}

// bodyAfter returns how much of s, which follows the beginning of a key, belongs to it.
func bodyAfter(s string) int {
	at, last := 0, 0 // last is the end of what belongs to it for certain
	for {
		at += blanks(s[at:])
		rest := s[at:]
		if end := ends(rest); end > 0 {
			return at + end
		}
		line, _, _ := strings.Cut(rest, "\n")
		if header(line) {
			at += len(line)
			last = at
			continue
		}
		n := base64Run(rest)
		switch {
		case n == 0:
			return last
		case n >= keyPiece:
			at += n
			last = at
		default: // the last line is short: it belongs to the key when the key ends there
			next := at + n
			next += blanks(s[next:])
			if m := base64Run(s[next:]); m > 0 && m <= 5 && s[next] == '=' { // the checksum of PGP
				next += m
				next += blanks(s[next:])
			}
			if end := ends(s[next:]); end > 0 {
				return next + end
			}
			if last == at-blanksBefore(s[:at]) && n > 0 && (next == len(s) || strings.HasPrefix(s[at+n:], "\n")) && last > 0 {
				return at + n
			}
			return last
		}
	}
}

// ends returns the length of the last line of a key that s begins with, or 0.
func ends(s string) int {
	if !strings.HasPrefix(s, "-----END ") {
		return 0
	}
	if from, end := keyLine(s[:min(len(s), 80)], "-----END "); from == 0 {
		return end
	}
	return 0
}

// header reports whether a line is one of those that may stand before the text of a key.
func header(line string) bool {
	name, _, ok := strings.Cut(line, ": ")
	switch name {
	case "Proc-Type", "DEK-Info", "Version", "Comment", "Hash", "Charset":
		return ok && len(line) < 120
	}
	return false
}

// blanks returns how much of the beginning of s is white space, written line ends or marks of a
// quotation.
func blanks(s string) int {
	n := 0
	for n < len(s) {
		switch {
		case strings.IndexByte(" \t\r\n>|", s[n]) >= 0:
			n++
		case strings.HasPrefix(s[n:], `\n`), strings.HasPrefix(s[n:], `\r`):
			n += 2
		default:
			return n
		}
	}
	return n
}

func blanksBefore(s string) int {
	return len(s) - len(strings.TrimRight(s, " \t\r\n>|"))
}

// base64Run returns the length of the base64 that s begins with.
func base64Run(s string) int {
	n := 0
	for n < len(s) && isBase64(s[n]) {
		n++
	}
	return n
}

func isBase64(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '='
}

// bodyBefore returns where the text of a key begins that s ends with.
func bodyBefore(s string) int {
	start := len(s)
	for first := true; ; first = false {
		end := start - blanksBefore(s[:start])
		n := 0
		for n < end && isBase64(s[end-1-n]) {
			n++
		}
		if n == 0 || n < keyPiece && !first && s[end-n] != '=' && !strings.HasSuffix(s[end-n:end], "=") {
			return start
		}
		if n < keyPiece && end-n > 0 && strings.IndexByte(" \n\r\t>|", s[end-n-1]) < 0 {
			return start
		}
		start = end - n
	}
}

// body adds two or more full lines of base64 in a row, with the rest that follows: the middle of
// something whose beginning and end stand in other pieces. base is where s begins.
func (f *finder) body(s string, base int) {
	lines, from := 0, 0
	end := func(to int) {
		if lines >= 2 {
			f.add(base+from, base+to, privateKey)
		}
		lines = 0
	}
	for at := 0; at < len(s); {
		stop, after := len(s), len(s)
		if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
			stop, after = at+n, at+n+1
		}
		line := strings.TrimSuffix(s[at:stop], "\r")
		switch {
		case len(line) >= fullLine && len(line) <= mostLine && base64Run(line) == len(line) && mixed(line):
			if lines == 0 {
				from = at
			}
			lines++
		case lines > 0 && line != "" && len(line) < fullLine && base64Run(line) == len(line) && strong(line): // the last, shorter line
			end(at + len(line))
		default:
			end(at - lineEndBefore(s[:at]))
		}
		at = after
	}
	end(len(s) - lineEndBefore(s))
}

func lineEndBefore(s string) int { return len(s) - len(strings.TrimRight(s, "\r\n")) }

// mixed reports whether s holds what long base64 always does: small and capital letters and digits.
func mixed(s string) bool {
	var small, capital, digits bool
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			small = true
		case c >= 'A' && c <= 'Z':
			capital = true
		case c >= '0' && c <= '9':
			digits = true
		}
	}
	return small && capital && digits
}
