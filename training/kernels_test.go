//go:build linux

package training

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"infbench/metrics/kernel"
	"infbench/training/encoder"
)

// kernelsVariable names the kernel set of a test process: make kernels-check runs the goldens
// under each set.
const kernelsVariable = "INFBENCH_KERNELS"

func TestMain(m *testing.M) {
	if name := os.Getenv(kernelsVariable); name != "" {
		if err := kernel.Use(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// A step of every kernel set has the same bytes on any number of processors, and sets differ only
// by rounding.
func TestKernelsTrainTheSame(t *testing.T) {
	before, cores := kernel.Name(), runtime.GOMAXPROCS(0)
	defer func() {
		runtime.GOMAXPROCS(cores)
		if err := kernel.Use(before); err != nil {
			t.Error(err)
		}
	}()
	var first []float32
	for _, set := range kernel.Available() {
		if err := kernel.Use(set); err != nil {
			t.Fatal(err)
		}
		var one []float32
		for _, n := range []int{1, 2, 3} {
			runtime.GOMAXPROCS(n)
			got := afterSteps(t)
			if one == nil {
				one = got
			}
			if !slices.Equal(got, one) {
				t.Errorf("%s: %d processors give %v, one gives %v", set, n, got, one)
			}
		}
		if first == nil {
			first = one
		}
		for i, v := range one {
			if d := v - first[i]; d > 1e-3 || d < -1e-3 {
				t.Errorf("%s: output %d is %v, with %s it is %v", set, i, v, kernel.Available()[0], first[i])
			}
		}
	}
}

// afterSteps trains a small network for three steps and returns the outputs of each step.
func afterSteps(t *testing.T) []float32 {
	w := workload{config: randomBERT(2, 36, 3, 300), pairs: 5, length: 13}
	enc, err := encoder.New(w.config, nil, 1, openBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	c := DefaultConfig()
	o, err := c.Objective()
	if err != nil {
		t.Fatal(err)
	}
	s, err := newStepper(c, o, parsed(t, "uni(P)"), enc, w.pairs)
	if err != nil {
		t.Fatal(err)
	}
	var all []float32
	for i := range 3 {
		batch := w.batch(enc, rand.New(rand.NewPCG(1, uint64(i))))
		out, err := s.program.run([]uploaded{onDevice(t, s.program, batch)}, s.optimizer.Factors(i, 1e-3))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, out...)
	}
	return all
}
