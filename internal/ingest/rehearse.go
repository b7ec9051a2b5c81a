package ingest

import (
	"cmp"
	"context"
	"slices"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// A ledger is what a run writes to: a transaction of the store, or what stands for one in a dry run.
type ledger interface {
	Meta(key string) (string, error)
	SetMeta(key, value string) error
	File(path string) (store.FileRecord, bool, error)
	PutFile(store.FileRecord) (fileID int64, err error)
	MoveFile(from, to, fingerprint string) error
	DropFile(path string) (documents, chunks int, err error)
	HeldBefore(identity string, fileID int64) (docID int64, held bool, err error)
	HeldLonger(identity string, fileID int64, characters int) (docID int64, held bool, err error)
	PutDocument(store.DocumentRecord) (docID int64, res store.PutResult, err error)
	HoldAs(fileID, docID int64, rec *store.DocumentRecord) error
	ReleaseExcept(fileID int64, docIDs []int64) (documents, chunks int, err error)
	Reread() []string
}

// update runs fn on a ledger; on a store it is one transaction, and may run more than once.
func (r *run) update(ctx context.Context, fn func(ledger) error) error {
	if r.dry != nil {
		return fn(&rehearsing{r.dry, ctx, map[string]bool{}})
	}
	return r.o.Store.Update(ctx, func(tx *store.Tx) error { return fn(tx) })
}

// A rehearsal stands for the store in a dry run: it answers as the store would after all that was written to
// it. It reads of the store what a run touches, keeps what becomes of that in memory, without any text, and
// writes nothing. Whatever store.Tx does with files, documents and holders it does too.
type rehearsal struct {
	s       *store.Store // nil: an empty one
	values  map[string]string
	sources map[string]string // those that were written to, with their kind

	paths map[string]*dryFile // nil: there is none now
	files map[int64]*dryFile
	// names are documents by identity; one without an id is not there.
	names     map[string]*dryDocument
	documents map[int64]*dryDocument
	last      int64 // row that was given last
}

// newRows is where the rows begin that a rehearsal gives: after all that a store has.
const newRows = 1 << 62

// A dryFile is a file as it would be.
type dryFile struct {
	id   int64
	rec  store.FileRecord
	held []int64
}

// A dryDocument is a document as it would be.
type dryDocument struct {
	id         int64
	hash       string
	source     string
	characters int // -1: as stored
	holders    []store.Holder
}

func newRehearsal(s *store.Store) *rehearsal {
	return &rehearsal{
		s: s, values: map[string]string{}, sources: map[string]string{}, paths: map[string]*dryFile{}, files: map[int64]*dryFile{},
		names: map[string]*dryDocument{}, documents: map[int64]*dryDocument{}, last: newRows,
	}
}

func (h *rehearsal) row() int64 {
	h.last++
	return h.last
}

// atOnce is how much is read of the store at once.
const atOnce = 1000

// readFiles makes sure of what is known about files.
func (h *rehearsal) readFiles(ctx context.Context, paths []string, ids []int64) error {
	var missing []string
	for _, p := range paths {
		if _, ok := h.paths[p]; !ok {
			missing = append(missing, p)
			h.paths[p] = nil
		}
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return h.files[id] != nil || id >= newRows })
	if h.s == nil || len(missing)+len(ids) == 0 {
		return nil
	}
	found, err := h.s.HeldFiles(ctx, missing, ids)
	for _, f := range found {
		if h.files[f.ID] == nil { // else another process has moved it meanwhile
			h.files[f.ID] = &dryFile{f.ID, f.FileRecord, f.Held}
			h.paths[f.Path] = h.files[f.ID]
		}
	}
	return err
}

// readDocuments makes sure of what is known about documents.
func (h *rehearsal) readDocuments(ctx context.Context, identities []string, ids []int64) error {
	var missing []string
	for _, name := range identities {
		if h.names[name] == nil {
			missing = append(missing, name)
			h.names[name] = &dryDocument{}
		}
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return h.documents[id] != nil || id >= newRows })
	if h.s == nil || len(missing)+len(ids) == 0 {
		return nil
	}
	found, err := h.s.HeldDocuments(ctx, missing, ids)
	for _, f := range found {
		d := h.names[f.Identity]
		if d == nil {
			d = &dryDocument{}
			h.names[f.Identity] = d
		}
		*d = dryDocument{f.ID, string(f.Hash), f.Source, -1, f.Holders}
		h.documents[f.ID] = d
	}
	return err
}

