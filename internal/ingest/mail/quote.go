package mail

import (
	"strings"
	"unicode/utf8"
)

// keptQuote is how many lines of a quote stay in front of the answer to it.
const keptQuote = 6

// ownWords returns what the sender wrote in the text of a mail: without the history below or above it,
// the signature, list footers and legal notices. Quoted lines that an answer follows stay, as far as
// the answer needs them. A step that would leave nothing is not taken. When the mail was
// forwarded, the first mail below its text is what it is about.
func ownWords(text string, r role) string {
	lines := strings.Split(strings.TrimRight(text, " \t\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	lines = trimBlank(lines)
	for _, step := range []func([]string) []string{
		dropPictures,
		func(l []string) []string { return cutHistory(l, r) },
		cutFooters,
		cutSignature,
		thinQuotes,
		cutFooters,
		cutSignature,
	} {
		if next := trimBlank(step(lines)); !blank(next) {
			lines = next
		}
	}
	return strings.Join(lines, "\n")
}

// dropPictures removes the lines that stand for inline pictures: [cid:image001.png@01D9], <a.png>.
func dropPictures(lines []string) []string {
	out := lines[:0:0]
	for i, s := range lines {
		t := strings.Trim(s, " \t[]<>")
		picture := len(t) < len(strings.TrimSpace(s)) && len(t) < 200 && !strings.ContainsRune(t, ']') && strings.Count(t, " ") <= 2 && pictureName(t)
		switch {
		case picture && out == nil:
			out = append(make([]string, 0, len(lines)), lines[:i]...)
		case !picture && out != nil:
			out = append(out, s)
		}
	}
	if out == nil {
		return lines
	}
	return out
}

func pictureName(s string) bool {
	s = strings.ToLower(s)
	if strings.HasPrefix(s, "cid:") {
		return true
	}
	for _, ext := range []string{".png", ".jpg", ".jpeg", ".gif"} {
		if strings.HasSuffix(s, ext) {
			return true
		}
	}
	return false
}

func trimBlank(l []string) []string {
	for len(l) > 0 && strings.TrimSpace(l[0]) == "" {
		l = l[1:]
	}
	for len(l) > 0 && strings.TrimSpace(l[len(l)-1]) == "" {
		l = l[:len(l)-1]
	}
	return l
}

func blank(l []string) bool {
	for _, s := range l {
		if strings.Trim(s, " \t-_=*>|.·•") != "" {
			return false
		}
	}
	return true
}

func quoted(s string) bool {
	s = strings.TrimLeft(s, " \t")
	return strings.HasPrefix(s, ">")
}

// cutHistory cuts at the line where an unquoted earlier mail begins, and removes the attribution lines
// above quotes.
func cutHistory(lines []string, r role) []string {
	out := make([]string, 0, len(lines))
	kept := r != forwarded // whether the next header block is to be cut
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if quoted(line) {
			out = append(out, line)
			continue
		}
		if n := forwardMark(lines[i:]); n > 0 {
			// What was forwarded on purpose is part of the mail.
			return append(out, lines[i:]...)
		}
		if mark := originalMark(line); mark || headerBlock(lines[i:]) {
			if kept && (mark || earlierMail(out, lines[i:], r)) {
				return dropRule(out)
			}
			if kept {
				out = append(out, line)
				continue
			}
			kept = true
			// Its own header lines must not look like another block.
			for i < len(lines) && strings.TrimSpace(lines[i]) != "" {
				out = append(out, lines[i])
				i++
			}
			if i < len(lines) {
				out = append(out, lines[i])
			}
			continue
		}
		if n := attribution(lines[i:]); n > 0 {
			next := i + n
			for next < len(lines) && strings.TrimSpace(lines[next]) == "" {
				next++
			}
			if next < len(lines) && !quoted(lines[next]) {
				// The earlier mail follows without marks, as some programs do.
				if r != fresh && !blank(out) && strong(lines[i:i+n]) && unmarked(lines[i:i+n]) {
					return out
				}
				out = append(out, line)
				continue
			}
			i += n - 1
			continue
		}
		out = append(out, line)
	}
	return out
}

// dropRule removes the rule that Outlook draws above an earlier mail.
func dropRule(l []string) []string {
	l = trimBlank(l)
	for len(l) > 0 && len(l[len(l)-1]) >= 3 && strings.Trim(l[len(l)-1], "-_= *") == "" {
		l = trimBlank(l[:len(l)-1])
	}
	return l
}

// thinQuotes removes quotes that nothing answers, and of the others all but their last lines.
func thinQuotes(lines []string) []string {
	// Seen from each line on: do the sender's words follow, and is the next line with text quoted?
	answered := make([]bool, len(lines)+1)
	quotedNext := make([]bool, len(lines)+1)
	for i := len(lines) - 1; i >= 0; i-- {
		s := strings.TrimSpace(lines[i])
		switch {
		case s == "":
			answered[i], quotedNext[i] = answered[i+1], quotedNext[i+1]
		case quoted(s):
			answered[i], quotedNext[i] = answered[i+1], true
		default:
			answered[i] = s != "--" && (answered[i+1] || !blank([]string{s}))
		}
	}
	out := make([]string, 0, len(lines))
	for i := 0; i < len(lines); {
		if !quoted(lines[i]) {
			out = append(out, lines[i])
			i++
			continue
		}
		end := i
		for end < len(lines) && (quoted(lines[end]) || quotedNext[end] && strings.TrimSpace(lines[end]) == "") {
			end++
		}
		if answered[end] {
			out = append(out, lastParagraph(lines[i:end])...)
		}
		i = end
	}
	return out
}

// lastParagraph returns the end of a quote that an answer refers to, at the outermost depth.
func lastParagraph(q []string) []string {
	q = trimBlank(q)
	for len(q) > 0 && strings.Trim(q[len(q)-1], "> \t") == "" {
		q = q[:len(q)-1]
	}
	start := len(q)
	for start > 0 && len(q)-start < keptQuote && strings.Trim(q[start-1], "> \t") != "" {
		start--
	}
	return q[start:]
}

// cutSignature cuts at the signature separator, and lines that devices add.
func cutSignature(lines []string) []string {
	for i := len(lines) - 1; i >= 0 && len(lines)-i <= 30; i-- {
		s := strings.TrimSpace(lines[i])
		if s == "--" && !quotedAfter(lines[i:]) {
			lines = lines[:i]
			break
		}
	}
	lines = trimBlank(lines)
	if n := len(lines); n > 0 && deviceLine(lines[n-1]) {
		lines = lines[:n-1]
	}
	return lines
}

func quotedAfter(l []string) bool {
	for _, s := range l {
		if quoted(s) {
			return true
		}
	}
	return false
}

// deviceLine reports whether a mail program added the line by itself.
func deviceLine(s string) bool {
	s = strings.ToLower(strings.Trim(s, " *_-[]()"))
	if len(s) > 120 {
		return false
	}
	for _, p := range []string{"sent from my ", "sent from mail for", "sent from outlook", "get outlook for", "sent via ", "sent with ",
		"sent from yahoo", "sent from proton", "sent using ", "von meinem ", "gesendet mit ", "gesendet von ", "diese nachricht wurde von meinem ", "envoyé de mon ",
		"envoyé depuis mon ", "envoyé à partir de ", "enviado desde mi", "enviado do meu ", "inviato da ", "verzonden vanaf mijn ",
		"skickat från min ", "отправлено с ", "发自我的", "從我的 ", "iphoneから送信", "나의 iphone", "wysłane z "} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// cutFooters drops trailing paragraphs that lists, newsletters and lawyers add.
func cutFooters(lines []string) []string {
	for {
		lines = trimBlank(lines)
		// Mailman and its kin draw a long rule above the footer.
		for i := len(lines) - 1; i >= 0 && len(lines)-i <= 10; i-- {
			if len(lines[i]) >= 20 && strings.Trim(lines[i], "_=-") == "" && listFooter(strings.Join(lines[i+1:], "\n")) {
				lines = trimBlank(lines[:i])
				break
			}
		}
		start := len(lines)
		for start > 0 && strings.TrimSpace(lines[start-1]) != "" {
			start--
		}
		if start == 0 || start == len(lines) {
			return lines
		}
		p := strings.Join(lines[start:], " ")
		if !legal(p) && !listFooter(p) && !unsubscribe(p) {
			return lines
		}
		lines = dropRule(lines[:start])
	}
}

func listFooter(p string) bool {
	if len(p) > 1200 {
		return false
	}
	l := strings.ToLower(p)
	return strings.Contains(l, "mailing list") && (strings.Contains(l, "@") || strings.Contains(l, "http")) ||
		strings.Contains(l, "/listinfo") || strings.Contains(l, "you received this message because you are subscribed") ||
		strings.Contains(l, "you are receiving this because you") || strings.Contains(l, "to unsubscribe from this group") ||
		strings.Contains(l, "unsubscribe@") || strings.Contains(l, "to unsubscribe send") || strings.Contains(l, "listserv")
}

func unsubscribe(p string) bool {
	if len(p) > 500 {
		return false
	}
	l := strings.ToLower(p)
	for _, w := range []string{"unsubscribe", "manage your subscription", "email preferences", "abbestellen", "newsletter abmelden",
		"se désabonner", "se désinscrire", "darse de baja", "cancelar suscripción", "отписаться", "退订", "配信停止"} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}

// legal reports whether a paragraph is a notice of confidentiality and the like.
func legal(p string) bool {
	l := strings.ToLower(p)
	if strings.Contains(l, "consider the environment before printing") || strings.Contains(l, "think before you print") ||
		strings.Contains(l, "antes de imprimir") && strings.Contains(l, "medio ambiente") {
		return len(p) < 400
	}
	if len(p) < 100 || utf8.RuneCountInString(p) > 4000 {
		return false
	}
	n := 0
	for _, w := range []string{"confidential", "intended recipient", "intended only", "intended solely", "privileged", "unauthori",
		"notify the sender", "in error", "disclos", "delete", "attachments", "virus", "liability", "strictly prohibited", "disclaimer",
		"vertraulich", "irrtümlich", "bestimmte empfänger", "nicht der richtige adressat", "unbefugt", "vernichten",
		"confidentiel", "destinataire", "par erreur", "détruire", "pièces jointes", "interdit",
		"confidencial", "destinatario", "destinatário", "por error", "por erro", "prohibid", "proibid",
		"riservat", "per errore", "vertrouwelijk", "конфиденциальн", "保密", "机密", "机密信息", "收件人", "机密情報"} {
		if strings.Contains(l, w) {
			n++
		}
	}
	return n >= 3
}
