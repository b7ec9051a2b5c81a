package ingest

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/chunk"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/entity"
	"github.com/openhuman/openhuman-core/internal/origin"
	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// buildVersion is raised whenever the same document would give another record than the last release
// made of it: a change of internal/text (which characters are tokens, stems, bigrams), of
// internal/entity, or of this file. Every file is read again then; without it, what stands in the index
// already would not be found by the new tokens of a query. Other rules have numbers of their own:
// chunk.Version for where documents are cut, Version of a reader for what it makes of a file,
// lookVersion for what is taken in at all. TestBuildVersion fails when a record changes and neither
// this nor chunk.Version does.
//
// 2: emoji are tokens; characters that Unicode has not assigned are none.
// 3: who is named by an address or a number alone is a person that others may name.
// 4: what the chunks do not hold of a document is kept.
// 5: the labels of a mail are neither words nor topics.
const buildVersion = 5

// identity names a document in the whole store. source is the id of the source that gives the key
// its meaning.
func identity(source string, d *doc.Document) string {
	h := sha256.New()
	if d.Identity != "" {
		return d.Identity
	}
	if d.GlobalKey != "" {
		put(h, "global", d.GlobalKey)
	} else {
		put(h, "source", source, d.Key)
	}
	var sum [sha256.Size]byte
	return hex.EncodeToString(h.Sum(sum[:0])[:16])
}

// build makes of a document what is stored. source is where it goes, name its identity.
func build(d *doc.Document, source store.SourceMeta, name string, fallback time.Time) store.DocumentRecord {
	valid(d)
	if y := d.Time.Year(); d.Time.IsZero() || y < 1 || y > 9999 {
		d.Time = fallback
	}
	rec := store.DocumentRecord{
		Source: source, Identity: name, SourceRef: d.SourceRef, Title: strings.TrimSpace(d.Title),
		Author: d.Author.String(), TimestampMS: d.Time.UnixMilli(), Tags: tags(d.Tags),
	}
	topics := rec.Tags
	if source.Kind == string(doc.KindEmail) {
		// They are those of one mailbox, which may be hidden from who sees the mail in another: as tags
		// alone they are kept for each mailbox.
		topics = nil
	}
	chunks := chunk.Split(name, d)
	rec.Chunks = make([]store.ChunkRecord, len(chunks))
	var buf []byte
	for i := range chunks {
		c := &chunks[i]
		out := &rec.Chunks[i]
		*out = store.ChunkRecord{
			ChunkID: c.ID, SourceRef: c.SourceRef, Title: rec.Title, Author: c.Author, Context: c.Context,
			Content: c.Text, TimestampMS: c.Time.UnixMilli(), TokenCount: c.Tokens,
		}
		// One buffer for the three columns, so that a chunk costs one allocation of tokens.
		buf = text.AppendIndex(buf[:0], c.Context)
		if c.Author != "" && !strings.Contains(c.Context, c.Author) {
			buf = text.AppendIndex(buf, c.Author)
		}
		head := len(buf)
		buf = text.AppendIndex(buf, c.Text)
		body := len(buf)
		buf = text.AppendExtra(buf, c.Text)
		buf = text.AppendExtra(buf, c.Context)
		if i == 0 {
			buf = described(buf, d, topics)
		}
		all := string(buf)
		out.Index = store.IndexText{
			Head: all[:head], Body: strings.TrimPrefix(all[head:body], " "), Extra: strings.TrimPrefix(all[body:], " "),
		}
		in := entity.Input{Content: c.Text, Markdown: d.Markdown, Authors: c.Authors, Known: d.Mentioned, Tags: topics}
		if i == 0 {
			in.People = d.To
		}
		for _, m := range entity.Extract(in) {
			out.Mentions = append(out.Mentions, store.Mention(m))
		}
	}
	rec.Links = links(d)
	rec.Origin = kept(d, chunks)
	rec.Hash = recordHash(&rec)
	return rec
}

// kept is what the chunks do not hold of a document.
func kept(d *doc.Document, chunks []chunk.Chunk) []byte {
	texts := make([]string, len(chunks))
	for i := range chunks {
		texts[i] = chunks[i].Text
	}
	b, err := origin.Encode(d, texts)
	if err != nil { // of texts and numbers JSON can always be made
		return nil
	}
	return b
}

