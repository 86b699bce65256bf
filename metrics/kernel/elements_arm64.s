#include "textflag.h"
#include "neon_arm64.h"
#include "loops_arm64.h"

// func addNEON(dst, a, b []float32)
TEXT ·addNEON(SB), NOSPLIT, $32-72
	OF_TWO(FADD(1, 0, 0))

// func subtractNEON(dst, a, b []float32)
TEXT ·subtractNEON(SB), NOSPLIT, $32-72
	OF_TWO(FSUB(1, 0, 0))

// func multiplyNEON(dst, a, b []float32)
TEXT ·multiplyNEON(SB), NOSPLIT, $32-72
	OF_TWO(FMUL(1, 0, 0))

// func divideNEON(dst, a, b []float32)
TEXT ·divideNEON(SB), NOSPLIT, $32-72
	OF_TWO(FDIV(1, 0, 0))

// func maximumNEON(dst, a, b []float32)
TEXT ·maximumNEON(SB), NOSPLIT, $32-72
	OF_TWO(FMAX(1, 0, 0))

// func minimumNEON(dst, a, b []float32)
TEXT ·minimumNEON(SB), NOSPLIT, $32-72
	OF_TWO(FMIN(1, 0, 0))

#define MULTIPLY_ADD FMLA(1, 0, 2); MOVE(2, 0)

// func multiplyAddNEON(dst, a, b, c []float32)
TEXT ·multiplyAddNEON(SB), NOSPLIT, $48-96
	DST
	OF_THREE(MULTIPLY_ADD)

#define FACTOR 30
#define OFFSET 31
#define SCALE MOVE(OFFSET, 1); FMLA(FACTOR, 0, 1); MOVE(1, 0)

// func scaleNEON(dst, a []float32, factor, offset float32)
TEXT ·scaleNEON(SB), NOSPLIT, $16-56
	FMOVS factor+48(FP), F30
	VDUP  V30.S[0], V30.S4
	FMOVS offset+52(FP), F31
	VDUP  V31.S[0], V31.S4
	OF_ONE(SCALE)

// func sqrtNEON(dst, a []float32)
TEXT ·sqrtNEON(SB), NOSPLIT, $16-48
	OF_ONE(FSQRT(0, 0))

#define ONE 31
#define RECIPROCAL FDIV(0, ONE, 0)
#define RSQRT FSQRT(0, 0); FDIV(0, ONE, 0)

// func reciprocalNEON(dst, a []float32)
TEXT ·reciprocalNEON(SB), NOSPLIT, $16-48
	FMOVS $1.0, F31
	VDUP  V31.S[0], V31.S4
	OF_ONE(RECIPROCAL)

// func rsqrtNEON(dst, a []float32)
TEXT ·rsqrtNEON(SB), NOSPLIT, $16-48
	FMOVS $1.0, F31
	VDUP  V31.S[0], V31.S4
	OF_ONE(RSQRT)

// A comparison that holds gives the integer -1.
#define SIGN ZERO(1); FCMGT(1, 0, 2); FCMGT(0, 1, 1); SUB4(2, 1, 0); SCVTF(0, 0)

// func signNEON(dst, a []float32)
TEXT ·signNEON(SB), NOSPLIT, $16-48
	OF_ONE(SIGN)

// func negateNEON(dst, a []float32)
TEXT ·negateNEON(SB), NOSPLIT, $16-48
	OF_ONE(FNEG(0, 0))

// func absoluteNEON(dst, a []float32)
TEXT ·absoluteNEON(SB), NOSPLIT, $16-48
	OF_ONE(FABS(0, 0))
