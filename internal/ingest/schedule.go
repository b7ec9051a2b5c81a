package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/chunk"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/archive"
)

// The scheduler of the pipeline: what of each file is known, what has changed, and who reads it.

// marks are what the fingerprints of files are made of.
type marks struct {
	rules    string            // what is taken in, and how it is cut and stored
	versions map[string]string // by the name of a reader; "-" is none, and archiveReader archives
}

// archiveReader stands in fingerprints for what takes archives apart.
const archiveReader = "archive"

func (r *run) marks() marks {
	m := marks{versions: map[string]string{}}
	m.rules = fmt.Sprintf("%d.%d.%d %s", buildVersion, chunk.Version, lookVersion, formatsHash(r.o.Formats))
	all := "" // of the readers: a new version of any may take what none took
	for _, f := range r.o.Formats {
		m.versions[f.Name()] = fmt.Sprintf("%s/%d", f.Name(), f.Version())
		all += fmt.Sprintf("%d.", f.Version())
	}
	m.versions["-"] = fmt.Sprintf("-/%d.%s", archive.Version, all)
	m.versions[archiveReader] = fmt.Sprintf("%s/%d.%s", archiveReader, archive.Version, all)
	return m
}

// print is the fingerprint of a file: everything that decides what becomes of it beside its bytes.
func print(rules, reader, where string) string { return rules + "|" + reader + "|" + where }

// readerOf returns the name of the reader in a fingerprint.
func readerOf(fingerprint string) string {
	_, rest, _ := strings.Cut(fingerprint, "|")
	reader, _, _ := strings.Cut(rest, "|")
	name, _, _ := strings.Cut(reader, "/")
	return name
}

// schedule makes a job of every entry that has to be looked at.
func (p *pipe) schedule(ctx context.Context, entries []entry) {
	for i, e := range entries {
		if ctx.Err() != nil || !p.offer(ctx, e, i) {
			return
		}
	}
}

// newJob returns the job of an entry that brings nothing yet.
func (p *pipe) newJob(e entry, at int) *job {
	j := &job{at: at, e: e, out: p.nothing}
	if was, ok := p.known[e.name]; ok {
		j.was = &was
	}
	return j
}

// offer finds out what has to be done about an entry and sends the job; an archive's come after those of
// what is in it. It reports whether the run goes on.
func (p *pipe) offer(ctx context.Context, e entry, at int) bool {
	j := p.newJob(e, at)
	if p.again != nil && p.leads(e.name) {
		return p.hold(ctx, j) && p.unpack(ctx, j)
	}
	where := e.root.path + " " + e.root.Source + e.said.print()
	if e.wanted {
		where += " wanted"
	}
	where = withOrigin(where, e.origin)
	if e.in != nil {
		where += fmt.Sprintf(" %08x", e.in.Sum(e.path))
	}
	reader, before := "-", ""
	if j.was != nil {
		reader = readerOf(j.was.Fingerprint)
		before, _ = splitSum(j.was.Fingerprint)
	}
	was := where
	if reader == archiveReader {
		was += p.rulesAt(e).print()
	}
	unchanged := j.was != nil && j.was.Complete && j.was.Outcome != string(doc.Failed) && j.was.Root == e.root.path &&
		j.was.Size == e.size && j.was.MTimeNS == e.mtimeNS && before == print(p.marks.rules, p.marks.versions[reader], was)
	switch {
	case e.outcome != "":
		j.fingerprint = print("rule", "-", where)
		j.report = doc.Report{Outcome: e.outcome, Reason: e.reason}
		j.unchanged = j.was != nil && j.was.Complete && j.was.Outcome == string(e.outcome) && j.was.Reason == e.reason && j.was.Fingerprint == j.fingerprint
	case unchanged && (reader != archiveReader || p.complete(e)):
		j.report = doc.Report{Outcome: doc.Outcome(j.was.Outcome), Reason: j.was.Reason}
		j.unchanged = true
		if reader == archiveReader {
			return p.idle(ctx, j)
		}
	default:
		if !p.hold(ctx, j) {
			return false
		}
		p.look(j)
		switch {
		case j.packed:
			j.fingerprint = print(p.marks.rules, p.marks.versions[archiveReader], where+p.rulesAt(e).print())
			return p.unpack(ctx, j)
		case j.format.Reader != nil:
			j.fingerprint = print(p.marks.rules, p.marks.versions[j.format.Name()], where) + j.sum
		default:
			j.fingerprint = print(p.marks.rules, p.marks.versions["-"], where)
		}
	}
	if !j.unchanged {
		j.gone = p.within(e.name) // it may have been an archive
	}
	return p.send(ctx, j)
}