// expect reads what a batch is about, all at once.
func (h *rehearsal) expect(ctx context.Context, batch []op) error {
	for part := range slices.Chunk(batch, atOnce) {
		var paths, identities []string
		for _, o := range part {
			paths = append(paths, o.j.e.name)
			if o.it != nil && len(o.it.rec.Chunks) > 0 {
				identities = append(identities, o.it.rec.Identity)
			}
		}
		if err := h.readFiles(ctx, paths, nil); err != nil {
			return err
		}
		if err := h.readDocuments(ctx, identities, nil); err != nil {
			return err
		}
	}
	return nil
}

// expectGone reads what the removal of files is about.
func (h *rehearsal) expectGone(ctx context.Context, paths []string) error {
	if err := h.readFiles(ctx, paths, nil); err != nil {
		return err
	}
	var held []int64
	for _, p := range paths {
		if f := h.paths[p]; f != nil {
			held = append(held, f.held...)
		}
	}
	for part := range slices.Chunk(held, atOnce) {
		if err := h.readDocuments(ctx, nil, part); err != nil {
			return err
		}
	}
	return nil
}

// sourcesOf returns, by name, the sources for which files at or below a path would hold documents; only files
// that were found under root count.
func (h *rehearsal) sourcesOf(ctx context.Context, path, root string) ([]string, error) {
	found := map[string]bool{}
	if h.s != nil {
		stored, err := h.s.SourcesByFile(ctx, path, root)
		if err != nil {
			return nil, err
		}
		for id, sources := range stored {
			if h.files[id] != nil {
				continue
			}
			for _, s := range sources {
				found[s] = true
			}
		}
	}
	for _, f := range h.files {
		if h.paths[f.rec.Path] != f || f.rec.Root != root || !within(f.rec.Path, path) {
			continue
		}
		for part := range slices.Chunk(f.held, atOnce) {
			if err := h.readDocuments(ctx, nil, part); err != nil {
				return nil, err
			}
			for _, id := range part {
				if d := h.documents[id]; d != nil {
					if at := d.holder(f.id); at >= 0 {
						found[d.holders[at].Source] = true
					}
				}
			}
		}
	}
	out := make([]string, 0, len(found))
	for s := range found {
		out = append(out, s)
	}
	slices.Sort(out)
	return out, nil
}

// name adds the kinds of the sources that were written to.
func (h *rehearsal) name(k *kinds) {
	for id, kind := range h.sources {
		if _, ok := k.of[id]; !ok {
			k.of[id] = doc.Kind(kind)
		}
	}
}

// holder returns where a file stands among the holders, or -1.
func (d *dryDocument) holder(file int64) int {
	return slices.IndexFunc(d.holders, func(x store.Holder) bool { return x.File == file })
}

// rehearsing is a rehearsal for the length of an update, with its context: what writes to a ledger has none.
type rehearsing struct {
	*rehearsal
	ctx    context.Context
	reread map[string]bool
}

func (h *rehearsing) Meta(key string) (string, error) {
	if v, ok := h.values[key]; ok || h.s == nil {
		return v, nil
	}
	return h.s.Meta(h.ctx, key)
}

func (h *rehearsing) SetMeta(key, value string) error {
	h.values[key] = value
	return nil
}

func (h *rehearsing) File(path string) (store.FileRecord, bool, error) {
	if err := h.readFiles(h.ctx, []string{path}, nil); err != nil {
		return store.FileRecord{}, false, err
	}
	f := h.paths[path]
	if f == nil {
		return store.FileRecord{}, false, nil
	}
	rec := f.rec
	rec.Documents = len(f.held)
	return rec, true, nil
}

func (h *rehearsing) PutFile(rec store.FileRecord) (int64, error) {
	if err := h.readFiles(h.ctx, []string{rec.Path}, nil); err != nil {
		return 0, err
	}
	f := h.paths[rec.Path]
	if f == nil {
		f = &dryFile{id: h.row()}
		h.paths[rec.Path], h.files[f.id] = f, f
	}
	f.rec = rec
	return f.id, nil
}

func (h *rehearsing) MoveFile(from, to, fingerprint string) error {
	if err := h.readFiles(h.ctx, []string{from, to}, nil); err != nil {
		return err
	}
	f := h.paths[from]
	if f == nil || h.paths[to] != nil {
		return nil
	}
	h.paths[from], h.paths[to] = nil, f
	f.rec.Path, f.rec.Fingerprint, f.rec.Complete = to, fingerprint, false
	return nil
}

