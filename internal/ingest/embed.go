package ingest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openhuman/openhuman-core/internal/vecset"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// A Model makes vectors of texts. Implementations are safe for concurrent use.
type Model interface {
	Fingerprint() string
	Dims() int
	// Embed returns one vector of unit length for each text; zeros for one it can make nothing of.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// An Encoder is a Model that reads a bounded amount of text at once.
type Encoder interface {
	Model
	// Parts returns what to embed for a text that is read with a context: windows that cover it, none
	// when the model can make nothing of it.
	Parts(context, text string) []string
}

// A Multilingual model names what makes the vector of texts that belong together by their language, so
// that vectors of one language need not be made anew when another changes. All its vectors compare.
type Multilingual interface {
	Model
	FingerprintOf(texts ...string) string
	// Gloss is what texts say in English, as tokens of the index; "" for English ones.
	Gloss(texts ...string) string
	// Fingerprints are all that FingerprintOf returns.
	Fingerprints() []string
}

// Fingerprints are those of all vectors that a model makes.
func Fingerprints(m interface{ Fingerprint() string }) []string {
	if x, ok := m.(interface{ Fingerprints() []string }); ok {
		return x.Fingerprints()
	}
	return []string{m.Fingerprint()}
}

// FingerprintOf is the one of the vectors that a model makes of some texts.
func FingerprintOf(m interface{ Fingerprint() string }, texts ...string) string {
	if x, ok := m.(interface{ FingerprintOf(texts ...string) string }); ok {
		return x.FingerprintOf(texts...)
	}
	return m.Fingerprint()
}

// glossOf is what texts of other languages say in English, as the index wants it.
func glossOf(m Model, texts ...string) string {
	if x, ok := m.(interface{ Gloss(texts ...string) string }); ok {
		return x.Gloss(texts...)
	}
	return ""
}

// newGloss is what a chunk of another language says in English as the model knows it now; nil for an
// English one, which has no gloss.
func newGloss(m Model, texts ...string) *string {
	if m == nil || FingerprintOf(m, texts...) == m.Fingerprint() {
		return nil
	}
	g := glossOf(m, texts...)
	return &g
}

// EmbedOptions say how to embed.
type EmbedOptions struct {
	Store *store.Store
	// Instant gives every chunk a vector at once, which that of the Encoder replaces. Either may be
	// nil.
	Instant Model
	Encoder Encoder
	// Good are fingerprints of models whose vectors the Encoder's need not replace.
	Good []string
	// Progress, when set, is told how far the Encoder is, by one call at a time.
	Progress func(EmbedEvent)
	// Share, when set, is called when many vectors have come since the last time, and at the end, so
	// that who serves the memory can be given them in one piece.
	Share func(ctx context.Context) error
	Now   func() time.Time // nil: time.Now

	// FlushChunks and FlushTime end a write; 0: 256 chunks or 2 seconds. At most that is lost when the
	// process is killed.
	FlushChunks int
	FlushTime   time.Duration
}

// An EmbedEvent says how far embedding is.
type EmbedEvent struct {
	Chunks, Done int // that have to be embedded in this run, and that are
	Elapsed      time.Duration
	Left         time.Duration // an estimate; negative while there is none
}

// An EmbedSummary is what Embed did.
type EmbedSummary struct {
	Instant  int // chunks that got an instant vector
	Embedded int // chunks that got the encoder's
	Chunks   int // in the memory
	Elapsed  time.Duration
}

// Embed gives vectors to all chunks that lack them, the newest first. It may be interrupted at any
// time: what was finished is kept, and the next call goes on from there. Chunks whose vectors are of
// another model are embedded anew.
func Embed(ctx context.Context, o EmbedOptions) (EmbedSummary, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.FlushChunks <= 0 {
		o.FlushChunks = 256
	}
	if o.FlushTime <= 0 {
		o.FlushTime = 2 * time.Second
	}
	e := &embedding{o: o, start: o.Now()}
	err := e.run(ctx)
	e.sum.Elapsed = o.Now().Sub(e.start)
	if err != nil {
		return e.sum, fmt.Errorf("embed: %w", err)
	}
	return e.sum, nil
}

// embedding is one call of Embed.
type embedding struct {
	o     EmbedOptions
	start time.Time
	sum   EmbedSummary

	// Of the encoder's pass.
	began        time.Time
	pending      int // chunks to embed in this run
	tokens, done int // estimated, of those chunks; embedded
	unshared     int // chunks written since Share
	told         time.Time
}

func (e *embedding) run(ctx context.Context) error {
	if e.o.Instant != nil {
		if err := e.instant(ctx); err != nil {
			return err
		}
	}
	if err := e.share(ctx); err != nil {
		return err
	}
	if e.o.Encoder == nil {
		return nil
	}
	err := e.encode(ctx)
	if e.unshared > 0 {
		// Also after an interruption: whoever serves the memory would have to carry all that is new.
		err = errors.Join(err, e.share(context.WithoutCancel(ctx)))
	}
	return err
}

func (e *embedding) share(ctx context.Context) error {
	e.unshared = 0
	if e.o.Share == nil {
		return nil
	}
	return e.o.Share(ctx)
}

// instantBatch is how many chunks get instant vectors in one transaction.
const instantBatch = 1000

// instant gives a vector to the chunks that have none at all, because they were taken in without a
// model or by one that is no longer used.
func (e *embedding) instant(ctx context.Context) error {
	enough := append(Fingerprints(e.o.Instant), e.o.Good...)
	if e.o.Encoder != nil {
		enough = append(enough, Fingerprints(e.o.Encoder)...)
	}
	var at store.PendingChunk
	for {
		batch, err := e.o.Store.PendingVectors(ctx, enough, at, instantBatch)
		if err != nil || len(batch) == 0 {
			return err
		}
		at = batch[len(batch)-1]
		texts := make([]string, len(batch))
		for i := range batch {
			texts[i] = embedded(batch[i].Context, batch[i].Content)
		}
		vectors, err := e.o.Instant.Embed(ctx, texts)
		if err != nil {
			return err
		}
		list := make([]store.ChunkVectors, len(batch))
		for i := range batch {
			list[i] = store.ChunkVectors{
				ChunkKey: batch[i].ChunkKey, Parts: [][]byte{packed(vectors[i])},
				Model: FingerprintOf(e.o.Instant, batch[i].Context, batch[i].Content),
				Gloss: newGloss(e.o.Instant, batch[i].Context, batch[i].Content),
			}
		}
		if err := e.write(ctx, e.o.Instant, list, &e.sum.Instant); err != nil {
			return err
		}
	}
}

func (e *embedding) write(ctx context.Context, m Model, list []store.ChunkVectors, count *int) error {
	var stored int
	err := e.o.Store.Update(ctx, func(tx *store.Tx) (err error) {
		stored, err = tx.PutVectors(modelOf(m), list)
		return err
	})
	if err != nil {
		return err
	}
	*count += stored
	e.unshared += stored
	return nil
}

const (
	// readAhead is how many chunks are read from the store at once, and group how many the encoder is
	// given at once: enough to keep all processors busy, few enough to stop soon.
	readAhead = 256
	group     = 16
	// shareFrom is how many chunks must be new, and shareShare how large a share of all, before they
	// are shared in the middle of a run.
	shareFrom  = 10_000
	shareShare = 4
)

// encode gives the encoder's vectors to all chunks that lack them. Chunks that come while it runs
// are found by going through the memory again, until there are none.
func (e *embedding) encode(ctx context.Context) (err error) {
	enough := append(Fingerprints(e.o.Encoder), e.o.Good...)
	if e.pending, e.tokens, e.sum.Chunks, err = e.o.Store.CountPending(ctx, enough); err != nil {
		return err
	}
	e.began = e.o.Now()
	e.tell(false)
	for {
		before := e.sum.Embedded
		found, err := e.pass(ctx, enough)
		if err != nil {
			return err
		}
		if found == 0 || e.sum.Embedded == before { // what cannot be stored now changes all the time
			break
		}
	}
	e.tell(true)
	return nil
}

// pass goes through the chunks without vectors once, from the newest, and returns how many it met.
func (e *embedding) pass(ctx context.Context, enough []string) (found int, err error) {
	var at store.PendingChunk
	var ready []store.ChunkVectors
	last := e.o.Now()
	flush := func(ctx context.Context) error {
		if len(ready) == 0 {
			return nil
		}
		err := e.write(ctx, e.o.Encoder, ready, &e.sum.Embedded)
		ready, last = ready[:0], e.o.Now()
		if err == nil && e.unshared >= max(shareFrom, e.sum.Chunks/shareShare) {
			err = e.share(ctx)
		}
		return err
	}
	for {
		batch, err := e.o.Store.PendingVectors(ctx, enough, at, readAhead)
		if err != nil {
			return found, err
		}
		if len(batch) == 0 {
			return found, flush(ctx)
		}
		at = batch[len(batch)-1]
		found += len(batch)
		for len(batch) > 0 {
			some := batch[:min(group, len(batch))]
			batch = batch[len(some):]
			vectors, err := e.encodeGroup(ctx, some)
			if err != nil {
				// What is finished is kept, also when the person has had enough.
				return found, errors.Join(err, flush(context.WithoutCancel(ctx)))
			}
			ready = append(ready, vectors...)
			for i := range some {
				e.done += some[i].Tokens
			}
			if len(ready) >= e.o.FlushChunks || e.o.Now().Sub(last) >= e.o.FlushTime {
				if err := flush(ctx); err != nil {
					return found, err
				}
			}
			e.tell(false)
		}
	}
}

func (e *embedding) encodeGroup(ctx context.Context, chunks []store.PendingChunk) ([]store.ChunkVectors, error) {
	var texts []string
	counts := make([]int, len(chunks))
	for i := range chunks {
		parts := e.o.Encoder.Parts(chunks[i].Context, chunks[i].Content)
		counts[i] = len(parts)
		texts = append(texts, parts...)
	}
	vectors, err := e.o.Encoder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("the model returned %d vectors for %d texts", len(vectors), len(texts))
	}
	out := make([]store.ChunkVectors, len(chunks))
	for i := range chunks {
		out[i].ChunkKey, out[i].Model = chunks[i].ChunkKey, FingerprintOf(e.o.Encoder, chunks[i].Context, chunks[i].Content)
		// Whoever took the chunk in may have known fewer names, as a server does that started before them.
		out[i].Gloss = newGloss(e.o.Instant, chunks[i].Context, chunks[i].Content)
		for _, v := range vectors[:counts[i]] {
			if len(v) != e.o.Encoder.Dims() {
				return nil, fmt.Errorf("the model returned a vector of %d dimensions instead of %d", len(v), e.o.Encoder.Dims())
			}
			out[i].Parts = append(out[i].Parts, packed(v))
		}
		vectors = vectors[counts[i]:]
		if counts[i] == 0 {
			out[i].Parts = [][]byte{nil} // it has been looked at
		}
	}
	return out, nil
}

