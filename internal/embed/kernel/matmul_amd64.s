#include "textflag.h"

// Layouts (kernel.go): a weight block is 320 bytes, 16 scales at 0 and four groups of 64 bytes from
// 64; a tile block is 160 bytes, 4 rows of 32 activations at 0, 4 scales at 128, 4 corrections at 144.

DATA lowNibbles<>+0(SB)/4, $0x0f0f0f0f
GLOBL lowNibbles<>(SB), RODATA|NOPTR, $4
DATA ones16<>+0(SB)/4, $0x00010001
GLOBL ones16<>(SB), RODATA|NOPTR, $4

// One row of a tile against one block: eight dot products of 4, the raise of the weights undone by
// the correction the sum starts from, then the two scales.
//   tile: register with the tile block, r: row, t, s: scratch, acc: the row's 16 sums
#define VNNIROW(tile, r, t, s, acc) \
	VPBROADCASTD (144+4*r)(tile), t; \
	VPDPBUSD.BCST (32*r+0)(tile), Z16, t; \
	VPDPBUSD.BCST (32*r+4)(tile), Z20, t; \
	VPDPBUSD.BCST (32*r+8)(tile), Z17, t; \
	VPDPBUSD.BCST (32*r+12)(tile), Z21, t; \
	VPDPBUSD.BCST (32*r+16)(tile), Z18, t; \
	VPDPBUSD.BCST (32*r+20)(tile), Z22, t; \
	VPDPBUSD.BCST (32*r+24)(tile), Z19, t; \
	VPDPBUSD.BCST (32*r+28)(tile), Z23, t; \
	VMULPS.BCST (128+4*r)(tile), Z24, s; \
	VCVTDQ2PS t, t; \
	VFMADD231PS t, s, acc

// Z16…Z19: low nibbles of the four groups, Z20…Z23: high nibbles, Z24: the 16 scales.
#define VNNIWEIGHTS \
	VMOVUPS (BX), Z24; \
	VMOVDQU32 64(BX), Z16; \
	VMOVDQU32 128(BX), Z17; \
	VMOVDQU32 192(BX), Z18; \
	VMOVDQU32 256(BX), Z19; \
	VPSRLW $4, Z16, Z20; \
	VPSRLW $4, Z17, Z21; \
	VPSRLW $4, Z18, Z22; \
	VPSRLW $4, Z19, Z23; \
	VPANDD Z31, Z16, Z16; \
	VPANDD Z31, Z17, Z17; \
	VPANDD Z31, Z18, Z18; \
	VPANDD Z31, Z19, Z19; \
	VPANDD Z31, Z20, Z20; \
	VPANDD Z31, Z21, Z21; \
	VPANDD Z31, Z22, Z22; \
	VPANDD Z31, Z23, Z23

// func matMulVNNI(w *byte, bias *float32, a *byte, c *float32, ldc, blocks, tiles int)
//
// R8 panel, R15 bias, SI first tile, R13 bytes of a tile, DX output, R9 bytes of an output row,
// R12 three of them, R10 blocks, R11 tiles left; inside a tile BX weight block, AX and DI the tile
// blocks of the first and second tile, CX blocks left. Z8…Z15 sums of 8 rows, Z31 nibble mask.
TEXT ·matMulVNNI(SB), NOSPLIT, $0-56
	MOVQ w+0(FP), R8
	MOVQ bias+8(FP), R15
	MOVQ a+16(FP), SI
	MOVQ c+24(FP), DX
	MOVQ ldc+32(FP), R9
	MOVQ blocks+40(FP), R10
	MOVQ tiles+48(FP), R11
	SHLQ $2, R9
	LEAQ (R9)(R9*2), R12
	IMUL3Q $160, R10, R13
	VPBROADCASTD lowNibbles<>(SB), Z31

