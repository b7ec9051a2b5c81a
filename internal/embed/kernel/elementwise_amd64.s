#include "textflag.h"

// Constants, eight times each; their meaning stands in portable.go.
#define CONST8(name, bits) \
	DATA name<>+0(SB)/8, bits; \
	DATA name<>+8(SB)/8, bits; \
	DATA name<>+16(SB)/8, bits; \
	DATA name<>+24(SB)/8, bits; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

CONST8(roundBias, $0x4b4000004b400000) // 12582912
CONST8(exp2min, $0xc2fc0000c2fc0000) // -126
CONST8(one, $0x3f8000003f800000) // 1
CONST8(exp2c1, $0x3f3172183f317218) // 0.693147181
CONST8(exp2c2, $0x3e75fdf03e75fdf0) // 0.240226507
CONST8(exp2c3, $0x3d6358473d635847) // 0.0555041087
CONST8(exp2c4, $0x3c1d955b3c1d955b) // 0.00961812911
CONST8(exp2c5, $0x3aaec3ff3aaec3ff) // 0.00133335581
CONST8(exp2c6, $0x3921848939218489) // 0.000154035304
CONST8(tailP, $0x3e6d33893e6d3389) // 0.2316419
CONST8(tailB1, $0x3e0279063e027906) // 0.127414796
CONST8(tailB2, $0xbe11a98ebe11a98e) // -0.142248368
CONST8(tailB3, $0x3f35f0e33f35f0e3) // 0.710706871
CONST8(tailB4, $0xbf3a00e3bf3a00e3) // -0.726576013
CONST8(tailB5, $0x3f07dc223f07dc22) // 0.530702714
CONST8(halfLog2Exp, $0xbf38aa3bbf38aa3b) // -0.72134752
CONST8(c127, $0x42fe000042fe0000) // 127
CONST8(inv127, $0x3c0102043c010204) // 0.00787401575
CONST8(tiny, $0x0da242600da24260) // 1e-30
CONST8(normEps, $0x2b8cbccc2b8cbccc) // 1e-12
CONST8(absMask, $0x7fffffff7fffffff)

DATA packOrder<>+0(SB)/8, $0x0000000400000000
DATA packOrder<>+8(SB)/8, $0x0000000500000001
DATA packOrder<>+16(SB)/8, $0x0000000600000002
DATA packOrder<>+24(SB)/8, $0x0000000700000003
GLOBL packOrder<>(SB), RODATA|NOPTR, $32

// x becomes 2^x, n and p are scratch. Needs 1 in Y15, the rounding bias in Y14.
#define EXP2(x, n, p) \
	VMAXPS exp2min<>(SB), x, x; \
	VADDPS Y14, x, n; \
	VSUBPS Y14, n, n; \
	VSUBPS n, x, x; \
	VMOVUPS exp2c6<>(SB), p; \
	VFMADD213PS exp2c5<>(SB), x, p; \
	VFMADD213PS exp2c4<>(SB), x, p; \
	VFMADD213PS exp2c3<>(SB), x, p; \
	VFMADD213PS exp2c2<>(SB), x, p; \
	VFMADD213PS exp2c1<>(SB), x, p; \
	VFMADD213PS Y15, x, p; \
	VCVTPS2DQ n, n; \
	VPSLLD $23, n, n; \
	VPADDD p, n, x

// All eight lanes of y become their sum or maximum; t is scratch.
#define ACROSS(op, y, t) \
	VPERM2F128 $1, y, y, t; \
	op t, y, y; \
	VSHUFPS $0x4e, y, y, t; \
	op t, y, y; \
	VSHUFPS $0xb1, y, y, t; \
	op t, y, y

// func quantizeAVX2(dst, scale *byte, src *float32, blocks int)
//
// SI source, DI values, DX scale (its correction 16 bytes on), CX blocks left.
TEXT ·quantizeAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ scale+8(FP), DX
	MOVQ src+16(FP), SI
	MOVQ blocks+24(FP), CX
	VMOVUPS absMask<>(SB), Y15
	VMOVUPS c127<>(SB), Y14
	VMOVDQU packOrder<>(SB), Y13
	VMOVUPS tiny<>(SB), Y12
	VMOVUPS inv127<>(SB), Y11
	VPXOR Y10, Y10, Y10

quantblock:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	VMOVUPS 64(SI), Y2
	VMOVUPS 96(SI), Y3
	VANDPS Y15, Y0, Y4
	VANDPS Y15, Y1, Y5
	VANDPS Y15, Y2, Y6
	VANDPS Y15, Y3, Y7
	VMAXPS Y5, Y4, Y4
	VMAXPS Y7, Y6, Y6
	VMAXPS Y6, Y4, Y4
	ACROSS(VMAXPS, Y4, Y5)
	VMULSS X11, X4, X5
	VMOVSS X5, (DX)
	VDIVPS Y4, Y14, Y5
	VCMPPS $0x1e, Y12, Y4, Y6 // above tiny?
	VANDPS Y6, Y5, Y5
	VMULPS Y5, Y0, Y0
	VMULPS Y5, Y1, Y1
	VMULPS Y5, Y2, Y2
	VMULPS Y5, Y3, Y3
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VCVTPS2DQ Y2, Y2
	VCVTPS2DQ Y3, Y3
	VPADDD Y1, Y0, Y4
	VPADDD Y3, Y2, Y5
	VPACKSSDW Y1, Y0, Y0
	VPACKSSDW Y3, Y2, Y2
	VPADDD Y5, Y4, Y4
	VPACKSSWB Y2, Y0, Y0
	ACROSS(VPADDD, Y4, Y5)
	VPERMD Y0, Y13, Y0
	VPSLLD $3, X4, X4
	VPSUBD X4, X10, X4
	VMOVDQU Y0, (DI)
	VMOVD X4, 16(DX)
	ADDQ $128, SI
	ADDQ $160, DI
	ADDQ $160, DX
	DECQ CX
	JNZ  quantblock
	VZEROUPPER
	RET

