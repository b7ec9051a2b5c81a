package policy

import "strings"

// inText are secrets that a word before them gives away: need is where expr begins.
var inText = []secret{
	{what: privateKey, need: []string{"private-lines"}, expr: late(`^private-lines: *\d+\s+((?:[A-Za-z0-9+/=]{16,}\s*?)(?:\s[A-Za-z0-9+/=]{16,})*)`)},
	{what: privateKey, need: []string{"privatekey", "private_key", "private key"}, likely: strong, expr: late(`^private[_ ]?key["']?\s*[:=]\s*["']?([A-Za-z0-9+/]{40,}={0,2})`)},
	{what: apiToken, need: []string{"authorization"}, expr: late(`^authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|bot)\s+([A-Za-z0-9._~+/=:-]{8,})`)},
	{what: apiToken, need: []string{"bearer "}, likely: strong, expr: late(`^bearer\s+([A-Za-z0-9._~+/-]{20,}=*)`)},
	{what: apiToken, need: []string{"key", "token", "secret"}, after: owners, likely: strong, expr: late(
		`^(?:key|token|secret)["']?\s{0,3}(?::|=>?|is)\s{0,3}["'` + "`" + `]?([A-Za-z0-9_./+=~-]{16,})`)},
}

// owners are what stands before the words key, token and secret where they name a secret.
var owners = []string{"api", "access", "account", "secret", "auth", "client", "refresh", "private", "bot", "app"}

// words adds the secrets that words give away.
func (f *finder) words(s, lower string) {
	for i := range inText {
		x := &inText[i]
		for _, n := range x.need {
			for at := 0; ; {
				i := strings.Index(lower[at:], n)
				if i < 0 {
					break
				}
				i += at
				at = i + len(n)
				if x.after != nil && !follows(lower[:i], x.after) {
					continue
				}
				m := x.expr().FindStringSubmatchIndex(s[i:])
				if m == nil {
					continue
				}
				if from, to := i+m[len(m)-2], i+m[len(m)-1]; x.likely == nil || x.likely(s[from:to]) {
					f.add(from, to, x.what)
					at = to
				}
			}
		}
	}
}

// follows reports whether s ends with one of the words, apart from one blank, _ or -.
func follows(s string, words []string) bool {
	if n := len(s); n > 0 && strings.IndexByte(" _-", s[n-1]) >= 0 {
		s = s[:n-1]
	}
	for _, w := range words {
		if strings.HasSuffix(s, w) {
			return true
		}
	}
	return false
}
