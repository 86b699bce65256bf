#include "textflag.h"
#include "neon_arm64.h"
#include "loops_arm64.h"

// The polynomials and formulas of asm/mathematics.go, which explains them. For exponentials,
// V16-V25 hold in every element:
//
//	V16 1/ln 2   V17 V18 ln 2 in two parts   V19-V24 (e^r - 1 - r)/r² from r⁵ down
//	V25 1, whose bits are also 2^0 to which an exponent is added
//
// V26 and up hold values of single functions, V8-V15 the polynomials of Mills' ratio.
DATA exponential<>+0(SB)/4, $1.44269504088896341
DATA exponential<>+4(SB)/4, $0x3f317200 // ln 2 to 15 bits: an integer times it is exact
DATA exponential<>+8(SB)/4, $1.42860682030941723e-6
DATA exponential<>+12(SB)/4, $0.000198577419438
DATA exponential<>+16(SB)/4, $0.00139336064324
DATA exponential<>+20(SB)/4, $0.00833336081674
DATA exponential<>+24(SB)/4, $0.0416664654484
DATA exponential<>+28(SB)/4, $0.16666666532
DATA exponential<>+32(SB)/4, $0.500000001339
DATA exponential<>+36(SB)/4, $1.0
DATA exponential<>+40(SB)/4, $-104.0 // e^x is 0 from here down
DATA exponential<>+44(SB)/4, $89.0   // and infinite from here up
GLOBL exponential<>(SB), RODATA|NOPTR, $48

#define EXPONENTIAL \
	MOVD    $exponential<>(SB), R8; \
	VLD4R.P 16(R8), [V16.S4, V17.S4, V18.S4, V19.S4]; \
	VLD4R.P 16(R8), [V20.S4, V21.S4, V22.S4, V23.S4]; \
	VLD4R.P 16(R8), [V24.S4, V25.S4, V26.S4, V27.S4]

// HORNER computes to = at·x + next.
#define HORNER(at, x, next, to) MOVE(next, to); FMLA(at, x, to)

// REDUCE splits x = n·ln 2 + r into the integer n and r, in x's place.
#define REDUCE(x, n) FMUL(16, x, n); FRINTN(n, n); FMLS(17, n, x); FMLS(18, n, x); FCVTNS(n, n)

// EXPM1 computes e^r - 1 in r's place.
#define EXPM1(r, p, q) \
	HORNER(19, r, 20, p); \
	HORNER(p, r, 21, q); \
	HORNER(q, r, 22, p); \
	HORNER(p, r, 23, q); \
	HORNER(q, r, 24, p); \
	FMUL(r, r, q); \
	FMLA(p, q, r)

// SCALED computes x·2^n by two halves of the power, because the power itself may not be a
// normal number.
#define SCALED(x, n, s) \
	SSHR4(1, n, s); \
	SUB4(s, n, n); \
	SHL4(23, s, s); \
	ADD4(25, s, s); \
	SHL4(23, n, n); \
	ADD4(25, n, n); \
	FMUL(s, x, x); \
	FMUL(n, x, x)

// EXP_WITHIN computes e^x in x's place for x from -104 to 89, and EXP for every x.
#define EXP_WITHIN(x, n, p, q) \
	REDUCE(x, n); \
	EXPM1(x, p, q); \
	FADD(25, x, x); \
	SCALED(x, n, p)

#define EXP(x, n, p, q) \
	FMAX(26, x, x); \
	FMIN(27, x, x); \
	EXP_WITHIN(x, n, p, q)

// func expNEON(dst, a []float32)
TEXT ·expNEON(SB), NOSPLIT, $16-48
	EXPONENTIAL
	OF_ONE(EXP(0, 1, 2, 3))

#define TOP 31
#define EXP_BELOW FSUB(TOP, 0, 0); EXP(0, 1, 2, 3)

// func expBelowNEON(dst, a []float32, top float32)
TEXT ·expBelowNEON(SB), NOSPLIT, $16-52
	FMOVS top+48(FP), F31
	VDUP  V31.S[0], V31.S4
	EXPONENTIAL
	OF_ONE(EXP_BELOW)

