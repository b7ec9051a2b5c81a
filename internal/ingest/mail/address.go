package mail

import (
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// maxPeople is how many recipients of one mail are kept.
const maxPeople = 500

// people parses an address list: names decoded, groups opened, addresses that stand for machines
// without their names.
func people(v string) []doc.Person {
	var out []doc.Person
	carry := ""
	for _, item := range splitAddresses(v) {
		if carry != "" {
			item = carry + ", " + item
			carry = ""
		}
		p, ok := person(item)
		if !ok {
			// An unquoted "Last, First <address>" is cut at its comma: the address follows.
			if s := strings.TrimSpace(item); s != "" && len(s) < 100 && !strings.ContainsAny(s, "@<>") {
				carry = s
			}
			continue
		}
		if out = append(out, p); len(out) == maxPeople {
			return out
		}
	}
	if carry != "" && len(out) == 0 {
		if name := personName(carry, ""); name != "" {
			out = append(out, doc.Person{Name: name})
		}
	}
	return out
}

// splitAddresses cuts a list at the commas and semicolons outside quotes, brackets and comments, and
// drops the names of groups.
func splitAddresses(v string) []string {
	var out []string
	start, depth := 0, 0
	quoted, angle := false, false
	// What closes is looked for once: a header of nothing but what opens would take the square of its length.
	lastQuote, lastRound, lastAngle, lastAt := strings.LastIndexByte(v, '"'), strings.LastIndexByte(v, ')'), strings.LastIndexByte(v, '>'), strings.LastIndexByte(v, '@')
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case c == '\\' && (quoted || depth > 0):
			i++
		case quoted:
			quoted = c != '"'
		case c == '"' && depth == 0:
			// A quote that is never closed is an ordinary character.
			quoted = lastQuote > i
		case c == '(' && !angle:
			if depth > 0 || lastRound > i {
				depth++
			}
		case c == ')' && depth > 0:
			depth--
		case depth > 0:
		case c == '<':
			angle = lastAngle > i
		case c == '>':
			angle = false
			// "Ann <a@x> Bob <b@x>": the comma was forgotten.
			if rest := strings.TrimLeft(v[i+1:], " \t"); rest != "" && rest[0] != ',' && rest[0] != ';' && rest[0] != '(' && lastAt > i {
				out = append(out, v[start:i+1])
				start = i + 1
			}
		case angle:
		case c == ':' && !strings.Contains(v[start:i], "@") && !strings.EqualFold(strings.TrimSpace(v[start:i]), "mailto"):
			start = i + 1 // the name of a group
		case c == ',' || c == ';':
			out = append(out, v[start:i])
			start = i + 1
		}
		if len(out) > 4*maxPeople {
			return out
		}
	}
	return append(out, v[start:])
}

// person parses one mailbox.
func person(s string) (doc.Person, bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return doc.Person{}, false
	}
	name, email := "", ""
	if i := strings.LastIndexByte(s, '<'); i >= 0 {
		name = s[:i]
		email, _, _ = strings.Cut(s[i+1:], ">")
		if name == "" {
			_, name, _ = strings.Cut(s[i+1:], ">") // "<a@x> Ann"
			name = strings.Trim(name, " ()")
		}
	} else {
		email = s
		if open := strings.IndexByte(s, '('); open >= 0 && strings.ContainsRune(s[:open], '@') {
			email, name = s[:open], strings.TrimSuffix(strings.TrimSpace(s[open+1:]), ")")
		} else if f := strings.Fields(s); len(f) > 1 && strings.ContainsRune(f[len(f)-1], '@') {
			name, email = strings.Join(f[:len(f)-1], " "), f[len(f)-1]
		}
	}
	email = address(email)
	name = personName(name, email)
	if email == "" && strings.ContainsRune(s, '<') && name != "" {
		return doc.Person{Name: name}, true // an Exchange address such as /O=ORG/CN=ANN
	}
	if email == "" {
		return doc.Person{}, false
	}
	return settle(name, email), true
}

