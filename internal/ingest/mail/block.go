package mail

import (
	"strings"
	"unicode"
)

// A role is what a mail is in a conversation, which decides what below its text can be history.
type role int

const (
	fresh     role = iota // it answers nothing: whatever stands in it, its sender put there
	answer                // it answers a mail
	forwarded             // it passes a mail on
)

// role returns what the header says that the mail is.
func (h *header) role() role {
	subject := h.text("subject")
	switch {
	case forwards(subject):
		return forwarded
	case answers(subject), strings.TrimSpace(h.raw("in-reply-to")) != "", strings.TrimSpace(h.raw("references")) != "":
		return answer
	}
	return fresh
}

// answers reports whether a subject says that the mail answers another one: "Re: ", "[list] AW: ", "Re[2]: ".
func answers(subject string) bool {
	s := strings.ToLower(strings.TrimSpace(subject))
	if strings.HasPrefix(s, "[") {
		if i := strings.IndexByte(s, ']'); i > 0 {
			s = strings.TrimSpace(s[i+1:])
		}
	}
	i := strings.IndexByte(s, ':')
	if j := strings.Index(s, "："); j >= 0 && (i < 0 || j < i) {
		i = j
	}
	if i <= 0 || i > 20 {
		return false
	}
	word, count, counted := strings.Cut(strings.TrimSpace(s[:i]), "[")
	if counted && strings.Trim(count, "0123456789]") != "" {
		return false
	}
	return replyWords[strings.Trim(word, " .")]
}

// What programs write before the subject of an answer, by language.
var replyWords = set("re", "aw", "antw", "antwort", "sv", "vs", "odp", "ynt", "yan", "res", "ref", "rif", "r", "bls", "atb", "ra", "va", "vá", "hl", "απ", "σχετ",
	"ответ", "на", "回复", "答复", "回覆", "答覆", "返信", "답장", "회신", "השב", "תגובה", "رد", "trả lời", "balas")

// headerBlock reports whether l begins with the header lines of an earlier mail: a sender, and at
// least two more fields within the next lines.
func headerBlock(l []string) bool {
	if !namedField(l[0], fromNames) {
		return false
	}
	n := 0
	for _, s := range l[1:min(len(l), 9)] {
		if strings.TrimSpace(s) == "" {
			if n == 0 {
				continue
			}
			break
		}
		if namedField(s, moreNames) {
			n++
		}
	}
	return n >= 2
}

// earlierMail reports whether the header lines that l begins with are surely those of an earlier mail,
// which a program put below the text before: lines of such names are also what forms, tickets and people
// write, and what follows these belongs to the mail. An answer has the address of somebody or a date in
// them, or a rule above; any other mail has all of these, the rule being Outlook's.
func earlierMail(before, l []string, r role) bool {
	if l[0] == "" || l[0][0] == ' ' || l[0][0] == '\t' {
		return false
	}
	rule := ""
	if b := trimBlank(before); len(b) > 0 {
		rule = strings.TrimSpace(b[len(b)-1])
	}
	if r == fresh {
		return exact(l) && len(rule) >= outlookRule && strings.Trim(rule, "_") == ""
	}
	return exact(l) || len(rule) >= 3 && strings.Trim(rule, "-_=* ") == ""
}

// outlookRule is the length of the rule that Outlook draws, at least.
const outlookRule = 20

// exact reports whether one of the header lines that l begins with has an address or a date, or is
// in bold.
func exact(l []string) bool {
	for i, s := range l[:min(len(l), 9)] {
		s = strings.TrimSpace(s)
		if s == "" && i > 1 {
			return false
		}
		if !namedField(s, fromNames) && !namedField(s, moreNames) {
			continue
		}
		name, value, _ := strings.Cut(strings.ReplaceAll(s, "：", ":"), ":")
		if i := strings.IndexByte(value, '@'); i > 0 && i < len(value)-1 && value[i-1] != ' ' && value[i+1] != ' ' {
			return true
		}
		if _, ok := parseDate(value); ok || fullDate(value) {
			return true
		}
		if strings.HasPrefix(name, "*") && strings.Contains(strings.TrimLeft(s, "*"), "*") {
			return true
		}
	}
	return false
}

// fullDate reports whether s has the numbers of a day, a year and a clock, in whatever language.
func fullDate(s string) bool {
	return digits(s) >= 7 && (strings.Contains(s, "20") || strings.Contains(s, "19")) && strings.ContainsAny(s, ":.")
}

func namedField(s string, names map[string]bool) bool {
	i := strings.IndexByte(s, ':')
	if j := strings.Index(s, "："); j >= 0 && (i < 0 || j < i) {
		i = j
	}
	if i <= 0 || i > 45 {
		return false
	}
	name := strings.ToLower(strings.TrimFunc(s[:i], func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*_#|", r) }))
	return names[name]
}

// forwards reports whether a subject says that the mail is forwarded.
func forwards(subject string) bool {
	s := strings.ToLower(strings.TrimSpace(subject))
	for _, p := range []string{"fwd:", "fw:", "wg:", "tr:", "rv:", "enc:", "i:", "doorst:", "vb:", "vs:", "pd:", "转发:", "转发：", "轉寄:", "轉寄：", "[fwd"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
