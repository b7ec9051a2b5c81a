package ingest

import (
	"context"
	"io"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/archive"
)

// Readers of chats read a zip archive whole, and pass over what is no chat: that is right for what people
// sent each other, and wrong for an archive in which chats are one thing among others.

// beside are folders in which exports of chats keep what was sent.
var beside = map[string]bool{
	"files": true, "media": true, "attachments": true, "photos": true, "images": true, "video_files": true, "voice_messages": true, "stickers": true,
	"contacts": true, "round_video_messages": true, "chats": true, "lists": true, "css": true, "js": true, "assets": true,
}

// mixed reports whether an archive that a reader of chats would take holds documents or mails that are no
// part of the chats.
func (p *pipe) mixed(e entry, in *doc.Input) bool {
	limits := p.run.o.Limits.Archive
	a, err := archive.Open(context.Background(), archive.Input{
		Path: e.path, Size: e.size, ModTime: time.Unix(0, e.mtimeNS).UTC(), Head: in.Head, Open: func() (doc.File, error) { return p.fs(e).Open(e.path) },
	}, limits, archive.NewBudget(limits, e.size, nil), p.run.o.Temp)
	if err != nil {
		return false
	}
	defer a.Close()
	var sent []string // what may have been sent in a chat
	for _, name := range a.Names() {
		base := strings.ToLower(path.Base(name))
		if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "readme") || strings.HasPrefix(name, "__MACOSX/") {
			continue
		}
		switch path.Ext(base) {
		case ".mbox", ".eml", ".emlx", ".ics", ".org", ".rst", ".epub":
			return true
		case ".md", ".markdown":
			if !p.isChat(a, e, name) {
				return true
			}
		case ".pdf", ".doc", ".docx", ".odt", ".rtf", ".pptx", ".odp", ".xlsx", ".ods", ".txt", ".html", ".csv", ".vcf":
			sent = append(sent, name)
		}
	}
	if len(sent) == 0 {
		return false
	}
	chats := map[string]bool{} // folders
	for _, name := range a.Names() {
		switch path.Ext(strings.ToLower(name)) {
		case ".txt", ".json", ".jsonl", ".html", ".md", ".csv", ".log", ".weechatlog":
			if dir := path.Dir(name); !chats[dir] && p.isChat(a, e, name) {
				chats[dir] = true
			}
		}
	}
	for _, name := range sent {
		if !sentIn(chats, path.Dir(name)) {
			return true
		}
	}
	return false
}

// sentIn reports whether a folder is one of chats, or one in which they keep what was sent.
func sentIn(chats map[string]bool, dir string) bool {
	for within := ""; ; {
		if chats[dir] && (within == "" || beside[strings.ToLower(within)]) {
			return true
		}
		if dir == "." {
			return false
		}
		within, dir = path.Base(dir), path.Dir(dir)
	}
}

// isChat reports whether a reader of chats takes an entry of an archive.
func (p *pipe) isChat(a *archive.Archive, e entry, name string) bool {
	at := filepath.Join(e.path+"!", filepath.FromSlash(name))
	f, err := a.Open(at)
	if err != nil {
		return false
	}
	defer f.Close()
	defer a.Free(at)
	in := &doc.Input{Path: e.name + inArchive + name, Rel: name, Root: archive.Stem(e.rel), Open: func() (doc.File, error) { return a.Open(at) }}
	if info, err := a.Lstat(at); err == nil {
		in.Size, in.ModTime = info.Size(), info.ModTime()
	}
	head := make([]byte, min(in.Size, doc.HeadSize))
	n, _ := io.ReadFull(f, head) // what cannot be read is no chat
	in.Head = head[:n]
	format, ok := detect(p.run.o.Formats, in)
	return ok && format.Kind == doc.KindChat
}
