package mail

import (
	"path"
	"strconv"
	"strings"
	"time"
)

// flags are what a program for mail has noted about a mail outside it.
type flags struct {
	flagged, draft, deleted, junk bool
	received                      time.Time
}

// nameFlags reads the letters that Maildir has in the names of files.
func nameFlags(rel string) flags {
	if maildirFolder(rel) == "" {
		return flags{}
	}
	name := path.Base(rel)
	for _, sep := range []string{":2,", "!2,", ";2,"} {
		if i := strings.LastIndex(name, sep); i > 0 {
			letters := name[i+len(sep):]
			has := func(c rune) bool { return strings.ContainsRune(letters, c) }
			return flags{flagged: has('F'), draft: has('D'), deleted: has('T')}
		}
	}
	return flags{}
}

// marked adds what the header has of such notes: mbox has no other place for them.
func (m *message) marked(f flags) flags {
	const (
		mozillaMarked   = 0x0004
		mozillaExpunged = 0x0008
		mozillaDeleted  = 0x00200000 // of X-Mozilla-Status2
	)
	if n, err := strconv.ParseUint(m.h.raw("x-mozilla-status"), 16, 32); err == nil {
		f.flagged = f.flagged || n&mozillaMarked != 0
		f.deleted = f.deleted || n&mozillaExpunged != 0
	}
	if n, err := strconv.ParseUint(m.h.raw("x-mozilla-status2"), 16, 32); err == nil {
		f.deleted = f.deleted || n&mozillaDeleted != 0
	}
	if v := m.h.raw("x-status"); v != "" && len(v) <= 8 {
		f.flagged = f.flagged || strings.ContainsRune(v, 'F')
		f.deleted = f.deleted || strings.ContainsRune(v, 'D')
		f.draft = f.draft || strings.ContainsRune(v, 'T')
	}
	return f
}

// A folder is a mailbox that every program has, under the name that the person's language gives it.
type folder int

const (
	otherFolder folder = iota
	sentFolder
	draftFolder
	trashFolder
	spamFolder
)

var folders = map[folder][]string{
	sentFolder: {"sent", "sent items", "sent messages", "sent mail", "gesendet", "gesendete elemente", "gesendete objekte", "envoyés", "éléments envoyés", "messages envoyés", "enviados",
		"elementos enviados", "inviata", "posta inviata", "itens enviados", "verzonden", "verzonden items", "skickat", "sendt", "wysłane", "отправленные", "已发送", "已发送邮件", "寄件備份", "送信済み", "送信済みメール", "보낸편지함"},
	draftFolder: {"draft", "drafts", "entwurf", "entwürfe", "brouillon", "brouillons", "borrador", "borradores", "bozza", "bozze", "rascunho", "rascunhos", "concept", "concepten", "utkast", "kladder",
		"wersje robocze", "черновик", "черновики", "草稿", "下書き", "임시보관함"},
	trashFolder: {"trash", "deleted", "deleted items", "deleted messages", "papierkorb", "gelöscht", "gelöschte elemente", "gelöschte objekte", "corbeille", "éléments supprimés", "messages supprimés",
		"papelera", "elementos eliminados", "cestino", "posta eliminata", "elementi eliminati", "lixeira", "itens excluídos", "prullenbak", "verwijderde items", "papperskorgen", "borttagna objekt", "papirkurv",
		"slettet post", "kosz", "elementy usunięte", "корзина", "удаленные", "удалённые", "çöp kutusu", "已删除", "已删除邮件", "已刪除的郵件", "垃圾桶", "ゴミ箱", "削除済みアイテム", "휴지통", "지운편지함"},
	spamFolder: {"spam", "junk", "junk e-mail", "junk email", "junk mail", "bulk mail", "junk-e-mail", "spamverdacht", "unerwünscht", "courrier indésirable", "indésirables", "correo no deseado", "posta indesiderata", "indesiderata",
		"lixo eletrônico", "lixo eletrónico", "ongewenste e-mail", "ongewenst", "skräppost", "søppelpost", "uønsket post", "wiadomości-śmieci", "спам", "нежелательная почта", "gereksiz", "önemsiz e-posta",
		"垃圾邮件", "垃圾郵件", "迷惑メール", "스팸", "스팸함", "스팸메일"},
}

