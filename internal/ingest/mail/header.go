package mail

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/charset"
)

const (
	// maxFields is how many header fields of a message or part are looked at.
	maxFields = 5000
	// maxValueBytes is how much of one header field is looked at.
	maxValueBytes = 256 << 10
)

// A header is the header section of a message or part, in the order of the file.
type header struct {
	fields []field
	// fallback is the charset of raw 8-bit bytes that are not UTF-8.
	fallback string
}

type field struct {
	name  string // lower case
	value []byte // raw, with its folds
}

// raw returns the first field called name, unfolded but not decoded.
func (h *header) raw(name string) string {
	for _, f := range h.fields {
		if f.name == name {
			return h.eightBit(f.value)
		}
	}
	return ""
}

// all returns every field called name, unfolded but not decoded.
func (h *header) all(name string) []string {
	var out []string
	for _, f := range h.fields {
		if f.name == name {
			out = append(out, h.eightBit(f.value))
		}
	}
	return out
}

// text returns the first non-empty field called name, decoded, with single blanks.
func (h *header) text(name string) string {
	for _, f := range h.fields {
		if f.name == name {
			if s := squeeze(decodeWords(h.eightBit(f.value))); s != "" {
				return s
			}
		}
	}
	return ""
}

func (h *header) has(name string) bool {
	for _, f := range h.fields {
		if f.name == name {
			return true
		}
	}
	return false
}

// eightBit returns a value as UTF-8 with its folds removed.
func (h *header) eightBit(v []byte) string {
	ascii := true
	for _, c := range v {
		if c >= utf8.RuneSelf || c == 0x1b {
			ascii = false
			break
		}
	}
	s := ""
	if ascii {
		s = string(v)
	} else {
		label := ""
		if !utf8.Valid(v) {
			label = h.fallback
		}
		s, _ = charset.Decode(v, label)
	}
	if strings.ContainsAny(s, "\r\n\x00") {
		s = strings.Map(func(r rune) rune {
			switch r {
			case '\r', '\x00':
				return -1
			case '\n':
				return ' '
			}
			return r
		}, s)
	}
	return strings.TrimSpace(s)
}

// squeeze makes every run of blanks one blank and drops control characters.
func squeeze(s string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f || s[i] == ' ' && i+1 < len(s) && s[i+1] == ' ' || s[i] >= utf8.RuneSelf {
			clean = false
			break
		}
	}
	if clean {
		return strings.TrimSpace(s)
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f || r == '\u200b' || r == '\ufeff' || r == '\u200e' || r == '\u200f' {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// parseHeader splits raw into header fields and the body behind the blank line. Wild input is read as
// leniently as can be without taking body text for header fields.
func parseHeader(raw []byte) (h header, body []byte) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	rest := raw
	first := true
	for len(rest) > 0 {
		line, after := cutLine(rest)
		trimmed := bytes.TrimRight(line, "\r\n")
		switch {
		case len(trimmed) == 0:
			return h, after
		case len(h.fields) > 0 && (trimmed[0] == ' ' || trimmed[0] == '\t'):
			if len(bytes.TrimSpace(trimmed)) == 0 && !continues(after) {
				return h, after // a blank line with blanks on it
			}
			h.extend(line)
		default:
			name, value, ok := splitField(trimmed)
			switch {
			case ok:
				h.fields = append(h.fields, field{name: name, value: value})
			case first && (bytes.HasPrefix(trimmed, []byte("From ")) || bytes.HasPrefix(trimmed, []byte(">From "))):
			case bytes.HasPrefix(trimmed, []byte(">From ")):
			case len(h.fields) == 0:
				return h, rest // no header at all
			case continues(after):
				h.extend(line)
			default:
				return h, rest // the blank line is missing
			}
		}
		first = false
		if len(h.fields) > maxFields {
			return h, skipHeader(after)
		}
		rest = after
	}
	return h, nil
}

// extend makes the last field reach to the end of line. Both are parts of one array, so nothing is
// copied.
func (h *header) extend(line []byte) {
	f := &h.fields[len(h.fields)-1]
	if n := cap(f.value) - cap(line) + len(line); n <= maxValueBytes {
		f.value = f.value[:n]
	}
}

// skipHeader returns what lies behind the next blank line.
func skipHeader(b []byte) []byte {
	for len(b) > 0 {
		line, after := cutLine(b)
		if len(bytes.TrimSpace(line)) == 0 {
			return after
		}
		b = after
	}
	return nil
}

// continues reports whether more header lines follow soon, before any blank line.
func continues(b []byte) bool {
	for range 8 {
		line, after := cutLine(b)
		trimmed := bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(trimmed)) == 0 {
			return false
		}
		if name, _, ok := splitField(trimmed); ok && knownField(name) {
			return true
		}
		b = after
	}
	return false
}

// cutLine returns the first line with its line end, and the rest.
func cutLine(b []byte) (line, rest []byte) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i+1], b[i+1:]
	}
	return b, nil
}

// splitField splits "Name: value"; blanks around the name are a common fault.
func splitField(line []byte) (name string, value []byte, ok bool) {
	i := bytes.IndexByte(line, ':')
	if i <= 0 || i > 78 {
		return "", nil, false
	}
	n := bytes.TrimSpace(line[:i])
	if len(n) == 0 {
		return "", nil, false
	}
	for _, c := range n {
		if c <= ' ' || c >= 0x7f || c == '<' || c == '>' || c == '"' || c == '(' || c == '/' {
			return "", nil, false
		}
	}
	return strings.ToLower(string(n)), line[i+1 : min(len(line), i+1+maxValueBytes)], true
}

