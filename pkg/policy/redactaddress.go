package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// userinfo adds the passwords in addresses, and the tokens that stand in the place of a name.
func (f *finder) userinfo(s string) {
	for from := 0; ; {
		i := strings.Index(s[from:], "://")
		if i < 0 {
			return
		}
		from += i + len("://")
		authority := s[from : from+authorityEnd(s[from:])]
		at := strings.LastIndexByte(authority, '@')
		if at < 0 {
			continue
		}
		user, pass, both := strings.Cut(authority[:at], ":")
		switch {
		case both && pass != "":
			f.add(from+len(user)+1, from+at, password)
		case !both && len(user) >= leastRun && strong(user) && ascii(user): // a token in the place of the name
			f.add(from, from+at, apiToken)
		}
		from += at
	}
}

// authorityEnd returns how much of s may stand before the path of an address. People write letters of
// all scripts and signs as they are, although addresses should have them escaped.
func authorityEnd(s string) int {
	colon := false
	for i, r := range s {
		switch {
		case r == ':':
			colon = true
		case strings.ContainsRune("/?#<>\\", r), r <= ' ', r == 0x7f:
			return i
		case strings.ContainsRune("\"'`’", r):
			// Inside of a password it stands between letters; else it ends what is quoted.
			before, _ := utf8.DecodeLastRuneInString(s[:i])
			after, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if !colon || !unicode.IsLetter(before) && !unicode.IsDigit(before) || !unicode.IsLetter(after) && !unicode.IsDigit(after) {
				return i
			}
		case r >= utf8.RuneSelf && (unicode.IsSpace(r) || unicode.IsPunct(r) && !strings.ContainsRune("§¶·¡¿", r)):
			return i // of the sentence around it
		}
	}
	return len(s)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// secretNames end the names of settings that hold a secret, in lower case.
var secretNames = []struct{ ending, what string }{
	{"token", apiToken}, {"secret", apiToken}, {"api_key", apiToken}, {"password", password}, {"passwd", password},
}

// leastAssigned is how many characters the value of such a setting has at least.
const leastAssigned = 8

// namesSecret reports whether s ends with one of secretNames.
func namesSecret(s string) bool { return secretNamed(s) != "" }

func secretNamed(s string) (what string) {
	if s == "" {
		return ""
	}
	switch s[len(s)-1] | 0x20 {
	case 'n', 't', 'y', 'd':
	default:
		return ""
	}
	for _, n := range secretNames {
		if len(s) >= len(n.ending) && strings.EqualFold(s[len(s)-len(n.ending):], n.ending) {
			return n.what
		}
	}
	return ""
}

// assigned adds the values of settings as files of environment variables have them: NAME=VALUE, with
// no blank in between, and a name that says that it is secret, in one case throughout.
func (f *finder) assigned(s string) {
	for at := 0; ; at++ {
		i := strings.IndexByte(s[at:], '=')
		if i < 0 {
			return
		}
		at += i
		what := secretNamed(s[:at])
		if what == "" {
			continue
		}
		begin := at
		for begin > 0 && (isAlnum(s[begin-1]) || s[begin-1] == '_') {
			begin--
		}
		name := s[begin:at]
		capitals := name == strings.ToUpper(name)
		if !capitals && name != strings.ToLower(name) || begin > 0 && !f.cuts[begin] && strings.IndexByte(" \t\r\n\f\v\"'`", s[begin-1]) < 0 {
			continue
		}
		if begin > 0 && at+1 < len(s) && s[at+1] == s[begin-1] && strings.IndexByte("\"'`", s[at+1]) >= 0 { // quoted without a value
			continue
		}
		from, to := assignedValue(s, at+1)
		value := s[from:to]
		switch {
		case utf8.RuneCountInString(value) < leastAssigned, strings.IndexByte("$%<{([", value[0]) >= 0: // one that is to be filled in
		case !capitals && strings.ContainsAny(value, "(){}<>"): // a program, not a setting
		default:
			f.add(from, to, what)
		}
		if from == at+1 { // nothing that ends begins another, however often something unseen parts it
			at = max(at, to-1)
		}
	}
}

// assignedValue returns where the value is that begins at from, without the quotation marks around it.
func assignedValue(s string, from int) (begin, end int) {
	if from < len(s) && strings.IndexByte("\"'", s[from]) >= 0 {
		rest := s[from+1:]
		if n := strings.IndexAny(rest, s[from:from+1]+"\n"); n >= 0 && rest[n] == s[from] {
			return from + 1, from + 1 + n
		}
		from++
	}
	n := strings.IndexFunc(s[from:], func(r rune) bool { return unicode.IsSpace(r) || r == '"' || r == '\'' || r == '`' })
	if n < 0 {
		n = len(s) - from
	}
	return from, from + n
}
