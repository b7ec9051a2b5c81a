package controller

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// Bounds on the fields of a row that are not its preview.
const (
	maxTitleRunes  = 300
	maxAuthorRunes = 200
	maxRowTags     = 30
	// minPreviewRunes is how short previews get before rows are left for another page.
	minPreviewRunes = 80
	// maxChunkEntities bounds the entities of one chunk in full.
	maxChunkEntities = 100
)

// emptyHint reads the same whether there is nothing or the policy hides all of it from the caller.
const emptyHint = "The memory is empty, or nothing in it may be read here. Fill it with: openhuman-core ingest PATH"

// newRow makes the row of a chunk. Its score and what matched are the caller's to add.
func newRow(c *store.Chunk, preview string) Row {
	return Row{
		ChunkID: c.ChunkID, NodeKind: "chunk", SourceKind: c.SourceKind, SourceID: c.SourceID, SourceRef: c.SourceRef,
		Title: shorten(c.Title, maxTitleRunes), Author: shorten(c.Author, maxAuthorRunes),
		Timestamp: timestamp(c.TimestampMS), TimestampMS: c.TimestampMS,
		Preview: preview, TokenCount: c.TokenCount, Tags: list(c.Tags[:min(len(c.Tags), maxRowTags)]),
	}
}

// newChunk makes the full form of a chunk.
func newChunk(d *store.ChunkDetail) Chunk {
	c := Chunk{
		ChunkID: d.ChunkID, NodeKind: "chunk", SourceKind: d.SourceKind, SourceID: d.SourceID, SourceRef: d.SourceRef,
		Title: d.Title, Author: d.Author, Timestamp: timestamp(d.TimestampMS), TimestampMS: d.TimestampMS,
		TokenCount: d.TokenCount, Tags: list(d.Tags), Context: d.Context, Content: d.Content,
		PrevChunkID: d.PrevChunkID, NextChunkID: d.NextChunkID, Entities: []EntityRef{},
	}
	for _, e := range d.Entities[:min(len(d.Entities), maxChunkEntities)] {
		c.Entities = append(c.Entities, EntityRef(e))
	}
	return c
}