// LOGISTIC computes 1/(1 + e^-|x|), times e^-|x| if x is negative.
#define LOGISTIC \
	FABS(0, 1); \
	FNEG(1, 1); \
	EXP(1, 2, 3, 4); \
	SSHR4(31, 0, 2); \
	BSL(25, 1, 2); \
	FADD(25, 1, 1); \
	FDIV(1, 2, 0)

// func logisticNEON(dst, a []float32)
TEXT ·logisticNEON(SB), NOSPLIT, $16-48
	EXPONENTIAL
	OF_ONE(LOGISTIC)

// TANH computes (e^2|x| - 1)/(e^2|x| + 1) with the sign of x: with e^2|x| = s·(1 + e) the
// numerator is s·e + (s - 1). V30 is 10, from which on tanh is 1; V31 is 2.
#define TANH \
	FABS(0, 1); \
	FMIN(30, 1, 1); \
	FADD(1, 1, 1); \
	REDUCE(1, 2); \
	EXPM1(1, 3, 4); \
	SHL4(23, 2, 2); \
	ADD4(25, 2, 2); \
	FSUB(25, 2, 3); \
	FMLA(2, 1, 3); \
	FADD(31, 3, 4); \
	FDIV(4, 3, 3); \
	FNEG(3, 4); \
	SSHR4(31, 0, 0); \
	BSL(3, 4, 0)

// func tanhNEON(dst, a []float32)
TEXT ·tanhNEON(SB), NOSPLIT, $16-48
	FMOVS $10.0, F30
	VDUP  V30.S[0], V30.S4
	FMOVS $2.0, F31
	VDUP  V31.S[0], V31.S4
	EXPONENTIAL
	OF_ONE(TANH)

// erf(x) is x + x·near(x²) or 1 - e^far(|x|): V8-V13 are near, V14, V15 and V26-V30 far, from
// the highest power down, and V31 is 4, from which on erf is 1.
DATA errorFunction<>+0(SB)/4, $-0.000620319568596
DATA errorFunction<>+4(SB)/4, $0.00503216984441
DATA errorFunction<>+8(SB)/4, $-0.0267914552619
DATA errorFunction<>+12(SB)/4, $0.11282455114
DATA errorFunction<>+16(SB)/4, $-0.376125504431
DATA errorFunction<>+20(SB)/4, $0.128379157488
DATA errorFunction<>+24(SB)/4, $0.00020101069126
DATA errorFunction<>+28(SB)/4, $-0.00309242439813
DATA errorFunction<>+32(SB)/4, $0.0224207059105
DATA errorFunction<>+36(SB)/4, $-0.104328435908
DATA errorFunction<>+40(SB)/4, $-0.636736262012
DATA errorFunction<>+44(SB)/4, $-1.12793664749
DATA errorFunction<>+48(SB)/4, $-0.000133461594726
DATA errorFunction<>+52(SB)/4, $4.0
GLOBL errorFunction<>(SB), RODATA|NOPTR, $56

#define ERF \
	FABS(0, 1); \
	FMIN(31, 1, 1); \
	FMUL(1, 1, 2); \
	HORNER(8, 2, 9, 3); \
	HORNER(3, 2, 10, 4); \
	HORNER(4, 2, 11, 3); \
	HORNER(3, 2, 12, 4); \
	HORNER(4, 2, 13, 3); \
	HORNER(3, 1, 1, 4); \
	HORNER(14, 1, 15, 3); \
	HORNER(3, 1, 26, 5); \
	HORNER(5, 1, 27, 3); \
	HORNER(3, 1, 28, 5); \
	HORNER(5, 1, 29, 3); \
	HORNER(3, 1, 30, 5); \
	EXP_WITHIN(5, 2, 3, 6); \
	FSUB(5, 25, 5); \
	FMOVS $0.875, F6; \
	VDUP  V6.S[0], V6.S4; \
	FCMGT(1, 6, 6); \
	BSL(5, 4, 6); \
	FNEG(6, 5); \
	SSHR4(31, 0, 0); \
	BSL(6, 5, 0)

// func erfNEON(dst, a []float32)
TEXT ·erfNEON(SB), NOSPLIT, $16-48
	EXPONENTIAL
	MOVD    $errorFunction<>(SB), R8
	VLD4R.P 16(R8), [V8.S4, V9.S4, V10.S4, V11.S4]
	VLD4R.P 16(R8), [V12.S4, V13.S4, V14.S4, V15.S4]
	VLD4R.P 16(R8), [V26.S4, V27.S4, V28.S4, V29.S4]
	VLD2R   (R8), [V30.S4, V31.S4]
	OF_ONE(ERF)

