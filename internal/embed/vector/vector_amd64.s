#include "textflag.h"

// Both widen 8 bits to 16, multiply and add neighbours to 32 bits: exact for every input.
// R8 out, SI query, DI row, DX dims, CX rows left, BX offset in the row.

// func dotsAVX2(out *int32, q, rows *int8, dims, n int)
//
// Y0 and Y1 sums.
TEXT ·dotsAVX2(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), R8
	MOVQ q+8(FP), SI
	MOVQ rows+16(FP), DI
	MOVQ dims+24(FP), DX
	MOVQ n+32(FP), CX

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	XORQ  BX, BX

part:
	VPMOVSXBW (SI)(BX*1), Y2
	VPMOVSXBW (DI)(BX*1), Y3
	VPMOVSXBW 16(SI)(BX*1), Y4
	VPMOVSXBW 16(DI)(BX*1), Y5
	VPMADDWD Y3, Y2, Y2
	VPMADDWD Y5, Y4, Y4
	VPADDD Y2, Y0, Y0
	VPADDD Y4, Y1, Y1
	ADDQ $32, BX
	CMPQ BX, DX
	JLT  part

	VPADDD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, (R8)
	ADDQ $4, R8
	ADDQ DX, DI
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET

// func dotsAVX512(out *int32, q, rows *int8, dims, n int)
//
// Z0 sum.
TEXT ·dotsAVX512(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), R8
	MOVQ q+8(FP), SI
	MOVQ rows+16(FP), DI
	MOVQ dims+24(FP), DX
	MOVQ n+32(FP), CX

wrow:
	VPXORD Z0, Z0, Z0
	XORQ   BX, BX

wpart:
	VPMOVSXBW (SI)(BX*1), Z2
	VPMOVSXBW (DI)(BX*1), Z3
	VPMADDWD Z3, Z2, Z2
	VPADDD Z2, Z0, Z0
	ADDQ $32, BX
	CMPQ BX, DX
	JLT  wpart

	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4e, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xb1, X0, X1
	VPADDD X1, X0, X0
	VMOVD X0, (R8)
	ADDQ $4, R8
	ADDQ DX, DI
	DECQ CX
	JNZ  wrow
	VZEROUPPER
	RET
