package progress

import (
	"context"
	"slices"
	"testing"
)

func TestParts(t *testing.T) {
	var got []float64
	ctx := With(context.Background(), func(share float64) { got = append(got, share) })
	Report(ctx, 0.125) // not a part
	half := Part(ctx, 1, 2, 2)
	Report(half, 0.5)
	Report(Part(half, 0, 2, 4), 1)
	Report(Part(Without(ctx), 0, 1, 1), 1)
	Report(half, 2)
	Report(Part(context.Background(), 0, 1, 1), 1)
	Report(Part(ctx, 0, 0, 0), 1) // a part of nothing
	if want := []float64{0.75, 0.75, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("reported %v, want %v", got, want)
	}
}
