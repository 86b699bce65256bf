package runners

import (
	"encoding/binary"
	"math"
)

// postingWeights is a sparse matrix of float32 weights with ascending rows. An entry takes the
// bytes of a difference and four for the weight.
type postingWeights struct{ packed }

// newPostingWeights is an empty matrix.
func newPostingWeights() *postingWeights { return &postingWeights{packed{ascending: true}} }

// Add appends the weight of other, which must be larger than the others of the row.
func (m *postingWeights) Add(row, other int32, weight float32) {
	grown := binary.AppendUvarint(m.rows[row], m.written(row, other))
	m.put(row, binary.LittleEndian.AppendUint32(grown, math.Float32bits(weight)))
}

// AddTo adds factor times the weight of each entry of a row to the sum of its other.
func (m *postingWeights) AddTo(row int32, factor float64, sums []float64) {
	other, difference := int32(-1), uint64(0)
	for rest := m.rows[row]; len(rest) > 0; rest = rest[4:] {
		difference, rest = number(rest)
		other += int32(difference)
		sums[other] += factor * float64(math.Float32frombits(binary.LittleEndian.Uint32(rest)))
	}
}
