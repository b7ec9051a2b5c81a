#include "textflag.h"

// func dotRowsAVX2(q *int16, cells *byte, rows, n int, out *int32)
//
// SI query, DI row, R8 rows left, R9 components a row, R10 result, CX component.
// Y0 to Y3 are sums of eight products' pairs each; products of 8-bit numbers cannot overflow them.
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), SI
	MOVQ cells+8(FP), DI
	MOVQ rows+16(FP), R8
	MOVQ n+24(FP), R9
	MOVQ out+32(FP), R10

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORQ  CX, CX

component:
	VPMOVSXBW (DI)(CX*1), Y4
	VPMOVSXBW 16(DI)(CX*1), Y5
	VPMOVSXBW 32(DI)(CX*1), Y6
	VPMOVSXBW 48(DI)(CX*1), Y7
	VPMADDWD  (SI)(CX*2), Y4, Y4
	VPMADDWD  32(SI)(CX*2), Y5, Y5
	VPMADDWD  64(SI)(CX*2), Y6, Y6
	VPMADDWD  96(SI)(CX*2), Y7, Y7
	VPADDD    Y4, Y0, Y0
	VPADDD    Y5, Y1, Y1
	VPADDD    Y6, Y2, Y2
	VPADDD    Y7, Y3, Y3
	ADDQ      $64, CX
	CMPQ      CX, R9
	JLT       component

	VPADDD       Y1, Y0, Y0
	VPADDD       Y3, Y2, Y2
	VPADDD       Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (R10)
	ADDQ         $4, R10
	ADDQ         R9, DI
	DECQ         R8
	JNZ          row
	VZEROUPPER
	RET
