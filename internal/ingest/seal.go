package ingest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/openhuman/openhuman-core/internal/summary"
	"github.com/openhuman/openhuman-core/internal/tree"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// SealOptions say how to bring the summary trees up to date.
type SealOptions struct {
	Store *store.Store
	// Encoder, when set, tells the built-in summariser which sentences mean the same; EncoderName
	// names it, since another one makes other summaries.
	Encoder     summary.Encoder
	EncoderName string
	// Chat, when set, is asked for every summary first. What it answers is checked, and the built-in
	// summariser writes what it cannot.
	Chat Chat
	// Vectors, when set, makes the vectors of summaries.
	Vectors SummaryVectors
	// TreesMade leaves the trees as they are, and only makes vectors.
	TreesMade bool
	// Rebuild makes all summaries anew.
	Rebuild bool
	// Progress, when set, is told how far it is, by one call at a time.
	Progress func(SealEvent)
	// Fallback, when set, is told once why the built-in summariser or none stands in.
	Fallback func(err error)
	Workers  int              // 0: one for each processor; with Chat always one
	Now      func() time.Time // nil: time.Now
}

// A Chat is a language model that answers.
type Chat interface {
	Name() string // what it is, such as "ollama:llama3.2"
	Chat(ctx context.Context, system, user string) (string, error)
}

// SummaryVectors makes vectors as the store keeps them.
type SummaryVectors interface {
	Fingerprint() string
	Pack(ctx context.Context, texts []string) ([][]byte, error)
}

// A SealEvent says how far sealing is.
type SealEvent struct {
	Sources, SourcesDone int
	Summaries, Done      int // of the sources looked at so far
	Embedding            bool
	Elapsed              time.Duration
}

// A SealSummary is what Seal did.
type SealSummary struct {
	Sources  int // whose trees were looked at
	Sealed   int // summaries written
	Removed  int // summaries that went
	Fallen   int // of Sealed: written by the built-in summariser in place of another
	Embedded int // summaries that got a vector
	Changed  int // sources that went on changing; the next run sees to them
	Elapsed  time.Duration
}

const (
	sealBatch   = 32 // summaries in a transaction
	sealTries   = 3  // plans of a source that goes on changing
	vectorBatch = 64
	maxEntities = 24 // of a summary
)

// sealer names what the options make summaries with.
func (o *SealOptions) sealer() string {
	name := fmt.Sprintf("builtin/%d", summary.Version)
	if o.EncoderName != "" {
		name += "+" + o.EncoderName
	}
	if o.Chat != nil {
		name = o.Chat.Name() + "|" + name
	}
	return name
}

// Seal brings the summary trees up to date with the chunks, and then the vectors of the summaries. It
// may be interrupted at any time; what is written stays, and the next run goes on.
func Seal(ctx context.Context, o SealOptions) (sum SealSummary, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Chat != nil {
		o.Workers = 1
	}
	s := &sealing{o: o, start: o.Now(), sum: &sum}
	defer func() { sum.Elapsed = o.Now().Sub(s.start) }()
	if !o.TreesMade {
		if err := s.trees(ctx); err != nil {
			return sum, fmt.Errorf("seal: %w", err)
		}
	}
	if err := s.vectors(ctx); err != nil {
		return sum, fmt.Errorf("embed summaries: %w", err)
	}
	return sum, nil
}

// sealing is one call of Seal.
type sealing struct {
	o     SealOptions
	start time.Time
	sum   *SealSummary
	event SealEvent
	told  time.Time
	down  bool // the model does not answer; it is not asked again in this run
	once  sync.Once
}

func (s *sealing) trees(ctx context.Context) error {
	if s.o.Rebuild {
		if err := s.o.Store.Update(ctx, func(tx *store.Tx) error { return tx.DropTrees() }); err != nil {
			return err
		}
	}
	sealer := s.o.sealer()
	stale, err := s.o.Store.StaleTrees(ctx, sealer, s.o.Chat != nil)
	if err != nil {
		return err
	}
	s.event.Sources = len(stale)
	for _, t := range stale {
		for try := 1; ; try++ {
			err = s.source(ctx, t, sealer)
			if !errors.Is(err, store.ErrTreeChanged) {
				break
			}
			if try == sealTries {
				s.sum.Changed++
				err = nil
				break
			}
		}
		if err != nil {
			return err
		}
		s.sum.Sources++
		s.event.SourcesDone++
		s.tell(true)
	}
	return nil
}

