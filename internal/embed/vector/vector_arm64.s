#include "textflag.h"

// Instructions that Go's assembler has no name for; arguments are register numbers, destination first.
#define SDOT(d, n, m) WORD $(0x4E809400 | (m)<<16 | (n)<<5 | (d)) // 16 bytes by 16 bytes to 4 words
#define SMULL(d, n, m) WORD $(0x0E20C000 | (m)<<16 | (n)<<5 | (d)) // 8 bytes to 8 halves, low
#define SMULL2(d, n, m) WORD $(0x4E20C000 | (m)<<16 | (n)<<5 | (d)) // high
#define SADALP(d, n) WORD $(0x4E606800 | (n)<<5 | (d)) // pairs of halves added to words

// R0 out, R1 query, R2 row, R3 dims, R4 rows left; R5 query part, R6 dims left. V0 sum.

// func dotsDOT(out *int32, q, rows *int8, dims, n int)
TEXT ·dotsDOT(SB), NOSPLIT, $0-40
	MOVD out+0(FP), R0
	MOVD q+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD dims+24(FP), R3
	MOVD n+32(FP), R4

dotrow:
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R1, R5
	MOVD R3, R6

dotpart:
	VLD1.P 32(R5), [V2.B16, V3.B16]
	VLD1.P 32(R2), [V4.B16, V5.B16]
	SDOT(0, 2, 4)
	SDOT(1, 3, 5)
	SUBS $32, R6
	BGT  dotpart

	VADD V1.S4, V0.S4, V0.S4
	VADDV V0.S4, V0
	VMOV V0.S[0], R7
	MOVW.P R7, 4(R0)
	SUB  $1, R4
	CBNZ R4, dotrow
	RET

// func dotsNEON(out *int32, q, rows *int8, dims, n int)
TEXT ·dotsNEON(SB), NOSPLIT, $0-40
	MOVD out+0(FP), R0
	MOVD q+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD dims+24(FP), R3
	MOVD n+32(FP), R4

row:
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R1, R5
	MOVD R3, R6

part:
	VLD1.P 32(R5), [V2.B16, V3.B16]
	VLD1.P 32(R2), [V4.B16, V5.B16]
	SMULL(6, 2, 4)
	SMULL2(7, 2, 4)
	SMULL(16, 3, 5)
	SMULL2(17, 3, 5)
	SADALP(0, 6)
	SADALP(1, 7)
	SADALP(0, 16)
	SADALP(1, 17)
	SUBS $32, R6
	BGT  part

	VADD V1.S4, V0.S4, V0.S4
	VADDV V0.S4, V0
	VMOV V0.S[0], R7
	MOVW.P R7, 4(R0)
	SUB  $1, R4
	CBNZ R4, row
	RET
