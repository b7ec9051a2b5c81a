package entity

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scheme handles the "://" at i: a web address is taken, any other is passed over so that nothing
// is found inside it.
func (x *scanner) scheme(i int) int {
	s := x.s
	b := i
	for b > 0 && i-b < 16 && (isASCIILetter(s[b-1]) || b < i && (s[b-1] == '+' || s[b-1] == '-')) {
		b--
	}
	name := strings.ToLower(s[b:i])
	// "view:https://" and "xhttps://" alike: the known scheme is the end of what stands there.
	switch {
	case strings.HasSuffix(name, "https"):
		return x.link(i-5, i+3)
	case strings.HasSuffix(name, "http"):
		return x.link(i-4, i+3)
	case name == "":
		return i + 3
	}
	return i + 3 + urlLen(s[i+3:])
}

// bareURL handles "www." at i.
func (x *scanner) bareURL(i int) int {
	if i < x.done || !opensWord(x.s, i) {
		return i + 4
	}
	return x.link(i, i)
}

// link takes the link that starts at start and whose host starts at host.
func (x *scanner) link(start, host int) int {
	s := x.s
	end := host + urlLen(s[host:])
	x.done = max(x.done, end)
	surface := s[start:end]
	if x.c.seen(kindURL, surface) {
		return max(end, host)
	}
	if v := URLValue(surface); v != "" && !boilerplateURL(v) {
		if strings.IndexByte(hostOf(s[host:end]), '@') >= 0 {
			surface = v // a user name and password are nobody's mention
		}
		x.c.add(kindURL, v, surface)
	}
	return max(end, host)
}

// urlLen returns how many bytes of s, which starts at a host, belong to the link: brackets that the
// link did not open and punctuation at its end belong to the sentence.
func urlLen(s string) int {
	round, square := 0, 0
	inHost, dotted := true, false
	i := 0
scan:
	for i < len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if !isWordRune(r) || inHost && dotted && glues(r) {
				break
			}
			i += n
			continue
		}
		switch c {
		case '<', '>', '"', '`', '{', '}', '|', '\\', '^', 0x7f:
			break scan
		case '(':
			round++
		case ')':
			if round--; round < 0 {
				break scan
			}
		case '[':
			square++
		case ']':
			if square--; square < 0 {
				break scan
			}
		case '/', '?', '#':
			inHost = false
		case '.':
			dotted = true
		default:
			if c <= ' ' {
				break scan
			}
		}
		i++
	}
	for i > 0 {
		switch s[i-1] {
		case '.', ',', ';', ':', '!', '?', '\'', '*', '_', '~', '&':
			i--
			continue
		case '(', '[':
			i--
			continue
		}
		return i
	}
	return i
}

// hostOf returns the authority at the start of s.
func hostOf(s string) string {
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		return s[:i]
	}
	return s
}

// URLValue returns the canonical form of a web address, or "" when it is none: scheme and host in
// lower case, no user name, default port, tracking parameters or final slash; a fragment stays only
// where it is the route of a page that has no other.
func URLValue(s string) string {
	s = strings.TrimSpace(s)
	scheme, rest := "https", s
	if i := strings.Index(s, "://"); i >= 0 && i <= 5 {
		scheme, rest = strings.ToLower(s[:i]), s[i+3:]
	} else if len(s) < 4 || !isWWW(s[:3]) {
		return ""
	}
	if scheme != "http" && scheme != "https" || len(rest) > 2*maxValue || !utf8.ValidString(rest) {
		return ""
	}
	host := hostOf(rest)
	tail := rest[len(host):]
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	host = strings.ToLower(host)
	host = strings.TrimSuffix(host, ":")
	if scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	host = strings.TrimSuffix(host, ".")
	if !validHost(host) {
		return ""
	}
	tail, fragment, _ := strings.Cut(tail, "#")
	path, query, _ := strings.Cut(tail, "?")
	query = withoutTracking(query)
	for query == "" && strings.HasSuffix(path, "/") {
		path = strings.TrimSuffix(path, "/")
	}
	var b strings.Builder
	b.Grow(len(scheme) + 3 + len(host) + len(tail) + 2)
	b.WriteString(scheme)
	b.WriteString("://")
	b.WriteString(host)
	b.WriteString(path)
	if query != "" {
		b.WriteByte('?')
		b.WriteString(query)
	}
	if len(fragment) > 1 && (fragment[0] == '/' || strings.HasPrefix(fragment, "!/")) {
		b.WriteByte('#')
		b.WriteString(fragment)
	}
	v := b.String()
	// What is left must end like a link in a text does, so that it reads back as itself.
	host0 := len(scheme) + 3
	n := urlLen(v[host0:])
	if host0+n == len(v) {
		return v
	}
	if host0+n < host0+len(host) {
		return ""
	}
	return URLValue(v[:host0+n])
}

