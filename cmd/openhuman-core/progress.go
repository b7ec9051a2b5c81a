package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/term"
)

// progress shows how far an ingest is: a bar that is redrawn on a terminal, now and then a line
// otherwise, or JSON lines.
type progress struct {
	a     *app
	live  bool // stderr is a terminal
	drawn bool // a bar stands on the current line
	now   func() time.Time
	last  time.Time // when there was a line for a stderr that is no terminal
}

// plainInterval is how long such a line holds.
const plainInterval = 10 * time.Second

func newProgress(a *app) *progress {
	return &progress{a: a, live: !a.json && term.IsTerminal(a.stderr), now: time.Now, last: time.Now()}
}

// event is told of every step, one at a time.
func (p *progress) event(e ingest.Event) {
	switch {
	case p.a.json:
		p.events(e)
	case e.File != nil:
		p.say(fmt.Sprintf("%s: %s (%s)", e.File.Outcome, e.File.Path, strings.TrimSuffix(e.File.Reason, ".")))
		p.draw(e)
	default:
		p.draw(e)
	}
}

// say prints a line of its own and takes the bar away for it.
func (p *progress) say(line string) {
	p.clear()
	fmt.Fprintln(p.a.stderr, term.Line(line))
}

func (p *progress) done() { p.clear() }

func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.a.stderr, "\r\x1b[K")
		p.drawn = false
	}
}

// barWidth is the width of the bar itself.
const barWidth = 24

func (p *progress) draw(e ingest.Event) { p.drawLine(bar(e)) }

func (p *progress) drawLine(line string) {
	switch {
	case p.a.json:
		return
	case !p.live:
		if now := p.now(); now.Sub(p.last) >= plainInterval {
			p.last = now
			fmt.Fprintln(p.a.stderr, line)
		}
		return
	}
	fmt.Fprint(p.a.stderr, "\r", term.Cut(line, term.Columns(p.a.stderr)-1), "\x1b[K")
	p.drawn = true
}

func bar(e ingest.Event) string {
	switch e.Stage {
	case ingest.Scanning:
		return fmt.Sprintf("looking for files: %s found", number(e.Files))
	case ingest.Finishing:
		return "bringing counts up to date"
	}
	share := 0.0
	if e.Bytes > 0 {
		share = min(float64(e.BytesDone)/float64(e.Bytes), 1)
	}
	filled := int(share * barWidth)
	line := fmt.Sprintf("[%s%s] %3.0f%%  %s of %s files, %s documents", strings.Repeat("#", filled), strings.Repeat(".", barWidth-filled),
		share*100, number(e.FilesDone), number(e.Files), number(e.Documents))
	if e.Left > 0 {
		line += ", " + span(e.Left) + " left"
	}
	if e.Current != "" {
		line += "  " + term.Line(e.Current)
	}
	return line
}

// events prints an event for programs.
func (p *progress) events(e ingest.Event) {
	type file struct {
		Event   string `json:"event"`
		Path    string `json:"path"`
		Outcome string `json:"outcome"`
		Reason  string `json:"reason"`
	}
	type step struct {
		Event     string `json:"event"`
		Stage     string `json:"stage"`
		Files     int    `json:"files"`
		FilesDone int    `json:"files_done"`
		Bytes     int64  `json:"bytes"`
		BytesDone int64  `json:"bytes_done"`
		Documents int    `json:"documents"`
		Chunks    int    `json:"chunks"`
		ElapsedMS int64  `json:"elapsed_ms"`
		LeftMS    int64  `json:"left_ms,omitempty"`
	}
	if e.File != nil {
		_ = p.a.printLine(file{"file", e.File.Path, string(e.File.Outcome), e.File.Reason})
		return
	}
	// A failed write shows in the summary, which is checked.
	_ = p.a.printLine(step{"progress", string(e.Stage), e.Files, e.FilesDone, e.Bytes, e.BytesDone, e.Documents, e.Chunks,
		e.Elapsed.Milliseconds(), max(e.Left.Milliseconds(), 0)})
}

// printLine prints v as one line of JSON.
func (a *app) printLine(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
