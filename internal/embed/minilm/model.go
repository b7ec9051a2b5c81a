// Package minilm is the sentence encoder all-MiniLM-L6-v2: it turns English text into vectors of
// 384 numbers whose angle says how far apart two texts are in meaning. Its weights are part of the
// program and are used where they lie in it, so that many processes share one copy; what a process
// keeps of its own is working memory, bounded by Options.
//
// A text longer than what the encoder reads at once is read in several windows (see Windows); no part
// of a text is left out. Which text to embed, and where vectors go, is the caller's business.
package minilm

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"sync"

	"github.com/openhuman/openhuman-core/internal/embed/format"
	"github.com/openhuman/openhuman-core/internal/embed/kernel"
	"github.com/openhuman/openhuman-core/internal/embed/vocab"
	"github.com/openhuman/openhuman-core/internal/embed/wordpiece"
)

// Dimensions of the model.
const (
	Dims      = 384
	Hidden    = 1536
	Heads     = 12
	Layers    = 6
	VocabSize = 30522
	// CLS and SEP are the tokens that begin and end every window.
	CLS = 101
	SEP = 102
	// TokenBits is how many bits a number in the table of tokens has (datagen/README.md says why).
	TokenBits = 6
	// MaxTokens is how many tokens one window has, the two that begin and end it included.
	MaxTokens = 256
)

// Kind marks the file of weights and its layout.
const Kind = "minilm-l6-q4/1"

//go:embed minilm.bin
var weights []byte

// layer is one of the encoder's layers.
type layer struct {
	qkv, out, up, down kernel.Matrix
	norm1W, norm1B     []float32
	norm2W, norm2B     []float32
}

// Model is the encoder. It is safe for concurrent use.
type Model struct {
	vocab     *wordpiece.Vocab
	kernels   *kernel.Kernels
	sum       string
	tokens    format.Table
	cls, sep  []float32 // as in the table, but exact
	positions []float32
	normW     []float32
	normB     []float32
	zeros     []float32
	layers    [Layers]layer

	workers   int
	batchRows int
	// desks holds the working memory of Options.Workers batches; nil stands for one not made yet.
	desks chan *scratch
}

// Options say how a Model works. The zero value is good.
type Options struct {
	// Kernels is the arithmetic to use; nil means the fastest this processor has.
	Kernels *kernel.Kernels
	// Workers is how many batches are encoded at once, over all callers; 0 means one for each
	// processor but at most 4. Each needs some megabytes of memory.
	Workers int
}

// Load opens the encoder that is part of the program.
func Load() (*Model, error) { return New(Options{}) }

// New is Load with options.
func New(o Options) (*Model, error) {
	if o.Kernels == nil {
		o.Kernels = kernel.Best()
	}
	if o.Workers <= 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), 4)
	}
	v, err := vocab.Open()
	if err != nil {
		return nil, err
	}
	r, err := format.NewReader(Kind, weights)
	if err != nil {
		return nil, fmt.Errorf("open encoder weights: %w", err)
	}
	m := &Model{
		vocab: v, kernels: o.Kernels, sum: r.Sum(), zeros: make([]float32, Dims),
		workers: o.Workers, batchRows: MaxTokens, desks: make(chan *scratch, o.Workers),
	}
	for range o.Workers {
		m.desks <- nil
	}
	m.tokens = r.Table(VocabSize, Dims, TokenBits)
	m.cls, m.sep = r.Floats(Dims), r.Floats(Dims)
	m.positions, m.normW, m.normB = r.Floats(MaxTokens*Dims), r.Floats(Dims), r.Floats(Dims)
	for i := range m.layers {
		l := &m.layers[i]
		l.qkv, l.out = r.Matrix(Dims, 3*Dims), r.Matrix(Dims, Dims)
		l.norm1W, l.norm1B = r.Floats(Dims), r.Floats(Dims)
		l.up, l.down = r.Matrix(Dims, Hidden), r.Matrix(Hidden, Dims)
		l.norm2W, l.norm2B = r.Floats(Dims), r.Floats(Dims)
	}
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("open encoder weights: %w", err)
	}
	return m, nil
}

// Fingerprint names the model, its weights and the way text is put to it. Vectors of one
// fingerprint can be compared.
func (m *Model) Fingerprint() string { return Kind + "/" + m.sum[:16] }

// Dims is the length of a vector.
func (m *Model) Dims() int { return Dims }

// Embed returns one vector of unit length for each text. A text of several windows gets the mean of
// their vectors, weighted by length. The context is looked at between batches.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var jobs []job
	var tokens []wordpiece.Token
	for i, text := range texts {
		out[i] = make([]float32, Dims)
		tokens = m.vocab.AppendTokens(tokens[:0], text)
		for _, w := range windows(text, tokens, MaxTokens-2) {
			jobs = append(jobs, job{text: i, ids: m.ids(tokens[w.from:w.to])})
		}
	}
	if err := m.run(ctx, jobs, out); err != nil {
		return nil, err
	}
	for _, v := range out {
		kernel.Normalize(v)
	}
	return out, nil
}

// ids are the tokens of a window with the ones that begin and end it.
func (m *Model) ids(tokens []wordpiece.Token) []int32 {
	ids := make([]int32, 0, len(tokens)+2)
	ids = append(ids, CLS)
	for _, t := range tokens {
		ids = append(ids, t.ID)
	}
	return append(ids, SEP)
}

// job is one window to encode and the text it is from.
type job struct {
	text int
	ids  []int32
}

// run encodes all jobs in batches and adds each one's vector, times its length, to its text's.
func (m *Model) run(ctx context.Context, jobs []job, out [][]float32) error {
	var wg sync.WaitGroup
	var mu sync.Mutex // over out
	defer wg.Wait()
	for len(jobs) > 0 {
		n, rows := 0, 0
		for n < len(jobs) && (n == 0 || rows+len(jobs[n].ids) <= m.batchRows) {
			rows += len(jobs[n].ids)
			n++
		}
		batch := jobs[:n]
		jobs = jobs[n:]
		var desk *scratch
		select {
		case <-ctx.Done():
			return ctx.Err()
		case desk = <-m.desks:
		}
		if err := ctx.Err(); err != nil {
			m.desks <- desk
			return err
		}
		if desk == nil {
			desk = new(scratch)
		}
		work := func() {
			defer func() { m.desks <- desk }()
			m.encode(desk, batch, func(j job, v []float32) {
				mu.Lock()
				defer mu.Unlock()
				for i, x := range v {
					out[j.text][i] += x * float32(len(j.ids))
				}
			})
		}
		if len(jobs) == 0 || m.workers == 1 {
			work() // the last batch needs no goroutine of its own
		} else {
			wg.Go(work)
		}
	}
	return nil
}
