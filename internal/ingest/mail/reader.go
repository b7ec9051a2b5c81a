// Package mail reads mail: mailbox files (mbox in every dialect, Gmail's Takeout), the files of a
// Maildir, and single messages (.eml, .emlx). Every mail becomes one document whose body is what its
// sender wrote, and every attachment that other readers know another one. It reads leniently: mail is the least regular of formats. Which file goes to which
// source, and what happens to the documents, is not its business.
//
// Limits: 32 MiB of one message, parts nested 32 deep, 2,000 parts, 8 MiB of one text, 1 MiB of text
// from one attachment in text, 50 attachments of one mail, 5,000 header fields of 256 KiB each, 500 recipients.
package mail

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Message reads files that hold one mail: .eml, .emlx, the files of a Maildir.
type Message struct {
	// Files read the attachments: of each the one that is surest of it.
	Files []doc.Reader
}

// Name implements doc.Reader.
func (Message) Name() string { return "mail" }

// Version implements doc.Reader.
func (r Message) Version() int { return 5 + versions(r.Files) }

// Detect implements doc.Reader: the file begins with the header of a mail.
func (Message) Detect(in *doc.Input) int {
	_, head := emlx(in.Head)
	head = trimStart(head)
	if bytes.IndexByte(head[:min(len(head), 4096)], 0) >= 0 {
		return 0
	}
	line, rest := cutLine(head)
	mailbox := bytes.HasPrefix(line, []byte("From "))
	if mailbox {
		head, line = rest, nil
		line, _ = cutLine(head)
	}
	if _, _, ok := splitField(bytes.TrimRight(line, "\r\n")); !ok {
		return 0
	}
	h, _ := parseHeader(head)
	score := 0
	written := 0 // fields that only programs for mail write
	for _, f := range h.fields {
		switch f.name {
		case "message-id", "mime-version", "return-path", "delivered-to", "dkim-signature":
			written++
		}
		switch f.name {
		case "received", "message-id", "return-path", "delivered-to", "mime-version", "dkim-signature", "in-reply-to":
			score += 3
		case "from":
			score += 2
		case "to", "subject", "date", "sender", "cc", "reply-to":
			score++
		case "content-type":
			if score++; bytes.Contains(f.value, []byte("boundary")) {
				score += 3
			}
		}
	}
	ext := strings.ToLower(path.Ext(in.Rel))
	named := ext == ".eml" || ext == ".emlx" || ext == ".mht" || ext == ".mhtml" || maildirFolder(in.Rel) != ""
	switch {
	case written >= 2 && score >= 9 && !mailbox:
		return doc.Certain
	case named && score >= 1:
		return 95
	case score >= 5:
		return 90
	case score >= 4 && (ext == "" || len(ext) > 5):
		return 70
	case isPart(&h):
		return 60
	case score >= 4:
		return 30 // a note whose first lines look like a header
	}
	return 0
}

// isPart reports whether a header is that of a part that was saved by itself, and not a sentence about
// one.
func isPart(h *header) bool {
	switch h.fields[0].name {
	case "mime-version":
		return strings.HasPrefix(h.raw("mime-version"), "1.0")
	case "content-type", "content-transfer-encoding", "content-disposition":
	default:
		return false
	}
	n := 0
	for _, f := range h.fields {
		if strings.HasPrefix(f.name, "content-") {
			n++
		}
	}
	switch strings.ToLower(strings.TrimSpace(stripComment(h.raw("content-transfer-encoding")))) {
	case "quoted-printable", "base64", "7bit", "8bit", "binary":
		return true
	}
	media, _, _ := strings.Cut(h.raw("content-type"), ";")
	return n >= 2 || strings.Count(media, "/") == 1 && !strings.ContainsAny(strings.TrimSpace(media), " \t")
}

// Read implements doc.Reader.
func (r Message) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	f, err := in.Open()
	if err != nil {
		return doc.NotOpened(err), nil
	}
	defer f.Close()
	var t tally
	var buf bytes.Buffer
	buf.Grow(int(min(max(in.Size, 0), MaxMessage)) + bytes.MinRead + 1)
	if _, err := buf.ReadFrom(io.LimitReader(f, MaxMessage+1)); err != nil {
		t.broken = "reading the mail stopped before its end: " + err.Error()
	}
	data := buf.Bytes()
	cut := len(data) > MaxMessage
	if cut {
		data = data[:MaxMessage]
	}
	n, data := emlx(data)
	o := origin{rel: in.Rel, key: messageKey(in.Rel), modTime: in.ModTime, in: place(in.Rel, false), flags: nameFlags(in.Rel)}
	if end := bytes.LastIndex(data, []byte("<?xml ")); n > 0 && end > 0 && bytes.Contains(data[end:], []byte("<plist")) &&
		!bytes.HasPrefix(bytes.TrimLeft(data[min(n, len(data)):], " \r\n"), []byte("<?xml ")) {
		n = end // the length is that of a mail with other line ends
	}
	if n > 0 && n < len(data) {
		o.flags = appleFlags(data[n:])
		data = data[:n]
	}
	data = trimStart(data)
	if line, _ := cutLine(data); isPostmark(line) {
		o.sender, o.date = postmarkParts(string(bytes.TrimRight(line, "\r\n")))
	}
	m := parse(data, cut)
	if m.thrown(o) {
		return doc.Report{Outcome: doc.Skipped, Reason: "mail in the trash or in spam is left out"}, nil
	}
	d, bad := m.document(o)
	if stop, err := t.take(d, bad, emit); stop {
		return doc.Report{}, err
	}
	if err := m.attachments(ctx, d, r.Files, &t, emit); err != nil {
		return doc.Report{}, err
	}
	return t.report("the mail"), nil
}

// maildirFolder returns the folder of a Maildir that the file is in, "" when its path is not that of
// a Maildir's file.
func maildirFolder(rel string) string {
	dir := path.Base(path.Dir(rel))
	if dir == "cur" || dir == "new" {
		return path.Dir(path.Dir(rel))
	}
	return ""
}

// messageKey is the path of a single mail. A Maildir moves its files from new to cur and writes their
// flags into their names; neither makes another mail of it.
func messageKey(rel string) string {
	folder := maildirFolder(rel)
	if folder == "" {
		return rel
	}
	name := path.Base(rel)
	for _, sep := range []string{":2,", ":1,", "!2,", ";2,", ":"} {
		if i := strings.LastIndex(name, sep); i > 0 {
			name = name[:i]
			break
		}
	}
	return path.Join(folder, "cur", name)
}
