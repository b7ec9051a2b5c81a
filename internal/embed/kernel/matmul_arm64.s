#include "textflag.h"
#include "neon_arm64.h"

// Layouts (kernel.go): a weight block is 320 bytes, 16 scales at 0 and four groups of 64 bytes from
// 64; a tile block is 160 bytes, 4 rows of 32 activations at 0, 4 scales at 128, 4 corrections at 144.

// One group of 8 inputs × 8 outputs against 4 rows: V24, V25 raw weights, then high nibbles; V26, V27
// low nibbles. ra is the first of the two activation registers of row 0 to use, lane the first lane.
#define DOTGROUP(ra, lane) \
	VLD1 (R12), [V24.B16, V25.B16]; \
	ADD $64, R12; \
	VAND V31.B16, V24.B16, V26.B16; \
	VAND V31.B16, V25.B16, V27.B16; \
	VUSHR $4, V24.B16, V24.B16; \
	VUSHR $4, V25.B16, V25.B16; \
	SDOT(0, 26, (ra), lane); \
	SDOT(1, 27, (ra), lane); \
	SDOT(2, 26, (ra+2), lane); \
	SDOT(3, 27, (ra+2), lane); \
	SDOT(4, 26, (ra+4), lane); \
	SDOT(5, 27, (ra+4), lane); \
	SDOT(6, 26, (ra+6), lane); \
	SDOT(7, 27, (ra+6), lane); \
	SDOT(0, 24, (ra), (lane+1)); \
	SDOT(1, 25, (ra), (lane+1)); \
	SDOT(2, 24, (ra+2), (lane+1)); \
	SDOT(3, 25, (ra+2), (lane+1)); \
	SDOT(4, 24, (ra+4), (lane+1)); \
	SDOT(5, 25, (ra+4), (lane+1)); \
	SDOT(6, 24, (ra+6), (lane+1)); \
	SDOT(7, 25, (ra+6), (lane+1))

// Adds a row's 8 sums to its floats: i and i+1 hold the sums, acc and acc+1 the floats, V24 and V25
// the scales of the outputs, V26 those of the rows.
#define DOTADD(row, i, acc) \
	FMULX(28, 24, 26, row); \
	FMULX(29, 25, 26, row); \
	SCVTF(i, i); \
	SCVTF((i+1), (i+1)); \
	FMLA(acc, i, 28); \
	FMLA((acc+1), (i+1), 29)

// func matMulDOT(w *byte, bias *float32, a *byte, c *float32, ldc, blocks, tiles int)
//
// R0 panel, R1 bias, R2 tile, R3 output, R4 bytes of an output row, R5 blocks, R6 tiles left, R7
// half (0 or 32, in bytes). Inside a half: R8 weight block, R9 tile block, R10 blocks left, R11 and
// R12 scratch. V0…V7 sums of 4 rows × 8 outputs, V8…V15 activations, V16…V23 floats, V31 nibble mask.
TEXT ·matMulDOT(SB), NOSPLIT, $0-56
	MOVD w+0(FP), R0
	MOVD bias+8(FP), R1
	MOVD a+16(FP), R2
	MOVD c+24(FP), R3
	MOVD ldc+32(FP), R4
	MOVD blocks+40(FP), R5
	MOVD tiles+48(FP), R6
	LSL  $2, R4
	MOVIBYTE15(31)

dottile:
	MOVD $0, R7

dothalf:
	ADD  R7, R1, R11
	VLD1 (R11), [V16.S4, V17.S4]
	VORR V16.B16, V16.B16, V18.B16
	VORR V17.B16, V17.B16, V19.B16
	VORR V16.B16, V16.B16, V20.B16
	VORR V17.B16, V17.B16, V21.B16
	VORR V16.B16, V16.B16, V22.B16
	VORR V17.B16, V17.B16, V23.B16
	MOVD R0, R8
	MOVD R2, R9
	MOVD R5, R10

dotblock:
	ADD  $144, R9, R11
	VLD1 (R11), [V24.S4]
	VLD1.P 64(R9), [V8.B16, V9.B16, V10.B16, V11.B16]
	VLD1.P 64(R9), [V12.B16, V13.B16, V14.B16, V15.B16]
	VDUP V24.S[0], V0.S4
	VDUP V24.S[0], V1.S4
	VDUP V24.S[1], V2.S4
	VDUP V24.S[1], V3.S4
	VDUP V24.S[2], V4.S4
	VDUP V24.S[2], V5.S4
	VDUP V24.S[3], V6.S4
	VDUP V24.S[3], V7.S4
	ADD  $64, R8, R12
	ADD  R7, R12
	DOTGROUP(8, 0)
	DOTGROUP(8, 2)
	DOTGROUP(9, 0)
	DOTGROUP(9, 2)
	ADD  R7, R8, R12
	VLD1 (R12), [V24.S4, V25.S4]
	VLD1 (R9), [V26.S4]
	DOTADD(0, 0, 16)
	DOTADD(1, 2, 18)
	DOTADD(2, 4, 20)
	DOTADD(3, 6, 22)
	ADD  $320, R8
	ADD  $32, R9
	SUB  $1, R10
	CBNZ R10, dotblock

	ADD  R7, R3, R11
	VST1 [V16.S4, V17.S4], (R11)
	ADD  R4, R11
	VST1 [V18.S4, V19.S4], (R11)
	ADD  R4, R11
	VST1 [V20.S4, V21.S4], (R11)
	ADD  R4, R11
	VST1 [V22.S4, V23.S4], (R11)
	ADD  $32, R7
	CMP  $64, R7
	BLT  dothalf

	ADD  R4<<2, R3
	MOVD R9, R2
	SUB  $1, R6
	CBNZ R6, dottile
	RET

