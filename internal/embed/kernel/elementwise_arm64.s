#include "textflag.h"
#include "neon_arm64.h"

// Puts a constant into all lanes; what the constants mean stands in portable.go. R15 is scratch.
#define CONST(v, bits) \
	MOVW $(bits), R15; \
	VDUP R15, v.S4

#define ROUNDBIAS 0x4b400000 // 12582912
#define EXP2MIN 0xc2fc0000 // -126
#define ONE 0x3f800000 // 1
#define EXP2C1 0x3f317218 // 0.693147181
#define EXP2C2 0x3e75fdf0 // 0.240226507
#define EXP2C3 0x3d635847 // 0.0555041087
#define EXP2C4 0x3c1d955b // 0.00961812911
#define EXP2C5 0x3aaec3ff // 0.00133335581
#define EXP2C6 0x39218489 // 0.000154035304
#define TAILP 0x3e6d3389 // 0.2316419
#define TAILB1 0x3e027906 // 0.127414796
#define TAILB2 0xbe11a98e // -0.142248368
#define TAILB3 0x3f35f0e3 // 0.710706871
#define TAILB4 0xbf3a00e3 // -0.726576013
#define TAILB5 0x3f07dc22 // 0.530702714
#define HALFLOG2EXP 0xbf38aa3b // -0.72134752
#define C127 0x42fe0000 // 127
#define INV127 0x3c010204 // 0.00787401575
#define TINY 0x0da24260 // 1e-30
#define NORMEPS 0x2b8cbccc // 1e-12

// The constants of 2^x: V16…V25.
#define EXP2CONSTS \
	CONST(V16, ROUNDBIAS); \
	CONST(V17, EXP2MIN); \
	CONST(V18, ONE); \
	CONST(V19, EXP2C1); \
	CONST(V20, EXP2C2); \
	CONST(V21, EXP2C3); \
	CONST(V22, EXP2C4); \
	CONST(V23, EXP2C5); \
	CONST(V24, EXP2C6)

// V0 becomes 2^V0. V1…V3 are scratch: V1 the whole part, V2 and V3 the polynomial of the rest.
#define EXP2 \
	FMAX(0, 0, 17); \
	FADD(1, 0, 16); \
	FSUB(1, 1, 16); \
	FSUB(0, 0, 1); \
	VORR V23.B16, V23.B16, V2.B16; \
	FMLA(2, 24, 0); \
	VORR V22.B16, V22.B16, V3.B16; \
	FMLA(3, 2, 0); \
	VORR V21.B16, V21.B16, V2.B16; \
	FMLA(2, 3, 0); \
	VORR V20.B16, V20.B16, V3.B16; \
	FMLA(3, 2, 0); \
	VORR V19.B16, V19.B16, V2.B16; \
	FMLA(2, 3, 0); \
	VORR V18.B16, V18.B16, V3.B16; \
	FMLA(3, 2, 0); \
	FCVTNS(1, 1); \
	VSHL $23, V1.S4, V1.S4; \
	VADD V3.S4, V1.S4, V0.S4

