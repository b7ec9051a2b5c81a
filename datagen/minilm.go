package main

import (
	"fmt"
	"math"
	"os"

	"github.com/openhuman/openhuman-core/datagen/onnx"
	"github.com/openhuman/openhuman-core/internal/embed/format"
	"github.com/openhuman/openhuman-core/internal/embed/kernel"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
)

// weights finds the parts of the 4-bit export of all-MiniLM-L6-v2.
type weights struct {
	tensors map[string]*onnx.Tensor
	missing string
}

func (w *weights) raw(name string, bytes int) []byte {
	t := w.tensors[name]
	if t == nil || len(t.Raw) != bytes {
		if w.missing == "" {
			w.missing = name
		}
		return make([]byte, bytes)
	}
	return t.Raw
}

func (w *weights) floats(name string, n int) []float32 {
	raw := w.raw(name, 4*n)
	return (&onnx.Tensor{Raw: raw}).Floats()
}

// layer is one MatMulNBits with its bias: 4 bits in blocks of 32 inputs, [out][in/32][16 bytes], low
// nibble first, zero at 8.
type layer struct {
	in      int
	nibbles []byte
	scales  []float32
	bias    []float32
	factor  float32
}

func (l *layer) Scale(o, b int) float32 { return l.scales[o*(l.in/kernel.Block)+b] * l.factor }

func (l *layer) Nibble(o, i int) byte { return l.nibbles[(o*l.in+i)/2] >> (i % 2 * 4) & 15 }

func (w *weights) layer(name string, in, out int, factor float32) *layer {
	l := &layer{
		in: in, factor: factor,
		nibbles: w.raw(name+".MatMul.weight_Q4", in*out/2),
		scales:  w.floats(name+".MatMul.weight_scales", in*out/kernel.Block),
		bias:    w.floats(name+".Add.bias", out),
	}
	for i := range l.bias {
		l.bias[i] *= factor
	}
	return l
}

// stacked is several layers over one input as one.
type stacked struct {
	parts []*layer
	out   int // of each
}

func (s *stacked) Scale(o, b int) float32 { return s.parts[o/s.out].Scale(o%s.out, b) }
func (s *stacked) Nibble(o, i int) byte   { return s.parts[o/s.out].Nibble(o%s.out, i) }

func packMiniLM(args []string) error {
	tensors, err := onnx.Load(args[0])
	if err != nil {
		return err
	}
	w := &weights{tensors: tensors}
	const dims, hidden, positions = minilm.Dims, minilm.Hidden, minilm.MaxTokens
	out := format.NewWriter(minilm.Kind)
	tokens := w.floats(".model.embeddings.word_embeddings.weight", minilm.VocabSize*dims)
	out.Table(tokens, minilm.TokenBits)
	// Every text has these two, so that their rounding would be in every vector.
	for _, id := range []int{minilm.CLS, minilm.SEP} {
		out.Floats(tokens[id*dims : (id+1)*dims])
	}
	// Every token of a single text has type 0, so that the type's vector belongs to the position's.
	pos := w.floats(".model.embeddings.position_embeddings.weight", 512*dims)[:positions*dims]
	kind := w.floats(".model.embeddings.token_type_embeddings.weight", 2*dims)
	for i := range pos {
		pos[i] += kind[i%dims]
	}
	out.Floats(pos)
	out.Floats(w.floats("model.layers.-1.embeddings_norm_layernorm.weight", dims))
	out.Floats(w.floats("model.layers.-1.embeddings_norm_layernorm.bias", dims))
	// Queries carry the scale of attention and the change from e to 2 that the softmax wants.
	scale := float32(math.Log2E / math.Sqrt(dims/minilm.Heads))
	for i := range minilm.Layers {
		p := fmt.Sprintf("model.layers.%d.", i)
		q, k, v := w.layer(p+"attn.q_proj", dims, dims, scale), w.layer(p+"attn.k_proj", dims, dims, 1), w.layer(p+"attn.v_proj", dims, dims, 1)
		out.Matrix(dims, 3*dims, &stacked{[]*layer{q, k, v}, dims}, append(append(append([]float32(nil), q.bias...), k.bias...), v.bias...))
		o := w.layer(p+"attn.o_proj", dims, dims, 1)
		out.Matrix(dims, dims, o, o.bias)
		out.Floats(w.floats(p+"attention_output_norm_layernorm.weight", dims))
		out.Floats(w.floats(p+"attention_output_norm_layernorm.bias", dims))
		up, down := w.layer(p+"mlp.fc1", dims, hidden, 1), w.layer(p+"mlp.fc2", hidden, dims, 1)
		out.Matrix(dims, hidden, up, up.bias)
		out.Matrix(hidden, dims, down, down.bias)
		out.Floats(w.floats(p+"mlp_output_norm_layernorm.weight", dims))
		out.Floats(w.floats(p+"mlp_output_norm_layernorm.bias", dims))
	}
	if w.missing != "" {
		return fmt.Errorf("model has no tensor %s of the expected size", w.missing)
	}
	return os.WriteFile(args[1], out.File(), 0o644)
}