// Four activations of each row times 4 outputs: at R11 those of row 0, wn the weights' register.
#define NEONQUAD(off, wn) \
	ADD $(off), R9, R11; \
	VLD1R (R11), [V26.S4]; \
	ADD $32, R11; \
	VLD1R (R11), [V27.S4]; \
	ADD $32, R11; \
	VLD1R (R11), [V28.S4]; \
	ADD $32, R11; \
	VLD1R (R11), [V29.S4]; \
	SMLAL(0, wn, 26); \
	SMLAL2(1, wn, 26); \
	SMLAL(2, wn, 27); \
	SMLAL2(3, wn, 27); \
	SMLAL(4, wn, 28); \
	SMLAL2(5, wn, 28); \
	SMLAL(6, wn, 29); \
	SMLAL2(7, wn, 29)

#define NEONGROUP(g) \
	VLD1 (R12), [V24.B16]; \
	ADD $64, R12; \
	VUSHR $4, V24.B16, V25.B16; \
	VAND V31.B16, V24.B16, V24.B16; \
	NEONQUAD((8*g), 24); \
	NEONQUAD((8*g+4), 25)

// A row's sums: 8 halves in Vlo (outputs 0, 1) and Vhi (2, 3) become 4 words, corrected and scaled.
#define NEONADD(row, lo, hi, Vlo, Vhi, acc) \
	SADDLP(lo, lo); \
	SADDLP(hi, hi); \
	VADDP Vhi.S4, Vlo.S4, Vlo.S4; \
	VDUP V25.S[row], V28.S4; \
	VADD V28.S4, Vlo.S4, Vlo.S4; \
	SCVTF(lo, lo); \
	FMULX(29, 24, 26, row); \
	FMLA(acc, lo, 29)

// func matMulNEON(w *byte, bias *float32, a *byte, c *float32, ldc, blocks, tiles int)
//
// Registers as in matMulDOT, but R7 is a quarter (0, 16, 32 or 48). V0…V7 sums of 4 rows × 4 outputs
// in 16 bits, which hold 8 products of 15·127 without overflow; V16…V19 floats.
TEXT ·matMulNEON(SB), NOSPLIT, $0-56
	MOVD w+0(FP), R0
	MOVD bias+8(FP), R1
	MOVD a+16(FP), R2
	MOVD c+24(FP), R3
	MOVD ldc+32(FP), R4
	MOVD blocks+40(FP), R5
	MOVD tiles+48(FP), R6
	LSL  $2, R4
	MOVIBYTE15(31)

neontile:
	MOVD $0, R7

neonquarter:
	ADD  R7, R1, R11
	VLD1 (R11), [V16.S4]
	VORR V16.B16, V16.B16, V17.B16
	VORR V16.B16, V16.B16, V18.B16
	VORR V16.B16, V16.B16, V19.B16
	MOVD R0, R8
	MOVD R2, R9
	MOVD R5, R10

neonblock:
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	ADD  $64, R8, R12
	ADD  R7, R12
	NEONGROUP(0)
	NEONGROUP(1)
	NEONGROUP(2)
	NEONGROUP(3)
	ADD  R7, R8, R12
	VLD1 (R12), [V24.S4]
	ADD  $128, R9, R11
	VLD1 (R11), [V26.S4]
	ADD  $16, R11
	VLD1 (R11), [V25.S4]
	NEONADD(0, 0, 1, V0, V1, 16)
	NEONADD(1, 2, 3, V2, V3, 17)
	NEONADD(2, 4, 5, V4, V5, 18)
	NEONADD(3, 6, 7, V6, V7, 19)
	ADD  $320, R8
	ADD  $160, R9
	SUB  $1, R10
	CBNZ R10, neonblock

	ADD  R7, R3, R11
	VST1 [V16.S4], (R11)
	ADD  R4, R11
	VST1 [V17.S4], (R11)
	ADD  R4, R11
	VST1 [V18.S4], (R11)
	ADD  R4, R11
	VST1 [V19.S4], (R11)
	ADD  $16, R7
	CMP  $64, R7
	BLT  neonquarter

	ADD  R4<<2, R3
	MOVD R9, R2
	SUB  $1, R6
	CBNZ R6, neontile
	RET
