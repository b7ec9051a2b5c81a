package entity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// at handles the '@' at i: an address, a mention of somebody whom the structure names, or a handle.
func (x *scanner) at(i int) int {
	s := x.s
	if start, end := emailAround(s, i, x.done); start < i {
		x.done = end
		surface := s[start:end]
		if x.c.seen(kindEmail, surface) {
			return end
		}
		if v := EmailValue(surface); v != "" && !roleAddress(v) && !shellAddress(s, v, end) {
			x.c.add(kindEmail, v, surface)
		}
		return end
	}
	if i < x.codeEnd || !opensHandle(s, i) {
		return i + 1
	}
	if n, ok := x.spoken(s[i+1:]); ok {
		x.c.add(kindPerson, n.value, n.name)
		x.done = i + 1 + len(n.name)
		return x.done
	}
	n := handleLen(s[i+1:])
	end := i + 1 + n
	if n == 0 || !closesHandle(s, i, end) {
		return max(end, i+1)
	}
	x.done = end
	surface := s[i:end]
	if x.c.seen(kindHandle, surface) {
		return end
	}
	if v := HandleValue(surface); v != "" && !notAHandle(v) {
		x.c.add(kindHandle, v, surface)
	}
	return end
}

// emailAround returns the bounds of the address whose '@' is at i, not reaching before from; start
// is i when there is none.
func emailAround(s string, i, from int) (start, end int) {
	start = i
	for start > from && i-start < 64 {
		c := s[start-1]
		if c < utf8.RuneSelf {
			if !isAlnum(c) && !strings.ContainsRune("._%+-'", rune(c)) {
				break
			}
			start--
			continue
		}
		r, n := utf8.DecodeLastRuneInString(s[:start])
		if !isLatinLike(r) {
			break
		}
		start -= n
	}
	for start < i && strings.IndexByte(".'%+-", s[start]) >= 0 {
		start++
	}
	// A handle on another server, @name@host, is no address.
	if start == i || start > 0 && s[start-1] == '@' || s[i-1] == '.' {
		return i, i
	}
	end = i + 1 + hostLen(s[i+1:])
	if end-i-1 > 253 || !mailHost(s[i+1:end]) {
		return i, i
	}
	return start, end
}

// hostLen returns how many bytes at the start of s can be a host name.
func hostLen(s string) int {
	i := 0
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if !isAlnum(c) && c != '-' && c != '.' {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isLatinLike(r) {
			break
		}
		i += n
	}
	for i > 0 && (s[i-1] == '.' || s[i-1] == '-') {
		i--
	}
	return i
}

// mailHost reports whether h can stand after the '@' of an address.
func mailHost(h string) bool {
	if strings.IndexByte(h, '.') <= 0 || strings.IndexByte(h, ':') >= 0 || !validHost(strings.ToLower(h)) {
		return false
	}
	tld := h[strings.LastIndexByte(h, '.')+1:]
	if isDigit(tld[len(tld)-1]) {
		return false
	}
	switch strings.ToLower(tld) {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "css", "js", "ts", "html", "md", "txt", "local", "localdomain", "internal":
		return false // logo@2x.png, and hosts that exist on one machine only
	}
	return true
}

// EmailValue returns the canonical form of a bare address, or "" when it is none.
func EmailValue(s string) string {
	s = strings.TrimSpace(s)
	s = strings.TrimSuffix(strings.TrimPrefix(s, "<"), ">")
	at := strings.LastIndexByte(s, '@')
	if at <= 0 || len(s) > 254 || !utf8.ValidString(s) || !mailHost(s[at+1:]) {
		return ""
	}
	for _, r := range s[:at] {
		if r <= ' ' || r == '<' || r == '>' || r == '"' || r == '@' || r == 0x7f || unicode.IsSpace(r) || unicode.IsControl(r) {
			return ""
		}
	}
	return norm.NFC.String(strings.ToLower(s))
}

// roleAddress reports whether v belongs to a machine that talks for everybody: it says nothing
// about who is meant.
func roleAddress(v string) bool {
	local, host, _ := strings.Cut(v, "@")
	if takesNoAnswer(local) {
		return true
	}
	flat := flatLocal(local)
	switch flat {
	case "notification", "notifications", "notify", "mailer", "newsletter", "reply", "listserv", "majordomo":
		return true
	}
	return strings.HasPrefix(host, "reply.") || strings.HasPrefix(host, "bounce")
}

