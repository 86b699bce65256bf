package runners

import (
	"math"

	"infbench/metrics/nearest"
)

// BlockForm says in what form the documents of a block are multiplied with queries, to
// find those that are scored. Rankings and scores are the same in every form.
type BlockForm string

// The forms of a block, in bits of a value: float32 has the vectors as they are; float16
// and int8 have a copy of half and of a quarter of their size.
const (
	Float32 BlockForm = "float32"
	Float16 BlockForm = "float16"
	Int8    BlockForm = "int8"
)

// ParseBlockForm returns the form of a name; "" is Float32.
func ParseBlockForm(name string) (BlockForm, error) {
	switch f := BlockForm(name); f {
	case Float32, Float16, Int8:
		return f, nil
	case "":
		return Float32, nil
	}
	return "", nearest.Unknown("form of blocks", name, []string{string(Float32), string(Float16), string(Int8)})
}

// bytes is what the codes of a vector take beside it.
func (f BlockForm) bytes(dim int) int64 {
	const scaleAndLost = 4 + 8
	switch f {
	case Float16:
		return 2*int64(dim) + scaleAndLost
	case Int8:
		return int64(dim) + scaleAndLost
	}
	return 0
}

// codes are vectors in fewer bits: value k of vector i is about scales[i] times code
// i*dim+k. lost[i] is how far it may be from the vector: the length of the difference.
// So an inner product with q differs by |q|·lost[i] at most (Cauchy and Schwarz).
type codes struct {
	dim    int
	halves []uint16 // of Float16
	bytes  []int8   // of Int8
	scales []float32
	lost   []float64
}

func newCodes(form BlockForm, n, dim int) *codes {
	c := &codes{dim: dim, scales: make([]float32, n), lost: make([]float64, n)}
	if form == Int8 {
		c.bytes = make([]int8, n*dim)
	} else {
		c.halves = make([]uint16, n*dim)
	}
	return c
}

// set makes v vector i.
func (c *codes) set(i int, v []float32) {
	most := float32(0)
	for _, x := range v {
		most = max(most, x, -x)
	}
	var lost float64
	if c.bytes != nil {
		c.scales[i], lost = toBytes(c.bytes[i*c.dim:][:c.dim], v, most)
	} else {
		c.scales[i], lost = toHalves(c.halves[i*c.dim:][:c.dim], v, most)
	}
	c.lost[i] = math.Sqrt(lost) * (1 + 1e-6) // more than float64 rounds
}

// widen writes the codes of vectors lo to hi as values, without their scales.
func (c *codes) widen(lo, hi int, dst []float32) {
	if c.bytes != nil {
		for i, b := range c.bytes[lo*c.dim : hi*c.dim] {
			dst[i] = float32(b)
		}
		return
	}
	for i, h := range c.halves[lo*c.dim : hi*c.dim] {
		dst[i] = fromHalf(h)
	}
}

// longest is a bound of the length of any vector of codes.
func (c *codes) longest() float64 {
	if c.bytes != nil {
		return 127 * math.Sqrt(float64(c.dim))
	}
	return 4 * math.Sqrt(float64(c.dim))
}

// toBytes writes v, whose values are at most most, in whole numbers from -127 to 127
// times scale; lost is the square of the distance.
func toBytes(dst []int8, v []float32, most float32) (scale float32, lost float64) {
	scale = most / 127
	if scale == 0 {
		return 0, squares(v)
	}
	for i, x := range v {
		const whole = 3 << 22 // a float32 that adds it loses what is no whole number
		n := float32(min(max(x/scale, -127), 127)) + whole
		n -= whole
		dst[i] = int8(n)
		apart := float64(x) - float64(n)*float64(scale)
		lost += apart * apart
	}
	return scale, lost
}

// toHalves writes v in numbers of 11 bits times a power of two; lost is the square of the
// distance.
func toHalves(dst []uint16, v []float32, most float32) (scale float32, lost float64) {
	if most == 0 {
		return 0, 0
	}
	exponent := min(max(math.Ilogb(float64(most)), -126), 126)
	scale = float32(math.Ldexp(1, exponent))
	inverse := float32(math.Ldexp(1, -exponent))
	for i, x := range v {
		dst[i] = toHalf(x * inverse)
		apart := float64(x) - float64(fromHalf(dst[i]))*float64(scale)
		lost += apart * apart
	}
	return scale, lost
}

func squares(v []float32) (sum float64) {
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return sum
}

// toHalf is the binary16 number nearest to x, the even one of two; |x| is below 65,520.
func toHalf(x float32) uint16 {
	bits := math.Float32bits(x)
	sign, bits := uint16(bits>>16&0x8000), bits&0x7fffffff
	if bits < 113<<23 { // below 2⁻¹⁴ halves have one exponent: 0.5 has it as a float32
		return sign | uint16(math.Float32bits(math.Float32frombits(bits)+0.5)-126<<23)
	}
	bits += 0xfff + bits>>13&1
	return sign | uint16(bits>>13-112<<10)
}

// fromHalf is a finite binary16 number as float32, exactly.
func fromHalf(h uint16) float32 {
	value := math.Float32frombits(uint32(h&0x7fff)<<13) * 0x1p112
	return math.Float32frombits(math.Float32bits(value) | uint32(h&0x8000)<<16)
}
