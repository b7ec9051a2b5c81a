//go:build !nopdf

package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// version is raised whenever the same file would give other documents.
const version = 1

// atOnce is how many files may be read at once; each has a sandbox of its own.
const atOnce = 2

// An engine makes sandboxes.
type engine struct {
	mu    sync.Mutex
	pool  pdfium.Pool
	cache wazero.CompilationCache
	err   error
}

// start compiles PDFium, or finds it compiled, at the first call.
func (e *engine) start(o Options) (pdfium.Pool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pool != nil || e.err != nil {
		return e.pool, e.err
	}
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(o.MemoryPages).
		WithCloseOnContextDone(true)
	if o.CacheDir != "" {
		// Without a cache the reader is compiled in each run, which is slow and right.
		if c, err := wazero.NewCompilationCacheWithDir(o.CacheDir); err == nil {
			e.cache = c
			config = config.WithCompilationCache(c)
		}
	}
	e.pool, e.err = webassembly.Init(webassembly.Config{
		MaxTotal: atOnce, MaxIdle: 0, RuntimeConfig: config,
		FSConfig: wazero.NewFSConfig(), // no files
		Stdout:   io.Discard, Stderr: io.Discard,
	})
	return e.pool, e.err
}

// Close ends the sandboxes. A Reader may be used again after it.
func (r *Reader) Close() error {
	e := &r.e
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pool == nil {
		return nil
	}
	err := e.pool.Close()
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(context.Background()))
	}
	e.pool, e.cache = nil, nil
	return err
}

// read reads an open file.
func (r *Reader) read(ctx context.Context, in *doc.Input, f doc.File, emit doc.Emit) (doc.Report, error) {
	if in.Size <= 0 {
		return doc.Report{Outcome: doc.NoText, Reason: "empty file"}, nil
	}
	pool, err := r.e.start(r.o)
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: "the reader of PDF files cannot be started on this machine"}, nil
	}
	var box pdfium.Pdfium
	box, err = pool.GetInstanceWithContext(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return doc.Report{}, ctx.Err()
		}
		return doc.Report{Outcome: doc.Failed, Reason: "the reader of PDF files cannot be started: there is not enough memory"}, nil
	}
	var killed atomic.Bool
	kill := func() {
		if killed.CompareAndSwap(false, true) {
			box.Kill() //nolint:errcheck // there is nothing left to do
		}
	}
	late := time.AfterFunc(r.o.Time, kill)
	defer late.Stop()
	stop := context.AfterFunc(ctx, kill)
	defer stop()
	b := &book{}
	err = b.read(box, io.NewSectionReader(f, 0, in.Size), in.Size, r.o)
	if killed.CompareAndSwap(false, true) {
		box.Close() //nolint:errcheck // the sandbox goes, whatever it says
	} else if ctx.Err() != nil {
		return doc.Report{}, ctx.Err()
	} else if err != nil {
		b.flaw = slowReason
	}
	switch {
	case errors.Is(err, pdferrors.ErrPassword):
		return doc.Report{Outcome: doc.NoText, Reason: lockedReason}, nil
	case errors.Is(err, pdferrors.ErrSecurity):
		return doc.Report{Outcome: doc.NoText, Reason: "it is encrypted in a way that is not known"}, nil
	case err != nil && len(b.pages) == 0 && b.flaw == "":
		return doc.Report{Outcome: doc.Failed, Reason: brokenReason}, nil
	case err != nil && b.flaw == "":
		b.flaw = "a part of it is damaged and was read only up to there"
	}
	return b.emit(in, r.o, emit)
}

// read takes everything out of the sandbox that is wanted of the file.
func (b *book) read(box pdfium.Pdfium, src io.ReadSeeker, size int64, o Options) (err error) {
	defer func() { // a sandbox that was closed under our hands
		if v := recover(); v != nil {
			err = fmt.Errorf("read a PDF file: %v", v)
		}
	}()
	open, err := box.OpenDocument(&requests.OpenDocument{FileReader: src, FileReaderSize: size})
	if err != nil {
		return err
	}
	d := open.Document
	if m, err := box.GetMetaData(&requests.GetMetaData{Document: d}); err == nil {
		b.meta = map[string]string{}
		for _, t := range m.Tags {
			b.meta[t.Tag] = t.Value
		}
	}
	n, err := box.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d})
	if err != nil {
		return err
	}
	total := 0
	for i := range min(n.PageCount, o.Pages) {
		t, err := box.GetPageText(&requests.GetPageText{Page: requests.Page{ByIndex: &requests.PageByIndex{Document: d, Index: i}}})
		if err != nil {
			// One page may be damaged and the next one good, but not when the sandbox is gone.
			if _, err := box.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d}); err != nil {
				return err
			}
			b.damaged++
			b.pages = append(b.pages, "")
			continue
		}
		b.pages = append(b.pages, t.Text)
		if total += len(t.Text); total > o.Text {
			b.flaw = fmt.Sprintf("the first %d MB of its text were taken in, which is the limit for one file", o.Text>>20)
			return nil
		}
	}
	if n.PageCount > o.Pages {
		b.flaw = fmt.Sprintf("the first %d pages were taken in, which is the limit for one file", o.Pages)
	}
	b.outline(box, d)
	return nil
}

// maxOutline bounds the table of contents, which a hostile file may make endless.
const maxOutline = 3000

// outline reads the table of contents.
func (b *book) outline(box pdfium.Pdfium, d references.FPDF_DOCUMENT) {
	var walk func(parent *references.FPDF_BOOKMARK, level int)
	walk = func(parent *references.FPDF_BOOKMARK, level int) {
		first, err := box.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: d, Bookmark: parent})
		if err != nil {
			return
		}
		for at := first.Bookmark; at != nil && len(b.heads) < maxOutline; {
			h := head{level: level, page: -1}
			if t, err := box.FPDFBookmark_GetTitle(&requests.FPDFBookmark_GetTitle{Bookmark: *at}); err == nil {
				h.title = t.Title
			}
			if to, err := box.FPDFBookmark_GetDest(&requests.FPDFBookmark_GetDest{Document: d, Bookmark: *at}); err == nil && to.Dest != nil {
				if p, err := box.FPDFDest_GetDestPageIndex(&requests.FPDFDest_GetDestPageIndex{Document: d, Dest: *to.Dest}); err == nil {
					h.page = p.Index
				}
			}
			b.heads = append(b.heads, h)
			if level < 5 {
				walk(at, level+1)
			}
			next, err := box.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: d, Bookmark: *at})
			if err != nil {
				return
			}
			at = next.Bookmark
		}
	}
	walk(nil, 1)
}
