package mail

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/charset"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/html"
)

const (
	// MaxDepth is how deep parts and forwarded mails may be nested; deeper ones are left out.
	MaxDepth = 32
	// maxParts is how many parts of one mail are looked at.
	maxParts = 2000
	// maxText bounds the raw size of one text part.
	maxText = 8 << 20
	// maxAttachedText bounds the text that is read of one attachment.
	maxAttachedText = 1 << 20
)

// A segment is a piece of a mail's text.
type segment struct {
	kind segmentKind
	text string
	html bool
	file string // the name that a plain text has
}

type segmentKind int

const (
	own       segmentKind = iota // what the sender wrote
	nested                       // a mail inside the mail: its line and its text
	attached                     // the text of an attachment
	technical                    // read only when there is nothing else
)

// An extractor walks the parts of one mail.
type extractor struct {
	segments []segment
	names    []string     // of attachments that are no text
	files    []file       // these attachments
	people   []doc.Person // senders of mails inside
	charset  string       // the first that a part names
	parts    int
	defect
	noOwn    bool // inside an alternative that was not chosen
	report   bool // inside a delivery report
	textLast bool // the last part was text
}

// A defect tells what of a mail could not be read: the first of each kind, or nothing.
type defect struct {
	flaw   string // damage, or more than is taken in
	sealed string // only its recipient's key opens it: it is whole, and no run will ever read it
}

func (d *defect) fault(s string) {
	if d.flaw == "" {
		d.flaw = s
	}
}

func (d *defect) seal(s string) {
	if d.sealed == "" {
		d.sealed = s
	}
}

// inherit takes over what is wrong with a mail inside.
func (d *defect) inherit(inner defect) {
	d.fault(inner.flaw)
	d.seal(inner.sealed)
}

// A partInfo is what the header of a part says.
type partInfo struct {
	kind, sub string
	params    map[string]string
	attached  bool
	name      string
	encoding  string
}

