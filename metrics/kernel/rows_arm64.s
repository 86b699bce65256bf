#include "textflag.h"
#include "neon_arm64.h"
#include "loops_arm64.h"

// V29-V31 are near, left and scale.
#define PLACE(near, left, scale) \
	FMOVS near, F29; \
	VDUP  V29.S[0], V29.S4; \
	FMOVS left, F30; \
	VDUP  V30.S[0], V30.S4; \
	FMOVS scale, F31; \
	VDUP  V31.S[0], V31.S4

// NORMALIZED computes ((x - near) - left)·scale in x's place.
#define NORMALIZED(x) FSUB(29, x, x); FSUB(30, x, x); FMUL(31, x, x)

#define NORMALIZE NORMALIZED(0); FMLA(1, 0, 2); MOVE(2, 0)

// func normalizeNEON(dst, a, b, c []float32, near, left, scale float32)
TEXT ·normalizeNEON(SB), NOSPLIT, $48-108
	PLACE(near+96(FP), left+100(FP), scale+104(FP))
	DST
	OF_THREE(NORMALIZE)

// a is the old sum, b the row, c the gradient.
#define ADD_NORMALIZED NORMALIZED(1); FMLA(1, 2, 0)

// func addNormalizedNEON(dst, a, b, c []float32, near, left, scale float32)
TEXT ·addNormalizedNEON(SB), NOSPLIT, $48-108
	PLACE(near+96(FP), left+100(FP), scale+104(FP))
	DST
	OF_THREE(ADD_NORMALIZED)

// scale·(b·c - mean - n·along), with n of the row a; V27 is the mean, V28 along.
#define NORMALIZE_GRADIENT \
	NORMALIZED(0); \
	FMUL(2, 1, 1); \
	FSUB(27, 1, 1); \
	FMLS(28, 0, 1); \
	FMUL(31, 1, 0)

// func normalizeGradientNEON(dst, a, b, c []float32, near, left, scale, mean, along float32)
TEXT ·normalizeGradientNEON(SB), NOSPLIT, $48-116
	PLACE(near+96(FP), left+100(FP), scale+104(FP))
	FMOVS mean+108(FP), F27
	VDUP  V27.S[0], V27.S4
	FMOVS along+112(FP), F28
	VDUP  V28.S[0], V28.S4
	DST
	OF_THREE(NORMALIZE_GRADIENT)

#define CENTRED_PRODUCT FSUB(31, 1, 1); FMUL(1, 0, 0)

// func centredProductNEON(dst, a, b []float32, mean float32)
TEXT ·centredProductNEON(SB), NOSPLIT, $32-76
	FMOVS mean+72(FP), F31
	VDUP  V31.S[0], V31.S4
	OF_TWO(CENTRED_PRODUCT)

// SUMS adds to eight registers in turn, V16-V23, and for two sums also to V8-V15; then the
// tail to the first, and finally the registers in pairs. For single elements the rest of
// V29-V31 is zero, so that nothing is added for the rest of a register.
#define CLEAR(s) ZERO(s); ZERO(s+1); ZERO(s+2); ZERO(s+3); ZERO(s+4); ZERO(s+5); ZERO(s+6); ZERO(s+7)

// TOTAL adds the elements of eight registers into the first element of the first register.
#define TOTAL(s) \
	FADD(s+4, s, s); \
	FADD(s+5, s+1, s+1); \
	FADD(s+6, s+2, s+2); \
	FADD(s+7, s+3, s+3); \
	FADD(s+2, s, s); \
	FADD(s+3, s+1, s+1); \
	FADD(s+1, s, s); \
	FADDP(s, s, s); \
	FADDP(s, s, s)

#define SUMS(fours, ones, body) \
	CLEAR(16); \
	CLEAR(8); \
	SUBS $32, R1; \
	BLT  few; \
most: \
	fours; \
	body(16, 8); \
	fours; \
	body(17, 9); \
	fours; \
	body(18, 10); \
	fours; \
	body(19, 11); \
	fours; \
	body(20, 12); \
	fours; \
	body(21, 13); \
	fours; \
	body(22, 14); \
	fours; \
	body(23, 15); \
	SUBS $32, R1; \
	BGE  most; \
few: \
	ADDS $28, R1; \
	BLT  rest; \
four: \
	fours; \
	body(16, 8); \
	SUBS $4, R1; \
	BGE  four; \
rest: \
	ADDS $4, R1; \
	BEQ  done; \
	FMOVS F29, F29; \
	FMOVS F30, F30; \
	FMOVS F31, F31; \
one: \
	ones; \
	body(16, 8); \
	SUBS $1, R1; \
	BNE  one; \
done: \
	TOTAL(16); \
	TOTAL(8)

#define ADD_TO(s, q) FADD(0, s, s)

// func sumNEON(a []float32) float32
TEXT ·sumNEON(SB), NOSPLIT, $0-28
	MOVD a_base+0(FP), R2
	MOVD a_len+8(FP), R1
	MOVD $16, R5
	SUMS(FOURS1, ONES1, ADD_TO)
	FMOVS F16, ret+24(FP)
	RET

#define MOMENT(s, q) FSUB(29, 0, 0); FADD(0, s, s); FMLA(0, 0, q)

// func momentsNEON(a []float32, near float32) (sum, squares float32)
TEXT ·momentsNEON(SB), NOSPLIT, $0-40
	MOVD  a_base+0(FP), R2
	MOVD  a_len+8(FP), R1
	FMOVS near+24(FP), F29
	VDUP  V29.S[0], V29.S4
	MOVD  $16, R5
	SUMS(FOURS1, ONES1, MOMENT)
	FMOVS F16, sum+32(FP)
	FMOVS F8, squares+36(FP)
	RET

#define SLOPE(s, q) FMUL(2, 1, 1); FADD(1, s, s); NORMALIZED(0); FMLA(0, 1, q)

// func slopesNEON(a, v, gain []float32, near, left, scale float32) (sum, along float32)
TEXT ·slopesNEON(SB), NOSPLIT, $16-96
	PLACE(near+72(FP), left+76(FP), scale+80(FP))
	MOVD a_base+0(FP), R2
	MOVD a_len+8(FP), R1
	MOVD v_base+24(FP), R3
	ARGUMENT(gain_base+48(FP), gain_len+56(FP), R4, R7, first-16(SP))
	MOVD $16, R5
	MOVD $16, R6
	SUMS(FOURS3, ONES3, SLOPE)
	FMOVS F16, sum+88(FP)
	FMOVS F8, along+92(FP)
	RET

// func largestNEON(a []float32) float32
TEXT ·largestNEON(SB), NOSPLIT, $0-28
	MOVD a_base+0(FP), R2
	MOVD a_len+8(FP), R1
	MOVD $0xff800000, R8
	VDUP R8, V16.S4
	MOVE(16, 17)
	MOVE(16, 18)
	MOVE(16, 19)
	SUBS $16, R1
	BLT  few

sixteen:
	VLD1.P 64(R2), [V0.S4, V1.S4, V2.S4, V3.S4]
	FMAX(0, 16, 16)
	FMAX(1, 17, 17)
	FMAX(2, 18, 18)
	FMAX(3, 19, 19)
	SUBS   $16, R1
	BGE    sixteen

few:
	ADDS $16, R1
	BEQ  done

one:
	VLD1R.P 4(R2), [V0.S4]
	FMAX(0, 16, 16)
	SUBS    $1, R1
	BNE     one

done:
	FMAX(17, 16, 16)
	FMAX(18, 19, 18)
	FMAX(18, 16, 16)
	FMAXV(16, 0)
	FMOVS F0, ret+24(FP)
	RET
