package endpoint

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

const (
	batchTexts = 32
	batchBytes = 128 << 10
	// partTokens bounds what is embedded at once, by estimate: what any model reads whole.
	partTokens = 350
	maxDims    = 8192
	// shortest is a text, in bytes, that any model takes.
	shortest = 200
)

// An Embedder makes vectors by a model behind an endpoint. It is safe for concurrent use.
type Embedder struct {
	c    *Client
	dims atomic.Int64 // 0 until the first answer
}

// NewEmbedder returns an embedder. It contacts nobody.
func NewEmbedder(c *Client) *Embedder { return &Embedder{c: c} }

// Fingerprint names the model. The endpoint does not tell which version of it it serves.
func (e *Embedder) Fingerprint() string { return e.c.Name() }

// Dims is the length of the vectors; 0 before the first answer.
func (e *Embedder) Dims() int { return int(e.dims.Load()) }

// Probe asks for one vector, to find out whether there is an answer, and how long vectors are.
func (e *Embedder) Probe(ctx context.Context) error {
	_, err := e.Embed(ctx, []string{"probe"})
	return err
}

// Embed returns one vector of unit length for each text.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		n, size := 0, 0
		for n < len(texts) && n < batchTexts && (n == 0 || size+len(texts[n]) <= batchBytes) {
			size += len(texts[n])
			n++
		}
		vectors, err := e.batch(ctx, texts[:n])
		if fault.CodeOf(err) == fault.Invalid { // one text may be too much for the model
			vectors, err = e.singly(ctx, texts[:n])
		}
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
		texts = texts[n:]
	}
	return out, nil
}

// singly embeds each text by itself; of one that the model does not take, its beginning.
func (e *Embedder) singly(ctx context.Context, texts []string) ([][]float32, error) {
	var out [][]float32
	for _, t := range texts {
		vectors, err := e.batch(ctx, []string{t})
		for fault.CodeOf(err) == fault.Invalid && len(t) > shortest {
			half := len(t) / 2
			for !utf8.RuneStart(t[half]) {
				half--
			}
			t = t[:half]
			vectors, err = e.batch(ctx, []string{t})
		}
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
	}
	return out, nil
}

func (e *Embedder) batch(ctx context.Context, texts []string) ([][]float32, error) {
	in := struct {
		Model  string   `json:"model"`
		Input  []string `json:"input"`
		Format string   `json:"encoding_format,omitempty"`
	}{Model: e.c.o.Model}
	for _, t := range texts {
		if strings.TrimSpace(t) == "" {
			t = "-" // some endpoints refuse the whole batch for an empty text
		}
		in.Input = append(in.Input, t)
	}
	var vectors [][]float32
	if e.c.o.API == Ollama {
		var out struct {
			Embeddings [][]float32 `json:"embeddings"`
		}
		if err := e.c.call(ctx, "/api/embed", in, &out); err != nil {
			return nil, err
		}
		vectors = out.Embeddings
	} else {
		in.Format = "float"
		var out struct {
			Data []struct {
				Index     int       `json:"index"`
				Embedding []float32 `json:"embedding"`
			} `json:"data"`
		}
		if err := e.c.call(ctx, "/embeddings", in, &out); err != nil {
			return nil, err
		}
		vectors = make([][]float32, len(out.Data))
		for _, d := range out.Data {
			if d.Index < 0 || d.Index >= len(vectors) || vectors[d.Index] != nil {
				return nil, e.c.nonsense("its vectors are not numbered from 0 to %d", len(vectors)-1)
			}
			vectors[d.Index] = d.Embedding
		}
	}
	if len(vectors) != len(texts) {
		return nil, e.c.nonsense("it holds %d vectors for %d texts", len(vectors), len(texts))
	}
	for _, v := range vectors {
		if err := e.check(v); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// check makes v of unit length, if it is a vector like those before it.
func (e *Embedder) check(v []float32) error {
	if len(v) == 0 || len(v) > maxDims {
		return e.c.nonsense("a vector has %d dimensions", len(v))
	}
	if !e.dims.CompareAndSwap(0, int64(len(v))) && e.Dims() != len(v) {
		return e.c.nonsense("a vector has %d dimensions after others of %d", len(v), e.Dims())
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) || sum == 0 {
		return e.c.nonsense("a vector has no direction")
	}
	norm := float32(math.Sqrt(sum))
	for i := range v {
		v[i] /= norm
	}
	return nil
}

// Parts returns what to embed for a text that is read with a context: windows that cover it, each
// with the context before it, cut at ends of lines, sentences or words where there are any.
func (e *Embedder) Parts(context, content string) []string {
	head := ""
	if context != "" {
		head = context + "\n"
	}
	room := max(partTokens-text.EstimateTokens(head), partTokens/2)
	var parts []string
	for content = strings.TrimSpace(content); content != ""; {
		n := window(content, room)
		parts = append(parts, head+strings.TrimSpace(content[:n]))
		content = strings.TrimSpace(content[n:])
	}
	return parts
}

// window returns how many bytes of s make a part of at most so many tokens.
func window(s string, tokens int) int {
	if text.EstimateTokens(s) <= tokens {
		return len(s)
	}
	var line, sentence, word, end int
	var before rune
	// A token is at least a character, and costs at most one and a quarter of it.
	for i, r := range s {
		if i > 0 && i%64 < 4 && text.EstimateTokens(s[:i]) > tokens {
			break
		}
		end = i
		switch {
		case r == '\n':
			line = i
		case unicode.IsSpace(r) && (before == '.' || before == '!' || before == '?'):
			sentence = i
		case before == '。' || before == '！' || before == '？':
			sentence = i
		case unicode.IsSpace(r):
			word = i
		}
		before = r
	}
	for _, at := range []int{line, sentence, word} {
		if at > end/2 {
			return at
		}
	}
	if end == 0 {
		_, end = utf8.DecodeRuneInString(s)
	}
	return end
}

// IsUnavailable reports whether err says that the endpoint itself is away, so that the next request
// will not fare better.
func IsUnavailable(err error) bool { return fault.CodeOf(err) == fault.Unavailable }