// takesNoAnswer reports whether the local part of an address says that nobody reads what is sent there.
func takesNoAnswer(local string) bool {
	flat := flatLocal(local)
	for _, w := range []string{"noreply", "donotreply", "mailerdaemon", "unsubscribe", "bounce", "notreply", "postmaster"} {
		if strings.Contains(flat, w) {
			return true
		}
	}
	return false
}

// flatLocal returns a local part without its separators and what follows a plus sign.
func flatLocal(local string) string {
	local, _, _ = strings.Cut(local, "+")
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' {
			return -1
		}
		return r
	}, local)
}

// shellAddress reports whether the address v that ends at end is the account of a remote copy or
// clone, such as git@host:path.
func shellAddress(s, v string, end int) bool {
	return strings.HasPrefix(v, "git@") || end+1 < len(s) && s[end] == ':' && (s[end+1] == '/' || s[end+1] == '~')
}

// opensHandle reports whether the '@' at i can open a handle.
func opensHandle(s string, i int) bool {
	if i == 0 {
		return true
	}
	if c := s[i-1]; c < utf8.RuneSelf {
		return strings.IndexByte(" \t\n\r([{\"',;:>|*!?~&+", c) >= 0
	}
	return opensWord(s, i)
}

// closesHandle reports whether what follows the name between i and end lets it be a handle and not
// a package scope, a decorator, a rule of a style sheet or a citation.
func closesHandle(s string, i, end int) bool {
	if i > 0 && s[i-1] == '[' && !strings.HasPrefix(s[end:], "](") {
		return false
	}
	if end >= len(s) {
		return true
	}
	if s[end] == '\n' && startsLine(s, i) && declares(s[end+1:]) {
		return false
	}
	switch s[end] {
	case '(', '{', '=', '@':
		return false
	case '/':
		return end+1 >= len(s) || !isAlnum(s[end+1])
	}
	return true
}

// declares reports whether s begins with a declaration of a programming language, which makes what
// stands above it a decorator.
func declares(s string) bool {
	s = strings.TrimLeft(s, " \t")
	for _, w := range []string{"def ", "async def ", "class ", "export ", "public ", "private ", "protected ", "static ", "function ", "interface ", "abstract ", "fun ", "final "} {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// handleLen returns the length of the handle at the start of s, which follows the '@'; a name on
// another server, name@host, is taken whole.
func handleLen(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError || r != '_' && !unicode.IsLetter(r) {
		return 0
	}
	if glues(r) {
		// Nothing marks the end of such a name but the end of its run; a long run is a sentence.
		runes := 0
		i := 0
		for i < len(s) {
			r, n := utf8.DecodeRuneInString(s[i:])
			if !glues(r) {
				break
			}
			i += n
			runes++
		}
		if runes > 6 {
			return 0
		}
		return i
	}
	i := n
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if !isAlnum(c) && c != '_' && c != '.' && c != '-' {
				break
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isLatinLike(r) {
			break
		}
		i += n
	}
	for i > 0 && (s[i-1] == '.' || s[i-1] == '-') {
		i--
	}
	if i+1 < len(s) && s[i] == '@' {
		if h := hostLen(s[i+1:]); h > 0 && mailHost(s[i+1:i+1+h]) {
			i += 1 + h
		}
	}
	return i
}

// HandleValue returns the canonical form of a handle, with or without its '@', or "".
func HandleValue(s string) string {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return r == '@' || unicode.IsSpace(r) })
	if len(s) > 100 || !utf8.ValidString(s) {
		return ""
	}
	v := strings.Join(strings.Fields(norm.NFC.String(strings.ToLower(s))), "-")
	if utf8.RuneCountInString(v) < 2 || strings.IndexFunc(v, unicode.IsControl) >= 0 || strings.IndexFunc(v, unicode.IsLetter) < 0 {
		return ""
	}
	return v
}

// notAHandle reports whether v is a word of a language that writes '@' before its own words, or
// calls on everybody.
func notAHandle(v string) bool {
	switch v {
	case "here", "channel", "everyone", "all", "room", "team", "group",
		"media", "import", "charset", "font-face", "keyframes", "-webkit-keyframes", "supports", "layer",
		"container", "page", "namespace", "property", "include", "mixin", "extend", "use", "forward",
		"apply", "tailwind", "param", "params", "return", "returns", "throws", "throw", "see", "since",
		"deprecated", "override", "author", "version", "todo", "link", "inheritdoc", "type", "typedef",
		"example", "default", "private", "public", "protected", "staticmethod", "classmethod",
		"dataclass", "abstractmethod", "autowired", "test", "interface", "implementation", "end",
		"selector", "synthesize", "nullable", "nonnull", "notnull", "suppresswarnings":
		return true
	}
	return false
}

