package policy

import (
	"context"
	"regexp"
	"strings"
	"sync"
)

// What is redacted, as it stands in the mark that takes its place.
const (
	privateKey = "private-key"
	apiToken   = "api-token"
	password   = "password"
	cardNumber = "card-number"
)

func mark(what string) string { return "[redacted:" + what + "]" }

type rawKey struct{}

// Raw returns a context whose caller is served text as it is stored. It is for the owner at the
// command line who asks for that.
func Raw(ctx context.Context) context.Context { return context.WithValue(ctx, rawKey{}, true) }

// Served returns text as the caller in ctx is served it: without secrets, where that is set, and with
// invisible characters made visible. What is stored stays as it is.
func (p *Policy) Served(ctx context.Context, text string) string {
	if p == nil || plain(text) || ctx.Value(rawKey{}) != nil {
		return text
	}
	if p.o.RedactSecrets {
		text = Redact(text)
	}
	return Reveal(text)
}

// A secret is one kind of secret that its form gives away.
type secret struct {
	what string
	// need are texts, in lower case where fold is set, one of which has to be there.
	need []string
	fold bool
	// expr finds it; what is replaced is its last group, or all of it.
	expr func() *regexp.Regexp
	// strong asks for a digit and a letter, which a word in the place of a secret lacks.
	strong bool
	// least is how long a run is at least that holds it.
	least int
	// after, when set, are words one of which stands before need, apart from a blank, _ or -.
	after []string
}

