#include "textflag.h"
#include "neon_arm64.h"

// func widenBytesNEON(dst []float32, src []int8) int
TEXT ·widenBytesNEON(SB), NOSPLIT, $0-56
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	MOVD src_base+24(FP), R2
	AND  $~7, R1
	MOVD R1, ret+48(FP)
	CBZ  R1, done

eight:
	FMOVD.P 8(R2), F0
	SXTLB(0, 0)
	SXTLH(0, 1)
	SXTL2H(0, 2)
	SCVTF(1, 1)
	SCVTF(2, 2)
	VST1.P [V1.S4, V2.S4], 32(R0)
	SUBS   $8, R1
	BNE    eight

done:
	RET

// func widenHalvesNEON(dst []float32, src []uint16) int
TEXT ·widenHalvesNEON(SB), NOSPLIT, $0-56
	MOVD dst_base+0(FP), R0
	MOVD dst_len+8(FP), R1
	MOVD src_base+24(FP), R2
	AND  $~7, R1
	MOVD R1, ret+48(FP)
	CBZ  R1, done

eight:
	FMOVQ.P 16(R2), F0
	FCVTLH(0, 1)
	FCVTL2H(0, 2)
	VST1.P [V1.S4, V2.S4], 32(R0)
	SUBS   $8, R1
	BNE    eight

done:
	RET
