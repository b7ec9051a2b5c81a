package kernel

import (
	"encoding/binary"
	"math"
)

// Portable is the implementation in plain Go.
func Portable() *Kernels {
	return &Kernels{
		Name: "portable", attentionRows: 2,
		quantize: quantizeGo, matMul: matMulGo, product: productGo,
		softmax: softmaxGo, gelu: geluGo, addNorm: addNormGo,
	}
}

func clearTileRow(tile []byte, row int) {
	for ; len(tile) > 0; tile = tile[tileBlock:] {
		clear(tile[row*Block : row*Block+Block])
		clear(tile[TileRows*Block+4*row:][:4])
		clear(tile[TileRows*Block+4*TileRows+4*row:][:4])
	}
}

// quantizeFloor is the size below which a block counts as zero, so that 127/top stays finite.
const quantizeFloor = 1e-30

func quantizeGo(tile []byte, row int, src []float32, blocks int) {
	for b := range blocks {
		x := src[b*Block:][:Block]
		var top float32
		for _, v := range x {
			top = max(top, v, -v)
		}
		var inv float32
		if top > quantizeFloor {
			inv = 127 / top
		}
		q := tile[b*tileBlock+row*Block:][:Block]
		sum := int32(0)
		for i, v := range x {
			n := int32(math.Float32bits(float32(v*inv)+roundBias) - roundBits)
			q[i] = byte(int8(n))
			sum += n
		}
		tail := tile[b*tileBlock+TileRows*Block:]
		binary.LittleEndian.PutUint32(tail[4*row:], math.Float32bits(top*(1.0/127)))
		binary.LittleEndian.PutUint32(tail[4*TileRows+4*row:], uint32(-8*sum))
	}
}

// unpacked is how many blocks of a panel matMulGo unpacks at a time.
const unpacked = 12

// nibbles and eights hold one value for each of four 16-bit lanes.
const (
	nibbles = 0x000f_000f_000f_000f
	eights  = 0x0008_0008_0008_0008
)

// matMulGo multiplies four outputs with one 64-bit multiplication. The weights of four outputs are
// put into the four 16-bit lanes of an integer, as the sum of w·2^16i with w from -8 to 7. An
// activation (±127) times that integer is four products at once, and as 32·127·8 < 2^15, a whole
// block can be added up before the lanes have to be taken apart.
func matMulGo(w []byte, bias []float32, a []byte, c []float32, ldc, blocks, tiles int) {
	var lanes [unpacked * Block][4]int64
	for b0 := 0; b0 < blocks; b0 += unpacked {
		nb := min(unpacked, blocks-b0)
		for b := range nb {
			unpackBlock((*[Block][4]int64)(lanes[b*Block:]), w[(b0+b)*WeightBlock+4*PanelCols:])
		}
		for t := range tiles {
			for r := range TileRows {
				sums := (*[PanelCols]float32)(c[(t*TileRows+r)*ldc:])
				if b0 == 0 {
					copy(sums[:], bias)
				}
				for b := range nb {
					blk := a[(t*blocks+b0+b)*tileBlock:][:tileBlock]
					scale := math.Float32frombits(binary.LittleEndian.Uint32(blk[TileRows*Block+4*r:]))
					dotBlock(sums, (*[Block]byte)(blk[r*Block:]), (*[Block][4]int64)(lanes[b*Block:]),
						scale, w[(b0+b)*WeightBlock:][:4*PanelCols])
				}
			}
		}
	}
}

// unpackBlock puts the weights of output 4l+s into lane l of word s.
func unpackBlock(dst *[Block][4]int64, w []byte) {
	for g := range Block / 8 {
		for i := range 4 {
			var lo, hi [4]uint64
			for c := range PanelCols {
				v := uint64(w[g*64+4*c+i])
				lo[c&3] |= v & 15 << (c >> 2 * 16)
				hi[c&3] |= v >> 4 << (c >> 2 * 16)
			}
			for s := range 4 {
				dst[8*g+i][s] = int64(lo[s]) - eights
				dst[8*g+4+i][s] = int64(hi[s]) - eights
			}
		}
	}
}