// late compiles an expression when it is first asked for: no start of the program has to wait for all
// of them, and most texts come near few.
func late(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// inRuns are secrets inside a run of characters without blanks. Tokens that services mark with a
// beginning of their own are in prefixes.
var inRuns = []secret{
	{what: apiToken, need: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, expr: late(`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`)},
	{what: apiToken, need: []string{"AIza"}, expr: late(`\bAIza[A-Za-z0-9_-]{30,}`)},
	{what: apiToken, need: []string{"xox", "xapp-", "xwfp-"}, expr: late(`\b(?:xox[a-z](?:\.xox[a-z])?|xapp|xwfp)-[A-Za-z0-9-]{10,}`)},
	{what: apiToken, need: []string{"hooks.slack.com/"}, expr: late(`hooks\.slack\.com/[a-z]+/([A-Za-z0-9/_-]{20,})`)},
	{what: apiToken, need: []string{"/api/webhooks/"}, expr: late(`/api/webhooks/\d+/([A-Za-z0-9_-]{20,})`)},
	{what: apiToken, need: []string{"eyJ"}, expr: late(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,3}`)},
	{what: apiToken, need: []string{":AA"}, expr: late(`\b\d{8,10}:AA[A-Za-z0-9_-]{33}`)},
	{what: apiToken, need: []string{"SG."}, expr: late(`\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`)},
	{what: apiToken, need: []string{"SK"}, expr: late(`\bSK[0-9a-f]{32}\b`)},
	{what: apiToken, need: []string{"key-"}, expr: late(`\bkey-[0-9a-f]{32}\b`)},
	{what: apiToken, need: []string{"EAA"}, expr: late(`\bEAA[A-Za-z0-9]{60,}`), strong: true},
	{what: apiToken, need: []string{"pat"}, expr: late(`\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b`)},
	{what: apiToken, need: []string{"M", "N", "O"}, expr: late(`\b[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`), strong: true, least: 58},
	{what: privateKey, need: []string{"AGE-SECRET-KEY-"}, expr: late(`\bAGE-SECRET-KEY-[0-9A-Z-]{20,}`)},
	{what: password, fold: true, need: []string{"pass", "pwd"}, expr: late(`(?i)[?&;](?:pass|passwd|password|passphrase|pwd)=([^&;#"'<>\[\]]+)`)},
	{what: apiToken, fold: true, need: []string{"key=", "token=", "secret=", "sig=", "signature="}, expr: late(
		`(?i)[?&;](?:api_?key|access_?token|auth_?token|refresh_?token|id_?token|private_?token|client_?secret|secret|sig|x-amz-signature|x-amz-security-token|x-goog-signature)=([^&;#"'<>\[\]]{8,})`)},
}

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

// prefixed finds what begins with one of the prefixes and goes on like a token.
var prefixed = secret{
	what: apiToken, need: prefixes, strong: true,
	expr: sync.OnceValue(func() *regexp.Regexp {
		quoted := make([]string, len(prefixes))
		for i, p := range prefixes {
			quoted[i] = regexp.QuoteMeta(p)
		}
		return regexp.MustCompile(`(?:^|[^A-Za-z0-9_])((?:` + strings.Join(quoted, "|") + `)[A-Za-z0-9_+/=-]{20,})`)
	}),
}

// inText are secrets that a word before them gives away: need, in lower case, is where expr begins.
var inText = []secret{
	{what: privateKey, need: []string{"private-lines"}, expr: late(`^(?i)private-lines: *\d+\s+((?:[A-Za-z0-9+/=]{16,}\s*?)(?:\s[A-Za-z0-9+/=]{16,})*)`)},
	{what: privateKey, need: []string{"privatekey", "private_key", "private key"}, strong: true, expr: late(`^(?i)private[_ ]?key["']?\s*[:=]\s*["']?([A-Za-z0-9+/]{40,}={0,2})`)},
	{what: apiToken, need: []string{"authorization"}, expr: late(`^(?i)authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|bot)\s+([A-Za-z0-9._~+/=:-]{8,})`)},
	{what: apiToken, need: []string{"bearer "}, strong: true, expr: late(`^(?i)bearer\s+([A-Za-z0-9._~+/-]{20,}=*)`)},
	{what: apiToken, need: []string{"key", "token", "secret"}, after: owners, strong: true, expr: late(
		`^(?i)(?:key|token|secret)["']?\s{0,3}(?::|=>?|is)\s{0,3}["'` + "`" + `]?([A-Za-z0-9_./+=~-]{16,})`)},
}

// owners are what stands before the words key, token and secret where they name a secret.
var owners = []string{"api", "access", "account", "secret", "auth", "client", "refresh", "private", "bot", "app"}

// Redact returns s with private keys, API tokens, passwords in URLs and card numbers replaced by marks.
func Redact(s string) string {
	return redactCards(redactRuns(redactText(redactKeys(s))))
}

// redactText replaces the secrets that words give away.
func redactText(s string) string {
	lower := lowerASCII(s)
	for i := range inText {
		if r := inText[i].replaceAfter(s, lower); r != s {
			s, lower = r, lowerASCII(r)
		}
	}
	return s
}

// replaceAfter is replace for a secret whose expression begins where need stands.
func (x *secret) replaceAfter(s, lower string) string {
	var out strings.Builder
	done := 0
	for _, n := range x.need {
		for at := done; ; {
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
			from, to := i+m[len(m)-2], i+m[len(m)-1]
			if x.strong && !strong(s[from:to]) {
				continue
			}
			out.WriteString(s[done:from] + mark(x.what))
			done, at = to, to
		}
		if done > 0 { // what follows is found in what came out
			return x.again(out.String() + s[done:])
		}
	}
	return s
}

func (x *secret) again(s string) string { return x.replaceAfter(s, lowerASCII(s)) }

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

// redactRuns replaces the secrets in runs of characters without blanks.
func redactRuns(s string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(s); {
		if !isRun(s[i]) {
			i++
			continue
		}
		end := i
		for end < len(s) && isRun(s[end]) {
			end++
		}
		if end-i >= leastRun || strings.Contains(s[i:end], "://") {
			if r := redactRun(s[i:end]); r != s[i:end] {
				out.WriteString(s[done:i])
				out.WriteString(r)
				done = end
			}
		}
		i = end
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

func redactRun(run string) string {
	run = redactUserinfo(run)
	lower := lowerASCII(run)
	if r := prefixed.replace(run, lower); r != run {
		run, lower = r, lowerASCII(r)
	}
	for i := range inRuns {
		if r := inRuns[i].replace(run, lower); r != run {
			run, lower = r, lowerASCII(r)
		}
	}
	return run
}

func (x *secret) replace(s, lower string) string {
	hay := s
	if x.fold {
		hay = lower
	}
	found := false
	for _, n := range x.need {
		if found = strings.Contains(hay, n); found {
			break
		}
	}
	if !found || len(s) < x.least {
		return s
	}
	var out strings.Builder
	done := 0
	for _, at := range x.expr().FindAllStringSubmatchIndex(s, -1) {
		from, to := at[len(at)-2], at[len(at)-1]
		if x.strong && !strong(s[from:to]) {
			continue
		}
		out.WriteString(s[done:from])
		out.WriteString(mark(x.what))
		done = to
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// redactUserinfo replaces the passwords in the addresses of a run.
func redactUserinfo(run string) string {
	from := 0
	for {
		i := strings.Index(run[from:], "://")
		if i < 0 {
			return run
		}
		from += i + len("://")
		authority := run[from:]
		if end := strings.IndexAny(authority, `/?#"'<>\`+"`"); end >= 0 {
			authority = authority[:end]
		}
		at := strings.LastIndexByte(authority, '@')
		if at < 0 {
			continue
		}
		user, pass, both := strings.Cut(authority[:at], ":")
		switch {
		case authority[:at] == mark(apiToken): // taken away before
			continue
		case both && pass != "" && pass != mark(password):
			user += ":" + mark(password)
		case !both && len(user) >= leastRun && strong(user): // a token in the place of the name
			user = mark(apiToken)
		default:
			continue
		}
		run = run[:from] + user + run[from+at:]
		from += len(user)
	}
}

// strong reports whether s holds a digit and a letter.
func strong(s string) bool {
	return strings.ContainsAny(s, "0123456789") && strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}

func lowerASCII(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
