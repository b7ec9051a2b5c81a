package html

import (
	"bytes"
	"net/url"
	"strings"
)

// maxTarget is the length beyond which a link's target is a tracker's and no help to anybody.
const maxTarget = 200

// link makes the text from place at on a link to href, when href says more than the text does.
func (f *frame) link(at int, href string) {
	if at > len(f.buf) {
		return
	}
	// What was due before the text stays before the link.
	for at < len(f.buf) && (f.buf[at] == ' ' || f.buf[at] == '\n') {
		at++
	}
	text := f.buf[at:]
	if len(text) == 0 || bytes.ContainsAny(text, "\n[]") {
		return
	}
	target := cleanURL(href)
	if target == "" || sameTarget(string(text), target) {
		return
	}
	f.buf = append(f.buf, "]("+target+")"...)
	f.buf = append(f.buf, 0)
	copy(f.buf[at+1:], f.buf[at:])
	f.buf[at] = '['
}

func sameTarget(text, target string) bool {
	short := func(s string) string {
		s = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(s), "https://"), "http://")
		return strings.TrimSuffix(strings.TrimPrefix(s, "www."), "/")
	}
	t := short(text)
	return t == short(target) || len(t) > 8 && strings.HasPrefix(short(target), strings.TrimRight(t, ".…"))
}

// cleanURL returns where a link leads without tracking; "" when only a tracker knows.
func cleanURL(href string) string {
	href = strings.TrimSpace(href)
	for range 3 {
		inner := unwrap(href)
		if inner == "" {
			break
		}
		href = inner
	}
	if i := strings.IndexByte(href, '?'); i >= 0 {
		path, query := href[:i], href[i+1:]
		query, fragment, hasFragment := strings.Cut(query, "#")
		var keep []string
		for _, p := range strings.Split(query, "&") {
			if name, _, _ := strings.Cut(p, "="); p != "" && !tracking(strings.ToLower(name)) {
				keep = append(keep, p)
			}
		}
		href = path
		if len(keep) > 0 {
			href += "?" + strings.Join(keep, "&")
		}
		if hasFragment && fragment != "" {
			href += "#" + fragment
		}
	}
	if len(href) > maxTarget || opaque(href) || strings.ContainsAny(href, " \t\r\n<>\"()") {
		return ""
	}
	for i := 0; i < len(href); i++ {
		if href[i] < ' ' || href[i] == 0x7f {
			return ""
		}
	}
	return href
}

// unwrap returns the target inside the link of a known redirector, "" for another link.
func unwrap(href string) string {
	var names []string
	host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(href, "https://"), "http://"), "/")
	switch {
	case strings.HasSuffix(host, "safelinks.protection.outlook.com"):
		names = []string{"url"}
	case host == "www.google.com" && strings.Contains(href, "google.com/url?"):
		names = []string{"q", "url"}
	case host == "l.facebook.com" || host == "lm.facebook.com" || host == "l.instagram.com":
		names = []string{"u"}
	case host == "www.linkedin.com" && strings.Contains(href, "/redir/"):
		names = []string{"url"}
	case host == "urldefense.com" || host == "urldefense.proofpoint.com":
		if _, rest, ok := strings.Cut(href, "/v3/__"); ok {
			if inner, _, ok := strings.Cut(rest, "__;"); ok && strings.HasPrefix(inner, "http") {
				return inner
			}
		}
		return ""
	default:
		return ""
	}
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	q := u.Query()
	for _, n := range names {
		if v := q.Get(n); strings.HasPrefix(v, "http") {
			return v
		}
	}
	return ""
}

func tracking(name string) bool {
	if strings.HasPrefix(name, "utm_") || strings.HasPrefix(name, "mc_") || strings.HasPrefix(name, "pk_") ||
		strings.HasPrefix(name, "hsa_") || strings.HasPrefix(name, "mtm_") || strings.HasPrefix(name, "trk") {
		return true
	}
	switch name {
	case "fbclid", "gclid", "dclid", "msclkid", "yclid", "igshid", "twclid", "wbraid", "gbraid", "_hsenc", "_hsmi",
		"mkt_tok", "vero_id", "vero_conv", "oly_enc_id", "oly_anon_id", "s_cid", "ref_src", "ref_url", "_ga", "_gl",
		"cmpid", "ck_subscriber_id", "elqtrackid", "sc_cid", "sfmc_id":
		return true
	}
	return false
}

// opaque reports whether a part of the target is a long run without a word in it.
func opaque(href string) bool {
	run, digits := 0, 0
	for i := 0; i < len(href); i++ {
		switch c := href[i]; {
		case c == '/' || c == '?' || c == '&' || c == '.' || c == '-' || c == '_' || c == '+' || c == ',':
			run, digits = 0, 0
			continue
		case c >= '0' && c <= '9' || c == '%' || c == '=':
			digits++
		}
		if run++; run > 44 && digits > 4 {
			return true
		}
	}
	return false
}
