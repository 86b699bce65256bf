package runners

import (
	"context"
	"fmt"
	"math"
)

// shortened is an encoder whose vectors are the first values of another's, normalised again.
// Matryoshka training (arXiv 2205.13147) makes such vectors useful.
type shortened struct {
	Encoder
	dim int
}

// Shorten cuts the vectors of an encoder to their first dim values and normalises them again. 0
// leaves them unchanged.
func Shorten(enc Encoder, dim int) (Encoder, error) {
	switch {
	case dim == 0 || dim == enc.Dim():
		return enc, nil
	case dim < 0 || dim > enc.Dim():
		return nil, fmt.Errorf("dims %d: the vectors have %d values", dim, enc.Dim())
	}
	return &shortened{enc, dim}, nil
}

// Dim implements Encoder.
func (c *shortened) Dim() int { return c.dim }

// EncodeQueries implements Encoder.
func (c *shortened) EncodeQueries(ctx context.Context, queries, instructions []string, dst []float32) error {
	return c.narrow(dst, len(queries), func(whole []float32) error {
		return c.Encoder.EncodeQueries(ctx, queries, instructions, whole)
	})
}

// EncodeDocuments implements Encoder.
func (c *shortened) EncodeDocuments(ctx context.Context, titles, texts []string, dst []float32) error {
	return c.narrow(dst, len(texts), func(whole []float32) error {
		return c.Encoder.EncodeDocuments(ctx, titles, texts, whole)
	})
}

// narrow encodes n texts and keeps the beginning of each vector.
func (c *shortened) narrow(dst []float32, n int, encode func(whole []float32) error) error {
	whole := make([]float32, n*c.Encoder.Dim())
	if err := encode(whole); err != nil {
		return err
	}
	for i := range n {
		to := dst[i*c.dim : (i+1)*c.dim]
		copy(to, whole[i*c.Encoder.Dim():])
		ToUnit(to)
	}
	return nil
}

// ToUnit scales v to length 1, unless it is a zero vector.
func ToUnit(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
}
