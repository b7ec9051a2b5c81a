// Instructions that Go's assembler has no name for. Arguments are register numbers, destination
// first, as in Arm's manual.

#define FADD(d, n, m) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))
#define FSUB(d, n, m) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))
#define FMUL(d, n, m) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))
#define FDIV(d, n, m) WORD $(0x6E20FC00 | (m)<<16 | (n)<<5 | (d))
#define FMAX(d, n, m) WORD $(0x4E20F400 | (m)<<16 | (n)<<5 | (d))
#define FMAXP(d, n, m) WORD $(0x6E20F400 | (m)<<16 | (n)<<5 | (d))
#define FADDP(d, n, m) WORD $(0x6E20D400 | (m)<<16 | (n)<<5 | (d))
#define FMLA(d, n, m) WORD $(0x4E20CC00 | (m)<<16 | (n)<<5 | (d))
#define FMLS(d, n, m) WORD $(0x4EA0CC00 | (m)<<16 | (n)<<5 | (d))
#define FABS(d, n) WORD $(0x4EA0F800 | (n)<<5 | (d))
#define FSQRT(d, n) WORD $(0x6EA1F800 | (n)<<5 | (d))
#define FCMGT(d, n, m) WORD $(0x6EA0E400 | (m)<<16 | (n)<<5 | (d))
#define FCVTNS(d, n) WORD $(0x4E21A800 | (n)<<5 | (d)) // to the nearest integer, ties to even
#define SCVTF(d, n) WORD $(0x4E21D800 | (n)<<5 | (d))
#define FMULX(d, n, m, i) WORD $(0x4F809000 | ((i)&1)<<21 | (m)<<16 | ((i)>>1)<<11 | (n)<<5 | (d)) // by lane i of m
#define SDOT(d, n, m, i) WORD $(0x4F80E000 | ((i)&1)<<21 | (m)<<16 | ((i)>>1)<<11 | (n)<<5 | (d)) // by four bytes i of m
#define SMLAL(d, n, m) WORD $(0x0E208000 | (m)<<16 | (n)<<5 | (d)) // bytes to halves, low
#define SMLAL2(d, n, m) WORD $(0x4E208000 | (m)<<16 | (n)<<5 | (d)) // high
#define SADDLP(d, n) WORD $(0x4E602800 | (n)<<5 | (d)) // pairs of halves to words
#define SQXTNH(d, n) WORD $(0x0E614800 | (n)<<5 | (d)) // words to halves, low
#define SQXTNH2(d, n) WORD $(0x4E614800 | (n)<<5 | (d))
#define SQXTNB(d, n) WORD $(0x0E214800 | (n)<<5 | (d)) // halves to bytes, low
#define SQXTNB2(d, n) WORD $(0x4E214800 | (n)<<5 | (d))
#define MOVIBYTE15(d) WORD $(0x4F00E5E0 | (d)) // 15 in every byte
