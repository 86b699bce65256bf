package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"infbench/training/encoder"
	"infbench/training/tokenizer"
)

// TestGPUCheckDryRun takes the whole path on the processors at tiny shapes, the
// decoder's with checkpointing.
func TestGPUCheckDryRun(t *testing.T) {
	out := verbOutput(t, "gpu-check", "--device", "go", "--shape", "tiny", "--shape", "tiny-llama",
		"--records", "2", "--groups", "1", "--length", "16", "--steps", "1", "--peak-tflops", "1")
	for _, want := range []string{
		`^device go\n`, `tiny: \d+ weights, \d+ sequences of 16 tokens a step\n`, `tiny-llama: \d+ weights`,
		`infbench +train bf16 +[0-9.]+ +[1-9]\d* +[0-9.]+ % +[0-9.]+ GiB\n`, `infbench +encode float32 +[0-9.]+ +[1-9]\d* `,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("output lacks %s:\n%s", want, out)
		}
	}
}

// TestGPUCheckSkips says that there is no GPU, and succeeds.
func TestGPUCheckSkips(t *testing.T) {
	if _, err := exec.LookPath("nvidia-smi"); err == nil {
		t.Skip("SKIP: there may be a GPU here")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", t.TempDir())
	if out := verbOutput(t, "gpu-check", "--device", "xla:cuda"); !strings.HasPrefix(out, "gpu-check: SKIP: no GPU here") || strings.Count(out, "\n") != 1 {
		t.Errorf("printed %q", out)
	}
	verbFails(t, exitUsage, `unknown device "cuda"`, "gpu-check", "--device", "cuda")
	verbFails(t, exitUsage, `did you mean "e5-base"?`, "gpu-check", "--shape", "e5base")
	verbFails(t, exitUsage, "unknown checkpointing", "gpu-check", "--checkpointing", "yes")
	verbFails(t, exitUsage, `did you mean "bf16"?`, "gpu-check", "--precision", "fp16")
}

// TestShapes counts weights: 22.6 and 109 million of MiniLM-L6 and e5-base without
// their poolers (22.7 and 109.5 million with), 1,235,814,400 of Llama-3.2-1B by its
// model card's 1.23 B. The large ones are counted, not made.
func TestShapes(t *testing.T) {
	for name, want := range map[string]int{
		"minilm-l6":    22_713_216 - 384*384 - 384,
		"e5-base":      109_482_240 - 768*768 - 768,
		"llama-3.2-1b": 1_235_814_400,
	} {
		got, err := encoder.CountWeights(shapes()[name].config)
		if err != nil || got != want {
			t.Errorf("%s: %d weights, %v; want %d", name, got, err, want)
		}
	}
}

// TestRandomRecords: every text has the tokens asked for.
func TestRandomRecords(t *testing.T) {
	data := randomRecords(3, 32)
	tok, err := tokenizer.BuildWordPiece(texts(data), 2000)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range data {
		for _, text := range []string{r.Positive, r.HardNegative1, r.QueryPositive + " " + r.InstructionNegative} {
			if n := len(tok.Encode(text, 100)); n != 32 {
				t.Errorf("%q has %d tokens, want 32", text, n)
			}
		}
	}
}

func TestCardNamed(t *testing.T) {
	for name, want := range map[string]float64{
		"NVIDIA H200": 989e12, "NVIDIA H100 PCIe": 756e12, "NVIDIA H100 80GB HBM3": 989e12, "NVIDIA L4": 121e12, "NVIDIA L40S": 362e12,
		"NVIDIA A100-SXM4-80GB": 312e12, "Tesla T4": 0,
	} {
		if got := cardNamed(name); got.name != name || got.peak != want {
			t.Errorf("%s: %+v, want a peak of %g", name, got, want)
		}
	}
}