// wideHash is the '#' of Chinese and Japanese keyboards.
const wideHash = "＃"

// hashtag handles the '#' at i, which has n bytes. What it finds in a script without blanks is a topic
// too: there #话题# and #话题 are how a text says what it is about.
func (x *scanner) hashtag(i, n int) int {
	s := x.s
	if i != x.closed && !opensTag(s, i) {
		return i + n
	}
	end := i + n + tagLen(s[i+n:])
	if end == i+n || end < len(s) && (s[end] == '(' || s[end] == '=') {
		return end
	}
	surface, next := s[i:end], end
	glued := strings.IndexFunc(surface, glues) >= 0
	switch {
	case !glued && x.c.seen(kindHashtag, surface):
		return next
	case glued && i >= x.chain:
		var closes bool
		if closes, x.chain = closedTag(s, end); closes {
			next = end + hashLen(s[end:])
			x.closed = next
		}
	}
	v := HashtagValue(surface)
	if v == "" || isColour(v) || startsLine(s, i) && isDirective(v) {
		return next
	}
	if !x.c.seen(kindHashtag, surface) {
		x.c.add(kindHashtag, v, surface)
	}
	if topic := TopicValue(v); glued && !x.tagged[topic] {
		x.c.add(kindTopic, topic, surface[n:])
	}
	return next
}

// closedTag reports whether a '#' at end closes the tag before it, as in #话题#, and does not open the next
// of several, as in #旅行#美食#日落; these go on until chain.
func closedTag(s string, end int) (closes bool, chain int) {
	marks := 0
	for at := end; ; at += tagLen(s[at:]) {
		n := hashLen(s[at:])
		if n == 0 {
			// One alone closes, whatever is behind it.
			return marks == 1, at
		}
		marks++
		if at += n; tagLen(s[at:]) == 0 { // the last one closes, and so does every second before it
			return true, at
		}
	}
}

func hashLen(s string) int {
	switch {
	case strings.HasPrefix(s, "#"):
		return 1
	case strings.HasPrefix(s, wideHash):
		return len(wideHash)
	}
	return 0
}

// opensTag reports whether the '#' at i can open a tag: not a part of a link, a reference to a
// heading or a character reference.
func opensTag(s string, i int) bool {
	if i == 0 {
		return true
	}
	c := s[i-1]
	switch {
	case c >= utf8.RuneSelf:
		return opensWord(s, i)
	case c == '(':
		return i < 2 || s[i-2] != ']'
	case c == '[':
		return i < 2 || s[i-2] != '['
	}
	return strings.IndexByte(" \t\n\r{\"',;:>|*!~", c) >= 0
}

// tagLen returns the length of the tag at the start of s, which follows the '#'.
func tagLen(s string) int {
	i, end := 0, 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '_' || r == '-' || r == '/' {
			if i == 0 {
				return 0
			}
			i += n
			continue
		}
		if r == utf8.RuneError || !isWordRune(r) {
			break
		}
		i += n
		end = i
	}
	return end
}

// HashtagValue returns the canonical form of a tag, with or without its '#', or "" when it is a
// bare number or no tag at all.
func HashtagValue(s string) string {
	s = strings.TrimSpace(s)
	s = s[hashLen(s):]
	if strings.IndexFunc(s, func(r rune) bool { return r >= 0xFF00 }) >= 0 { // letters of another width
		s = norm.NFKC.String(s)
	}
	n := tagLen(s)
	if n == 0 || n != len(s) || utf8.RuneCountInString(s) > 60 || strings.IndexFunc(s, unicode.IsLetter) < 0 {
		return ""
	}
	return norm.NFC.String(strings.ToLower(s))
}

// isColour reports whether the tag v is more likely a colour of a style sheet.
func isColour(v string) bool {
	if n := len(v); n != 3 && n != 4 && n != 6 && n != 8 {
		return false
	}
	digits := false
	for i := range len(v) {
		c := v[i]
		switch {
		case isDigit(c):
			digits = true
		case c < 'a' || c > 'f':
			return false
		}
	}
	if digits || v == "abc" || v == "abcdef" {
		return true
	}
	if len(v) == 6 && v[0] == v[1] && v[2] == v[3] && v[4] == v[5] {
		return true
	}
	return strings.Count(v, v[:1]) == len(v)
}

// isDirective reports whether v is a word of a preprocessor, which stands at the start of a line.
func isDirective(v string) bool {
	switch v {
	case "include", "define", "undef", "ifdef", "ifndef", "endif", "elif", "pragma", "region", "endregion", "if", "else", "error":
		return true
	}
	return false
}
