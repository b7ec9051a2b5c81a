package ingest

import (
	"sync"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// A Stage is what a run is doing.
type Stage string

// The stages, in order.
const (
	Scanning  Stage = "scanning"  // listing folders
	Reading   Stage = "reading"   // reading files and writing what they hold
	Finishing Stage = "finishing" // bringing counts and people up to date
)

// An Event says how far a run is. Totals are final from the stage Reading on.
type Event struct {
	Stage            Stage
	Files, FilesDone int
	Bytes, BytesDone int64
	Current          string // the file that is being read
	Documents        int    // written or found unchanged
	Chunks           int    // written
	Elapsed          time.Duration
	Left             time.Duration // an estimate; negative while there is none
	// File is set when the event is about one file that is done and not ok.
	File *FileResult
}

// interval is how often progress is told at most, apart from files with a problem.
const interval = 100 * time.Millisecond

// meter gathers what the stages of a run tell and passes it on, one call at a time.
type meter struct {
	report func(Event)
	now    func() time.Time
	start  time.Time

	mu      sync.Mutex
	e       Event
	last    time.Time
	reading time.Time // when Reading began
}

func (m *meter) stage(s Stage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.e.Stage = s
	if s == Reading {
		m.reading = m.now()
	}
	m.tell(nil)
}

// update changes the event and tells it when the last one is old enough.
func (m *meter) update(f func(*Event)) {
	if m.report == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.e)
	if m.now().Sub(m.last) >= interval {
		m.tell(nil)
	}
}

func (m *meter) found(size int64) {
	m.update(func(e *Event) { e.Stage = Scanning; e.Files++; e.Bytes += size })
}

// inside counts files that were found in an archive.
func (m *meter) inside(files int) { m.update(func(e *Event) { e.Files += files }) }

// more is what is read a second time.
func (m *meter) more(size int64) { m.update(func(e *Event) { e.Bytes += size }) }

func (m *meter) current(name string) { m.update(func(e *Event) { e.Current = name }) }

func (m *meter) read(n int) { m.update(func(e *Event) { e.BytesDone += int64(n) }) }

func (m *meter) wrote(documents, chunks int) {
	m.update(func(e *Event) { e.Documents += documents; e.Chunks += chunks })
}

// file tells that a file is done.
func (m *meter) file(f FileResult) {
	if m.report == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.e.FilesDone++
	switch {
	case f.Outcome != doc.OK:
		m.tell(&f)
	case m.now().Sub(m.last) >= interval:
		m.tell(nil)
	}
}

func (m *meter) tell(f *FileResult) {
	if m.report == nil {
		return
	}
	e := m.e
	now := m.now()
	e.File = f
	e.Elapsed = now.Sub(m.start)
	e.Left = -1
	if e.Stage == Reading && e.BytesDone > 0 {
		spent := now.Sub(m.reading)
		e.Left = time.Duration(float64(spent) * float64(max(e.Bytes-e.BytesDone, 0)) / float64(e.BytesDone))
	}
	if f == nil {
		m.last = now
	}
	m.report(e)
}
