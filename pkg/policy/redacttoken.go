package policy

import (
	"regexp"
	"strings"
	"sync"
)

// A secret is one kind of secret that its form gives away. Letters count without case: what is derived
// from a text, such as the id of an entity, is in lower case.
type secret struct {
	what string
	// need are texts, in lower case, one of which has to be there.
	need []string
	// expr finds it; what is hidden is its last group, or all of it.
	expr func() *regexp.Regexp
	// alone asks that no letter or digit stands right before and after it; apart only before.
	alone, apart bool
	// likely, when set, judges what was found.
	likely func(string) bool
	// least is how long a run is at least that holds it.
	least int
	// after, when set, are words one of which stands before need, apart from a blank, _ or -.
	after []string
}

// late compiles an expression when it is first asked for: no start of the program has to wait for all
// of them, and most texts come near few.
func late(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)` + expr) })
}

// inRuns are secrets inside a run of characters without blanks. Tokens that services mark with a
// beginning of their own are in prefixes.
var inRuns = []secret{
	{what: apiToken, need: []string{"akia", "asia", "abia", "acca"}, alone: true, likely: shoutsOrStrong, expr: late(`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}`)},
	{what: apiToken, need: []string{"aiza"}, apart: true, likely: strong, expr: late(`AIza[A-Za-z0-9_-]{30,}`)},
	{what: apiToken, need: []string{"xox", "xapp-", "xwfp-"}, apart: true, likely: strong, expr: late(`(?:xox[a-z](?:\.xox[a-z])?|xapp|xwfp)-[A-Za-z0-9-]{10,}`)},
	{what: apiToken, need: []string{"hooks.slack.com/"}, expr: late(`hooks\.slack\.com/[a-z]+/([A-Za-z0-9/_-]{20,})`)},
	{what: apiToken, need: []string{"/api/webhooks/"}, expr: late(`/api/webhooks/\d+/([A-Za-z0-9_-]{20,})`)},
	{what: apiToken, need: []string{"eyj"}, apart: true, expr: late(`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,3}`)},
	{what: apiToken, need: []string{":aa"}, apart: true, expr: late(`\d{8,10}:AA[A-Za-z0-9_-]{33}`)},
	{what: apiToken, need: []string{"sg."}, apart: true, likely: strong, expr: late(`SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`)},
	{what: apiToken, need: []string{"sk"}, alone: true, expr: late(`SK[0-9a-f]{32}`)},
	{what: apiToken, need: []string{"key-"}, alone: true, expr: late(`key-[0-9a-f]{32}`)},
	{what: apiToken, need: []string{"eaa"}, apart: true, likely: strong, expr: late(`EAA[A-Za-z0-9]{60,}`)},
	{what: apiToken, need: []string{"pat"}, alone: true, expr: late(`pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`)},
	{what: apiToken, need: []string{"m", "n", "o"}, apart: true, likely: func(s string) bool { return strong(s) && !slug(s) }, least: 58,
		expr: late(`[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`)},
	{what: privateKey, need: []string{"age-secret-key-"}, expr: late(`AGE-SECRET-KEY-[0-9A-Z-]{20,}`)},
	{what: password, need: []string{"pass", "pwd"}, expr: late(`[?&;](?:pass|passwd|password|passphrase|pwd)=([^&;#"'<>\[\]]+)`)},
	{what: apiToken, need: []string{"key=", "token=", "secret=", "sig=", "signature="}, expr: late(
		`[?&;](?:api_?key|access_?token|auth_?token|refresh_?token|id_?token|private_?token|client_?secret|secret|sig|x-amz-signature|x-amz-security-token|x-goog-signature)=([^&;#"'<>\[\]]{8,})`)},
}

// shoutsOrStrong takes what stands in capitals, and anything else only with a digit in it: a word of
// twenty letters may begin with the name of a continent.
func shoutsOrStrong(s string) bool { return s == strings.ToUpper(s) || strong(s) }

// prefixes begin the tokens of services that mark them.
var prefixes = []string{
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_",
	"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-",
	"sk-", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_",
	"npm_", "pypi-", "rubygems_", "dckr_pat_", "hf_", "r8_", "gsk_", "xai-", "nvapi-", "pplx-", "tvly-",
	"ya29.", "GOCSPX-", "1//0", "dop_v1_", "doo_v1_", "dor_v1_", "dapi", "hvs.", "hvb.", "hvr.",
	"shpat_", "shpca_", "shppa_", "shpss_", "sq0atp-", "sq0csp-", "sq0idp-", "EAAA", "lin_api_", "lin_oauth_", "ntn_", "secret_",
	"figd_", "sntrys_", "sntryu_", "tskey-", "glsa_", "glc_", "NRAK-", "PMAK-", "phc_", "phx_", "pscale_", "tfp_", "CFPAT-", "ATATT3", "ATCTT3", "ATBB",
}

// wordlikePrefixes are those that begin ordinary names as well.
var wordlikePrefixes = []string{"sk-", "secret_", "npm_", "hf_", "pypi-", "dapi", "glc_"}

// leastBody is how much of a token has to follow its prefix.
const leastBody = 20

// prefixesBy has the prefixes, in lower case, by their first byte.
var prefixesBy = func() (by [256][]string) {
	for _, p := range prefixes {
		p = strings.ToLower(p)
		by[p[0]] = append(by[p[0]], p)
	}
	return by
}()

// prefixed adds the tokens in a run that begin with one of the prefixes; base is where the run begins.
func (f *finder) prefixed(run, lower string, base int) {
	for i := 0; i+leastBody < len(run); i++ {
		for _, p := range prefixesBy[lower[i]] {
			if !strings.HasPrefix(lower[i:], p) {
				continue
			}
			end := i + len(p)
			for end < len(run) && isBody(run[end]) {
				end++
			}
			if body := run[i+len(p) : end]; len(body) < leastBody || !f.cuts[base+i] && !begins(run[:i], p, body) || !tokenlike(p, body) {
				continue
			}
			f.add(base+i, base+end, apiToken)
			i = end - 1
			break
		}
	}
}

func isBody(c byte) bool {
	return isAlnum(c) || c == '_' || c == '+' || c == '/' || c == '=' || c == '-'
}

// begins reports whether a token may begin after before. Letters may be glued to it where nothing else
// is written like it.
func begins(before, prefix, body string) bool {
	if before == "" || !isAlnum(before[len(before)-1]) {
		return true
	}
	return len(prefix) >= 4 && strings.IndexByte("_-", prefix[len(prefix)-1]) >= 0 && !wordy(prefix) && longestPiece(body) >= leastBody && strong(body)
}

func wordy(prefix string) bool {
	for _, w := range wordlikePrefixes {
		if w == prefix {
			return true
		}
	}
	return false
}

// tokenlike reports whether what follows a prefix was made by chance and is no name.
func tokenlike(prefix, body string) bool {
	if strong(body) {
		return !wordy(prefix) || !slug(body)
	}
	// Letters alone: longer than names get without a hyphen, or in capitals as they fall.
	for piece := range pieces(body) {
		if len(piece) >= 30 && isLetter(piece[0]) || len(piece) >= leastBody && changes(piece) >= len(piece)/4 {
			return true
		}
	}
	return false
}

// changes counts how often a capital follows a small letter.
func changes(s string) int {
	n := 0
	for i := 1; i < len(s); i++ {
		if s[i] < 'a' && isLetter(s[i]) && s[i-1] >= 'a' {
			n++
		}
	}
	return n
}

// pieces are the runs of letters and digits in s.
func pieces(s string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(s, func(r rune) bool { return r >= 0x80 || !isAlnum(byte(r)) })
}

func longestPiece(s string) int {
	n := 0
	for p := range pieces(s) {
		n = max(n, len(p))
	}
	return n
}

// slug reports whether s is words and numbers with something between them, as names of pages and
// branches are.
func slug(s string) bool {
	for p := range pieces(s) {
		if !slugPiece(p) {
			return false
		}
	}
	return true
}

// slugPiece takes words, numbers, and a word with a number after or before it, such as v2 and 3rd.
func slugPiece(p string) bool {
	word := strings.TrimRight(p, "0123456789")
	after := len(p) - len(word)
	if after == 0 {
		word = strings.TrimLeft(p, "0123456789")
		after = len(p) - len(word)
	}
	if after > 8 || after > 4 && word != "" || len(word) > 25 {
		return false
	}
	for i := range len(word) {
		if !isLetter(word[i]) {
			return false
		}
	}
	return word == strings.ToLower(word) || word == strings.ToUpper(word) || word[1:] == strings.ToLower(word[1:])
}

// runs adds the secrets in runs of characters without blanks.
func (f *finder) runs(s, lower string) {
	for i := 0; i < len(s); {
		if !isRun(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && isRun(s[end]) {
			end++
		}
		run, low := s[i:end], lower[i:end]
		if end-i >= leastRun {
			f.prefixed(run, low, i)
			for j := range inRuns {
				inRuns[j].find(f, run, low, i)
			}
		}
		i = end
	}
}

// find adds what expr finds in a run.
func (x *secret) find(f *finder, s, lower string, base int) {
	if len(s) < x.least || !containsAny(lower, x.need) {
		return
	}
	for at := 0; at < len(s); {
		m := x.expr().FindStringSubmatchIndex(s[at:])
		if m == nil {
			return
		}
		from, to := at+m[len(m)-2], at+m[len(m)-1]
		switch {
		case (x.alone || x.apart) && from > 0 && isAlnum(s[from-1]) && !f.cuts[base+from], x.alone && to < len(s) && isAlnum(s[to]) && !f.cuts[base+to], x.likely != nil && !x.likely(s[from:to]):
			at += m[0] + 1
		default:
			f.add(base+from, base+to, x.what)
			at = to
		}
	}
}

func containsAny(s string, list []string) bool {
	for _, n := range list {
		if strings.Contains(s, n) {
			return true
		}
	}
	return false
}
