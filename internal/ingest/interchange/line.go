package interchange

import (
	"errors"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// ParseWhole reads one line that comes from no file. A document that does not say of when it is has no
// time, and a document_id counts for nothing: whoever sends a line must not choose which document of the
// store it replaces. Unlike a file, a line of which something would be lost is refused as a whole: whoever sent it
// is there to mend it.
func ParseWhole(line []byte) ([]*doc.Document, error) {
	items, err := parser{in: &doc.Input{}, keys: keyring{}}.parse(line)
	if err != nil {
		return nil, err
	}
	known := newStates()
	for _, it := range items {
		if it.d.SourceID == "" {
			return nil, errors.New("source_id is missing")
		}
		known.note(it)
	}
	known.seen = 0
	var docs []*doc.Document
	for _, it := range items {
		if known.serve(it) {
			docs = append(docs, it.d)
		}
	}
	return docs, nil
}
