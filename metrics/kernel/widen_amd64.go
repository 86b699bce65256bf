package kernel

// The following functions write as many elements as fill complete registers, and return their
// number.

func widenBytes256(dst []float32, src []int8) int {
	registers := len(dst) / 8
	if registers > 0 {
		widenBytesAVX2(&dst[0], &src[0], registers)
	}
	return 8 * registers
}

func widenBytes512(dst []float32, src []int8) int {
	registers := len(dst) / 16
	if registers > 0 {
		widenBytesAVX512(&dst[0], &src[0], registers)
	}
	return 16 * registers
}

func widenHalves512(dst []float32, src []uint16) int {
	registers := len(dst) / 16
	if registers > 0 {
		widenHalvesAVX512(&dst[0], &src[0], registers)
	}
	return 16 * registers
}
