#include "textflag.h"

// func transposeNEON(dst *float32, dstRow int, src *float32, srcRow, quads int)
//
// Four steps of k are transposed at once: V0-V3 take four elements of four rows, and two
// rounds of interleaving turn them into columns.
TEXT ·transposeNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD dstRow+8(FP), R1
	MOVD src+16(FP), R4
	MOVD srcRow+24(FP), R2
	MOVD quads+32(FP), R3
	LSL  $2, R1
	LSL  $2, R2
	ADD  R2, R4, R5
	ADD  R2, R5, R6
	ADD  R2, R6, R7
	CBZ  R3, done

quad:
	VLD1.P 16(R4), [V0.S4]
	VLD1.P 16(R5), [V1.S4]
	VLD1.P 16(R6), [V2.S4]
	VLD1.P 16(R7), [V3.S4]
	VTRN1  V1.S4, V0.S4, V4.S4
	VTRN2  V1.S4, V0.S4, V5.S4
	VTRN1  V3.S4, V2.S4, V6.S4
	VTRN2  V3.S4, V2.S4, V7.S4
	VZIP1  V6.D2, V4.D2, V0.D2
	VZIP1  V7.D2, V5.D2, V1.D2
	VZIP2  V6.D2, V4.D2, V2.D2
	VZIP2  V7.D2, V5.D2, V3.D2
	VST1.P [V0.S4], (R0)(R1)
	VST1.P [V1.S4], (R0)(R1)
	VST1.P [V2.S4], (R0)(R1)
	VST1.P [V3.S4], (R0)(R1)
	SUB    $1, R3
	CBNZ   R3, quad

done:
	RET

// func copyNEON(dst *float32, dstRow int, src *float32, srcRow, rows int)
TEXT ·copyNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD dstRow+8(FP), R1
	MOVD src+16(FP), R4
	MOVD srcRow+24(FP), R2
	MOVD rows+32(FP), R3
	LSL  $2, R1
	LSL  $2, R2
	CBZ  R3, done

row:
	VLD1.P (R4)(R2), [V0.S4, V1.S4, V2.S4, V3.S4]
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], (R0)(R1)
	SUB    $1, R3
	CBNZ   R3, row

done:
	RET