func isWWW(s string) bool { return s[0]|0x20 == 'w' && s[1]|0x20 == 'w' && s[2]|0x20 == 'w' }

// validHost reports whether h is a name with a dot, localhost or a numeric address, with or without
// a port.
func validHost(h string) bool {
	name, port, hasPort := strings.Cut(h, ":")
	if hasPort && (port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "") {
		return false
	}
	if name == "localhost" {
		return true
	}
	if len(name) > 253 || strings.IndexByte(name, '.') <= 0 {
		return false
	}
	numeric := true
	last := ""
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, r := range label {
			if r != '-' && r != '_' && !isWordRune(r) {
				return false
			}
			if r < '0' || r > '9' {
				numeric = false
			}
		}
		last = label
	}
	if numeric {
		return strings.Count(name, ".") == 3
	}
	return validTLD(last)
}

// validTLD reports whether label can end a host name.
func validTLD(label string) bool {
	if strings.HasPrefix(label, "xn--") {
		return true
	}
	n := 0
	for _, r := range label {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
		n++
	}
	return n >= 2
}

// withoutTracking drops the parameters of a query that only follow the reader.
func withoutTracking(q string) string {
	if q == "" {
		return ""
	}
	var b strings.Builder
	for p := range strings.SplitSeq(q, "&") {
		name, _, _ := strings.Cut(p, "=")
		if p == "" || tracks(strings.ToLower(name)) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p)
	}
	return b.String()
}

func tracks(name string) bool {
	switch name {
	case "fbclid", "gclid", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "ttclid",
		"igshid", "igsh", "mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hstc", "__hssc",
		"__hsfp", "hsctatracking", "vero_id", "vero_conv", "oly_anon_id", "oly_enc_id", "wickedid",
		"ref_src", "ref_url", "s_cid", "trk", "trkinfo", "trackingid", "cmpid", "ncid", "spm",
		"_openstat", "__s", "ml_subscriber", "ml_subscriber_hash", "rb_clickid", "_ga", "_gl",
		"share_source", "unique_k":
		return true
	}
	return strings.HasPrefix(name, "utm_") || strings.HasPrefix(name, "pk_") ||
		strings.HasPrefix(name, "mtm_") || strings.HasPrefix(name, "hsa_")
}

// boilerplateURL reports whether the canonical address v belongs to a footer, a name space, a
// picture or a mail-out's click counter rather than to what a person wanted to point at.
func boilerplateURL(v string) bool {
	_, rest, _ := strings.Cut(v, "://")
	host := hostOf(rest)
	tail := strings.ToLower(rest[len(host):])
	host, _, _ = strings.Cut(host, ":")
	bare := strings.TrimPrefix(host, "www.")
	switch bare {
	case "w3.org":
		for _, p := range []string{"/1999/", "/2000/", "/2001/", "/tr/html", "/tr/xhtml", "/tr/rec-html"} {
			if strings.HasPrefix(tail, p) {
				return true
			}
		}
	case "schemas.microsoft.com", "schemas.openxmlformats.org", "ns.adobe.com", "purl.org", "xmlns.com", "schema.org":
		return true
	}
	first, _, _ := strings.Cut(bare, ".")
	switch first {
	case "click", "clicks", "track", "tracking", "trk", "pixel", "beacon", "unsubscribe", "optout":
		return true
	}
	for _, h := range []string{"list-manage.com", "sendgrid.net", "mandrillapp.com", "hubspotlinks.com", "awstrack.me", "rs6.net"} {
		if bare == h || strings.HasSuffix(bare, "."+h) {
			return true
		}
	}
	for _, w := range []string{"unsubscribe", "optout", "opt-out", "opt_out", "email-preferences", "email_preferences",
		"manage-preferences", "manage_preferences", "subscription_center", "open.gif", "pixel.gif"} {
		if strings.Contains(tail, w) {
			return true
		}
	}
	path, _, _ := strings.Cut(tail, "?")
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		switch path[i+1:] {
		case "png", "gif", "jpg", "jpeg", "svg", "webp", "ico", "bmp", "avif", "woff", "woff2", "ttf", "css":
			return true
		}
	}
	return false
}
