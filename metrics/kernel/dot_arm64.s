#include "textflag.h"
#include "neon_arm64.h"

// func dotNEON(a, b []float32) float32
//
// Sixteen sums, each of every sixteenth product; then groups of four products are added to
// the first four sums, then single products to the first.
TEXT ·dotNEON(SB), NOSPLIT, $0-52
	MOVD a_base+0(FP), R0
	MOVD a_len+8(FP), R2
	MOVD b_base+24(FP), R1
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	SUBS $16, R2
	BLT  fours

sixteen:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	VFMLA  V4.S4, V16.S4, V0.S4
	VFMLA  V5.S4, V17.S4, V1.S4
	VFMLA  V6.S4, V18.S4, V2.S4
	VFMLA  V7.S4, V19.S4, V3.S4
	SUBS   $16, R2
	BGE    sixteen

fours:
	ADDS $12, R2 // left, minus four
	BLT  ones

four:
	VLD1.P 16(R0), [V4.S4]
	VLD1.P 16(R1), [V16.S4]
	VFMLA  V4.S4, V16.S4, V0.S4
	SUBS   $4, R2
	BGE    four

ones:
	FADD(1, 0, 0)
	FADD(3, 2, 2)
	FADD(2, 0, 0)
	FADDP(0, 0, 0)
	FADDP(0, 0, 0)
	ADDS $4, R2
	BEQ  done

one:
	FMOVS.P 4(R0), F4
	FMOVS.P 4(R1), F16
	FMADDS  F4, F0, F16, F0
	SUBS    $1, R2
	BNE     one

done:
	FMOVS F0, ret+48(FP)
	RET
