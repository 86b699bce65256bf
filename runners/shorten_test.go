package runners

import (
	"context"
	"math"
	"slices"
	"testing"
)

// fixedVectors gives text i of a call the vector (1, 2, 2, i).
type fixedVectors struct{}

func (fixedVectors) Dim() int { return 4 }

func (fixedVectors) fill(n int, dst []float32) error {
	for i := range n {
		copy(dst[4*i:], []float32{1, 2, 2, float32(i)})
	}
	return nil
}

func (c fixedVectors) EncodeQueries(_ context.Context, queries, _ []string, dst []float32) error {
	return c.fill(len(queries), dst)
}

func (c fixedVectors) EncodeDocuments(_ context.Context, _, texts []string, dst []float32) error {
	return c.fill(len(texts), dst)
}

// TestShorten: (1, 2, 2, i) cut to three values has length 3.
func TestShorten(t *testing.T) {
	enc, err := Shorten(fixedVectors{}, 3)
	if err != nil || enc.Dim() != 3 {
		t.Fatalf("%v, %v", enc, err)
	}
	got := make([]float32, 6)
	if err := enc.EncodeDocuments(t.Context(), []string{"", ""}, []string{"a", "b"}, got); err != nil {
		t.Fatal(err)
	}
	want := []float32{1.0 / 3, 2.0 / 3, 2.0 / 3, 1.0 / 3, 2.0 / 3, 2.0 / 3}
	if !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-7 }) {
		t.Errorf("documents %v, want %v", got, want)
	}
	if err := enc.EncodeQueries(t.Context(), []string{"a", "b"}, nil, got); err != nil || got[0] != want[0] {
		t.Errorf("queries %v, %v", got, err)
	}
	for _, whole := range []int{0, 4} {
		if same, err := Shorten(fixedVectors{}, whole); err != nil || same != Encoder(fixedVectors{}) {
			t.Errorf("%d: %v, %v", whole, same, err)
		}
	}
	for _, bad := range []int{-1, 5} {
		if _, err := Shorten(fixedVectors{}, bad); err == nil {
			t.Errorf("%d values of 4 are accepted", bad)
		}
	}
}