// tell reports progress, not too often.
func (e *embedding) tell(end bool) {
	if e.o.Progress == nil {
		return
	}
	now := e.o.Now()
	if !end && now.Sub(e.told) < interval {
		return
	}
	e.told = now
	ev := EmbedEvent{Chunks: max(e.pending, e.sum.Embedded), Done: e.sum.Embedded, Elapsed: now.Sub(e.start), Left: -1}
	if spent := now.Sub(e.began); e.done > 0 && spent >= time.Second {
		ev.Left = time.Duration(float64(spent) * float64(max(e.tokens-e.done, 0)) / float64(e.done))
	}
	e.o.Progress(ev)
}

// embedded is the text whose vector stands for a chunk: without who speaks about what, its words
// could be anybody's about anything.
func embedded(context, content string) string {
	if context == "" {
		return content
	}
	return context + "\n" + content
}

// packed is a vector as it is stored; nothing for one that is all zeros.
func packed(v []float32) []byte {
	for _, x := range v {
		if x != 0 {
			return vecset.Pack(v)
		}
	}
	return nil
}

func modelOf(m Model) store.VectorModel {
	return store.VectorModel{Fingerprint: m.Fingerprint(), Dims: m.Dims()}
}

// addInstant gives the chunks of a record their instant vectors. A record without them is as good:
// Embed makes up for it.
func addInstant(ctx context.Context, m Model, rec *store.DocumentRecord) {
	if m == nil || len(rec.Chunks) == 0 {
		return
	}
	texts := make([]string, len(rec.Chunks))
	for i := range rec.Chunks {
		texts[i] = embedded(rec.Chunks[i].Context, rec.Chunks[i].Content)
	}
	vectors, err := m.Embed(ctx, texts)
	if err != nil || len(vectors) != len(texts) {
		return
	}
	rec.VectorModel = modelOf(m)
	for i, v := range vectors {
		rec.Chunks[i].Vector = packed(v)
		rec.Chunks[i].Model = FingerprintOf(m, rec.Chunks[i].Context, rec.Chunks[i].Content)
		rec.Chunks[i].Index.Gloss = glossOf(m, rec.Chunks[i].Context, rec.Chunks[i].Content)
	}
}
