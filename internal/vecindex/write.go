package vecindex

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
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
	dir := filepath.Dir(s.Path())
	sets, models, state, err := readAll(ctx, s)
	if err != nil {
		return err
	}
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

// readAll reads every vector, in sets by model.
func readAll(ctx context.Context, s Store) (sets []*vecset.Set, models vecimage.Models, state store.VectorState, err error) {
	byModel := map[int64]*vecset.Set{}
	names := map[int64]string{}
	state, err = s.Vectors(ctx, store.VectorState{}, store.VectorChanges{
		Models: func(list map[int64]store.ModelVectors) error {
			for id, m := range list {
				byModel[id], names[id] = vecset.NewSet(m.Dims, m.Count), m.Fingerprint
			}
			return nil
		},
		Dead: func(int64) error { return nil },
		Vector: func(v *store.StoredVector) error {
			if set := byModel[v.Model]; set != nil && len(v.Data) > 0 {
				_ = set.Append(v.ID, v.Chunk, v.Part, v.Data) // one of another length is of no use
			}
			return nil
		},
	})
	if err != nil {
		return nil, nil, state, err
	}
	var ids []int64
	for id, set := range byModel {
		if set.Len() > 0 {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b int64) int { return strings.Compare(names[a], names[b]) })
	for _, id := range ids {
		byModel[id].Encode()
		sets, models = append(sets, byModel[id]), append(models, names[id])
	}
	return sets, models, state, nil
}
