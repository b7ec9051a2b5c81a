package vecindex

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/vecimage"
	"github.com/openhuman/openhuman-core/internal/vecset"
	"github.com/openhuman/openhuman-core/pkg/store"
)

const (
	// smallStore is up to how many vectors readers take from the store as easily.
	smallStore = 1024
	// staleShare is the share of an image, in inverse, that may have changed before a new one is
	// worth writing.
	staleShare = 8
)

// Refresh writes an image when there is none yet or much has changed since, and sees to it that no
// image is left that the store does not name.
func Refresh(ctx context.Context, s *store.Store, now time.Time) error {
	if s.Path() == store.Memory {
		return nil
	}
	state, err := s.VectorState(ctx)
	if err != nil {
		return err
	}
	dir := filepath.Dir(s.Path())
	if state.Image == "" {
		vecimage.Clean(dir, "", now)
		if state.Last <= smallStore {
			return nil
		}
		return Write(ctx, s, now)
	}
	image, err := vecimage.Open(dir, state.Image)
	if err != nil {
		return Write(ctx, s, now)
	}
	h := image.Header
	if err := image.Close(); err != nil {
		return err
	}
	rows := 0
	for _, section := range h.Sections {
		rows += section.Rows
	}
	if changed := (state.Last - h.Last) + (state.Dead - h.Dead); changed > max(smallStore, int64(rows/staleShare)) {
		return Write(ctx, s, now)
	}
	vecimage.Clean(dir, state.Image, now)
	return nil
}

// Forget is for a memory from which a source was just removed, and where the vectors were at was before
// that: it removes their image at once, which no one may read any more, and writes a new one.
func Forget(ctx context.Context, s *store.Store, was store.VectorState, now time.Time) error {
	if s.Path() == store.Memory {
		return nil
	}
	// Where a file in use cannot be removed, the next Refresh tries again.
	_ = vecimage.Remove(filepath.Dir(s.Path()), was.Image)
	return Refresh(ctx, s, now)
}

// Write makes an image of all vectors of s beside its file and has the store name it. Without any
// vectors there is no image afterwards. Images that nobody needs are removed.
func Write(ctx context.Context, s *store.Store, now time.Time) error {
	if s.Path() == store.Memory {
		return nil
	}
	// All cells are mapped at once while the image is written. What a long ingest has used before and does
	// not need any more would stand beside them.
	debug.FreeOSMemory()
	dir := filepath.Dir(s.Path())
	sets, models, state, free, err := readAll(ctx, s, dir)
	if err != nil {
		return err
	}
	defer free()
	name := ""
	if len(sets) > 0 {
		if name, err = vecimage.Write(dir, state.Last, state.Dead, models, sets); err != nil {
			return err
		}
	}
	named := false
	err = s.Update(ctx, func(tx *store.Tx) (err error) {
		named, err = tx.SetVectorImage(name, state)
		return err
	})
	switch {
	case err != nil:
		return errors.Join(fmt.Errorf("name the image of vectors: %w", err), vecimage.Remove(dir, name))
	case !named: // another process was faster, and its image is as good
		return vecimage.Remove(dir, name)
	}
	vecimage.Clean(dir, name, now, state.Image)
	return nil
}

// readAll reads every vector, in sets by model. Nearly all of what they hold lies in files in dir until
// free is called, so that many vectors take little memory.
func readAll(ctx context.Context, s Store, dir string) (sets []*vecset.Set, models vecimage.Models, state store.VectorState, free func(), err error) {
	type spooled struct {
		*vecset.Set
		spool *vecimage.Spool
		name  string
	}
	var all []*spooled
	free = func() {
		for _, x := range all {
			x.spool.Close() //nolint:errcheck // what is left is removed later, as other abandoned files
		}
	}
	byModel := map[int64]*spooled{}
	state, err = s.Vectors(ctx, store.VectorState{}, store.VectorChanges{
		Models: func(list map[int64]store.ModelVectors) error {
			for id, m := range list {
				if m.Count == 0 {
					continue
				}
				spool, err := vecimage.NewSpool(dir)
				if err != nil {
					return err
				}
				byModel[id] = &spooled{vecset.NewHeads(m.Dims, m.Count), spool, m.Fingerprint}
				all = append(all, byModel[id])
			}
			return nil
		},
		Dead: func(int64) error { return nil },
		Vector: func(v *store.StoredVector) error {
			x := byModel[v.Model]
			if x == nil || len(v.Data) == 0 {
				return nil
			}
			if err := x.AppendTo(x.spool, v.ID, v.Chunk, v.Part, v.Data); !errors.Is(err, vecset.ErrUnfit) {
				return err
			}
			return nil // one of another length is of no use
		},
	})
	slices.SortFunc(all, func(a, b *spooled) int { return strings.Compare(a.name, b.name) })
	for _, x := range all {
		if err == nil && x.Len() > 0 {
			x.Cells, err = x.spool.Cells()
			sets, models = append(sets, x.Set), append(models, x.name)
		}
	}
	if err != nil {
		free()
		return nil, nil, state, nil, err
	}
	for _, set := range sets {
		set.Encode()
	}
	return sets, models, state, free, nil
}
