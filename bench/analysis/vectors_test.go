package analysis

import (
	"context"
	"math"
	"strings"
	"testing"
)

// broken is an encoder with vectors of one value, which is NaN for one of the texts.
type broken struct{}

func (broken) Dim() int { return 1 }

func (broken) EncodeQueries(_ context.Context, queries, _ []string, dst []float32) error {
	for i, query := range queries {
		dst[i] = 1
		if query == "x" {
			dst[i] = float32(math.NaN())
		}
	}
	return nil
}

func (b broken) EncodeDocuments(ctx context.Context, titles, texts []string, dst []float32) error {
	return b.EncodeQueries(ctx, texts, titles, dst)
}

// TestEncodeEachFinite: a value that is not a number is an error that names the text.
func TestEncodeEachFinite(t *testing.T) {
	texts := append(make([]string, batch+2), "x")
	for _, as := range []textRole{"query", roleDocument} {
		took := 0
		err := encodeEach(t.Context(), broken{}, as, texts, func(vectors []float32, _ int) error {
			took += len(vectors)
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "not finite") || took != batch {
			t.Errorf("%s: took %d vectors, %v", as, took, err)
		}
		if err := encodeEach(t.Context(), broken{}, as, texts[:3], func([]float32, int) error { return nil }); err != nil {
			t.Errorf("%s: %v", as, err)
		}
	}
}
