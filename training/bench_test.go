//go:build linux

package training

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// workload is a training step to measure: pairs of an anchor and a passage of
// random tokens, InfoNCE at temperature 0.05, AdamW, float32.
type workload struct {
	config        encoder.Config
	pairs, length int
	chunk         int // sequences at a time; 0: all
	steps         int // steps to take; the first compiles the graphs and is timed only if it is the only one
	profiled      int // further steps to take under the profiler
}

// workloads are the workloads of BenchmarkTrain by name.
func workloads() map[string]workload {
	small, miniLM := randomBERT(4, 128, 4, 8000), randomBERT(6, 384, 12, 30522)
	return map[string]workload{
		"small":     {config: small, pairs: 16, length: 64, steps: 8, profiled: 8},
		"MiniLM-L6": {config: miniLM, pairs: 16, length: 64, steps: 4, profiled: 2},
		// Eight times the batch, in chunks of half of it.
		"MiniLM-L6/chunked": {config: miniLM, pairs: 128, length: 64, chunk: 16, steps: 1},
	}
}

func randomBERT(layers, width, heads, vocabulary int) encoder.Config {
	return encoder.Config{
		ModelType: "bert", HiddenSize: width, NumHiddenLayers: layers, NumAttentionHeads: heads, IntermediateSize: 4 * width,
		HiddenAct: "gelu", MaxPositionEmbeddings: 512, VocabSize: vocabulary, TypeVocabSize: 2, NormEps: 1e-12,
		Text: encoder.Text{Pooling: encoder.Mean, Normalize: true, MaxQuery: 512, MaxDocument: 512},
	}
}

// cost is the cost of a step.
type cost struct {
	Seconds, CPUSeconds float64
	PeakMiB             float64 // peak of the process
	Largest             string  // the three largest costs, by a profile
}

// workloadVariable names the workload that a separate process runs.
const workloadVariable = "INFBENCH_WORKLOAD"

// BenchmarkTrain takes training steps of networks with random weights and reports the fastest.
// Each workload runs in a separate process, so that memory peaks do not mix. On a busy machine
// the CPU seconds of a step say more than its time. The three largest costs of further steps are
// reported as shares of processor time. make peers shows this benchmark next to PyTorch.
func BenchmarkTrain(b *testing.B) {
	for _, name := range []string{"small", "MiniLM-L6", "MiniLM-L6/chunked"} {
		b.Run(name, func(b *testing.B) {
			w := workloads()[name]
			var best cost
			for b.Loop() {
				if c := inProcess(b, name); best.Seconds == 0 || c.Seconds < best.Seconds {
					best = c
				}
			}
			b.ReportMetric(0, "ns/op") // ns/op is of the process, not of a step
			b.ReportMetric(best.Seconds, "s/step")
			b.ReportMetric(best.CPUSeconds, "cpu-s/step")
			b.ReportMetric(float64(2*w.pairs*w.length)/best.Seconds, "tokens/s")
			b.ReportMetric(best.PeakMiB, "peak-MiB")
			if best.Largest != "" {
				b.Logf("largest costs of a step: %s of processor time", best.Largest)
			}
		})
	}
}

// inProcess runs a workload in a separate process.
func inProcess(b *testing.B, name string) cost {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestWorkload$")
	cmd.Env = append(os.Environ(), workloadVariable+"="+name)
	out, err := cmd.CombinedOutput()
	var c cost
	for line := range strings.Lines(string(out)) {
		if text, ok := strings.CutPrefix(line, costPrefix); ok && err == nil {
			err = json.Unmarshal([]byte(text), &c)
		}
	}
	if err != nil || c.Seconds == 0 {
		b.Fatalf("workload %s: %v\n%s", name, err, out)
	}
	return c
}

const costPrefix = "cost "

// TestWorkload is the process of BenchmarkTrain.
func TestWorkload(t *testing.T) {
	name := os.Getenv(workloadVariable)
	if name == "" {
		t.Skip("runs for BenchmarkTrain alone")
	}
	out, err := json.Marshal(workloads()[name].run(t))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\n%s%s\n", costPrefix, out)
}

// run returns the cost of the fastest step.
func (w workload) run(t *testing.T) cost {
	enc, err := encoder.New(w.config, nil, 1, openBackend(t))
	if err != nil {
		t.Fatal(err)
	}
	c := DefaultConfig()
	c.Clip, c.WeightDecay, c.Chunk = 0, 0.01, w.chunk
	o, err := c.Objective()
	if err != nil {
		t.Fatal(err)
	}
	s, err := newStepper(c, o, parsed(t, "uni(P)"), enc, w.pairs)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var best cost
	taken := 0
	step := func(in arrays) {
		if _, err := s.program.run([]uploaded{onDevice(t, s.program, in)}, s.optimizer.Factors(taken, 1e-4)); err != nil {
			t.Fatal(err)
		}
		taken++
	}
	for i := range w.steps {
		in := w.batch(enc, rng)
		start, before := time.Now(), testkit.ProcessorTime()
		step(in)
		if seconds := time.Since(start).Seconds(); i <= 1 || seconds < best.Seconds {
			best.Seconds, best.CPUSeconds = seconds, (testkit.ProcessorTime() - before).Seconds()
		}
	}
	best.PeakMiB = peakMiB(t)
	if w.profiled > 0 {
		best.Largest = profiled(t, func() {
			for range w.profiled {
				step(w.batch(enc, rng))
			}
		}).String()
	}
	return best
}

// batch returns a batch of random tokens.
func (w workload) batch(enc *encoder.Encoder, rng *rand.Rand) arrays {
	sequences := make([][]int32, 2*w.pairs)
	for i := range sequences {
		for range w.length {
			sequences[i] = append(sequences[i], int32(rng.IntN(w.config.VocabSize)))
		}
	}
	return arrays{
		sequences: sequences, tokens: &tokens{encoder: enc, length: w.length},
		pairs:        rectangle[int32](nil, number),
		instructions: rectangle[int32](nil, number),
		counted:      rectangle(nil, indicator),
		queries:      rectangle[int32](nil, number),
		anchored:     rectangle(nil, indicator),
		labels:       rectangle[int32](nil, number),
		teacher:      rectangle(nil, single),
		widths:       vector(nil),
		guide:        rectangle(nil, single),
		among:        rectangle(nil, indicator),
	}
}

// peakMiB is the most memory that this process has held (VmHWM).
func peakMiB(t *testing.T) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	var kib float64
	_, text, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(text, &kib); err != nil {
		t.Fatal(err)
	}
	return kib / 1024
}
