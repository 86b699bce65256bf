package training

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"infbench/training/encoder"
)

// simulated opens further devices: separate Go backends in this process.
func simulated(t testing.TB, n int) []compute.Backend {
	t.Helper()
	var list []compute.Backend
	for range n {
		list = append(list, openBackend(t))
	}
	return list
}

// deviceConfig splits batches of 24 or more sequences into chunks of 7, the last of them not
// full, and turns on everything that could depend on a chunk's number or place.
func deviceConfig() Config {
	c := toyConfig()
	c.Epochs, c.Accumulate, c.Chunk, c.Dropout, c.Groups = 2, 2, 7, 0.1, 2
	c.RowsPerGroup = 6
	c.Freeze = []string{"embeddings.position_embeddings"}
	return c
}

// TestDevicesTrainTheSame compares weights and curves of 1, 2, 3 and 5 devices bit for bit:
// negatives come from the entire batch wherever its rows are embedded.
func TestDevicesTrainTheSame(t *testing.T) {
	adapted := deviceConfig()
	adapted.Freeze, adapted.LoRA = nil, encoder.LoRA{Rank: 2, Dropout: 0.1}
	for name, c := range map[string]Config{"all weights": deviceConfig(), "adapter": adapted} {
		l := parsed(t, "multi(P,I)")
		want, whole := trained(t, c, l, Options{})
		for _, n := range []int{2, 3, 5} {
			got, sum := trained(t, c, l, Options{Devices: simulated(t, n-1)})
			if got != want || fmt.Sprint(sum.Curve) != fmt.Sprint(whole.Curve) {
				t.Errorf("%s: %d devices train other weights than one (curves equal: %v)", name, n, fmt.Sprint(sum.Curve) == fmt.Sprint(whole.Curve))
			}
		}
	}
}

// TestDevicesMatchTheUndividedBatch: sharing only changes rounding.
func TestDevicesMatchTheUndividedBatch(t *testing.T) {
	c := deviceConfig()
	c.Dropout, c.Warmup = 0, 0
	l := parsed(t, "uni(P,I)")
	_, shared := trained(t, c, l, Options{Devices: simulated(t, 1)})
	c.Chunk = 0
	_, whole := trained(t, c, l, Options{})
	for i, s := range shared.Curve {
		near(t, fmt.Sprintf("loss of step %d", i+1), s.Loss, whole.Curve[i].Loss, 1e-4, 0)
		near(t, fmt.Sprintf("norm of step %d", i+1), s.GradNorm, whole.Curve[i].GradNorm, 1e-3, 0)
	}
	near(t, "first loss", shared.Curve[0].Loss, whole.Curve[0].Loss, 1e-6, 0)
}

// TestResumeOnOtherDevices stops a run on two devices, continues it on three and ends it on one.
func TestResumeOnOtherDevices(t *testing.T) {
	c, l, data, dir := deviceConfig(), parsed(t, "multi(P,I)"), colours(24), t.TempDir()
	want, _ := trained(t, c, l, Options{})
	for leg, n := range []int{2, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Train(ctx, c, l, newEncoder(t, data), of(data), Options{
			Checkpoint: dir, Devices: simulated(t, n-1), OnStep: func(s Step) {
				if s.Step == 2*(leg+1) {
					cancel()
				}
			}})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if got, sum := trained(t, c, l, Options{Checkpoint: dir}); got != want || sum.Resumed != 4 {
		t.Errorf("resumed at %d, want 4; weights equal: %v", sum.Resumed, got == want)
	}
}

func TestDevicesNeedChunks(t *testing.T) {
	data := colours(24)
	_, err := Train(t.Context(), toyConfig(), parsed(t, "uni(P)"), newEncoder(t, data), of(data), Options{Devices: simulated(t, 1)})
	if err == nil || !strings.Contains(err.Error(), "2 devices share the chunks of a batch: set chunk") {
		t.Errorf("got %v", err)
	}
}

// TestShareKeepsOrder checks that results arrive in the order of the chunks, and that share stops
// at the first error of do or take.
func TestShareKeepsOrder(t *testing.T) {
	broken := errors.New("broken")
	for _, n := range []int{1, 2, 4} {
		var got []int
		double := func(_ lane, i int) (int, error) { return 2 * i, nil }
		if err := share(make([]lane, n), 9, double, func(i, r int) error {
			got = append(got, r-i)
			return nil
		}); err != nil || fmt.Sprint(got) != "[0 1 2 3 4 5 6 7 8]" {
			t.Errorf("%d lanes: %v, %v", n, got, err)
		}
		for at := range 9 {
			fails := func(i int) error {
				if i == at {
					return broken
				}
				return nil
			}
			do := share(make([]lane, n), 9, func(_ lane, i int) (int, error) { return 0, fails(i) }, func(int, int) error { return nil })
			take := share(make([]lane, n), 9, double, func(i, _ int) error { return fails(i) })
			for _, err := range []error{do, take} {
				if !errors.Is(err, broken) || !strings.Contains(err.Error(), fmt.Sprintf("chunk %d", at)) {
					t.Errorf("%d lanes, chunk %d fails: %v", n, at, err)
				}
			}
		}
	}
}