// func quantizeNEON(dst, scale *byte, src *float32, blocks int)
//
// R0 values, R1 scale (its correction 16 bytes on), R2 source, R3 blocks left. V0…V7 the block,
// V8…V15 scratch, V16 127, V17 1/127, V18 the size below which a block is zero.
TEXT ·quantizeNEON(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD scale+8(FP), R1
	MOVD src+16(FP), R2
	MOVD blocks+24(FP), R3
	CONST(V16, C127)
	CONST(V17, INV127)
	CONST(V18, TINY)

quantblock:
	VLD1.P 64(R2), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1.P 64(R2), [V4.S4, V5.S4, V6.S4, V7.S4]
	FABS(8, 0)
	FABS(9, 1)
	FABS(10, 2)
	FABS(11, 3)
	FABS(12, 4)
	FABS(13, 5)
	FABS(14, 6)
	FABS(15, 7)
	FMAX(8, 8, 9)
	FMAX(10, 10, 11)
	FMAX(12, 12, 13)
	FMAX(14, 14, 15)
	FMAX(8, 8, 10)
	FMAX(12, 12, 14)
	FMAX(8, 8, 12)
	FMAXP(8, 8, 8)
	FMAXP(8, 8, 8)
	FMUL(9, 8, 17)
	VMOV V9.S[0], R4
	MOVW R4, (R1)
	FDIV(9, 16, 8)
	FCMGT(10, 8, 18)
	VAND V10.B16, V9.B16, V9.B16
	FMUL(0, 0, 9)
	FMUL(1, 1, 9)
	FMUL(2, 2, 9)
	FMUL(3, 3, 9)
	FMUL(4, 4, 9)
	FMUL(5, 5, 9)
	FMUL(6, 6, 9)
	FMUL(7, 7, 9)
	FCVTNS(0, 0)
	FCVTNS(1, 1)
	FCVTNS(2, 2)
	FCVTNS(3, 3)
	FCVTNS(4, 4)
	FCVTNS(5, 5)
	FCVTNS(6, 6)
	FCVTNS(7, 7)
	VADD V1.S4, V0.S4, V8.S4
	VADD V3.S4, V2.S4, V9.S4
	VADD V5.S4, V4.S4, V10.S4
	VADD V7.S4, V6.S4, V11.S4
	VADD V9.S4, V8.S4, V8.S4
	VADD V11.S4, V10.S4, V10.S4
	VADD V10.S4, V8.S4, V8.S4
	VADDV V8.S4, V8
	VMOV V8.S[0], R4
	LSL  $3, R4, R4
	NEG  R4, R4
	MOVW R4, 16(R1)
	SQXTNH(0, 0)
	SQXTNH2(0, 1)
	SQXTNH(2, 2)
	SQXTNH2(2, 3)
	SQXTNH(4, 4)
	SQXTNH2(4, 5)
	SQXTNH(6, 6)
	SQXTNH2(6, 7)
	SQXTNB(0, 0)
	SQXTNB2(0, 2)
	SQXTNB(1, 4)
	SQXTNB2(1, 6)
	VST1 [V0.B16, V1.B16], (R0)
	ADD  $160, R0
	ADD  $160, R1
	SUB  $1, R3
	CBNZ R3, quantblock
	RET

// func softmaxNEON(x *float32, n int)
//
// R0 start, R1 end, R2 moves. V4 maximum, V5 sum.
TEXT ·softmaxNEON(SB), NOSPLIT, $0-16
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	ADD  R1<<2, R0, R1
	EXP2CONSTS
	MOVD R0, R2
	VLD1 (R0), [V4.S4]

maxloop:
	VLD1.P 16(R2), [V0.S4]
	FMAX(4, 4, 0)
	CMP  R1, R2
	BLT  maxloop
	FMAXP(4, 4, 4)
	FMAXP(4, 4, 4)
	VEOR V5.B16, V5.B16, V5.B16
	MOVD R0, R2

exploop:
	VLD1 (R2), [V0.S4]
	FSUB(0, 0, 4)
	EXP2
	FADD(5, 5, 0)
	VST1.P [V0.S4], 16(R2)
	CMP  R1, R2
	BLT  exploop
	FADDP(5, 5, 5)
	FADDP(5, 5, 5)
	FDIV(5, 18, 5)

scaleloop:
	VLD1 (R0), [V0.S4]
	FMUL(0, 0, 5)
	VST1.P [V0.S4], 16(R0)
	CMP  R1, R0
	BLT  scaleloop
	RET

// func geluNEON(x *float32, n int)
//
// R0 moves, R1 end. V4 x, V5 |x|, V6 1/(1+p|x|), V7 and V8 the polynomial, V25…V31 its constants.
TEXT ·geluNEON(SB), NOSPLIT, $0-16
	MOVD x+0(FP), R0
	MOVD n+8(FP), R1
	ADD  R1<<2, R0, R1
	EXP2CONSTS
	CONST(V25, TAILP)
	CONST(V26, TAILB1)
	CONST(V27, TAILB2)
	CONST(V28, TAILB3)
	CONST(V29, TAILB4)
	CONST(V30, TAILB5)
	CONST(V31, HALFLOG2EXP)
	VEOR V9.B16, V9.B16, V9.B16

geluloop:
	VLD1 (R0), [V4.S4]
	FABS(5, 4)
	VORR V18.B16, V18.B16, V6.B16
	FMLA(6, 25, 5)
	FDIV(6, 18, 6)
	FMUL(0, 5, 5)
	FMUL(0, 0, 31)
	VORR V29.B16, V29.B16, V7.B16
	FMLA(7, 30, 6)
	VORR V28.B16, V28.B16, V8.B16
	FMLA(8, 7, 6)
	VORR V27.B16, V27.B16, V7.B16
	FMLA(7, 8, 6)
	VORR V26.B16, V26.B16, V8.B16
	FMLA(8, 7, 6)
	FMUL(7, 8, 6)
	EXP2
	FMUL(0, 0, 7)
	FMAX(4, 4, 9)
	FMLS(4, 0, 5)
	VST1.P [V4.S4], 16(R0)
	CMP  R1, R0
	BLT  geluloop
	RET

// func addNormNEON(x, add, weight, bias *float32, n int)
//
// R0 x, R1 add, R2 weight, R3 bias, R4 end of x, R5 moves. V4 sum, then mean; V5 squares, then
// scale; V6 n.
TEXT ·addNormNEON(SB), NOSPLIT, $0-40
	MOVD x+0(FP), R0
	MOVD add+8(FP), R1
	MOVD weight+16(FP), R2
	MOVD bias+24(FP), R3
	MOVD n+32(FP), R4
	VDUP R4, V6.S4
	SCVTF(6, 6)
	ADD  R4<<2, R0, R4
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	MOVD R0, R5

sumloop:
	VLD1 (R5), [V0.S4]
	VLD1.P 16(R1), [V1.S4]
	FADD(0, 0, 1)
	FADD(4, 4, 0)
	VST1.P [V0.S4], 16(R5)
	CMP  R4, R5
	BLT  sumloop
	FADDP(4, 4, 4)
	FADDP(4, 4, 4)
	FDIV(4, 4, 6)
	MOVD R0, R5

squareloop:
	VLD1.P 16(R5), [V0.S4]
	FSUB(0, 0, 4)
	FMLA(5, 0, 0)
	CMP  R4, R5
	BLT  squareloop
	FADDP(5, 5, 5)
	FADDP(5, 5, 5)
	FDIV(5, 5, 6)
	CONST(V1, NORMEPS)
	FADD(5, 5, 1)
	FSQRT(5, 5)
	CONST(V1, ONE)
	FDIV(5, 1, 5)

normloop:
	VLD1 (R0), [V0.S4]
	VLD1.P 16(R2), [V1.S4]
	VLD1.P 16(R3), [V2.S4]
	FSUB(0, 0, 4)
	FMUL(0, 0, 5)
	FMLA(2, 0, 1)
	VST1.P [V2.S4], 16(R0)
	CMP  R4, R0
	BLT  normloop
	RET