// source seals the tree of one source.
func (s *sealing) source(ctx context.Context, t store.Tree, sealer string) error {
	changes, chunks, have, err := s.o.Store.TreeParts(ctx, t.Source)
	if err != nil {
		return err
	}
	leaves := make([]tree.Leaf, len(chunks))
	for i, c := range chunks {
		leaves[i] = tree.Leaf{Row: c.Row, ChunkID: c.ChunkID, Sum: c.Sum, TimeMS: c.TimeMS, Document: c.Document, Ordinal: c.Ordinal, Tokens: c.TokenCount}
	}
	plan := tree.Make(t.SourceID, sealer, leaves)
	there := map[string]bool{} // and to stay as they are
	for _, k := range have {
		there[k.SummaryID] = !k.Provisional || s.o.Chat == nil || s.down
	}
	if err := s.drop(ctx, t.Source, changes, &plan, have); err != nil {
		return err
	}
	s.event.Summaries += plan.Nodes()
	for l, level := range plan.Levels {
		var missing []unsealed
		for _, n := range level {
			u, stays := unsealed{Node: n, source: t}, there[n.ID]
			for k := n.First; k < n.Last; k++ {
				if l == 0 {
					u.children = append(u.children, plan.Leaves[k].ChunkID)
					u.rows = append(u.rows, plan.Leaves[k].Row)
					u.begins = append(u.begins, plan.Leaves[k].Ordinal == 0)
					continue
				}
				below := plan.Levels[l-1][k].ID
				u.children = append(u.children, below)
				stays = stays && there[below] // a new text below makes a new one above
			}
			if stays {
				s.event.Done++
				continue
			}
			there[n.ID] = false
			missing = append(missing, u)
		}
		for batch := range slices.Chunk(missing, sealBatch) {
			if err := s.batch(ctx, t.Source, changes, batch); err != nil {
				return err
			}
		}
	}
	return s.o.Store.Update(ctx, func(tx *store.Tx) error { return tx.FinishTree(t.Source, changes, sealer) })
}

// drop removes the summaries that the plan no longer has.
func (s *sealing) drop(ctx context.Context, source, changes int64, plan *tree.Plan, have []store.SummaryKey) error {
	planned := map[string]bool{}
	for _, level := range plan.Levels {
		for _, n := range level {
			planned[n.ID] = true
		}
	}
	var gone []string
	for _, k := range have {
		if !planned[k.SummaryID] {
			gone = append(gone, k.SummaryID)
		}
	}
	for part := range slices.Chunk(gone, 500) {
		err := s.o.Store.Update(ctx, func(tx *store.Tx) error { return tx.DropSummaries(source, changes, part) })
		if err != nil {
			return err
		}
		s.sum.Removed += len(part)
	}
	return nil
}

// An unsealed node is one whose summary has to be written.
type unsealed struct {
	tree.Node
	source   store.Tree
	children []string
	rows     []int64 // of level 1: the chunks
	begins   []bool  // of level 1: which of them begin a document
}

// batch writes some summaries of one level, in one transaction.
func (s *sealing) batch(ctx context.Context, source, changes int64, nodes []unsealed) error {
	records, errs := make([]store.SummaryRecord, len(nodes)), make([]error, len(nodes))
	var workers sync.WaitGroup
	next := make(chan int)
	for range min(s.o.Workers, len(nodes)) {
		workers.Go(func() {
			for i := range next {
				records[i], errs[i] = s.record(ctx, &nodes[i])
			}
		})
	}
	for i := range nodes {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, store.ErrTreeChanged) {
			return store.ErrTreeChanged
		}
		return err
	}
	err := s.o.Store.Update(ctx, func(tx *store.Tx) error { return tx.PutSummaries(source, changes, records) })
	if err != nil {
		return err
	}
	s.sum.Sealed += len(records)
	s.event.Done += len(records)
	for i := range records {
		if s.o.Chat != nil && records[i].Maker != s.o.Chat.Name() {
			s.sum.Fallen++
		}
	}
	s.tell(false)
	return nil
}

// vectors embeds the summaries that have no vector of the model.
func (s *sealing) vectors(ctx context.Context) error {
	if s.o.Vectors == nil {
		return nil
	}
	models := Fingerprints(s.o.Vectors)
	s.event.Embedding = true
	for after := int64(0); ; {
		list, err := s.o.Store.PendingSummaries(ctx, models, after, vectorBatch)
		if err != nil || len(list) == 0 {
			return err
		}
		texts := make([]string, len(list))
		for i, x := range list {
			texts[i] = x.Context + "\n" + x.Content
		}
		packed, err := s.o.Vectors.Pack(ctx, texts)
		if err != nil {
			return err
		}
		if len(packed) != len(list) {
			return fmt.Errorf("%d vectors for %d summaries", len(packed), len(list))
		}
		byModel := map[string]map[string][]byte{}
		for i, x := range list {
			model := FingerprintOf(s.o.Vectors, texts[i])
			if byModel[model] == nil {
				byModel[model] = map[string][]byte{}
			}
			byModel[model][x.SummaryID] = packed[i]
		}
		err = s.o.Store.Update(ctx, func(tx *store.Tx) error {
			for model, byID := range byModel {
				if err := tx.SetSummaryVectors(model, byID); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		s.sum.Embedded += len(list)
		after = list[len(list)-1].RowID
		s.tell(false)
	}
}

func (s *sealing) tell(always bool) {
	if s.o.Progress == nil {
		return
	}
	now := s.o.Now()
	if !always && now.Sub(s.told) < interval {
		return
	}
	s.told = now
	s.event.Elapsed = now.Sub(s.start)
	s.o.Progress(s.event)
}
