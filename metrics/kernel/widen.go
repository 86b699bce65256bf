package kernel

import "math"

// WidenBytes computes dst = src, exactly; src has at least as many elements as dst.
func WidenBytes(dst []float32, src []int8) {
	done := 0
	if current.widenBytes != nil {
		done = current.widenBytes(dst, src[:len(dst)])
	}
	for i, b := range src[done:len(dst)] {
		dst[done+i] = float32(b)
	}
}

// WidenHalves computes dst = src, exactly; the elements of src must be finite numbers in IEEE
// 754's binary16 format. src has at least as many elements as dst.
func WidenHalves(dst []float32, src []uint16) {
	done := 0
	if current.widenHalves != nil {
		done = current.widenHalves(dst, src[:len(dst)])
	}
	for i, h := range src[done:len(dst)] {
		value := math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112
		dst[done+i] = math.Float32frombits(math.Float32bits(value) | uint32(h&0x8000)<<16)
	}
}
