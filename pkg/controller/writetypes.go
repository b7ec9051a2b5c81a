package controller

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// The types in this file are the wire of writing.

// StoreParams are the arguments of memory.store.
type StoreParams struct {
	Title   string   `json:"title"`
	Content string   `json:"content"`
	Tags    []string `json:"tags,omitempty"`
}

// StoreResult is the answer of memory.store.
type StoreResult struct {
	DocumentID string   `json:"document_id"`
	ChunkIDs   []string `json:"chunk_ids"`
}

// IngestParams are the parameters of memory_tree_ingest: payload is a whole interchange line, or it is
// the payload of one whose other members stand beside it.
type IngestParams struct {
	Payload    Object   `json:"payload"`
	SourceKind string   `json:"source_kind,omitempty"`
	SourceID   string   `json:"source_id,omitempty"`
	Owner      string   `json:"owner,omitempty"`
	Tags       []string `json:"tags,omitempty"`
}

// IngestResult is the answer of memory_tree_ingest. Documents and Chunks were written, and Unchanged
// documents were there already.
type IngestResult struct {
	SourceID  string `json:"source_id"`
	Documents int    `json:"documents"`
	Chunks    int    `json:"chunks"`
	Unchanged int    `json:"unchanged"`
}

// An Object is a JSON object as it was sent, also inside a string.
type Object json.RawMessage

// UnmarshalJSON implements json.Unmarshaler.
func (o *Object) UnmarshalJSON(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	var s string
	if len(raw) > 0 && raw[0] == '"' {
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		raw = []byte(strings.TrimSpace(s))
	}
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return errors.New("not an object")
	}
	*o = bytes.Clone(raw)
	return nil
}
