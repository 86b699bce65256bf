package training

import (
	"fmt"
	"testing"
)

// TestChunksTrainTheSame compares steps in chunks, even and with a remainder,
// with steps in one piece.
func TestChunksTrainTheSame(t *testing.T) {
	for _, name := range []string{"uni(P,I)", "multi(P,I,IQ)"} {
		c := toyConfig()
		c.Epochs, c.Warmup = 1, 0
		_, want := trainedOn(t, colours(8), c, parsed(t, name), Options{})
		for _, size := range []int{8, 7} {
			c.Chunk = size
			_, got := trainedOn(t, colours(8), c, parsed(t, name), Options{})
			for i, s := range got.Curve {
				where := fmt.Sprintf("%s in chunks of %d, step %d", name, size, i+1)
				near(t, where+" loss", s.Loss, want.Curve[i].Loss, 1e-4, 0)
				near(t, where+" norm", s.GradNorm, want.Curve[i].GradNorm, 1e-3, 0)
				near(t, where+" MRR", s.MRR, want.Curve[i].MRR, 1e-6, 0)
				if fmt.Sprint(len(s.Terms), s.Tokens) != fmt.Sprint(len(want.Curve[i].Terms), want.Curve[i].Tokens) {
					t.Errorf("%s: %+v, want %+v", where, s, want.Curve[i])
				}
			}
		}
	}
}
