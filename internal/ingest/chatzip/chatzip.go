// Package chatzip reads the zip archives in which exports of chats come: it hands their members to the
// readers of chats, as if they had been unpacked, and passes over everything else in them, such as
// pictures. It unpacks nothing to disk. What a member means is its reader's business, and archives of
// other things are not its own.
package chatzip

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
	"github.com/openhuman/openhuman-core/internal/ingest/zipped"
)

const (
	// looked is how many members are looked at to find out whether an archive is one of chats.
	looked = 40
	// sure is how sure a reader has to be of a member.
	sure = 60
	// grows is how many times larger than the archive its members may be; text hardly grows twenty times.
	grows   = 200
	atLeast = 64 << 20
)

// Reader reads archives of chats. It implements doc.Reader.
type Reader struct{ readers []doc.Reader }

var _ doc.Reader = Reader{}

// New returns a Reader that knows the members that the given readers know.
func New(readers ...doc.Reader) Reader { return Reader{readers} }

// Name implements doc.Reader.
func (Reader) Name() string { return "chatzip" }

// Version implements doc.Reader. It changes with those of the readers behind it.
func (r Reader) Version() int {
	n := 1
	for _, m := range r.readers {
		n += m.Version()
	}
	return n
}

// Detect implements doc.Reader: a member is a chat. Whoever reads archives of everything comes first.
func (r Reader) Detect(in *doc.Input) int {
	if !bytes.HasPrefix(in.Head, []byte("PK\x03\x04")) {
		return 0
	}
	f, err := in.Open()
	if err != nil {
		return 0
	}
	defer f.Close()
	c, err := zipped.Open(f, in.Size, limits(in.Size))
	if err != nil {
		return 0
	}
	names := texts(c)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(likely(a), likely(b)) })
	for _, name := range names[:min(len(names), looked)] {
		if _, ok := r.readerOf(member(c, in, name)); ok {
			return 60
		}
	}
	return 0
}

func limits(size int64) zipped.Limits {
	return zipped.Limits{Directory: 64 << 20, Members: 500_000, Total: max(atLeast, min(size, 1<<30)*grows)}
}

// texts lists the members that may be chats.
func texts(c *zipped.Container) []string {
	var out []string
	for _, n := range c.Names() {
		switch strings.ToLower(path.Ext(n)) {
		case ".txt", ".json", ".jsonl", ".html", ".md", ".csv", ".log", ".weechatlog":
			if !strings.HasPrefix(n, "__MACOSX/") && !strings.HasPrefix(path.Base(n), ".") {
				out = append(out, n)
			}
		}
	}
	return out
}

// likely ranks names by how much they look like those of chats, the likeliest first.
func likely(name string) int {
	base := strings.ToLower(path.Base(name))
	for _, p := range []string{"_chat.txt", "conversations", "result.json", "messages", "chat.", "rollout-"} {
		if strings.HasPrefix(base, p) {
			return 0
		}
	}
	if strings.Contains(base, "whatsapp") {
		return 0
	}
	return 1
}

// member returns a member of an archive as an input of its own.
func member(c *zipped.Container, in *doc.Input, name string) *doc.Input {
	open := func(name string) (doc.File, error) {
		r := c.Open(name)
		if r == nil {
			return nil, fs.ErrNotExist
		}
		return stream{r}, nil
	}
	name = strings.ToValidUTF8(name, "\uFFFD")
	return &doc.Input{
		Path: in.Path + "!" + name, Rel: name, Root: path.Base(in.Rel), Size: 1 << 40, ModTime: in.ModTime,
		Head: c.Read(name, doc.HeadSize),
		Open: func() (doc.File, error) { return open(name) },
		Above: func(base string) (doc.File, error) {
			return open(path.Join(path.Dir(path.Dir(name)), path.Base(base)))
		},
	}
}

// stream is a member, which can be read from its start only.
type stream struct{ io.ReadCloser }

func (stream) ReadAt([]byte, int64) (int, error) { return 0, errors.ErrUnsupported }

// readerOf returns the reader that is surest of a member.
func (r Reader) readerOf(in *doc.Input) (best doc.Reader, ok bool) {
	top := sure - 1
	for _, m := range r.readers {
		if n := m.Detect(in); n > top {
			best, top = m, n
		}
	}
	return best, best != nil
}

// Read implements doc.Reader.
func (r Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	f, err := in.Open()
	if err != nil {
		return talk.NotOpened(err), nil
	}
	defer f.Close()
	c, err := zipped.Open(f, in.Size, limits(in.Size))
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: fmt.Sprintf("The archive cannot be read: %v.", err)}, nil
	}
	var troubles talk.Troubles
	emitted := 0
	for _, name := range texts(c) {
		if err := ctx.Err(); err != nil {
			return doc.Report{}, err
		}
		if c.Encrypted(name) {
			troubles.Unseen("%s is locked with a password", talk.Name(name))
			continue
		}
		m := member(c, in, name)
		reader, ok := r.readerOf(m)
		if !ok {
			continue
		}
		report, err := reader.Read(ctx, m, func(d *doc.Document) error {
			emitted++
			inside(d, in.Rel, m.Rel)
			return emit(d)
		})
		if err != nil {
			return doc.Report{}, err
		}
		switch report.Outcome {
		case doc.Partial, doc.Failed:
			reason := talk.Name(name) + ": " + bare(report.Reason)
			if report.Whole {
				troubles.Note("%s", reason)
			} else {
				troubles.Unseen("%s", reason)
			}
		}
	}
	return troubles.Report(emitted), nil
}

// bare returns what a reason says without the sentence around it, which the archive's has as well.
func bare(reason string) string {
	for _, p := range []string{"Some of it could not be read: ", "No message in it could be read: "} {
		reason = strings.TrimPrefix(reason, p)
	}
	return strings.TrimSuffix(reason, ".")
}

// inside makes the references of a document lead into the archive: archive.zip!member#L3.
func inside(d *doc.Document, archive, name string) {
	into := func(ref *string) {
		if strings.HasPrefix(*ref, name) {
			*ref = archive + "!" + *ref
		}
	}
	into(&d.SourceRef)
	for i := range d.Messages {
		into(&d.Messages[i].SourceRef)
	}
}