func (h *rehearsing) DropFile(path string) (documents, chunks int, err error) {
	if err := h.readFiles(h.ctx, []string{path}, nil); err != nil {
		return 0, 0, err
	}
	f := h.paths[path]
	if f == nil {
		return 0, 0, nil
	}
	documents, chunks, err = h.ReleaseExcept(f.id, nil)
	h.paths[path] = nil
	return documents, chunks, err
}

// document returns a document that is there.
func (h *rehearsing) document(identity string) (*dryDocument, bool, error) {
	err := h.readDocuments(h.ctx, []string{identity}, nil)
	d := h.names[identity]
	return d, err == nil && d.id != 0, err
}

func (h *rehearsing) HeldBefore(identity string, fileID int64) (int64, bool, error) {
	d, ok, err := h.document(identity)
	if !ok || !slices.ContainsFunc(d.holders, func(x store.Holder) bool { return x.File < fileID }) {
		return 0, false, err
	}
	return d.id, true, nil
}

func (h *rehearsing) HeldLonger(identity string, fileID int64, characters int) (int64, bool, error) {
	d, ok, err := h.document(identity)
	if !ok || !slices.ContainsFunc(d.holders, func(x store.Holder) bool { return x.File != fileID }) {
		return 0, false, err
	}
	if d.characters < 0 {
		if d.characters, err = h.s.Characters(h.ctx, d.id); err != nil {
			return 0, false, err
		}
	}
	return d.id, d.characters >= characters, nil
}

func (h *rehearsing) PutDocument(rec store.DocumentRecord) (int64, store.PutResult, error) {
	d, found, err := h.document(rec.Identity)
	switch {
	case err != nil:
		return 0, store.Unchanged, err
	case found && d.hash == string(rec.Hash[:]):
		return d.id, store.Unchanged, nil
	}
	res := store.Replaced
	if !found {
		res = store.Added
		d.id, d.holders = h.row(), nil
		h.documents[d.id] = d
	}
	d.hash, d.source, d.characters = string(rec.Hash[:]), h.source(rec.Source), characters(rec.Chunks)
	return d.id, res, nil
}

// source remembers a source and returns its name.
func (h *rehearsing) source(m store.SourceMeta) string {
	h.sources[m.SourceID] = m.Kind
	return m.SourceID
}

func (h *rehearsing) HoldAs(fileID, docID int64, rec *store.DocumentRecord) error {
	d, f := h.documents[docID], h.files[fileID]
	if at := d.holder(fileID); at >= 0 {
		d.holders[at].Source = h.source(rec.Source)
		return nil
	}
	d.holders = append(d.holders, store.Holder{File: fileID, Source: h.source(rec.Source)})
	f.held = append(f.held, docID)
	return nil
}

func (h *rehearsing) ReleaseExcept(fileID int64, docIDs []int64) (documents, chunks int, err error) {
	keep := make(map[int64]bool, len(docIDs))
	for _, id := range docIDs {
		keep[id] = true
	}
	f := h.files[fileID]
	var gone []int64
	for _, id := range f.held {
		if !keep[id] {
			gone = append(gone, id)
		}
	}
	f.held = slices.DeleteFunc(f.held, func(id int64) bool { return !keep[id] })
	for part := range slices.Chunk(gone, atOnce) {
		if err := h.readDocuments(h.ctx, nil, part); err != nil {
			return 0, 0, err
		}
		for _, id := range part {
			d := h.documents[id]
			if d == nil { // another process has removed it meanwhile
				continue
			}
			d.holders = slices.DeleteFunc(d.holders, func(x store.Holder) bool { return x.File == fileID })
			if len(d.holders) > 0 {
				if err := h.rehome(d, fileID); err != nil {
					return 0, 0, err
				}
				continue
			}
			delete(h.documents, id)
			*d = dryDocument{}
			documents++
		}
	}
	return documents, 0, nil
}

// rehome gives a document that the file gone holds no longer to the first of the files that do.
func (h *rehearsing) rehome(d *dryDocument, gone int64) error {
	first := slices.MinFunc(d.holders, func(a, b store.Holder) int { return cmp.Compare(a.File, b.File) })
	if first.File < gone {
		return nil
	}
	if err := h.readFiles(h.ctx, nil, []int64{first.File}); err != nil {
		return err
	}
	f := h.files[first.File]
	if f == nil { // another process has removed it meanwhile
		return nil
	}
	f.rec.Complete = false
	h.reread[f.rec.Path] = true
	if d.source != first.Source {
		d.source, d.hash = first.Source, ""
	}
	return nil
}

func (h *rehearsing) Reread() []string {
	out := make([]string, 0, len(h.reread))
	for p := range h.reread {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}
