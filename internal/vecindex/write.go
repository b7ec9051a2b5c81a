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
	"github.com/openhuman/openhuman-core/internal/vector"
	"github.com/openhuman/openhuman-core/pkg/store"
)

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
	vecimage.Clean(dir, name, state.Image, now)
	return nil
}

// readAll reads every vector, in sets by model.
func readAll(ctx context.Context, s Store) (sets []*vector.Set, models vecimage.Models, state store.VectorState, err error) {
	byModel := map[int64]*vector.Set{}
	names := map[int64]string{}
	state, err = s.Vectors(ctx, store.VectorState{}, store.VectorChanges{
		Models: func(list map[int64]store.ModelVectors) error {
			for id, m := range list {
				byModel[id], names[id] = vector.NewSet(m.Dims, m.Count), m.Fingerprint
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
