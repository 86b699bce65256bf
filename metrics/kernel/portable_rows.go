package kernel

import "math"

var portableRows = rows{
	sum:               sumPortable,
	largest:           largestPortable,
	expSum:            expSumPortable,
	centredProduct:    centredProductPortable,
	moments:           momentsPortable,
	normalize:         normalizePortable,
	slopes:            slopesPortable,
	normalizeGradient: normalizeGradientPortable,
	addNormalized:     addNormalizedPortable,
}

func sumPortable(a []float32) float32 {
	var sum float64
	for _, x := range a {
		sum += float64(x)
	}
	return float32(sum)
}

func largestPortable(a []float32) float32 {
	top := float32(math.Inf(-1))
	for _, x := range a {
		top = max(top, x)
	}
	return top
}

func expSumPortable(dst, a []float32, top float32) float32 {
	var sum float64
	for i, x := range a {
		dst[i] = float32(expOf(float64(x - top)))
		sum += float64(dst[i])
	}
	return float32(sum)
}

func centredProductPortable(dst, y, v []float32, mean float32) {
	for i := range dst {
		dst[i] = y[i] * (v[i] - mean)
	}
}

func momentsPortable(a []float32, near float32) (sum, squares float32) {
	var s, q float64
	for _, x := range a {
		d := float64(x - near)
		s += d
		q += d * d
	}
	return float32(s), float32(q)
}

func normalizePortable(dst, a, gain, offset []float32, near, left, scale float32) {
	stepGain, stepOffset := step(gain), step(offset)
	for i, x := range a[:len(dst)] {
		dst[i] = fused(((x-near)-left)*scale, gain[i*stepGain], offset[i*stepOffset])
	}
}

func slopesPortable(a, v, gain []float32, near, left, scale float32) (sum, along float32) {
	stepGain := step(gain)
	var s, q float64
	for i, x := range a {
		u := float64(v[i] * gain[i*stepGain])
		s += u
		q += u * float64(((x-near)-left)*scale)
	}
	return float32(s), float32(q)
}

func normalizeGradientPortable(dst, a, v, gain []float32, near, left, scale, mean, along float32) {
	stepGain := step(gain)
	for i, x := range a[:len(dst)] {
		n := ((x - near) - left) * scale
		dst[i] = scale * fused(-n, along, v[i]*gain[i*stepGain]-mean)
	}
}

func addNormalizedPortable(dst, sum, a, v []float32, near, left, scale float32) {
	for i, x := range a[:len(dst)] {
		dst[i] = fused(v[i], ((x-near)-left)*scale, sum[i])
	}
}