// folderOf knows a folder or a label by its name.
func folderOf(name string) folder {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, f := range []folder{sentFolder, draftFolder, trashFolder, spamFolder} {
		for _, n := range folders[f] {
			if n == name {
				return f
			}
		}
	}
	return otherFolder
}

// place is the folder that the path of a file stands for: "Mail/.Sent/cur/1", "INBOX.Trash/new/1",
// "Junk.mbox/1.emlx", "[Gmail]/Bin/2.eml", and of a mailbox file also its name.
func place(rel string, mailbox bool) folder {
	parts := strings.Split(strings.ToLower(rel), "/")
	if !mailbox {
		parts = parts[:len(parts)-1]
	}
	gmail := false
	for i, p := range parts {
		names := []string{p, strings.TrimSuffix(p, ".mbox")}
		switch {
		case mailbox && i == len(parts)-1:
			names = append(names, strings.TrimSuffix(p, path.Ext(p)))
		case strings.HasPrefix(p, "."), strings.HasPrefix(p, "inbox."):
			names = strings.Split(p, ".")
		}
		for _, n := range names {
			if f := folderOf(n); f != otherFolder {
				return f
			}
			if gmail && n == "bin" {
				return trashFolder
			}
			gmail = gmail || n == "[gmail]" || n == "[google mail]"
		}
	}
	return otherFolder
}

// mozillaKeys are the tags that Thunderbird has from the start.
var mozillaKeys = map[string]string{
	"junk": "Junk", "$junk": "Junk", "$label1": "Important", "$label2": "Work", "$label3": "Personal", "$label4": "To Do", "$label5": "Later",
}

// labels are what programs for mail say in the header that it is filed under.
func (m *message) labels() []string {
	if m.filed != nil {
		return m.filed
	}
	out := []string{}
	for _, name := range []string{"x-gmail-labels", "x-keywords"} {
		for _, v := range m.h.all(name) {
			out = append(out, splitQuoted(decodeWords(v))...)
		}
	}
	for _, key := range strings.Fields(strings.ToLower(m.h.raw("x-mozilla-keys"))) {
		if name, known := mozillaKeys[key]; known {
			out = append(out, name)
		} else if !strings.HasPrefix(key, "$") && key != "nonjunk" {
			out = append(out, key)
		}
	}
	m.filed = out
	return out
}

// thrown reports whether the person, or their provider, has thrown the mail away.
func (m *message) thrown(o origin) bool {
	if f := m.marked(o.flags); f.deleted || f.junk {
		return true
	}
	if in := o.in; in == trashFolder || in == spamFolder {
		return true
	}
	for _, l := range m.labels() {
		if f := folderOf(strings.Trim(squeeze(l), `"' `)); f == trashFolder || f == spamFolder || strings.EqualFold(strings.TrimSpace(l), "bin") {
			return true
		}
	}
	return false
}

// tags returns the labels of the mail.
func (m *message) tags(o origin) []string {
	var out []string
	add := func(s string) {
		s = strings.Trim(squeeze(s), `"' `)
		if s == "" || len(s) > 100 {
			return
		}
		for _, have := range out {
			if strings.EqualFold(have, s) {
				return
			}
		}
		if len(out) < 50 {
			out = append(out, s)
		}
	}
	for _, label := range m.labels() {
		switch strings.ToLower(strings.TrimSpace(label)) {
		case "opened", "unread":
			continue // reading a mail does not change it
		}
		add(label)
	}
	for _, v := range m.h.all("keywords") {
		for _, word := range splitQuoted(decodeWords(v)) {
			add(word)
		}
	}
	if strings.HasPrefix(strings.ToLower(m.h.raw("x-spam-flag")), "yes") {
		add("Spam")
	}
	f := m.marked(o.flags)
	switch in := o.in; {
	case in == draftFolder || f.draft:
		add("Draft")
	case in == sentFolder:
		add("Sent")
	}
	if f.flagged {
		add("Flagged")
	}
	return out
}

// splitQuoted splits at commas outside quotes.
func splitQuoted(s string) []string {
	var out []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			quoted = !quoted
		case ',':
			if !quoted {
				out = append(out, s[start:i])
				start = i + 1
			}
		}
	}
	return append(out, s[start:])
}
