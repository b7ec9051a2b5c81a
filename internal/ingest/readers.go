package ingest

import (
	"fmt"
	"hash/fnv"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/bookmarks"
	"github.com/openhuman/openhuman-core/internal/ingest/calendar"
	"github.com/openhuman/openhuman-core/internal/ingest/chatgpt"
	"github.com/openhuman/openhuman-core/internal/ingest/chatzip"
	"github.com/openhuman/openhuman-core/internal/ingest/claude"
	"github.com/openhuman/openhuman-core/internal/ingest/contacts"
	"github.com/openhuman/openhuman-core/internal/ingest/csv"
	"github.com/openhuman/openhuman-core/internal/ingest/discord"
	"github.com/openhuman/openhuman-core/internal/ingest/epub"
	"github.com/openhuman/openhuman-core/internal/ingest/imessage"
	"github.com/openhuman/openhuman-core/internal/ingest/interchange"
	"github.com/openhuman/openhuman-core/internal/ingest/irc"
	"github.com/openhuman/openhuman-core/internal/ingest/mail"
	"github.com/openhuman/openhuman-core/internal/ingest/markdown"
	"github.com/openhuman/openhuman-core/internal/ingest/office"
	"github.com/openhuman/openhuman-core/internal/ingest/pdf"
	"github.com/openhuman/openhuman-core/internal/ingest/plain"
	"github.com/openhuman/openhuman-core/internal/ingest/sessions"
	"github.com/openhuman/openhuman-core/internal/ingest/signal"
	"github.com/openhuman/openhuman-core/internal/ingest/slack"
	"github.com/openhuman/openhuman-core/internal/ingest/telegram"
	"github.com/openhuman/openhuman-core/internal/ingest/web"
	"github.com/openhuman/openhuman-core/internal/ingest/whatsapp"
)

// A Format is a reader with what ingest must know about its documents.
type Format struct {
	doc.Reader
	// Kind is what its documents are when they name no source of their own.
	Kind doc.Kind
	// Source says what one source of such documents is.
	Source Extent
	// MaxBytes, when set, is the size up to which the reader is asked.
	MaxBytes int64
	// AnyText says that the reader takes whatever reads as text; notTaken decides what of it is none that
	// people wrote.
	AnyText bool
}

// An Extent is what makes up one source.
type Extent int

// The extents.
const (
	Folder  Extent = iota // everything under the folder that is ingested
	Mailbox               // a Maildir folder; mail elsewhere is a source per ingested folder
	File                  // the file itself
)

// Formats lists every format that is taken in. A new reader is one line here.
func Formats(l Limits) []Format {
	// What is a document also is one when it is attached to a mail.
	pages := pdf.New(pdf.DefaultOptions())
	files := []doc.Reader{pages, office.New(), epub.New(), web.Reader{}, csv.New(), contacts.Reader{}, calendar.Reader{}}
	return []Format{
		{Reader: interchange.New(), Source: File},
		{Reader: mail.Mbox{Files: files}, Kind: doc.KindEmail, Source: File},
		{Reader: mail.Message{Files: files}, Kind: doc.KindEmail, Source: Mailbox},
		{Reader: slack.New(), Kind: doc.KindChat, Source: File},
		{Reader: slack.NewDay(), Kind: doc.KindChat, Source: Folder},
		{Reader: whatsapp.New(), Kind: doc.KindChat, Source: File},
		{Reader: chatgpt.New(), Kind: doc.KindChat, Source: File},
		{Reader: claude.New(), Kind: doc.KindChat, Source: File},
		{Reader: sessions.New(), Kind: doc.KindChat, Source: File},
		{Reader: telegram.New(), Kind: doc.KindChat, Source: File},
		{Reader: telegram.NewPage(), Kind: doc.KindChat, Source: File},
		{Reader: discord.New(), Kind: doc.KindChat, Source: File},
		{Reader: discord.NewPackage(), Kind: doc.KindChat, Source: File},
		{Reader: irc.New(), Kind: doc.KindChat, Source: File},
		{Reader: signal.New(), Kind: doc.KindChat, Source: File},
		{Reader: imessage.New(), Kind: doc.KindChat, Source: File},
		{Reader: imessage.NewPage(), Kind: doc.KindChat, Source: File},
		{Reader: chatzip.New(
			whatsapp.New(), telegram.New(), telegram.NewPage(), discord.New(), discord.NewPackage(), irc.New(), signal.New(),
			imessage.New(), imessage.NewPage(), chatgpt.New(), claude.New(), sessions.New(),
		), Kind: doc.KindChat, Source: File},
		{Reader: markdown.Reader{}, Kind: doc.KindDocument, Source: Folder, MaxBytes: l.MarkdownBytes, AnyText: true},
		{Reader: web.Reader{}, Kind: doc.KindDocument, Source: Folder},
		{Reader: pages, Kind: doc.KindDocument, Source: Folder},
		{Reader: office.New(), Kind: doc.KindDocument, Source: Folder},
		{Reader: epub.New(), Kind: doc.KindDocument, Source: Folder},
		{Reader: csv.New(), Kind: doc.KindDocument, Source: Folder},
		{Reader: contacts.Reader{}, Kind: doc.KindDocument, Source: Folder},
		{Reader: calendar.Reader{}, Kind: doc.KindDocument, Source: Folder},
		{Reader: bookmarks.Reader{}, Kind: doc.KindDocument, Source: Folder},
		{Reader: plain.New(), Kind: doc.KindDocument, Source: Folder, AnyText: true},
	}
}

// detect returns the format that is surest of in, or false.
func detect(formats []Format, in *doc.Input) (Format, bool) {
	var best Format
	top := 0
	for _, f := range formats {
		if f.MaxBytes > 0 && in.Size > f.MaxBytes {
			continue
		}
		if n := sure(f, in); n > top {
			best, top = f, n
		}
		if top >= doc.Certain {
			break
		}
	}
	return best, top > 0
}

// sure asks a reader; one that panics does not know the file.
func sure(r doc.Reader, in *doc.Input) (n int) {
	defer func() {
		if recover() != nil {
			n = 0
		}
	}()
	return r.Detect(in)
}

// formatsHash changes when a format is added or taken away, which may change who reads what.
func formatsHash(formats []Format) string {
	h := fnv.New32a()
	for _, f := range formats {
		fmt.Fprintln(h, f.Name(), f.MaxBytes)
	}
	return fmt.Sprintf("%08x", h.Sum32())
}