func describe(h *header, inDigest bool) partInfo {
	media, params := parameters(h.raw("content-type"))
	disposition, dparams := parameters(h.raw("content-disposition"))
	p := partInfo{params: params, attached: disposition == "attachment", encoding: h.raw("content-transfer-encoding")}
	p.kind, p.sub, _ = strings.Cut(media, "/")
	switch {
	case media == "" && inDigest:
		p.kind, p.sub = "message", "rfc822"
	case media == "", p.kind == "text" && p.sub == "", p.kind == "plain", p.kind == "":
		p.kind, p.sub = "text", "plain"
	case p.sub == "" && strings.Contains(p.kind, "html"):
		p.kind, p.sub = "text", "html"
	case p.sub == "" && strings.ContainsAny(p.kind, "<>@:"):
		p.kind, p.sub = "text", "plain" // no type at all
	case p.kind == "multipart" && p.sub == "":
		p.sub = "mixed"
	}
	for _, v := range []string{dparams["filename"], params["name"], params["filename"], dparams["name"]} {
		if v = squeeze(decodeWords(v)); v != "" {
			p.name = path.Base(strings.ReplaceAll(v, `\`, "/"))
			break
		}
	}
	return p
}

// part walks one part and everything in it.
func (x *extractor) part(h *header, body []byte, depth int, inDigest bool) {
	if depth > MaxDepth {
		x.fault("parts nested more than 32 deep were left out")
		return
	}
	if x.parts++; x.parts > maxParts {
		x.fault("parts beyond the 2000th were left out")
		return
	}
	p := describe(h, inDigest)
	if x.charset == "" && p.params["charset"] != "" {
		x.charset = p.params["charset"]
	}
	if p.kind == "text" && !p.attached {
		// Parts without the header that says so: a lost header, or a wrong type beside a right boundary.
		b := p.params["boundary"]
		if b == "" && !h.has("content-type") && bytes.Contains(body, []byte("\nContent-")) {
			b = guessBoundary(body)
			if i := bytes.Index(body, []byte("--"+b)); b != "" && i > 0 && !x.noOwn {
				x.add(own, &partInfo{kind: "text", sub: "plain"}, body[:i])
			}
		}
		if b != "" && len(cutAt(body, b)) > 0 {
			p.kind, p.sub, p.params = "multipart", "mixed", map[string]string{"boundary": b}
		}
	}
	switch {
	case p.kind == "multipart":
		x.multipart(&p, body, depth)
	case p.kind == "message" && (p.sub == "rfc822" || p.sub == "global" || p.sub == "news"):
		x.message(decodeTransfer(body, p.encoding), depth)
	case p.kind == "message" && p.sub == "delivery-status", p.kind == "message" && p.sub == "disposition-notification":
		x.textLast = true
		x.add(technical, &p, body)
	case p.kind == "text" && p.sub == "rfc822-headers":
	case p.kind == "text" && !p.attached && ownText(p.sub) && !x.besides(&p):
		x.textLast = true
		if !x.noOwn {
			x.add(own, &p, body)
		}
	case readableName(&p):
		x.textLast = true
		x.add(attached, &p, body)
	default:
		x.textLast = false
		x.attachment(&p)
		x.file(&p, body)
	}
}

// besides reports whether a text that stands in a form of the mail that was not chosen is a file by itself.
func (x *extractor) besides(p *partInfo) bool {
	return x.noOwn && !x.report && p.name != "" && p.sub == "plain"
}

// ownText reports whether a text part of that subtype holds what the sender wrote.
func ownText(sub string) bool {
	switch sub {
	case "calendar", "vcard", "x-vcard", "directory", "rtf", "richtext", "css", "javascript", "xml", "x-amp-html",
		"watch-html", "csv", "tab-separated-values":
		return false
	}
	return true
}

// readableName reports whether an attachment is one of the kinds whose text is read.
func readableName(p *partInfo) bool {
	ext := strings.ToLower(path.Ext(p.name))
	if p.kind == "text" {
		switch p.sub {
		case "plain", "markdown", "x-markdown", "csv", "tab-separated-values", "html":
			return ext != ".ics" && ext != ".vcf" && ext != ".rtf"
		}
	}
	switch ext {
	case ".txt", ".md", ".markdown", ".csv", ".tsv", ".log":
		return p.kind == "text" || p.kind == "application"
	}
	return false
}

// attachment notes the name of a part that is not read.
func (x *extractor) attachment(p *partInfo) {
	switch {
	case p.kind == "application" && (strings.HasSuffix(p.sub, "-signature") || p.sub == "pgp-encrypted" || p.sub == "pgp-keys"):
		return
	case p.kind == "application" && strings.HasSuffix(p.sub, "pkcs7-mime"):
		x.seal("an encrypted or sealed mail (S/MIME) cannot be read")
		return
	case p.name == "" || len(p.name) > 255:
		return
	case p.kind == "image" && !p.attached:
		return // pictures of the layout
	}
	for _, n := range x.names {
		if n == p.name {
			return
		}
	}
	if len(x.names) < 100 {
		x.names = append(x.names, p.name)
	}
}

// add decodes a text part and keeps its text.
func (x *extractor) add(kind segmentKind, p *partInfo, body []byte) {
	limit := maxText
	if kind == attached {
		limit = maxAttachedText * 2
	}
	if len(body) > limit {
		body = body[:limit]
		x.fault("a text of more than 8 MiB, or of an attachment of more than 1 MiB, was read only up to there")
	}
	text, isHTML, guessed := partText(p, dropHeader(body))
	if guessed {
		x.fault("a text is in " + charsetName(p.params["charset"]) + ", which is not known; it may be wrong")
	}
	if kind == attached {
		if !readable(text) {
			x.attachment(p)
			return
		}
		if len(text) > maxAttachedText {
			text = strings.ToValidUTF8(text[:maxAttachedText], "")
			x.fault("the text of an attachment was read only up to 1 MiB")
		}
		text = strings.TrimSpace(text)
		if text != "" && p.name != "" {
			text = attachmentLine([]string{p.name}) + "\n" + text
		}
	}
	if strings.TrimSpace(text) != "" {
		s := segment{kind: kind, text: text, html: isHTML}
		if p.sub == "plain" {
			s.file = p.name
		}
		x.segments = append(x.segments, s)
	}
}

// dropHeader takes off fields of a part that stand behind its text, where some programs put them.
func dropHeader(body []byte) []byte {
	for {
		rest := bytes.TrimRight(body, " \t\r\n")
		line := rest[bytes.LastIndexByte(rest, '\n')+1:]
		name, value, ok := splitField(line)
		if !ok || len(line) > 100 || bytes.IndexByte(bytes.TrimSpace(value), ' ') >= 0 || len(line) == len(rest) {
			return body
		}
		switch name {
		case "content-type", "content-transfer-encoding", "content-disposition":
			body = rest[:len(rest)-len(line)]
		default:
			return body
		}
	}
}

// charsetName names a character set in a reason, if what the mail calls it is a name at all.
func charsetName(label string) string {
	name := charset.Canonical(label)
	if len(name) > 40 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.:+") != "" {
		return "a character set"
	}
	return "the character set " + name
}

// partText decodes the text of a part. guessed says that the part names a character set that nobody here
// knows, and needs one.
func partText(p *partInfo, body []byte) (text string, isHTML, guessed bool) {
	raw := decodeTransfer(body, p.encoding)
	if p.sub == "plain" && looksBase64(raw) {
		// A lost label: either it is text or it has no place in a text.
		raw = decodeBase64(raw)
		if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
			return "", false, false
		}
	}
	label := p.params["charset"]
	if binary(raw, label) {
		return "", false, false
	}
	guessed = !charset.Known(label) && !utf8.Valid(raw)
	if isHTML = p.sub == "html" || p.sub == "xhtml" || htmlStart(raw); isHTML {
		if label == "" {
			label = html.Charset(raw)
		}
		text, _ = charset.Decode(raw, label)
		src := []byte(text)
		if text = html.Text(src, html.Options{Mail: true, DropSignature: true}); text == "" {
			text = html.Text(src, html.Options{Mail: true})
		}
		return text, true, guessed
	}
	text, _ = charset.Decode(raw, label)
	if p.sub == "enriched" {
		return html.Text([]byte(strings.ReplaceAll(text, "\n", "<br>")), html.Options{Mail: true}), false, guessed
	}
	if strings.EqualFold(p.params["format"], "flowed") {
		text = unflow(text, strings.EqualFold(p.params["delsp"], "yes"))
	}
	return stripArmour(text), false, guessed
}

// binary reports whether b, called a text, is none.
func binary(b []byte, label string) bool {
	name := charset.Canonical(label)
	if strings.HasPrefix(name, "utf-16") || strings.HasPrefix(name, "utf-32") || bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return false
	}
	b = b[:min(len(b), 4096)]
	controls := 0
	for _, c := range b {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x0e && c != 0x0f && c != 0x1b {
			controls++
		}
	}
	return controls*20 > len(b)
}

func htmlStart(b []byte) bool {
	b = bytes.TrimLeft(b[:min(len(b), 512)], " \t\r\n\xef\xbb\xbf")
	b = bytes.ToLower(b)
	return bytes.HasPrefix(b, []byte("<html")) || bytes.HasPrefix(b, []byte("<!doctype html"))
}

// readable reports whether decoded bytes are a text rather than a binary file with a text's name.
func readable(s string) bool {
	if s == "" {
		return false
	}
	bad, n := 0, 0
	for _, r := range s[:min(len(s), 8192)] {
		n++
		if r == utf8.RuneError || r >= 0x80 && r < 0xa0 {
			bad++
		}
	}
	return bad*20 <= n
}

func (x *extractor) multipart(p *partInfo, body []byte, depth int) {
	children := splitParts(body, p.params["boundary"])
	if len(children) == 0 {
		// No boundary anywhere: what is there is the text.
		body = bytes.ReplaceAll(body, []byte("--"+p.params["boundary"]+"--"), nil)
		plain := partInfo{kind: "text", sub: "plain", encoding: p.encoding}
		if x.textLast = true; !x.noOwn {
			x.add(own, &plain, body)
		}
		return
	}
	type child struct {
		h    header
		body []byte
	}
	parsed := make([]child, len(children))
	for i, c := range children {
		parsed[i].h, parsed[i].body = parsePartHeader(c)
		parsed[i].h.fallback = x.charset
	}
	walk := func(i int) { x.part(&parsed[i].h, parsed[i].body, depth+1, p.sub == "digest") }
	switch p.sub {
	case "alternative":
		heads := make([]*header, len(parsed))
		for i := range parsed {
			heads[i] = &parsed[i].h
		}
		x.alternative(heads, walk)
	case "report":
		before := x.report
		x.report = true
		for i := range parsed {
			walk(i)
		}
		x.report = before
	case "encrypted":
		x.seal("an encrypted mail cannot be read")
	default:
		for i := range parsed {
			walk(i)
		}
	}
}

// message walks a mail inside the mail.
func (x *extractor) message(raw []byte, depth int) {
	h, body := parseHeader(bytes.TrimLeft(raw, "\r\n"))
	if len(h.fields) == 0 && len(bytes.TrimSpace(body)) == 0 {
		return
	}
	h.fallback = x.charset
	inner := extractor{parts: x.parts, charset: x.charset, noOwn: x.report}
	if x.report {
		inner.report = true
	}
	inner.part(&h, body, depth+1, false)
	x.parts, x.textLast = inner.parts, inner.textLast
	x.inherit(inner.defect)
	line := nestedLine(&h, x.report)
	text, isHTML := inner.body(h.role())
	switch {
	case text == "" && line == "":
		return
	case text == "":
		text = line
	case line != "":
		text = line + "\n" + text
	}
	x.segments = append(x.segments, segment{kind: nested, text: text, html: isHTML})
	x.names = append(x.names, inner.names...)
	x.files = append(x.files, inner.files[:min(len(inner.files), max(0, maxFiles-len(x.files)))]...)
	x.people = append(x.people, people(h.raw("from"))...)
	x.people = append(x.people, inner.people...)
}

// nestedLine describes a mail inside the mail in one line.
func nestedLine(h *header, returned bool) string {
	var parts []string
	if s := h.text("subject"); s != "" {
		parts = append(parts, s)
	}
	if p := people(h.raw("from")); len(p) > 0 {
		from := "from " + p[0].String()
		if p[0].Name != "" && p[0].Email != "" {
			from += " <" + p[0].Email + ">"
		}
		parts = append(parts, from)
	}
	if t, ok := parseDate(h.raw("date")); ok {
		parts = append(parts, t.Format("2006-01-02 15:04"))
	}
	if len(parts) == 0 {
		return ""
	}
	if returned {
		return "[Returned mail: " + strings.Join(parts, ", ") + "]"
	}
	return "[Forwarded mail: " + strings.Join(parts, ", ") + "]"
}

// parsePartHeader is parseHeader for a part, which may have no header and begin with its text.
func parsePartHeader(raw []byte) (header, []byte) {
	line, _ := cutLine(raw)
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) == 0 {
		_, rest := cutLine(raw)
		return header{}, rest
	}
	if name, _, ok := splitField(trimmed); !ok || !strings.HasPrefix(name, "content-") && !knownField(name) && !continues(raw) {
		return header{}, raw
	}
	return parseHeader(raw)
}
