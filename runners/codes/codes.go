// Package codes stores vectors in fewer bits than float32, with a proven bound of the error. It
// knows nothing about documents and rankings.
package codes

import (
	"math"

	"infbench/internal/nearest"
	"infbench/metrics/kernel"
)

// Form is the number format in which values are stored.
type Form string

// The forms: float32 means unchanged vectors, without codes.
const (
	Float32 Form = "float32"
	Float16 Form = "float16"
	Int8    Form = "int8"
)

// Parse returns the form with a name; "" is Float32.
func Parse(name string) (Form, error) {
	switch f := Form(name); f {
	case Float32, Float16, Int8:
		return f, nil
	case "":
		return Float32, nil
	}
	return "", nearest.Unknown("form of blocks", name, []string{string(Float32), string(Float16), string(Int8)})
}

// Bytes is the size of the codes of a vector.
func (f Form) Bytes(dim int) int64 {
	const scaleAndLost = 4 + 8
	switch f {
	case Float16:
		return 2*int64(dim) + scaleAndLost
	case Int8:
		return int64(dim) + scaleAndLost
	}
	return 0
}

// Codes are vectors in fewer bits: vector i is approximately Scales[i] times its codes. Lost[i]
// is an upper bound of the length of the difference, so that an inner product with q differs by
// at most |q|·Lost[i] (Cauchy and Schwarz).
type Codes struct {
	dim    int
	halves []uint16 // codes of Float16
	bytes  []int8   // codes of Int8
	Scales []float32
	Lost   []float64
}

// New returns codes with room for n vectors in a form.
func New(form Form, n, dim int) *Codes {
	c := &Codes{dim: dim, Scales: make([]float32, n), Lost: make([]float64, n)}
	if form == Int8 {
		c.bytes = make([]int8, n*dim)
	} else {
		c.halves = make([]uint16, n*dim)
	}
	return c
}

// Set stores v as vector i; its values must be finite.
func (c *Codes) Set(i int, v []float32) {
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	var lost float64
	if c.bytes != nil {
		c.Scales[i], lost = toBytes(c.bytes[i*c.dim:][:c.dim], v, most)
	} else {
		c.Scales[i], lost = toHalves(c.halves[i*c.dim:][:c.dim], v, most)
	}
	c.Lost[i] = math.Sqrt(lost) * (1 + 1e-6) // more than the rounding of float64
}

// Widen writes the codes of vectors lo to hi as values, not multiplied by their scales.
func (c *Codes) Widen(lo, hi int, dst []float32) {
	if c.bytes != nil {
		kernel.WidenBytes(dst[:(hi-lo)*c.dim], c.bytes[lo*c.dim:])
		return
	}
	kernel.WidenHalves(dst[:(hi-lo)*c.dim], c.halves[lo*c.dim:])
}

// Longest is an upper bound of the length of any vector of codes.
func (c *Codes) Longest() float64 {
	if c.bytes != nil {
		return 127 * math.Sqrt(float64(c.dim))
	}
	return 4 * math.Sqrt(float64(c.dim))
}

// toBytes converts v, whose absolute values are at most most, to whole numbers from -127 to 127
// times scale; lost is the square of the difference's length.
func toBytes(dst []int8, v []float32, most float32) (scale float32, lost float64) {
	scale = most / 127
	if scale == 0 {
		return 0, squares(v)
	}
	for i, x := range v {
		const whole = 3 << 22 // adding it to a float32 rounds to a whole number
		n := float32(min(max(x/scale, -127), 127)) + whole
		n -= whole
		dst[i] = int8(n)
		apart := float64(x) - float64(n)*float64(scale)
		lost += apart * apart
	}
	return scale, lost
}

// toHalves converts v to numbers of 11 bits times a power of two; lost is the square of the
// difference's length.
func toHalves(dst []uint16, v []float32, most float32) (scale float32, lost float64) {
	if most == 0 {
		return 0, 0
	}
	exponent := min(max(math.Ilogb(float64(most)), -126), 126)
	scale = float32(math.Ldexp(1, exponent))
	inverse := float32(math.Ldexp(1, -exponent))
	for i, x := range v {
		dst[i] = toHalf(x * inverse)
	}
	var wide [64]float32
	for from := 0; from < len(v); from += len(wide) {
		part := wide[:min(len(wide), len(v)-from)]
		kernel.WidenHalves(part, dst[from:])
		for i, h := range part {
			apart := float64(v[from+i]) - float64(h)*float64(scale)
			lost += apart * apart
		}
	}
	return scale, lost
}

func squares(v []float32) (sum float64) {
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return sum
}

// toHalf is the binary16 number nearest to x, the even one if two are; |x| must be below
// 65,520.
func toHalf(x float32) uint16 {
	bits := math.Float32bits(x)
	sign, bits := uint16(bits>>16&0x8000), bits&0x7fffffff
	if bits < 113<<23 { // below 2⁻¹⁴ all halves have the same exponent as 0.5 has in float32
		return sign | uint16(math.Float32bits(math.Float32frombits(bits)+0.5)-126<<23)
	}
	bits += 0xfff + bits>>13&1
	return sign | uint16(bits>>13-112<<10)
}
