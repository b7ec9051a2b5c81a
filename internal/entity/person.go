package entity

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/text"
)

// A Link states that an address or a handle (Kind "email" or "handle") belongs to a person.
type Link struct {
	Kind, Value string // canonical
	Person      string // canonical value of the person
}

// Links returns what the structure of a document says about who owns which address. Addresses that
// machines use to speak for many people ("Alice via Docs <noreply@…>") link nobody.
func Links(people []doc.Person) []Link {
	var links []Link
	add := func(l Link) {
		if !slices.Contains(links, l) {
			links = append(links, l)
		}
	}
	for _, p := range people {
		who := PersonValue(p.Name)
		if who == "" || isRelayed(p.Name) {
			continue
		}
		if v := EmailValue(p.Email); v != "" && !roleAddress(v) {
			add(Link{Kind: kindEmail, Value: v, Person: who})
		}
		if v := HandleValue(p.Handle); v != "" {
			add(Link{Kind: kindHandle, Value: v, Person: who})
		}
		if v := PhoneValue(p.Phone); v != "" {
			add(Link{Kind: kindHandle, Value: v, Person: who})
		}
	}
	return links
}

// addressValue names somebody without a name by what he is reached by: an address as it is, a number
// behind "tel:", a handle behind "@".
func addressValue(p doc.Person) string {
	for _, s := range []string{p.Email, p.Name} {
		if v := EmailValue(s); v != "" {
			if roleAddress(v) {
				return ""
			}
			return v
		}
	}
	for _, s := range []string{p.Phone, p.Name} {
		if v := PhoneValue(s); v != "" {
			return v
		}
	}
	if v := HandleValue(p.Handle); v != "" {
		return "@" + v
	}
	return ""
}

// machine reports whether p writes from an address that takes no answer and names a company rather
// than somebody for whom it relays.
func machine(p doc.Person) bool {
	local, _, ok := strings.Cut(EmailValue(p.Email), "@")
	return ok && takesNoAnswer(local) && !isRelayed(p.Name) && !strings.Contains(p.Name, "(")
}

// isRelayed reports whether a service wrote on behalf of name.
func isRelayed(name string) bool {
	l := strings.ToLower(name)
	return strings.Contains(l, " via ") || strings.Contains(l, "(via ")
}

// PersonValue returns the canonical value of a person's name ("Moreau, Alice" and "alice moreau"
// both give "alice-moreau"), or "" when the name names nobody. Titles and degrees are dropped,
// accents folded, names in Chinese, Japanese and Korean characters kept in one piece.
func PersonValue(name string) string {
	if len(name) > 400 || !utf8.ValidString(name) || strings.IndexByte(name, '@') >= 0 {
		return ""
	}
	words := nameWords(firstNameFirst(withoutAsides(name)))
	for len(words) > 0 && isTitle(words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && isDegree(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	v := joinName(words)
	if n := utf8.RuneCountInString(v); n == 0 || n > 80 || n == 1 && len(v) == 1 {
		return ""
	}
	if strings.IndexFunc(v, unicode.IsLetter) < 0 || namesNobody(v) {
		return ""
	}
	return v
}

// withoutAsides drops what stands in brackets, the address after a name, and "via …".
func withoutAsides(s string) string {
	if i := strings.IndexByte(s, '<'); i >= 0 {
		s = s[:i]
	}
	var b strings.Builder
	depth := 0
	for _, r := range s {
		switch r {
		case '(', '[', '{', '（', '【':
			depth++
			b.WriteByte(' ')
		case ')', ']', '}', '）', '】':
			depth = max(0, depth-1)
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	if strings.TrimSpace(b.String()) != "" {
		s = b.String()
	}
	if i := strings.Index(strings.ToLower(s), " via "); i > 0 && i < len(s) {
		s = s[:i]
	}
	return s
}

// firstNameFirst turns "Moreau, Alice" round; degrees after a comma go.
func firstNameFirst(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '，' })
	for len(parts) > 1 {
		last := nameWords(parts[len(parts)-1])
		if slices.ContainsFunc(last, func(w string) bool { return !isDegree(w) }) {
			break
		}
		parts = parts[:len(parts)-1]
	}
	if len(parts) == 2 {
		return parts[1] + " " + parts[0]
	}
	return strings.Join(parts, " ")
}

// nameWords folds s and splits it into words; an apostrophe stays inside its word, unwritten.
func nameWords(s string) []string {
	s = text.Fold(s)
	s = strings.Map(func(r rune) rune {
		switch r {
		case '\'', '’', '`', '´', 'ʼ', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad':
			return -1
		}
		return r
	}, s)
	return strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	})
}

// joinName joins words by hyphens, but for words of Chinese, Japanese and Korean names.
func joinName(words []string) string {
	for _, w := range words {
		for _, r := range w {
			if !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
				return strings.Join(words, "-")
			}
		}
	}
	return strings.Join(words, "")
}

