#include "textflag.h"
#include "neon_arm64.h"

// A tile is the innermost product: up to six rows of C stay in registers while k runs,
// each element as one chain of fused multiply-adds in k's order. There is a function for
// each number of rows, and for sixteen columns, four, two and one.
//
//	V0-V5   element k of each row of A, in element 0
//	V6 V7   a row of B, eight columns at a time
//	V8-V31  sums, four registers a row
//	R0      steps left
//	R1 R2   bytes from row to row and from column to column of A; R17 bytes into its rows
//	R3 R5   B, bytes from row to row
//	R6-R11  rows of A
//	R4 R12-R16  rows of C

// ROWSn does something for each of n rows: of A at R[a], with its element in V[e], of C at
// R[c], with its sums from V[s] on.
#define ROWS1(do) do(6, 0, 4, 8)
#define ROWS2(do) ROWS1(do); do(7, 1, 12, 12)
#define ROWS3(do) ROWS2(do); do(8, 2, 13, 16)
#define ROWS4(do) ROWS3(do); do(9, 3, 14, 20)
#define ROWS5(do) ROWS4(do); do(10, 4, 15, 24)
#define ROWS6(do) ROWS5(do); do(11, 5, 16, 28)

#define ELEMENT(a, e, c, s) LDRSX(17, a, e)
#define LEFT(a, e, c, s) FMLAE(e, 0, 6, s); FMLAE(e, 0, 7, s+1)
#define RIGHT(a, e, c, s) FMLAE(e, 0, 6, s+2); FMLAE(e, 0, 7, s+3)
#define FOUR(a, e, c, s) FMLAE(e, 0, 6, s)

#define ZERO16(a, e, c, s) ZERO(s); ZERO(s+1); ZERO(s+2); ZERO(s+3)
#define LOAD16(a, e, c, s) LD1X4(c, s)
#define STORE16(a, e, c, s) ST1X4(s, c)
#define ZERO4(a, e, c, s) ZERO(s)
#define LOAD4(a, e, c, s) LDRQ(c, s)
#define LOAD2(a, e, c, s) LDRD(c, s)
#define LOAD1(a, e, c, s) LDRS(c, s)
#define STORE4(a, e, c, s) STRQ(s, c)
#define STORE2(a, e, c, s) STRD(s, c)
#define STORE1(a, e, c, s) STRS(s, c)

#define ARGUMENTS \
	MOVD k+8(FP), R0        \
	MOVD a+16(FP), R6        \
	MOVD aRow+24(FP), R1     \
	MOVD aColumn+32(FP), R2  \
	MOVD b+40(FP), R3        \
	MOVD bRow+48(FP), R5     \
	MOVD c+56(FP), R4        \
	MOVD cRow+64(FP), R12    \
	MOVBU accumulate+72(FP), R21 \
	LSL  $2, R1, R1          \
	LSL  $2, R2, R2          \
	LSL  $2, R5, R5          \
	LSL  $2, R12, R20        \
	ADD  R1, R6, R7          \
	ADD  R1, R7, R8          \
	ADD  R1, R8, R9          \
	ADD  R1, R9, R10         \
	ADD  R1, R10, R11        \
	ADD  R20, R4, R12        \
	ADD  R20, R12, R13       \
	ADD  R20, R13, R14       \
	ADD  R20, R14, R15       \
	ADD  R20, R15, R16       \
	MOVD ZR, R17

// TILE16 computes C = A·B, or C += A·B, for sixteen columns.
#define TILE16(ROWS) \
	ARGUMENTS               \
	CBNZ  R21, accumulate   \
	ROWS(ZERO16)            \
	B     begin             \
accumulate:                 \
	ROWS(LOAD16)            \
begin:                      \
	CBZ   R0, store         \
step:                       \
	FLDPQ (R3), (F6, F7)    \
	ROWS(ELEMENT)           \
	SUB   $1, R0            \
	ROWS(LEFT)              \
	FLDPQ 32(R3), (F6, F7)  \
	ADD   R2, R17           \
	ADD   R5, R3            \
	ROWS(RIGHT)             \
	CBNZ  R0, step          \
store:                      \
	ROWS(STORE16)           \
	RET

// NARROW is the same for the columns that one load takes.
#define NARROW(ROWS, BLOAD, LOAD, STORE) \
	ARGUMENTS               \
	CBNZ  R21, accumulate   \
	ROWS(ZERO4)             \
	B     begin             \
accumulate:                 \
	ROWS(LOAD)              \
begin:                      \
	CBZ   R0, store         \
step:                       \
	BLOAD (R3), F6          \
	ROWS(ELEMENT)           \
	SUB   $1, R0            \
	ADD   R2, R17           \
	ADD   R5, R3            \
	ROWS(FOUR)              \
	CBNZ  R0, step          \
store:                      \
	ROWS(STORE)             \
	RET

// CHOOSE jumps to the function for a number of rows.
#define CHOOSE(one, two, three, four, five, six) \
	MOVD rows+0(FP), R0     \
	CMP  $6, R0             \
	BEQ  six6               \
	CMP  $5, R0             \
	BEQ  five5              \
	CMP  $4, R0             \
	BEQ  four4              \
	CMP  $3, R0             \
	BEQ  three3             \
	CMP  $2, R0             \
	BEQ  two2               \
	B    one(SB)            \
