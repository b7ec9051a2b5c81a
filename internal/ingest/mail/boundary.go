package mail

import (
	"bytes"
	"strings"
)

// splitParts cuts the body of a multipart at its boundary lines. A boundary that is missing in the
// header or does not occur is guessed from the body.
func splitParts(body []byte, boundary string) [][]byte {
	if boundary != "" {
		if parts := cutAt(body, boundary); len(parts) > 0 {
			return parts
		}
	}
	if boundary = guessBoundary(body); boundary != "" {
		return cutAt(body, boundary)
	}
	return nil
}

func cutAt(body []byte, boundary string) [][]byte {
	mark := []byte("--" + boundary)
	var parts [][]byte
	start := -1 // of the current part
	for at := 0; at < len(body); {
		i := bytes.Index(body[at:], mark)
		if i < 0 {
			break
		}
		i += at
		line, _ := cutLine(body[i:])
		at = i + len(mark)
		tail := string(bytes.TrimRight(line[len(mark):], " \t\r\n"))
		closing := tail == "-" || strings.HasPrefix(tail, "--") && (len(tail) == 2 || !alnum(tail[2]))
		if i > 0 && body[i-1] != '\n' || tail != "" && !closing {
			continue
		}
		if start >= 0 {
			parts = append(parts, trimEOL(body[start:i]))
		}
		at = i + len(line)
		start = at
		if closing || len(parts) >= maxParts {
			return parts
		}
	}
	if start >= 0 && start < len(body) {
		parts = append(parts, body[start:]) // the end boundary is missing
	}
	return parts
}

func alnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_'
}

func trimEOL(b []byte) []byte {
	b = bytes.TrimSuffix(b, []byte("\n"))
	return bytes.TrimSuffix(b, []byte("\r"))
}

// guessBoundary returns the boundary of a body whose header does not tell it: a line of two dashes
// and more, followed by a header field of a part.
func guessBoundary(body []byte) string {
	for rest := body; len(rest) > 0; {
		var line []byte
		line, rest = cutLine(rest)
		trimmed := bytes.TrimRight(line, " \t\r\n")
		if len(trimmed) < 4 || len(trimmed) > 200 || !bytes.HasPrefix(trimmed, []byte("--")) {
			continue
		}
		next, _ := cutLine(rest)
		if name, _, ok := splitField(bytes.TrimRight(next, "\r\n")); ok && strings.HasPrefix(name, "content-") {
			return string(trimmed[2:])
		}
	}
	return ""
}
