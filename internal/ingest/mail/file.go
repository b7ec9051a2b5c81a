package mail

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// maxFiles is how many attachments of one mail are read.
const maxFiles = 50

// A file is an attachment, encoded as it stands in the mail.
type file struct {
	name, encoding string
	body           []byte
}

// file remembers an attachment that a reader of files may know.
func (x *extractor) file(p *partInfo, body []byte) {
	switch p.kind {
	case "image", "audio", "video", "multipart", "message", "font", "model":
		return
	}
	// An invitation is no other form of the text, although it stands among its forms.
	invitation := p.sub == "calendar" || p.sub == "ics"
	if x.report || len(x.files) >= maxFiles || len(p.name) > 255 || !invitation && (x.noOwn || p.name == "" && !p.attached && p.kind != "application") {
		return
	}
	f := file{p.name, p.encoding, body}
	if invitation {
		if f.name == "" {
			f.name = "invite.ics"
		}
		// It is sent twice: as what it is, and as a file for those who do not know that.
		if slices.ContainsFunc(x.files, func(o file) bool { return path.Ext(o.name) == ".ics" && sameText(o, f) }) {
			return
		}
	}
	x.files = append(x.files, f)
}

// sameText reports whether two files hold the same words.
func sameText(a, b file) bool {
	return slices.EqualFunc(bytes.Fields(decodeTransfer(a.body, a.encoding)), bytes.Fields(decodeTransfer(b.body, b.encoding)), bytes.Equal)
}

// versions is raised when any of the readers of attachments makes other documents.
func versions(files []doc.Reader) int {
	n := 0
	for _, f := range files {
		n += 10 * (f.Version() + 1)
	}
	return n
}

// attachments emits the documents of the mail d's attachments. They go with the mail: found in its
// source, from its sender, at its time, and told by its reference.
func (m *message) attachments(ctx context.Context, d *doc.Document, readers []doc.Reader, t *tally, emit doc.Emit) error {
	if d == nil || len(readers) == 0 || d.Kind != doc.KindEmail {
		return nil
	}
	names := map[string]int{}
	for _, f := range m.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := f.name
		if name == "" {
			name = "attachment"
		}
		if names[name]++; names[name] > 1 {
			ext := path.Ext(name)
			name = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), names[name], ext)
		}
		if err := m.attachment(ctx, d, f, name, readers, t, emit); err != nil {
			return err
		}
	}
	return nil
}

// attachment reads one attachment with the reader that is surest of it.
func (m *message) attachment(ctx context.Context, d *doc.Document, f file, name string, readers []doc.Reader, t *tally, emit doc.Emit) error {
	// Most attachments are of no kind that is read, which their first bytes tell.
	const first = doc.HeadSize * 3 / 2 / 76 * 76
	part := decodeTransfer(f.body[:min(len(f.body), first)], f.encoding)
	if !known(part) {
		return nil
	}
	data := part
	if len(f.body) > first {
		data = decodeTransfer(f.body, f.encoding)
	}
	in := &doc.Input{
		Path: d.SourceRef + "/" + name, Rel: name, Root: "mail", Size: int64(len(data)), ModTime: d.Time, Head: data[:min(len(data), doc.HeadSize)],
		Open: func() (doc.File, error) { return doc.InMemory(data), nil },
	}
	var reader doc.Reader
	best := 0
	for _, r := range readers {
		if n := r.Detect(in); n > best {
			best, reader = n, r
		}
	}
	if reader == nil {
		return nil
	}
	report, err := reader.Read(ctx, in, func(a *doc.Document) error {
		enclose(a, d, name)
		return emit(a)
	})
	if err != nil {
		return err
	}
	if report.Outcome == doc.Failed && !m.cut {
		if t.flawed++; t.flaw == "" {
			t.flaw = "an attachment cannot be read: " + report.Reason
		}
	}
	return nil
}

// known reports whether a file begins with anything that a reader of files takes: containers, PDF,
// RTF, markup, text.
func known(head []byte) bool {
	if len(head) == 0 {
		return false
	}
	for _, magic := range []string{"PK\x03\x04", "%PDF-", "{\\rtf", "\xd0\xcf\x11\xe0", "\xff\xfe", "\xfe\xff", "\xef\xbb\xbf"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	return bytes.IndexByte(head[:min(len(head), 4096)], 0) < 0
}

// enclose makes a, a document of the attachment name, one that belongs to the mail d.
func enclose(a, d *doc.Document, name string) {
	ref := func(s string) string { return d.SourceRef + "/" + s }
	if a.Author != (doc.Person{}) && a.Author != d.Author {
		a.To = append(a.To[:len(a.To):len(a.To)], a.Author)
	}
	a.To = append(a.To[:len(a.To):len(a.To)], d.To...)
	a.Tags = append(append([]string(nil), d.Tags...), a.Tags...)
	a.Kind, a.SourceID, a.Owner, a.Author, a.Time = d.Kind, d.SourceID, d.Owner, d.Author, d.Time
	if d.GlobalKey != "" {
		a.GlobalKey = "file#" + hash(d.GlobalKey, a.Key)
	}
	a.Key, a.SourceRef = d.Key+"/"+a.Key, ref(a.SourceRef)
	for i := range a.Places {
		a.Places[i].Ref = ref(a.Places[i].Ref)
	}
	a.Aliases = append(a.Aliases, name)
	if d.Title != "" {
		a.Title += " (attached to: " + d.Title + ")"
	}
}
