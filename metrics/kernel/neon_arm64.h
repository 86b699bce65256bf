// Vector instructions that Go's assembler for arm64 lacks, as macros over the numbers of
// registers, named as Arm names them, in Go's order of operands: FSUB(1, 2, 3) is V3 = V2 - V1, on four float32
// each. neon_macros_test.go holds each to the words of another assembler.

// arithmetic: (m, n, d)
#define FADD(m, n, d) WORD $(0x4e20d400 | (m)<<16 | (n)<<5 | (d))
#define FSUB(m, n, d) WORD $(0x4ea0d400 | (m)<<16 | (n)<<5 | (d))
#define FMUL(m, n, d) WORD $(0x6e20dc00 | (m)<<16 | (n)<<5 | (d))
#define FDIV(m, n, d) WORD $(0x6e20fc00 | (m)<<16 | (n)<<5 | (d))
#define FMAX(m, n, d) WORD $(0x4e20f400 | (m)<<16 | (n)<<5 | (d))
#define FMIN(m, n, d) WORD $(0x4ea0f400 | (m)<<16 | (n)<<5 | (d))


// V[d] += V[n]·(element i of V[m])
// V[d] += V[n]·V[m], V[d] -= V[n]·V[m]
#define FMLA(m, n, d) WORD $(0x4e20cc00 | (m)<<16 | (n)<<5 | (d))
#define FMLS(m, n, d) WORD $(0x4ea0cc00 | (m)<<16 | (n)<<5 | (d))
#define FMLAE(m, i, n, d) WORD $(0x4f801000 | ((i)&1)<<21 | ((i)>>1)<<11 | (m)<<16 | (n)<<5 | (d))

// pairs: the sums of n's neighbours, then those of m's
#define FADDP(m, n, d) WORD $(0x6e20d400 | (m)<<16 | (n)<<5 | (d))
// all ones where V[n] > V[m]; NaN compares false
#define FCMGT(m, n, d) WORD $(0x6ea0e400 | (m)<<16 | (n)<<5 | (d))
#define FCMGE(m, n, d) WORD $(0x6e20e400 | (m)<<16 | (n)<<5 | (d))
#define FCMEQ(m, n, d) WORD $(0x4e20e400 | (m)<<16 | (n)<<5 | (d))

// of one register: (n, d)
#define FABS(n, d) WORD $(0x4ea0f800 | (n)<<5 | (d))
#define FNEG(n, d) WORD $(0x6ea0f800 | (n)<<5 | (d))
#define FSQRT(n, d) WORD $(0x6ea1f800 | (n)<<5 | (d))
#define FRINTN(n, d) WORD $(0x4e218800 | (n)<<5 | (d))
#define FCVTNS(n, d) WORD $(0x4e21a800 | (n)<<5 | (d))
#define SCVTF(n, d) WORD $(0x4e21d800 | (n)<<5 | (d))
// the largest of the four, into element 0
#define FMAXV(n, d) WORD $(0x6e30f800 | (n)<<5 | (d))
// integers: V[d] = V[n] + V[m], V[d] = V[n] - V[m]
#define ADD4(m, n, d) WORD $(0x4ea08400 | (m)<<16 | (n)<<5 | (d))
#define SUB4(m, n, d) WORD $(0x6ea08400 | (m)<<16 | (n)<<5 | (d))
#define SHL4(i, n, d) WORD $(0x4f005400 | (32+(i))<<16 | (n)<<5 | (d))
// signed shift of each integer to the right by i bits
#define SSHR4(i, n, d) WORD $(0x4f000400 | (64-(i))<<16 | (n)<<5 | (d))

// bits: V[d] = V[n]; zero; V[n] where a bit of V[d] is set, else V[m]
#define MOVE(n, d) WORD $(0x4ea01c00 | (n)<<16 | (n)<<5 | (d))
#define ZERO(d) WORD $(0x4f000400 | (d))
#define BSL(m, n, d) WORD $(0x6e601c00 | (m)<<16 | (n)<<5 | (d))

// memory at the address in R[n]: 1, 2, 4 or 16 elements of V[t] on, the rest of whose
// register is zero, and element 0 of V[t] at R[n] + R[m]
#define LDRS(n, t) WORD $(0xbd400000 | (n)<<5 | (t))
#define LDRD(n, t) WORD $(0xfd400000 | (n)<<5 | (t))
#define LDRQ(n, t) WORD $(0x3dc00000 | (n)<<5 | (t))
#define LD1X4(n, t) WORD $(0x4c402800 | (n)<<5 | (t))
#define STRS(t, n) WORD $(0xbd000000 | (n)<<5 | (t))
#define STRD(t, n) WORD $(0xfd000000 | (n)<<5 | (t))
#define STRQ(t, n) WORD $(0x3d800000 | (n)<<5 | (t))
#define ST1X4(t, n) WORD $(0x4c002800 | (n)<<5 | (t))
#define LDRSX(m, n, t) WORD $(0xbc606800 | (m)<<16 | (n)<<5 | (t))
