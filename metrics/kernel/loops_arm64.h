// Loops over slices, four elements at a time, then what is left one by one in element 0:
// nothing beyond a slice is touched.
//
//	R0       dst
//	R1       elements left
//	R2-R4    the arguments, R5-R7 bytes from four elements to the next: 16, or 0 for an
//	         argument of one element that stands for all
//	V0-V2    elements of the arguments; a body leaves its result in V0

#define DST \
	MOVD dst_base+0(FP), R0; \
	MOVD dst_len+8(FP), R1; \
	CBZ  R1, done

// ARGUMENT is a slice; one of one element is copied to four on the stack.
#define ARGUMENT(base, length, pointer, step, copies) \
	MOVD  base, pointer; \
	MOVD  length, R8; \
	VLD1R (pointer), [V0.S4]; \
	FMOVQ F0, copies; \
	MOVD  $copies, R9; \
	MOVD  $16, step; \
	CMP   $1, R8; \
	CSEL  EQ, R9, pointer, pointer; \
	CSEL  EQ, ZR, step, step

#define FOURS1 VLD1.P (R2)(R5), [V0.S4]
#define FOURS2 FOURS1; VLD1.P (R3)(R6), [V1.S4]
#define FOURS3 FOURS2; VLD1.P (R4)(R7), [V2.S4]
#define ONES1 FMOVS (R2), F0; ADD R5>>2, R2
#define ONES2 ONES1; FMOVS (R3), F1; ADD R6>>2, R3
#define ONES3 ONES2; FMOVS (R4), F2; ADD R7>>2, R4

// ELEMENTS sets dst to what body makes of the arguments.
#define ELEMENTS(fours, ones, body) \
	SUBS $4, R1; \
	BLT  rest; \
four: \
	fours; \
	body; \
	VST1.P [V0.S4], 16(R0); \
	SUBS   $4, R1; \
	BGE    four; \
rest: \
	ADDS $4, R1; \
	BEQ  done; \
one: \
	ones; \
	body; \
	FMOVS.P F0, 4(R0); \
	SUBS    $1, R1; \
	BNE     one; \
done: \
	RET

#define OF_ONE(body) \
	DST; \
	ARGUMENT(a_base+24(FP), a_len+32(FP), R2, R5, first-16(SP)); \
	ELEMENTS(FOURS1, ONES1, body)

#define OF_TWO(body) \
	DST; \
	ARGUMENT(a_base+24(FP), a_len+32(FP), R2, R5, first-16(SP)); \
	ARGUMENT(b_base+48(FP), b_len+56(FP), R3, R6, second-32(SP)); \
	ELEMENTS(FOURS2, ONES2, body)

#define OF_THREE(body) \
	ARGUMENT(a_base+24(FP), a_len+32(FP), R2, R5, first-16(SP)); \
	ARGUMENT(b_base+48(FP), b_len+56(FP), R3, R6, second-32(SP)); \
	ARGUMENT(c_base+72(FP), c_len+80(FP), R4, R7, third-48(SP)); \
	ELEMENTS(FOURS3, ONES3, body)