// settle keeps a shared address from being taken for the person who writes through it.
func settle(name, email string) doc.Person {
	local, _, _ := strings.Cut(strings.ToLower(email), "@")
	switch {
	case machine(local):
		return doc.Person{Email: email}
	case name != "" && (local == "notifications" || local == "notification" || local == "invitations" || local == "comments-noreply"):
		return doc.Person{Name: name}
	}
	lower := strings.ToLower(name)
	for _, via := range []string{" via ", " über ", " (via "} {
		// A list that rewrote the sender: the name is the writer's, the address the list's.
		if i := strings.LastIndex(lower, via); i > 0 && len(lower) == len(name) {
			return doc.Person{Name: strings.Trim(name[:i], `'" `)}
		}
	}
	return doc.Person{Name: name, Email: email}
}

var separators = strings.NewReplacer("-", "", "_", "", ".", "")

// machine reports whether no person reads what is sent to the local part of an address.
func machine(local string) bool {
	local, _, _ = strings.Cut(local, "+")
	switch separators.Replace(local) {
	case "noreply", "donotreply", "dontreply", "nichtantworten", "nepasrepondre", "noresponder", "mailerdaemon",
		"postmaster", "bounce", "bounces", "mailer", "autoreply", "automailer", "unsubscribe", "mdaemon", "daemon":
		return true
	}
	return strings.HasPrefix(local, "noreply") || strings.HasPrefix(local, "no-reply") || strings.HasPrefix(local, "do-not-reply") ||
		strings.HasPrefix(local, "bounce-") || strings.HasPrefix(local, "bounces-") || strings.HasSuffix(local, "-noreply") ||
		strings.HasSuffix(local, "-no-reply") || strings.HasPrefix(local, "prvs=")
}

// address returns the bare address in s, or "".
func address(s string) string {
	s = squeeze(s)
	s = strings.Trim(s, " <>\"',;:()[]")
	if len(s) > 7 && strings.EqualFold(s[:7], "mailto:") {
		s = s[7:]
	}
	if strings.Contains(s, "=?") {
		s = squeeze(decodeWords(s))
	}
	if i := strings.LastIndexByte(s, ':'); i >= 0 && strings.HasPrefix(s, "@") {
		s = s[i+1:] // a source route
	}
	s = strings.ReplaceAll(s, " ", "")
	at := strings.LastIndexByte(s, '@')
	if at <= 0 || at == len(s)-1 || len(s) > 320 || strings.ContainsAny(s, "<>()\t") {
		return ""
	}
	return strings.TrimSuffix(s, ".")
}

// personName decodes a display name, takes its quotes off, and drops one that is only the address.
func personName(s, email string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		s = unescape(s[1 : len(s)-1])
	}
	s = squeeze(decodeWords(s))
	s = unescape(strings.Trim(s, `"`))
	for len(s) >= 2 && (s[0] == '\'' && s[len(s)-1] == '\'' || s[0] == '"' && s[len(s)-1] == '"') {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	s = strings.TrimSpace(strings.ReplaceAll(s, `"`, ""))
	if len(s) > 200 {
		return ""
	}
	bare := strings.ToLower(strings.Trim(s, "<>()'\" "))
	if email != "" && bare == strings.ToLower(email) || isAddress(bare) {
		return ""
	}
	if strings.Trim(s, "-_.,;:<>()[]'\"/ ?") == "" || strings.EqualFold(s, "undisclosed-recipients") || strings.EqualFold(s, "undisclosed recipients") {
		return ""
	}
	return s
}

func isAddress(s string) bool {
	at := strings.IndexByte(s, '@')
	return at > 0 && at < len(s)-1 && !strings.ContainsAny(s, " \t") && strings.ContainsRune(s[at:], '.')
}

func unescape(s string) string {
	if !strings.ContainsRune(s, '\\') {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