// hold has the archive that a job's entry stands in stay open until the job is done, and waits until it has
// room for the entry.
func (p *pipe) hold(ctx context.Context, j *job) bool {
	in := j.e.in
	if in == nil {
		return true
	}
	if err := in.Room(ctx); err != nil {
		return false
	}
	in.Retain()
	j.done = func() {
		in.Free(j.e.path)
		in.Close()
	}
	return true
}

// send puts a job on its way.
func (p *pipe) send(ctx context.Context, j *job) bool {
	if j.in == nil && j.done != nil {
		j.done()
		j.done = nil
	}
	j.seq = p.seq
	p.seq++
	free := func() {
		if j.in != nil {
			close(j.out)
			if j.done != nil {
				j.done()
			}
		}
	}
	select {
	case p.order <- j:
	case <-ctx.Done():
		free()
		return false
	}
	if j.in == nil {
		return true
	}
	select {
	case p.work <- j:
		return true
	case <-ctx.Done():
		free()
		return false
	}
}

// look opens a file and finds out what it is. A file that needs no reader gets its report here.
func (p *pipe) look(j *job) {
	done := func(o doc.Outcome, reason string) {
		j.report = doc.Report{Outcome: o, Reason: reason}
	}
	head, err := p.head(j.e)
	switch {
	case errors.Is(err, archive.ErrLocked):
		done(doc.NoText, err.Error())
		return
	case err != nil:
		done(doc.Failed, reasonOf(err))
		return
	case len(head) == 0:
		done(doc.NoText, reasonEmpty)
		return
	case !j.e.wanted && privateKey(head):
		done(doc.Skipped, reasonPrivateKey)
		return
	}
	j.sum = sumOf(head)
	in := p.input(j.e, head)
	format, ok := detect(p.formats(j.e.said), in)
	if p.isArchive(j.e, in, format, ok) {
		j.packed = true
		return
	}
	if !ok && j.e.said != nil && j.e.said.Kind != "" {
		done(doc.Skipped, fmt.Sprintf("it is no %s, which the settings want here", j.e.said.Kind))
		return
	}
	if !ok {
		done(doc.Skipped, unknownReason(base(j.e.name), head))
		return
	}
	if format.AnyText {
		if what := notTaken(base(j.e.name), head); what != "" {
			done(doc.Skipped, what+notYet)
			return
		}
	}
	j.in, j.format = in, format
	j.out = make(chan *item, perFile)
	if format.Kind != "" {
		j.container, j.shown = p.run.reg.source(format.Kind, j.e.root, extent(format.Source, j.e))
	}
}

// input is what readers are given of an entry. What stands in an archive looks to them as if it had been
// unpacked into a folder.
func (p *pipe) input(e entry, head []byte) *doc.Input {
	in := &doc.Input{
		Path: e.name, Rel: e.rel, Root: base(e.root.path), Size: e.size,
		ModTime: time.Unix(0, e.mtimeNS).UTC(), Head: head,
	}
	left := e.size
	if e.in != nil {
		in.Rel, in.Root = e.inner, archive.Stem(e.in.rel)
		left = 0 // it counts as part of the archive
	}
	in.Open = func() (doc.File, error) {
		if int64(len(head)) == e.size {
			return &counted{doc.InMemory(head), p.run.meter, &left}, nil
		}
		f, err := p.fs(e).Open(e.path)
		if err != nil {
			return nil, err
		}
		return &counted{f, p.run.meter, &left}, nil
	}
	if strings.Contains(in.Rel, "/") {
		in.Above = p.above(e, filepath.Dir(filepath.Dir(e.path)))
	}
	return in
}

// fs is the file system that an entry stands in.
func (p *pipe) fs(e entry) FS {
	if e.in != nil {
		return e.in
	}
	return p.run.o.FS
}

// above returns what opens the regular files of dir by their name; like the walk it follows no link.
func (p *pipe) above(e entry, dir string) func(string) (doc.File, error) {
	return func(name string) (doc.File, error) {
		if name != filepath.Base(name) {
			return nil, fs.ErrInvalid
		}
		path := filepath.Join(dir, name)
		if e.in != nil {
			return e.in.Beside(path)
		}
		info, err := p.run.o.FS.Lstat(path)
		switch {
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, fs.ErrNotExist
		}
		return p.run.o.FS.Open(path)
	}
}

// head reads the beginning of a file, all of a small one.
func (p *pipe) head(e entry) ([]byte, error) {
	if e.in != nil {
		if err := e.in.Load(e.path); err != nil {
			return nil, err
		}
	}
	f, err := p.fs(e).Open(e.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, min(e.size, doc.HeadSize))
	n, err := io.ReadFull(f, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return b[:n], nil
}

// counted tells the meter what is read, of a file that is read twice only once.
type counted struct {
	doc.File
	m    *meter
	left *int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.File.Read(b)
	if once := min(int64(n), *c.left); once > 0 {
		*c.left -= once
		c.m.read(int(once))
	}
	return n, err
}
