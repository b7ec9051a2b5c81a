package minilm

import "github.com/openhuman/openhuman-core/internal/embed/kernel"

const headDims = Dims / Heads

// mlpRows is how many rows go through the wide middle of a layer at once: what they need there fits
// a processor's second-level cache.
const mlpRows = 64

// scratch is the working memory of one batch. Buffers only grow, up to what batchRows needs.
type scratch struct {
	x, qkv, att, mid []float32
	keys, scores     []float32
	acts             kernel.Acts
}

func grow(b []float32, n int) []float32 {
	if cap(b) < n {
		return make([]float32, n)
	}
	return b[:n]
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// encode runs one batch through the encoder and hands over the vector of each window: the mean of
// its rows, at unit length. The rows of all windows stand one after the other; only attention cares
// which window a row is of.
func (m *Model) encode(s *scratch, batch []job, done func(j job, v []float32)) {
	rows, longest := 0, 0
	for _, j := range batch {
		rows += len(j.ids)
		longest = max(longest, len(j.ids))
	}
	// Products write whole tiles, attention whole groups of rows behind the last.
	room := rows + max(kernel.TileRows, m.kernels.AttentionRows())
	s.x, s.att = grow(s.x, room*Dims), grow(s.att, room*Dims)
	s.qkv, s.mid = grow(s.qkv, room*3*Dims), grow(s.mid, (min(rows, mlpRows)+kernel.TileRows)*Hidden)
	wide := roundUp(longest, kernel.PanelCols)
	s.keys, s.scores = grow(s.keys, headDims*wide), grow(s.scores, (longest+m.kernels.AttentionRows())*wide)

	m.embedTokens(s.x, batch)
	for i := range m.layers {
		m.runLayer(s, &m.layers[i], batch, rows)
	}
	for at, k := 0, 0; k < len(batch); k++ {
		v := make([]float32, Dims)
		for range batch[k].ids {
			for i, x := range s.x[at*Dims : at*Dims+Dims] {
				v[i] += x
			}
			at++
		}
		kernel.Normalize(v)
		done(batch[k], v)
	}
}

// embedTokens writes a row for each token: its own vector plus that of its position.
func (m *Model) embedTokens(x []float32, batch []job) {
	for _, j := range batch {
		for i, id := range j.ids {
			row := x[:Dims]
			x = x[Dims:]
			copy(row, m.positions[i*Dims:])
			add := m.zeros
			switch id {
			case CLS:
				add = m.cls
			case SEP:
				add = m.sep
			default:
				m.tokens.AddTo(row, int(id))
			}
			m.kernels.AddNorm(row, add, m.normW, m.normB)
		}
	}
}

func (m *Model) runLayer(s *scratch, l *layer, batch []job, rows int) {
	k := m.kernels
	k.Quantize(&s.acts, s.x, Dims, rows, Dims)
	k.MatMul(s.qkv, 3*Dims, &s.acts, &l.qkv)
	at := 0
	for _, j := range batch {
		m.attend(s, at, len(j.ids))
		at += len(j.ids)
	}
	k.Quantize(&s.acts, s.att, Dims, rows, Dims)
	k.MatMul(s.att, Dims, &s.acts, &l.out) // the input is in acts by now
	for r := range rows {
		k.AddNorm(s.x[r*Dims:r*Dims+Dims], s.att[r*Dims:r*Dims+Dims], l.norm1W, l.norm1B)
	}
	for r := 0; r < rows; r += mlpRows {
		n := min(mlpRows, rows-r)
		k.Quantize(&s.acts, s.x[r*Dims:], Dims, n, Dims)
		k.MatMul(s.mid, Hidden, &s.acts, &l.up)
		k.GELU(s.mid[:n*Hidden])
		k.Quantize(&s.acts, s.mid, Hidden, n, Hidden)
		k.MatMul(s.att[r*Dims:], Dims, &s.acts, &l.down)
	}
	for r := range rows {
		k.AddNorm(s.x[r*Dims:r*Dims+Dims], s.att[r*Dims:r*Dims+Dims], l.norm2W, l.norm2B)
	}
}

// attend fills rows at…at+n of s.att with what each head of those rows makes of one another. Rows
// behind them may be overwritten with nonsense: they belong to later windows or to nobody.
func (m *Model) attend(s *scratch, at, n int) {
	const ld = 3 * Dims
	k := m.kernels
	wide := roundUp(n, kernel.PanelCols)
	masked := roundUp(n, 8)
	keys, scores := s.keys[:headDims*wide], s.scores
	for h := range Heads {
		q := s.qkv[at*ld+h*headDims:]
		clear(keys)
		for i := range n {
			for d, v := range q[i*ld+Dims:][:headDims] {
				keys[d*wide+i] = v
			}
		}
		k.Product(scores, wide, q, ld, keys, wide, n, wide, headDims)
		for i := range n {
			row := scores[i*wide:][:masked]
			for j := n; j < masked; j++ {
				row[j] = kernel.MaskedScore
			}
			k.Softmax(row)
		}
		k.Product(s.att[at*Dims+h*headDims:], Dims, scores, wide, q[2*Dims:], ld, n, headDims, n)
	}
}
