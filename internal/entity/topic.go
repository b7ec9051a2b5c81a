package entity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// TopicValue returns the canonical form of a document's tag, or "" when it says nothing about what
// the document is about: a bare number, or a folder of a mail program.
func TopicValue(tag string) string {
	if len(tag) > 512 || !utf8.ValidString(tag) {
		return ""
	}
	v := norm.NFC.String(strings.ToLower(tag))
	v = strings.Join(strings.FieldsFunc(v, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), "-")
	v = strings.TrimLeft(v, "#-/")
	v = strings.TrimRight(v, "-/")
	if v == "" || utf8.RuneCountInString(v) > 80 || strings.IndexFunc(v, unicode.IsLetter) < 0 || mailFolder(v) {
		return ""
	}
	return v
}

func mailFolder(v string) bool {
	switch v {
	case "inbox", "sent", "sent-mail", "sent-items", "drafts", "draft", "trash", "spam", "junk", "archive", "archived",
		"unread", "read", "opened", "starred", "important", "chat", "chats", "all-mail", "deleted-items", "outbox":
		return true
	}
	return strings.HasPrefix(v, "category-") || strings.HasPrefix(v, "[gmail]") || strings.HasPrefix(v, "[imap]")
}
