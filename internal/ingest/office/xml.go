package office

import (
	"encoding/xml"
	"io"
	"path"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/charset"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/zipped"
)

const (
	// maxXMLDepth is how deep elements may be nested; what has deeper ones was made to do harm.
	maxXMLDepth = 2000
	// maxToken bounds one run of text or one element with its attributes.
	maxToken = 24 << 20
)

// A part is the stream of the elements of one member.
type part struct {
	dec   *xml.Decoder
	src   io.ReadCloser
	token int // bytes read for the token that is being read
	depth int
	err   error
}

// Read is what the decoder reads from.
func (p *part) Read(b []byte) (int, error) {
	if p.token > maxToken {
		return 0, zipped.ErrBound
	}
	n, err := p.src.Read(b)
	p.token += n
	return n, err
}

// openPart returns nil when there is no such member.
func openPart(c *zipped.Container, name string) *part {
	r := c.Open(name)
	if r == nil {
		return nil
	}
	p := &part{src: r}
	p.dec = xml.NewDecoder(p)
	p.dec.Strict = false
	p.dec.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		return charset.Reader(label, io.LimitReader(in, maxToken)), nil
	}
	return p
}

func (p *part) close() { p.src.Close() }

// next returns the next token; nil at the end.
func (p *part) next() xml.Token {
	if p.err != nil {
		return nil
	}
	p.token = 0
	t, err := p.dec.Token()
	if err != nil {
		p.err = err
		return nil
	}
	switch t.(type) {
	case xml.StartElement:
		if p.depth++; p.depth > maxXMLDepth {
			p.err = io.ErrUnexpectedEOF
			return nil
		}
	case xml.EndElement:
		p.depth--
	}
	return t
}

// skip passes over the element that was just begun.
func (p *part) skip() {
	for depth := p.depth; p.depth >= depth; {
		if p.next() == nil {
			return
		}
	}
}

// text returns the text of the element that was just begun, at most most bytes.
func (p *part) text(most int) string {
	var b strings.Builder
	for depth := p.depth; p.depth >= depth; {
		t := p.next()
		if t == nil {
			break
		}
		if c, ok := t.(xml.CharData); ok {
			b.Write(c[:min(len(c), max(0, most-b.Len()))])
		}
	}
	if b.Len() >= most {
		return strings.ToValidUTF8(b.String(), "")
	}
	return b.String()
}

// attr returns an attribute by its local name.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// relAttr returns an attribute whose value is the id of a relation: "id" is another one without its
// namespace.
func relAttr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && (strings.Contains(a.Name.Space, "relationships") || a.Name.Space == "r") {
			return a.Value
		}
	}
	return ""
}

// on reports whether a switch such as <w:vanish/> is on.
func on(e xml.StartElement) bool {
	switch attr(e, "val") {
	case "0", "false", "off":
		return false
	}
	return true
}

// A relation is what one part says about another.
type relation struct{ kind, target string }

// relations returns the relations of a part, by id. External ones keep their address.
func relations(c *zipped.Container, name string) map[string]relation {
	list := "_rels/.rels" // of the container
	if name != "" {
		list = path.Join(path.Dir(name), "_rels", path.Base(name)+".rels")
	}
	p := openPart(c, list)
	if p == nil {
		return nil
	}
	defer p.close()
	out := map[string]relation{}
	for t := p.next(); t != nil && len(out) < 20_000; t = p.next() {
		e, ok := t.(xml.StartElement)
		if !ok || e.Name.Local != "Relationship" {
			continue
		}
		r := relation{kind: path.Base(attr(e, "Type")), target: attr(e, "Target")}
		if attr(e, "TargetMode") != "External" {
			if strings.HasPrefix(r.target, "/") {
				r.target = strings.TrimPrefix(path.Clean(r.target), "/")
			} else {
				r.target = path.Join(path.Dir(name), r.target)
			}
		}
		out[attr(e, "Id")] = r
	}
	return out
}

// mainPart returns the name of the part that is the document.
func mainPart(c *zipped.Container) string {
	for _, r := range relations(c, "") {
		if r.kind == "officeDocument" && c.Has(r.target) {
			return r.target
		}
	}
	return ""
}

// properties reads what a document says about itself.
func properties(c *zipped.Container) props {
	var p props
	var created, modified time.Time
	var last string
	for _, name := range []string{"docProps/core.xml", "meta.xml"} {
		part := openPart(c, name)
		if part == nil {
			continue
		}
		for t := part.next(); t != nil; t = part.next() {
			e, ok := t.(xml.StartElement)
			if !ok {
				continue
			}
			switch e.Name.Local {
			case "title":
				p.title = clip(part.text(1000))
			case "creator", "initial-creator":
				// OpenDocument calls who wrote last the creator.
				switch s := clip(part.text(1000)); {
				case e.Name.Local == "initial-creator":
					last, p.author.Name = p.author.Name, s
				case p.author.Name == "":
					p.author.Name = s
				default:
					last = s
				}
			case "lastModifiedBy":
				last = clip(part.text(1000))
			case "keywords", "keyword":
				for s := range strings.FieldsFuncSeq(part.text(10_000), func(r rune) bool { return r == ',' || r == ';' }) {
					if s = clip(s); s != "" && len(p.tags) < 50 {
						p.tags = append(p.tags, s)
					}
				}
			case "created", "creation-date":
				created = parseTime(part.text(100))
			case "modified":
				modified = parseTime(part.text(100))
			case "date":
				modified = parseTime(part.text(100))
			}
		}
		part.close()
	}
	p.time = modified
	if p.time.IsZero() {
		p.time = created
	}
	if nobody(p.author.Name) {
		p.author.Name = ""
	}
	if last != "" && last != p.author.Name && !nobody(last) {
		if p.author.Name == "" {
			p.author.Name = last
		} else {
			p.others = []doc.Person{{Name: last}}
		}
	}
	return p
}

// nobody reports whether a name is what programs write in place of one.
func nobody(name string) bool {
	switch strings.ToLower(name) {
	case "user", "admin", "administrator", "author", "unknown", "microsoft office user", "windows user", "owner", "python-docx", "openpyxl", "pptxgenjs", "apache poi":
		return true
	}
	return false
}

// parseTime reads a time of properties; one without a zone is taken as UTC.
func parseTime(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, l := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if t, err := time.Parse(l, s); err == nil {
			if y := t.Year(); y < 1981 || y > 2100 { // programs without a clock write 1980
				return time.Time{}
			}
			return t.UTC()
		}
	}
	return time.Time{}
}

func clip(s string) string {
	s = strings.Join(strings.Fields(tidy(s)), " ")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "")
	}
	return s
}