two2:                       \
	B    two(SB)            \
three3:                     \
	B    three(SB)          \
four4:                      \
	B    four(SB)           \
five5:                      \
	B    five(SB)           \
six6:                       \
	B    six(SB)

// func tile16NEON(rows, k int, a *float32, aRow, aColumn int, b *float32, bRow int, c *float32, cRow int, accumulate bool)
TEXT ·tile16NEON(SB), NOSPLIT, $0-73
	CHOOSE(tile16x1<>, tile16x2<>, tile16x3<>, tile16x4<>, tile16x5<>, tile16x6<>)

TEXT tile16x1<>(SB), NOSPLIT, $0-73
	TILE16(ROWS1)

TEXT tile16x2<>(SB), NOSPLIT, $0-73
	TILE16(ROWS2)

TEXT tile16x3<>(SB), NOSPLIT, $0-73
	TILE16(ROWS3)

TEXT tile16x4<>(SB), NOSPLIT, $0-73
	TILE16(ROWS4)

TEXT tile16x5<>(SB), NOSPLIT, $0-73
	TILE16(ROWS5)

TEXT tile16x6<>(SB), NOSPLIT, $0-73
	TILE16(ROWS6)

// func tile4NEON(rows, k int, a *float32, aRow, aColumn int, b *float32, bRow int, c *float32, cRow int, accumulate bool)
TEXT ·tile4NEON(SB), NOSPLIT, $0-73
	CHOOSE(tile4x1<>, tile4x2<>, tile4x3<>, tile4x4<>, tile4x5<>, tile4x6<>)

TEXT tile4x1<>(SB), NOSPLIT, $0-73
	NARROW(ROWS1, FMOVQ, LOAD4, STORE4)

TEXT tile4x2<>(SB), NOSPLIT, $0-73
	NARROW(ROWS2, FMOVQ, LOAD4, STORE4)

TEXT tile4x3<>(SB), NOSPLIT, $0-73
	NARROW(ROWS3, FMOVQ, LOAD4, STORE4)

TEXT tile4x4<>(SB), NOSPLIT, $0-73
	NARROW(ROWS4, FMOVQ, LOAD4, STORE4)

TEXT tile4x5<>(SB), NOSPLIT, $0-73
	NARROW(ROWS5, FMOVQ, LOAD4, STORE4)

TEXT tile4x6<>(SB), NOSPLIT, $0-73
	NARROW(ROWS6, FMOVQ, LOAD4, STORE4)

// func tile2NEON(rows, k int, a *float32, aRow, aColumn int, b *float32, bRow int, c *float32, cRow int, accumulate bool)
TEXT ·tile2NEON(SB), NOSPLIT, $0-73
	CHOOSE(tile2x1<>, tile2x2<>, tile2x3<>, tile2x4<>, tile2x5<>, tile2x6<>)

TEXT tile2x1<>(SB), NOSPLIT, $0-73
	NARROW(ROWS1, FMOVD, LOAD2, STORE2)

TEXT tile2x2<>(SB), NOSPLIT, $0-73
	NARROW(ROWS2, FMOVD, LOAD2, STORE2)

TEXT tile2x3<>(SB), NOSPLIT, $0-73
	NARROW(ROWS3, FMOVD, LOAD2, STORE2)

TEXT tile2x4<>(SB), NOSPLIT, $0-73
	NARROW(ROWS4, FMOVD, LOAD2, STORE2)

TEXT tile2x5<>(SB), NOSPLIT, $0-73
	NARROW(ROWS5, FMOVD, LOAD2, STORE2)

TEXT tile2x6<>(SB), NOSPLIT, $0-73
	NARROW(ROWS6, FMOVD, LOAD2, STORE2)

// func tile1NEON(rows, k int, a *float32, aRow, aColumn int, b *float32, bRow int, c *float32, cRow int, accumulate bool)
TEXT ·tile1NEON(SB), NOSPLIT, $0-73
	CHOOSE(tile1x1<>, tile1x2<>, tile1x3<>, tile1x4<>, tile1x5<>, tile1x6<>)

TEXT tile1x1<>(SB), NOSPLIT, $0-73
	NARROW(ROWS1, FMOVS, LOAD1, STORE1)

TEXT tile1x2<>(SB), NOSPLIT, $0-73
	NARROW(ROWS2, FMOVS, LOAD1, STORE1)

TEXT tile1x3<>(SB), NOSPLIT, $0-73
	NARROW(ROWS3, FMOVS, LOAD1, STORE1)

TEXT tile1x4<>(SB), NOSPLIT, $0-73
	NARROW(ROWS4, FMOVS, LOAD1, STORE1)

TEXT tile1x5<>(SB), NOSPLIT, $0-73
	NARROW(ROWS5, FMOVS, LOAD1, STORE1)

TEXT tile1x6<>(SB), NOSPLIT, $0-73
	NARROW(ROWS6, FMOVS, LOAD1, STORE1)