// Φ(-x)·e^(x²/2) is P(x)/Q(x) from 0 to 15: V8-V12 are P, V13-V15, V26 and V27 Q, from the
// highest power down to that of x. V28 is -1/2, V29 15, V30 1/√2π.
DATA mills<>+0(SB)/4, $0.00412392319737
DATA mills<>+4(SB)/4, $0.0406844381712
DATA mills<>+8(SB)/4, $0.183386886746
DATA mills<>+12(SB)/4, $0.438499501602
DATA mills<>+16(SB)/4, $0.500000002971
DATA mills<>+20(SB)/4, $0.0103370244438
DATA mills<>+24(SB)/4, $0.101987140957
DATA mills<>+28(SB)/4, $0.469871273029
DATA mills<>+32(SB)/4, $1.20313300926
DATA mills<>+36(SB)/4, $1.6748839887
DATA mills<>+40(SB)/4, $-0.5
DATA mills<>+44(SB)/4, $15.0
DATA mills<>+48(SB)/4, $0.398942280401432678
GLOBL mills<>(SB), RODATA|NOPTR, $52

#define NORMAL \
	EXPONENTIAL; \
	MOVD    $mills<>(SB), R8; \
	VLD4R.P 16(R8), [V8.S4, V9.S4, V10.S4, V11.S4]; \
	VLD4R.P 16(R8), [V12.S4, V13.S4, V14.S4, V15.S4]; \
	VLD4R.P 16(R8), [V26.S4, V27.S4, V28.S4, V29.S4]; \
	VLD1R   (R8), [V30.S4]

// BELL computes b = e^(-x²/2), with x² in two parts, b and rest.
#define BELL(x, b, rest, n, p, q) \
	FMUL(x, x, b); \
	FNEG(b, rest); \
	FMLA(x, x, rest); \
	FMUL(28, b, b); \
	REDUCE(b, n); \
	FMLA(28, rest, b); \
	EXPM1(b, p, q); \
	FADD(25, b, b); \
	SCALED(b, n, p)

#define MILLS(x, p, q, r, s) \
	HORNER(8, x, 9, r); \
	HORNER(13, x, 14, s); \
	HORNER(r, x, 10, p); \
	HORNER(s, x, 15, q); \
	HORNER(p, x, 11, r); \
	HORNER(q, x, 26, s); \
	HORNER(r, x, 12, p); \
	HORNER(s, x, 27, q); \
	HORNER(q, x, 25, s); \
	FDIV(s, p, p)

// GELU computes max(x, 0) - |x|·Φ(-|x|).
#define GELU \
	FABS(0, 1); \
	FMIN(29, 1, 1); \
	BELL(1, 2, 3, 4, 5, 6); \
	MILLS(1, 3, 4, 5, 6); \
	FMIN(29, 0, 4); \
	FABS(4, 4); \
	FMUL(4, 3, 3); \
	ZERO(5); \
	FMAX(5, 0, 0); \
	FMLS(3, 2, 0)

// func geluNEON(dst, a []float32)
TEXT ·geluNEON(SB), NOSPLIT, $16-48
	NORMAL
	OF_ONE(GELU)

// GELU_GRADIENT computes Φ(x) + x·φ(x): 1 if x is positive, plus e^(-x²/2) times x/√2π minus
// Mills' ratio with x's sign.
#define GELU_GRADIENT \
	FABS(0, 2); \
	FMIN(29, 2, 2); \
	BELL(2, 3, 4, 5, 6, 7); \
	MILLS(2, 4, 5, 6, 7); \
	FNEG(4, 6); \
	SSHR4(31, 0, 5); \
	MOVE(5, 7); \
	BSL(6, 4, 5); \
	FMLA(30, 0, 5); \
	ZERO(6); \
	BSL(25, 6, 7); \
	FMLA(5, 3, 7); \
	FMUL(1, 7, 0)

// func geluGradientNEON(dst, a, b []float32)
TEXT ·geluGradientNEON(SB), NOSPLIT, $32-72
	NORMAL
	OF_TWO(GELU_GRADIENT)