pair:
	CMPQ R11, $2
	JLT  single
	MOVQ R8, BX
	MOVQ SI, AX
	LEAQ (SI)(R13*1), DI
	MOVQ R10, CX
	VMOVUPS (R15), Z8
	VMOVAPS Z8, Z9
	VMOVAPS Z8, Z10
	VMOVAPS Z8, Z11
	VMOVAPS Z8, Z12
	VMOVAPS Z8, Z13
	VMOVAPS Z8, Z14
	VMOVAPS Z8, Z15

pairblock:
	VNNIWEIGHTS
	VNNIROW(AX, 0, Z0, Z25, Z8)
	VNNIROW(AX, 1, Z1, Z26, Z9)
	VNNIROW(AX, 2, Z2, Z27, Z10)
	VNNIROW(AX, 3, Z3, Z28, Z11)
	VNNIROW(DI, 0, Z4, Z25, Z12)
	VNNIROW(DI, 1, Z5, Z26, Z13)
	VNNIROW(DI, 2, Z6, Z27, Z14)
	VNNIROW(DI, 3, Z7, Z28, Z15)
	ADDQ $320, BX
	ADDQ $160, AX
	ADDQ $160, DI
	DECQ CX
	JNZ  pairblock

	LEAQ (DX)(R9*4), AX
	VMOVUPS Z8, (DX)
	VMOVUPS Z9, (DX)(R9*1)
	VMOVUPS Z10, (DX)(R9*2)
	VMOVUPS Z11, (DX)(R12*1)
	VMOVUPS Z12, (AX)
	VMOVUPS Z13, (AX)(R9*1)
	VMOVUPS Z14, (AX)(R9*2)
	VMOVUPS Z15, (AX)(R12*1)
	LEAQ (DX)(R9*8), DX
	LEAQ (SI)(R13*2), SI
	SUBQ $2, R11
	JMP  pair

single:
	TESTQ R11, R11
	JZ    done
	MOVQ  R8, BX
	MOVQ  R10, CX
	VMOVUPS (R15), Z8
	VMOVAPS Z8, Z9
	VMOVAPS Z8, Z10
	VMOVAPS Z8, Z11

singleblock:
	VNNIWEIGHTS
	VNNIROW(SI, 0, Z0, Z25, Z8)
	VNNIROW(SI, 1, Z1, Z26, Z9)
	VNNIROW(SI, 2, Z2, Z27, Z10)
	VNNIROW(SI, 3, Z3, Z28, Z11)
	ADDQ $320, BX
	ADDQ $160, SI
	DECQ CX
	JNZ  singleblock

	VMOVUPS Z8, (DX)
	VMOVUPS Z9, (DX)(R9*1)
	VMOVUPS Z10, (DX)(R9*2)
	VMOVUPS Z11, (DX)(R12*1)

done:
	VZEROUPPER
	RET

// Four activations of row r times two sets of 8 outputs; sums of pairs go to 16-bit lanes, which
// hold 16 products of 15·127 each without overflow.
//   off: where in the row, wa, wb: weights of outputs 0…7 and 8…15, ra, rb: the row's sums
#define AVX2DOT(r, off, wa, wb, ra, rb) \
	VPBROADCASTD (32*r+off)(AX), Y12; \
	VPMADDUBSW Y12, wa, Y13; \
	VPADDW Y13, ra, ra; \
	VPMADDUBSW Y12, wb, Y13; \
	VPADDW Y13, rb, rb

#define AVX2GROUP(g) \
	VMOVDQU (64+64*g)(BX), Y8; \
	VMOVDQU (96+64*g)(BX), Y9; \
	VPSRLW $4, Y8, Y10; \
	VPSRLW $4, Y9, Y11; \
	VPAND Y15, Y8, Y8; \
	VPAND Y15, Y9, Y9; \
	VPAND Y15, Y10, Y10; \
	VPAND Y15, Y11, Y11; \
	AVX2DOT(0, (8*g), Y8, Y9, Y0, Y1); \
	AVX2DOT(1, (8*g), Y8, Y9, Y2, Y3); \
	AVX2DOT(2, (8*g), Y8, Y9, Y4, Y5); \
	AVX2DOT(3, (8*g), Y8, Y9, Y6, Y7); \
	AVX2DOT(0, (8*g+4), Y10, Y11, Y0, Y1); \
	AVX2DOT(1, (8*g+4), Y10, Y11, Y2, Y3); \
	AVX2DOT(2, (8*g+4), Y10, Y11, Y4, Y5); \
	AVX2DOT(3, (8*g+4), Y10, Y11, Y6, Y7)