// knownField reports whether name is a field that mails have.
func knownField(name string) bool {
	switch name {
	case "from", "to", "cc", "bcc", "subject", "date", "sender", "reply-to", "message-id", "in-reply-to",
		"references", "received", "return-path", "delivered-to", "mime-version", "content-type",
		"content-transfer-encoding", "content-disposition", "content-id", "content-length", "content-description",
		"dkim-signature", "authentication-results", "arc-seal", "list-id", "list-unsubscribe", "list-post",
		"precedence", "status", "user-agent", "thread-topic", "thread-index", "importance", "priority",
		"envelope-to", "delivery-date", "errors-to", "organization", "lines", "newsgroups", "path", "xref",
		"resent-from", "resent-to", "resent-date", "resent-message-id", "received-spf", "domainkey-signature",
		"auto-submitted", "return-receipt-to", "disposition-notification-to", "content-language", "apparently-to":
		return true
	}
	return strings.HasPrefix(name, "x-") || strings.HasPrefix(name, "arc-") || strings.HasPrefix(name, "list-") ||
		strings.HasPrefix(name, "resent-")
}

// parameters parses a structured value such as `text/plain; charset="utf-8"`: the value in lower case
// and its parameters by lower-case name, RFC 2231 pieces joined and decoded.
func parameters(v string) (string, map[string]string) {
	value, rest, _ := strings.Cut(v, ";")
	value = strings.ToLower(strings.TrimSpace(stripComment(value)))
	if i := strings.IndexAny(value, " \t,"); i >= 0 {
		value = value[:i]
	}
	if !strings.ContainsRune(rest, '=') {
		return strings.Trim(value, `"'`), nil
	}
	params := map[string]string{}
	pieces := map[string]map[int]piece{}
	for rest != "" && len(params)+len(pieces) < 100 {
		rest = strings.TrimLeft(rest, "; \t")
		eq := strings.IndexByte(rest, '=')
		if eq < 0 {
			break
		}
		// "x-unix-mode; name=a": what has no value is skipped.
		if semi := strings.IndexByte(rest, ';'); semi >= 0 && semi < eq {
			rest = rest[semi+1:]
			continue
		}
		name := strings.ToLower(strings.TrimSpace(rest[:eq]))
		var val string
		val, rest = paramValue(rest[eq+1:])
		base, index, encoded := splitName(name)
		if index < 0 && !encoded {
			if _, dup := params[name]; !dup {
				params[name] = val
			}
			continue
		}
		if pieces[base] == nil {
			pieces[base] = map[int]piece{}
		}
		pieces[base][max(index, 0)] = piece{val, encoded}
	}
	for base, ps := range pieces {
		if s := joinPieces(ps); s != "" {
			params[base] = s
		}
	}
	return strings.Trim(value, `"'`), params
}

type piece struct {
	value   string
	encoded bool
}

// splitName splits "filename*1*" into its base, piece number (-1 for none) and whether it is encoded.
func splitName(name string) (base string, index int, encoded bool) {
	base, rest, ok := strings.Cut(name, "*")
	if !ok {
		return name, -1, false
	}
	if strings.HasSuffix(rest, "*") || rest == "" {
		encoded = true
		rest = strings.TrimSuffix(rest, "*")
	}
	index = -1
	if rest != "" {
		index = 0
		for _, c := range rest {
			if c < '0' || c > '9' || index > 1000 {
				return name, -1, false
			}
			index = index*10 + int(c-'0')
		}
	}
	return base, index, encoded
}

func joinPieces(ps map[int]piece) string {
	var raw []byte
	label := ""
	decoded := false
	for i := 0; i < len(ps); i++ {
		p, ok := ps[i]
		if !ok {
			break
		}
		v := p.value
		if p.encoded {
			decoded = true
			if i == 0 {
				if cs, rest, ok := strings.Cut(v, "'"); ok {
					if _, text, ok := strings.Cut(rest, "'"); ok {
						label, v = cs, text
					}
				}
			}
			raw = append(raw, unpercent(v)...)
			continue
		}
		raw = append(raw, v...)
	}
	if !decoded {
		return decodeWords(string(raw))
	}
	s, _ := charset.Decode(raw, label)
	return squeeze(s)
}

func unpercent(s string) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if hi, lo := unhex(s[i+1]), unhex(s[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

// paramValue reads one value, quoted or not, and returns what follows it.
func paramValue(s string) (value, rest string) {
	s = strings.TrimLeft(s, " \t")
	if s == "" || s[0] != '"' {
		end := strings.IndexByte(s, ';')
		if end < 0 {
			end = len(s)
		}
		value = strings.TrimSpace(stripComment(s[:end]))
		return strings.Trim(value, `"'`), s[end:]
	}
	var out strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			// A Windows path in quotes is no escape.
			if i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\') {
				i++
			}
			out.WriteByte(s[i])
		case '"':
			rest = s[i+1:]
			if semi := strings.IndexByte(rest, ';'); semi >= 0 {
				return out.String(), rest[semi:]
			}
			return out.String(), ""
		default:
			out.WriteByte(s[i])
		}
	}
	// The closing quote is missing: the value ends where the next parameter seems to begin.
	v := s[1:]
	if semi := strings.IndexByte(v, ';'); semi >= 0 && strings.ContainsRune(v[semi:], '=') {
		return v[:semi], v[semi:]
	}
	return v, ""
}

// stripComment removes (comments) that are not inside quotes.
func stripComment(s string) string {
	if !strings.ContainsRune(s, '(') || strings.ContainsRune(s, '"') {
		return s
	}
	var out strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
		case s[i] == '(':
			depth++
		case s[i] == ')' && depth > 0:
			depth--
		case depth == 0:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}