// func softmaxAVX2(x *float32, n int)
//
// SI start, BX end, DI moves. Y13 maximum, Y12 sum, Y14 rounding bias, Y15 ones.
TEXT ·softmaxAVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	LEAQ (SI)(CX*4), BX
	VMOVUPS roundBias<>(SB), Y14
	VMOVUPS one<>(SB), Y15
	VMOVUPS (SI), Y13
	MOVQ SI, DI

maxloop:
	VMAXPS (DI), Y13, Y13
	ADDQ $32, DI
	CMPQ DI, BX
	JLT  maxloop
	ACROSS(VMAXPS, Y13, Y0)
	VXORPS Y12, Y12, Y12
	MOVQ SI, DI

exploop:
	VMOVUPS (DI), Y0
	VSUBPS Y13, Y0, Y0
	EXP2(Y0, Y1, Y2)
	VMOVUPS Y0, (DI)
	VADDPS Y0, Y12, Y12
	ADDQ $32, DI
	CMPQ DI, BX
	JLT  exploop
	ACROSS(VADDPS, Y12, Y0)
	VDIVPS Y12, Y15, Y12

scaleloop:
	VMULPS (SI), Y12, Y0
	VMOVUPS Y0, (SI)
	ADDQ $32, SI
	CMPQ SI, BX
	JLT  scaleloop
	VZEROUPPER
	RET

// func geluAVX2(x *float32, n int)
//
// SI moves, BX end. Y3 |x|, Y4 1/(1+p|x|), Y5 polynomial, Y0 the density, Y14 and Y15 as above, Y13 0.
TEXT ·geluAVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	LEAQ (SI)(CX*4), BX
	VMOVUPS roundBias<>(SB), Y14
	VMOVUPS one<>(SB), Y15
	VXORPS Y13, Y13, Y13

geluloop:
	VMOVUPS (SI), Y6
	VANDPS absMask<>(SB), Y6, Y3
	VMOVUPS tailP<>(SB), Y4
	VFMADD213PS Y15, Y3, Y4
	VDIVPS Y4, Y15, Y4
	VMULPS Y3, Y3, Y0
	VMULPS halfLog2Exp<>(SB), Y0, Y0
	VMOVUPS tailB5<>(SB), Y5
	VFMADD213PS tailB4<>(SB), Y4, Y5
	VFMADD213PS tailB3<>(SB), Y4, Y5
	VFMADD213PS tailB2<>(SB), Y4, Y5
	VFMADD213PS tailB1<>(SB), Y4, Y5
	VMULPS Y4, Y5, Y5
	EXP2(Y0, Y1, Y2)
	VMULPS Y5, Y0, Y0
	VMAXPS Y13, Y6, Y6
	VFNMADD231PS Y0, Y3, Y6
	VMOVUPS Y6, (SI)
	ADDQ $32, SI
	CMPQ SI, BX
	JLT  geluloop
	VZEROUPPER
	RET

// func addNormAVX2(x, add, weight, bias *float32, n int)
//
// SI x, DI add, R8 weight, R9 bias, BX 4n, CX offset. Y0 sum, then mean; Y1 squares, then scale.
TEXT ·addNormAVX2(SB), NOSPLIT, $0-40
	MOVQ x+0(FP), SI
	MOVQ add+8(FP), DI
	MOVQ weight+16(FP), R8
	MOVQ bias+24(FP), R9
	MOVQ n+32(FP), BX
	VCVTSI2SSQ BX, X15, X15
	VBROADCASTSS X15, Y15
	SHLQ $2, BX
	XORQ CX, CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1

sumloop:
	VMOVUPS (SI)(CX*1), Y2
	VADDPS (DI)(CX*1), Y2, Y2
	VMOVUPS Y2, (SI)(CX*1)
	VADDPS Y2, Y0, Y0
	ADDQ $32, CX
	CMPQ CX, BX
	JLT  sumloop
	ACROSS(VADDPS, Y0, Y2)
	VDIVPS Y15, Y0, Y0
	XORQ CX, CX

squareloop:
	VMOVUPS (SI)(CX*1), Y2
	VSUBPS Y0, Y2, Y2
	VFMADD231PS Y2, Y2, Y1
	ADDQ $32, CX
	CMPQ CX, BX
	JLT  squareloop
	ACROSS(VADDPS, Y1, Y2)
	VDIVPS Y15, Y1, Y1
	VADDPS normEps<>(SB), Y1, Y1
	VSQRTPS Y1, Y1
	VMOVUPS one<>(SB), Y2
	VDIVPS Y1, Y2, Y1
	XORQ CX, CX

normloop:
	VMOVUPS (SI)(CX*1), Y2
	VSUBPS Y0, Y2, Y2
	VMULPS Y1, Y2, Y2
	VMOVUPS (R8)(CX*1), Y3
	VFMADD213PS (R9)(CX*1), Y3, Y2
	VMOVUPS Y2, (SI)(CX*1)
	ADDQ $32, CX
	CMPQ CX, BX
	JLT  normloop
	VZEROUPPER
	RET
