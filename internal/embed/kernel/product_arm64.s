#include "textflag.h"

// One value of a row of a times the row of b in V24…V27, added to the row's four registers.
#define PRODUCTROW(ra, va, s0, s1, s2, s3) \
	VLD1R.P 4(ra), [va.S4]; \
	VFMLA V24.S4, va.S4, s0.S4; \
	VFMLA V25.S4, va.S4, s1.S4; \
	VFMLA V26.S4, va.S4, s2.S4; \
	VFMLA V27.S4, va.S4, s3.S4

#define ZERO(a, b, c, d) \
	VEOR a.B16, a.B16, a.B16; \
	VEOR b.B16, b.B16, b.B16; \
	VEOR c.B16, c.B16, c.B16; \
	VEOR d.B16, d.B16, d.B16

// func productNEON(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)
//
// 6 rows × 16 columns. R0 inner length, R4…R9 rows of a, R3 row of b, R2 bytes of it, R10 row of c,
// R11 bytes of it. V0…V23 sums, V24…V27 row of b, V28 and V29 values of a.
TEXT ·productNEON(SB), NOSPLIT, $0-56
	MOVD k+0(FP), R0
	MOVD a+8(FP), R4
	MOVD lda+16(FP), R1
	MOVD b+24(FP), R3
	MOVD ldb+32(FP), R2
	MOVD c+40(FP), R10
	MOVD ldc+48(FP), R11
	LSL  $2, R1
	LSL  $2, R2
	LSL  $2, R11
	ADD  R1, R4, R5
	ADD  R1, R5, R6
	ADD  R1, R6, R7
	ADD  R1, R7, R8
	ADD  R1, R8, R9
	ZERO(V0, V1, V2, V3)
	ZERO(V4, V5, V6, V7)
	ZERO(V8, V9, V10, V11)
	ZERO(V12, V13, V14, V15)
	ZERO(V16, V17, V18, V19)
	ZERO(V20, V21, V22, V23)

loop:
	VLD1 (R3), [V24.S4, V25.S4, V26.S4, V27.S4]
	ADD  R2, R3
	PRODUCTROW(R4, V28, V0, V1, V2, V3)
	PRODUCTROW(R5, V29, V4, V5, V6, V7)
	PRODUCTROW(R6, V28, V8, V9, V10, V11)
	PRODUCTROW(R7, V29, V12, V13, V14, V15)
	PRODUCTROW(R8, V28, V16, V17, V18, V19)
	PRODUCTROW(R9, V29, V20, V21, V22, V23)
	SUB  $1, R0
	CBNZ R0, loop

	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R10)
	ADD  R11, R10
	VST1 [V4.S4, V5.S4, V6.S4, V7.S4], (R10)
	ADD  R11, R10
	VST1 [V8.S4, V9.S4, V10.S4, V11.S4], (R10)
	ADD  R11, R10
	VST1 [V12.S4, V13.S4, V14.S4, V15.S4], (R10)
	ADD  R11, R10
	VST1 [V16.S4, V17.S4, V18.S4, V19.S4], (R10)
	ADD  R11, R10
	VST1 [V20.S4, V21.S4, V22.S4, V23.S4], (R10)
	RET
