package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// A Writer takes in what callers write. The controller has one only where the settings allow writing.
type Writer interface {
	// TakeIn stores what one interchange line holds, all of it or nothing. may is asked of every source
	// before anything is written to it. What is wrong with the line is an Invalid fault.
	TakeIn(ctx context.Context, line []byte, may func(sourceID string) error) ([]Written, error)
}

// Written is what became of one document.
type Written struct {
	SourceID   string
	DocumentID string
	ChunkIDs   []string
	Unchanged  bool // it was there already, as it is
}

// Limits on what one call writes. Texts are counted in characters, tags and payloads in bytes.
const (
	MaxTitleRunes   = 300
	MaxContentRunes = 200_000
	MaxTags         = 20
	MaxTagRunes     = 60
	MaxPayloadBytes = 1_000_000
	MaxSourceRunes  = 200
)

// noWriting is the fault of writing while the settings do not allow it.
func noWriting() *fault.Error {
	return fault.New(fault.Denied, "Writing is off: this memory is read-only.").
		WithHint("Its owner can allow it with [mcp] write_tools = true in config.toml, or OPENHUMAN_MCP_WRITE_TOOLS=1.")
}

// Store keeps a text as a document of the caller's own source.
func (c *Controller) Store(ctx context.Context, p StoreParams) (StoreResult, error) {
	if c.writer == nil {
		return StoreResult{}, noWriting()
	}
	title, list := strings.Join(strings.Fields(p.Title), " "), []string{}
	for _, t := range p.Tags {
		if t = strings.Join(strings.Fields(t), " "); t != "" && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	if err := fits(title, p.Content, list); err != nil {
		return StoreResult{}, err
	}
	source := clientinfo.From(ctx).Label
	line, err := json.Marshal(map[string]any{
		"source_kind": "document", "source_id": source, "tags": list,
		"payload": map[string]string{"provider": source, "title": title, "body": p.Content},
	})
	if err != nil {
		return StoreResult{}, fmt.Errorf("encode a document: %w", err)
	}
	done, err := c.writer.TakeIn(ctx, line, c.mayWrite(ctx))
	if err != nil {
		return StoreResult{}, err
	}
	if len(done) != 1 {
		return StoreResult{}, noText("content")
	}
	return StoreResult{DocumentID: done[0].DocumentID, ChunkIDs: done[0].ChunkIDs}, nil
}

// fits holds a text to the limits.
func fits(title, content string, tags []string) error {
	tooLong := func(what string, most int, hint string) error {
		return fault.New(fault.Invalid, "%q is longer than %d characters.", what, most).WithHint("%s", hint)
	}
	switch {
	case strings.TrimSpace(content) == "":
		return noText("content")
	case utf8.RuneCountInString(title) > MaxTitleRunes:
		return tooLong("title", MaxTitleRunes, "Put what is long into content.")
	case utf8.RuneCountInString(content) > MaxContentRunes:
		return tooLong("content", MaxContentRunes, "Store it in several parts, each with a title of its own.")
	case len(tags) > MaxTags:
		return fault.New(fault.Invalid, "There are %d tags, and at most %d may be given.", len(tags), MaxTags).WithHint("Keep those that say most.")
	}
	for _, t := range tags {
		if utf8.RuneCountInString(t) > MaxTagRunes {
			return tooLong("tags", MaxTagRunes, "A tag is a word or two.")
		}
	}
	return nil
}

func noText(field string) error {
	return fault.New(fault.Invalid, "There is no text in %q, so nothing was stored.", field).WithHint("Give the text to keep.")
}

// Ingest takes in one interchange line.
func (c *Controller) Ingest(ctx context.Context, p IngestParams) (IngestResult, error) {
	if c.writer == nil {
		return IngestResult{}, noWriting()
	}
	line, err := p.line()
	if err != nil {
		return IngestResult{}, err
	}
	if len(line) > MaxPayloadBytes {
		return IngestResult{}, fault.New(fault.Invalid, "The payload has %d bytes, and at most %d are taken in at once.", len(line), MaxPayloadBytes).
			WithHint("Send it in parts, or write it to a file and run: openhuman-core ingest FILE")
	}
	res := IngestResult{}
	done, err := c.writer.TakeIn(ctx, line, func(sourceID string) error {
		if utf8.RuneCountInString(sourceID) > MaxSourceRunes {
			return fault.New(fault.Invalid, "The source_id is longer than %d characters.", MaxSourceRunes).WithHint("A source is a mailbox, a channel or a folder, such as slack:#eng.")
		}
		return c.mayWrite(ctx)(sourceID)
	})
	if err != nil {
		return IngestResult{}, err
	}
	if len(done) == 0 {
		return IngestResult{}, noText("payload")
	}
	for _, d := range done {
		res.SourceID = d.SourceID
		if d.Unchanged {
			res.Unchanged++
			continue
		}
		res.Documents++
		res.Chunks += len(d.ChunkIDs)
	}
	return res, nil
}

// mayWrite refuses sources that do not exist for the caller: whether a text is in one already must not
// be found out by writing it, and nobody could read it there.
func (c *Controller) mayWrite(ctx context.Context) func(sourceID string) error {
	scope := store.Scope(c.scope(ctx))
	return func(sourceID string) error {
		if scope.Hides(sourceID) {
			return fault.New(fault.Denied, "The policy does not let %s write to the source %s.", clientinfo.From(ctx).Label, shorten(sourceID, 80)).
				WithHint("The owner of this memory can change deny_sources and allow_sources in config.toml.")
		}
		return nil
	}
}

// line is the interchange line that the parameters make: payload is one, or is the payload of one whose
// other members stand beside it.
func (p IngestParams) line() ([]byte, error) {
	if p.SourceKind == "" && p.SourceID == "" && p.Owner == "" && len(p.Tags) == 0 {
		return p.Payload, nil
	}
	line, err := json.Marshal(struct {
		SourceKind string          `json:"source_kind"`
		SourceID   string          `json:"source_id"`
		Owner      string          `json:"owner"`
		Tags       []string        `json:"tags"`
		Payload    json.RawMessage `json:"payload"`
	}{p.SourceKind, p.SourceID, p.Owner, p.Tags, json.RawMessage(p.Payload)})
	if err != nil {
		return nil, fault.New(fault.Invalid, "The payload is not a JSON object.").WithHint("docs/interchange.md shows one of each kind.")
	}
	return line, nil
}