// Adds a block's sums of row r to the output: 16-bit pairs to 32 bits, correction, both scales.
#define AVX2ADD(r, ra, rb, out) \
	VPBROADCASTD (144+4*r)(AX), Y12; \
	VBROADCASTSS (128+4*r)(AX), Y13; \
	VPMADDWD Y14, ra, ra; \
	VPMADDWD Y14, rb, rb; \
	VPADDD Y12, ra, ra; \
	VPADDD Y12, rb, rb; \
	VCVTDQ2PS ra, ra; \
	VCVTDQ2PS rb, rb; \
	VMULPS (BX), Y13, Y10; \
	VMULPS 32(BX), Y13, Y11; \
	VFMADD213PS out, Y10, ra; \
	VMOVUPS ra, out

// func matMulAVX2(w *byte, bias *float32, a *byte, c *float32, ldc, blocks, tiles int)
//
// Registers as in matMulVNNI, one tile at a time. Y0…Y7 16-bit sums of 4 rows × 2 halves, Y8…Y13
// scratch, Y14 ones, Y15 nibble mask. The float sums live in the output.
TEXT ·matMulAVX2(SB), NOSPLIT, $0-56
	MOVQ w+0(FP), R8
	MOVQ bias+8(FP), R15
	MOVQ a+16(FP), AX
	MOVQ c+24(FP), DX
	MOVQ ldc+32(FP), R9
	MOVQ blocks+40(FP), R10
	MOVQ tiles+48(FP), R11
	SHLQ $2, R9
	LEAQ (R9)(R9*2), R12
	VPBROADCASTD lowNibbles<>(SB), Y15
	VPBROADCASTD ones16<>(SB), Y14

tile:
	MOVQ R8, BX
	MOVQ R10, CX
	VMOVUPS (R15), Y0
	VMOVUPS 32(R15), Y1
	VMOVUPS Y0, (DX)
	VMOVUPS Y1, 32(DX)
	VMOVUPS Y0, (DX)(R9*1)
	VMOVUPS Y1, 32(DX)(R9*1)
	VMOVUPS Y0, (DX)(R9*2)
	VMOVUPS Y1, 32(DX)(R9*2)
	VMOVUPS Y0, (DX)(R12*1)
	VMOVUPS Y1, 32(DX)(R12*1)

block:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	AVX2GROUP(0)
	AVX2GROUP(1)
	AVX2GROUP(2)
	AVX2GROUP(3)
	AVX2ADD(0, Y0, Y1, (DX))
	VFMADD213PS 32(DX), Y11, Y1
	VMOVUPS Y1, 32(DX)
	AVX2ADD(1, Y2, Y3, (DX)(R9*1))
	VFMADD213PS 32(DX)(R9*1), Y11, Y3
	VMOVUPS Y3, 32(DX)(R9*1)
	AVX2ADD(2, Y4, Y5, (DX)(R9*2))
	VFMADD213PS 32(DX)(R9*2), Y11, Y5
	VMOVUPS Y5, 32(DX)(R9*2)
	AVX2ADD(3, Y6, Y7, (DX)(R12*1))
	VFMADD213PS 32(DX)(R12*1), Y11, Y7
	VMOVUPS Y7, 32(DX)(R12*1)
	ADDQ $320, BX
	ADDQ $160, AX
	DECQ CX
	JNZ  block

	LEAQ (DX)(R9*4), DX
	DECQ R11
	JNZ  tile
	VZEROUPPER
	RET