func isTitle(w string) bool {
	switch w {
	case "dr", "mr", "mrs", "ms", "miss", "mx", "prof", "professor", "sir", "dame", "herr", "frau", "mme", "mlle", "monsieur", "madame", "rev", "hon":
		return true
	}
	return false
}

func isDegree(w string) bool {
	switch w {
	case "jr", "sr", "phd", "md", "ii", "iii", "iv", "esq", "mba", "msc", "dds":
		return true
	}
	return false
}

// namesNobody reports whether the canonical name v stands for anybody or nobody.
func namesNobody(v string) bool {
	switch v {
	case "unknown", "unknown-sender", "unknown-user", "deleted-user", "deleted-account", "anonymous", "anon", "nobody",
		"me", "you", "myself", "self", "none", "null", "nil", "undefined", "na", "n-a", "user", "users", "guest",
		"everyone", "everybody", "all", "undisclosed", "undisclosed-recipients", "undisclosed-recipient", "recipients",
		"recipient-list-not-shown", "recipient-list-suppressed", "noreply", "no-reply", "donotreply", "do-not-reply",
		"do-not-respond", "mailer-daemon", "mail-delivery-subsystem", "mail-delivery-system", "postmaster", "root",
		"notification", "notifications", "newsletter", "webmaster", "automated-message", "system-administrator",
		"我", "我自己", "本人", "未知", "匿名", "自分", "나", "moi", "ich", "yo", "io":
		return true
	}
	return false
}

// OrganizationValue returns the canonical value of an organisation's name, without its legal form,
// or "" when there is none.
func OrganizationValue(name string) string {
	if len(name) > 400 || !utf8.ValidString(name) || strings.IndexByte(name, '@') >= 0 {
		return ""
	}
	words := nameWords(name)
	for len(words) > 1 && isLegalForm(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	for len(words) > 1 && words[0] == "株" { // ㈱
		words = words[1:]
	}
	v := withoutHanForm(joinName(words))
	if utf8.RuneCountInString(v) > 100 || strings.IndexFunc(v, unicode.IsLetter) < 0 || namesNobody(v) {
		return ""
	}
	return v
}

// bracketed returns the organisation of "Ann Lee (Acme GmbH)": what stands in brackets behind a name, when its
// legal form says that it is one.
func bracketed(name string) string {
	before, rest, ok := strings.Cut(name, "(")
	if !ok || strings.TrimSpace(before) == "" || len(name) > 400 {
		return ""
	}
	inside, _, _ := strings.Cut(rest, ")")
	if words := nameWords(inside); len(words) > 1 && isLegalForm(words[len(words)-1]) {
		return strings.TrimSpace(inside)
	}
	if v := joinName(nameWords(inside)); withoutHanForm(v) != v {
		return strings.TrimSpace(inside)
	}
	return ""
}

func isLegalForm(w string) bool {
	switch w {
	case "inc", "incorporated", "llc", "ltd", "limited", "gmbh", "ag", "corp", "corporation", "co", "sa", "sarl", "sas",
		"bv", "nv", "plc", "kg", "oy", "ab", "srl", "spa", "pty", "kk", "株":
		return true
	}
	return false
}

// withoutHanForm drops the legal form of a Chinese or Japanese company, which stands at either end
// without a blank. What only is such a form stays.
func withoutHanForm(v string) string {
	for _, form := range []string{"股份有限公司", "有限责任公司", "有限公司", "股份公司", "株式会社", "有限会社", "合同会社", "合資会社"} {
		if cut, ok := strings.CutSuffix(v, form); ok && cut != "" {
			return cut
		}
		if cut, ok := strings.CutPrefix(v, form); ok && cut != "" && !strings.HasSuffix(form, "公司") {
			return cut
		}
	}
	return v
}

// A spokenName is the name of somebody whom the structure names, as it may follow an '@'.
type spokenName struct {
	name, value string
}

// spokenNames returns the names that a handle cannot hold: those with a blank, and those in scripts
// that do not show where a name ends. Longer ones come first.
func spokenNames(groups ...[]doc.Person) []spokenName {
	var names []spokenName
	for _, g := range groups {
		for _, p := range g {
			n := strings.TrimSpace(p.Name)
			first, _ := utf8.DecodeRuneInString(n)
			if n == "" || strings.IndexByte(n, ' ') < 0 && !glues(first) {
				continue
			}
			if v := PersonValue(n); v != "" {
				names = append(names, spokenName{n, v})
			}
		}
	}
	slices.SortFunc(names, func(a, b spokenName) int {
		return cmp.Or(cmp.Compare(len(b.name), len(a.name)), strings.Compare(a.name, b.name))
	})
	return slices.Compact(names)
}

// spoken returns the known name at the start of s.
func (x *scanner) spoken(s string) (spokenName, bool) {
	for _, n := range x.names {
		if len(s) < len(n.name) || !strings.EqualFold(s[:len(n.name)], n.name) {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(s[len(n.name):]); len(s) == len(n.name) || !isLatinLike(r) {
			n.name = s[:len(n.name)]
			return n, true
		}
	}
	return spokenName{}, false
}