func dotBlock(sums *[PanelCols]float32, a *[Block]byte, w *[Block][4]int64, scale float32, scales []byte) {
	var s0, s1, s2, s3 int64
	for i := range a {
		v, x := int64(int8(a[i])), &w[i]
		s0 += v * x[0]
		s1 += v * x[1]
		s2 += v * x[2]
		s3 += v * x[3]
	}
	for s, x := range [4]int64{s0, s1, s2, s3} {
		for l := range 4 {
			lane := int16(x)
			x = (x - int64(lane)) >> 16 // what the lower lane lent to this one comes back
			ws := math.Float32frombits(binary.LittleEndian.Uint32(scales[4*(4*l+s):]))
			sums[4*l+s] += float32(lane) * (ws * scale)
		}
	}
}

// productGo computes 2 rows × 16 columns.
func productGo(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	a0, a1 := a[:k], a[lda:lda+k]
	for q := 0; q < PanelCols; q += 4 {
		var s0, s1, s2, s3, r0, r1, r2, r3 float32
		for i := range a0 {
			x, y := a0[i], a1[i]
			w := b[i*ldb+q : i*ldb+q+4 : i*ldb+q+4]
			s0 += x * w[0]
			s1 += x * w[1]
			s2 += x * w[2]
			s3 += x * w[3]
			r0 += y * w[0]
			r1 += y * w[1]
			r2 += y * w[2]
			r3 += y * w[3]
		}
		o, p := c[q:q+4], c[ldc+q:ldc+q+4]
		o[0], o[1], o[2], o[3] = s0, s1, s2, s3
		p[0], p[1], p[2], p[3] = r0, r1, r2, r3
	}
}

func softmaxGo(x []float32) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum float32
	for i, v := range x {
		e := exp2(v - top)
		x[i] = e
		sum += e
	}
	inv := 1 / sum
	for i := range x {
		x[i] *= inv
	}
}

// Coefficients of 2^f for f in [-½, ½]: the Taylor series, good to 2e-7 there.
const (
	exp2c1 = 0.6931471805599453
	exp2c2 = 0.2402265069591007
	exp2c3 = 0.0555041086648216
	exp2c4 = 0.0096181291076285
	exp2c5 = 0.0013333558146428
	exp2c6 = 0.0001540353039338
)

// roundBias added to a float32 of small size leaves the nearest integer in the low bits.
const (
	roundBias = 12582912   // 1.5·2^23
	roundBits = 0x4b400000 // its bits
)

// exp2 is 2^x for x from -126 to 0, and about 0 below.
func exp2(x float32) float32 {
	x = max(x, -126)
	n := float32(x+roundBias) - roundBias
	f := x - n
	p := 1 + f*(exp2c1+f*(exp2c2+f*(exp2c3+f*(exp2c4+f*(exp2c5+f*exp2c6)))))
	return math.Float32frombits(math.Float32bits(p) + uint32(int32(n))<<23)
}

// The tail of the normal distribution, Abramowitz and Stegun 26.2.17: 1-Φ(x) is the density at x
// times a polynomial of 1/(1+px), with an error below 7.5e-8. The density's 1/√2π is in here.
const (
	tailP  = 0.2316419
	tailB1 = 0.319381530 * invSqrt2Pi
	tailB2 = -0.356563782 * invSqrt2Pi
	tailB3 = 1.781477937 * invSqrt2Pi
	tailB4 = -1.821255978 * invSqrt2Pi
	tailB5 = 1.330274429 * invSqrt2Pi

	invSqrt2Pi  = 0.3989422804014327
	halfLog2Exp = -0.7213475204444817 // 2^(this·x²) = e^(-x²/2)
)

func geluGo(x []float32) {
	for i, v := range x {
		m := max(v, -v)
		t := 1 / (1 + tailP*m)
		tail := t * (tailB1 + t*(tailB2+t*(tailB3+t*(tailB4+t*tailB5)))) * exp2(halfLog2Exp*m*m)
		x[i] = max(v, 0) - m*tail
	}
}

// normEps keeps the scale of a constant row finite.
const normEps = 1e-12

func addNormGo(x, add, weight, bias []float32) {
	n := float32(len(x))
	var sum float32
	for i, v := range add[:len(x)] {
		v += x[i]
		x[i] = v
		sum += v
	}
	mean := sum / n
	var squares float32
	for i, v := range x {
		d := v - mean
		x[i] = d
		squares += d * d
	}
	inv := float32(1 / math.Sqrt(float64(squares/n)+normEps))
	weight, bias = weight[:len(x)], bias[:len(x)]
	for i, v := range x {
		x[i] = v*inv*weight[i] + bias[i]
	}
}