// described adds what is known about a document and stands in no chunk: tags, other names, recipients.
func described(buf []byte, d *doc.Document, tags []string) []byte {
	for _, s := range tags {
		buf = text.AppendIndex(buf, s)
	}
	for _, s := range d.Aliases {
		buf = text.AppendIndex(buf, s)
	}
	for _, p := range d.To {
		buf = text.AppendIndex(buf, p.Name)
		buf = text.AppendIndex(buf, p.Email)
	}
	return text.AppendIndex(buf, d.Author.Email)
}

// links gathers who owns which address, from everybody the document's structure names.
func links(d *doc.Document) []store.PersonLink {
	people := make([]doc.Person, 0, 1+len(d.To))
	add := func(p doc.Person) {
		if p.Name != "" && (p.Email != "" || p.Handle != "" || p.Phone != "") && !slices.Contains(people, p) {
			people = append(people, p)
		}
	}
	add(d.Author)
	for _, p := range d.To {
		add(p)
	}
	for _, p := range d.Mentioned {
		add(p)
	}
	for i := range d.Messages {
		add(d.Messages[i].Author)
	}
	if len(people) == 0 {
		return nil
	}
	found := entity.Links(people)
	out := make([]store.PersonLink, len(found))
	for i, l := range found {
		out[i] = store.PersonLink(l)
	}
	return out
}

// tags trims tags and keeps each once.
func tags(in []string) []string {
	var out []string
	for _, t := range in {
		t = strings.Join(strings.Fields(t), " ")
		if t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// valid makes sure that nothing but UTF-8 is stored, whatever a reader hands over.
func valid(d *doc.Document) {
	fix := func(ss ...*string) {
		for _, s := range ss {
			if !utf8.ValidString(*s) {
				*s = strings.ToValidUTF8(*s, "\uFFFD")
			}
		}
	}
	person := func(p *doc.Person) { fix(&p.Name, &p.Email, &p.Handle, &p.Phone, &p.Org) }
	fix(&d.SourceID, &d.Owner, &d.Key, &d.GlobalKey, &d.SourceRef, &d.Title, &d.Body)
	person(&d.Author)
	for i := range d.To {
		person(&d.To[i])
	}
	for i := range d.Mentioned {
		person(&d.Mentioned[i])
	}
	for i := range d.Tags {
		fix(&d.Tags[i])
	}
	for i := range d.Aliases {
		fix(&d.Aliases[i])
	}
	for i := range d.Places {
		fix(&d.Places[i].Ref)
	}
	for i := range d.Messages {
		m := &d.Messages[i]
		person(&m.Author)
		fix(&m.Text, &m.SourceRef)
	}
}

// recordHash is over everything that is stored of a document but the hash.
func recordHash(r *store.DocumentRecord) (sum [32]byte) {
	h := sha256.New()
	num(h, buildVersion, r.TimestampMS, int64(len(r.Tags)), int64(len(r.Source.Tags)), int64(len(r.Chunks)), int64(len(r.Links)))
	put(h, r.Identity, r.Source.SourceID, r.Source.Kind, r.Source.Owner, r.SourceRef, r.Title, r.Author)
	put(h, string(r.Origin))
	put(h, r.Tags...)
	put(h, r.Source.Tags...)
	for i := range r.Chunks {
		c := &r.Chunks[i]
		num(h, c.TimestampMS, int64(c.TokenCount), int64(len(c.Mentions)))
		put(h, c.ChunkID, c.SourceRef, c.Author, c.Context, c.Content, c.Index.Head, c.Index.Body, c.Index.Extra)
		for _, m := range c.Mentions {
			num(h, int64(m.Count))
			put(h, m.Kind, m.Value, m.Surface)
		}
	}
	for _, l := range r.Links {
		put(h, l.Kind, l.Value, l.Person)
	}
	h.Sum(sum[:0])
	return sum
}

// put hashes strings so that no two lists of the same length give the same bytes.
func put(h hash.Hash, ss ...string) {
	for _, s := range ss {
		num(h, int64(len(s)))
		h.Write([]byte(s))
	}
}

func num(h hash.Hash, ns ...int64) {
	var b [8]byte
	for _, n := range ns {
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
}

// weight is about how much memory a document takes on its way.
func weight(d *doc.Document) int {
	n := len(d.Body)
	for i := range d.Messages {
		n += len(d.Messages[i].Text) + 200
	}
	return cmp.Or(n, 1)
}
