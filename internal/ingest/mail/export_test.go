package mail

import (
	"io"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// What the tests look at from outside.
var (
	ParseDate   = parseDate
	DecodeWords = decodeWords
	People      = people
	OwnWords    = ownWords
)

// What a mail can be for OwnWords.
const (
	Fresh     = fresh
	Answer    = answer
	Forwarded = forwarded
)

// Split returns the messages of an mbox as next gives them, with a limit for each.
func Split(r io.Reader, at io.ReaderAt, limit int) (out []Split1) {
	s := newSplitter(r, at, limit)
	var buf []byte
	for {
		m, err := s.next(buf)
		if err != nil {
			return out
		}
		buf = m.Data
		out = append(out, Split1{m.Postmark, m.Offset, string(m.Data), m.Cut})
	}
}

// A Split1 is one message of Split.
type Split1 struct {
	Postmark string
	Offset   int64
	Data     string
	Cut      bool
}

// Document parses one message as it lies in a mailbox.
func Document(data []byte) (*doc.Document, string) {
	d, bad := parse(data, false).document(origin{rel: "test.mbox", place: "#byte=0"})
	return d, bad.flaw
}