func timestamp(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

// list makes an empty list of a nil one: null would be read as an outage.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// opening is the preview of a chunk that nothing was searched in: its beginning, in one line.
func opening(content string, runes int) string {
	// Only as much as can be shown is looked at.
	line := make([]byte, 0, min(len(content), runes+64))
	n, white := 0, false
	for _, r := range content {
		if unicode.IsSpace(r) {
			white = n > 0
			continue
		}
		if white {
			line, n, white = append(line, ' '), n+1, false
		}
		if n > runes {
			break
		}
		line = utf8.AppendRune(line, r)
		n++
	}
	return shorten(string(line), runes)
}

// shorten cuts s to at most n runes, between characters as people see them and if possible between
// words, and says so with an ellipsis.
func shorten(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	if end := n - 1; end > 0 && isASCII(s[:n+1]) { // bytes are characters
		if blank := strings.LastIndexAny(s[:end], " \n"); blank > end*3/4 {
			end = blank
		}
		return strings.TrimRight(s[:end], " \n") + "…"
	}
	end, blank, runes, state := 0, 0, 0, -1
	for rest := s; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if runes += utf8.RuneCountInString(cluster); runes > n-1 {
			break
		}
		if cluster == " " || cluster == "\n" {
			blank = end
		}
		end += len(cluster)
	}
	if blank > end*3/4 {
		end = blank
	}
	return strings.TrimRight(s[:end], " \n") + "…"
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// limit returns how many rows k asks for.
func limit(k int) (int, error) { return amount("k", k, DefaultK, MaxK, "the number of rows") }

// amount returns how many of something the argument with this name asks for: usual when it is 0, and no
// more than most. is says what it means.
func amount(name string, n, usual, most int, is string) (int, error) {
	switch {
	case n < 0:
		return 0, fault.New(fault.Invalid, "%s is %d.", name, n).WithHint("It is %s, from 1 to %d.", is, most)
	case n == 0:
		return usual, nil
	}
	return min(n, most), nil
}

// checkOffset refuses an offset that is none.
func checkOffset(n int) error {
	if n < 0 {
		return fault.New(fault.Invalid, "offset is %d.", n).WithHint("It is the number of rows to pass over: 0, or the next_offset of the page before.")
	}
	return nil
}

// fit makes rows small enough for one answer, whose other members take other bytes. Previews are
// shortened first, all to the same length; preview returns that of row i in at most so many runes
// (nil: it is cut at its end). Rows at the end are left out only when that is not enough. What was
// done is in the second result, nil when everything fitted.
func (c *Controller) fit(rows []Row, preview func(i, runes int) string, other int) ([]Row, *Truncated) {
	const roomForNote = 400 // for what says that something was cut, and the hint
	most := other
	for i := range rows {
		most += rows[i].mostBytes()
	}
	if most <= c.maxBytes {
		return rows, nil // without measuring
	}
	sizes, fixed, total := make([]int, len(rows)), make([]int, len(rows)), other
	for i := range rows {
		sizes[i] = jsonSize(rows[i]) + 1
		fixed[i] = sizes[i] - jsonSize(rows[i].Preview)
		total += sizes[i]
	}
	if total <= c.maxBytes {
		return rows, nil
	}
	if preview == nil {
		whole := make([]string, len(rows))
		for i := range rows {
			whole[i] = rows[i].Preview
		}
		preview = func(i, runes int) string { return shorten(whole[i], runes) }
	}
	budget := c.maxBytes - other - roomForNote
	short := make([]string, len(rows))
	// sizeAt shortens the previews to n runes and returns what all rows take then.
	sizeAt := func(n int) (size int) {
		for i := range rows {
			short[i] = rows[i].Preview
			if utf8.RuneCountInString(short[i]) > n {
				short[i] = preview(i, n)
			}
			size += fixed[i] + jsonSize(short[i])
		}
		return size
	}
	low, high := minPreviewRunes, MaxPreviewRunes // low is taken, high is known to be too much
	for high-low > 8 {
		if mid := (low + high) / 2; sizeAt(mid) <= budget {
			low = mid
		} else {
			high = mid
		}
	}
	sizeAt(low)
	out, size, whole := make([]Row, 0, len(rows)), 0, 0
	for i, r := range rows {
		if size += fixed[i] + jsonSize(short[i]); size > budget && i > 0 {
			break
		}
		if r.Preview == short[i] {
			whole++
		}
		r.Preview = short[i]
		out = append(out, r)
	}
	if len(out) < len(rows) {
		return out, &Truncated{Field: "chunks", Shown: len(out), Total: len(rows)}
	}
	return out, &Truncated{Field: "preview", Shown: whole, Total: len(rows)}
}

// mostBytes is more than the row can take in JSON, whatever has to be escaped in it.
func (r *Row) mostBytes() int {
	const names, escaped = 500, 6 // a byte becomes at most \u0000
	n := len(r.ChunkID) + len(r.SourceID) + len(r.SourceRef) + len(r.Title) + len(r.Author) + len(r.Preview)
	for _, t := range r.Tags {
		n += len(t) + 1
	}
	return names + escaped*n
}

// hint says in one sentence what fit did.
func (t *Truncated) hint() string {
	switch {
	case t == nil:
		return ""
	case t.Field == "preview":
		return fmt.Sprintf("Previews were shortened to keep the answer small; %d of %d are whole. Read a chunk for its text.", t.Shown, t.Total)
	}
	return fmt.Sprintf("Only %d of %d %s are shown, to keep the answer small.", t.Shown, t.Total, t.Field)
}

// fitList is fit for rows without previews: it leaves out rows at the end.
func fitList[T any](rows []T, field string, maxBytes int) ([]T, *Truncated) {
	const other = 500
	size := other
	for i := range rows {
		if size += jsonSize(rows[i]) + 1; size > maxBytes && i > 0 {
			return rows[:i], &Truncated{Field: field, Shown: i, Total: len(rows)}
		}
	}
	return rows, nil
}

// jsonSize is how many bytes v takes in compact JSON, written as every surface writes it.
func jsonSize(v any) int {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return 0
	}
	return b.Len() - 1 // without the line feed
}

// hints joins the sentences that are not empty.
func hints(sentences ...string) string {
	var out []string
	for _, s := range sentences {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, " ")
}
