package command

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"infbench/bench/gpucheck"
	"infbench/internal/usage"
	"infbench/runners/catalog"
	"infbench/training"
	"infbench/training/tokenizer"
)

// TestGPUCheckDryRun runs all steps on the processors at tiny shapes, the decoder's with
// checkpointing.
func TestGPUCheckDryRun(t *testing.T) {
	out := verbOutput(t, "gpu-check", "--device", "go", "--shape", "tiny", "--shape", "tiny-llama",
		"--records", "2", "--groups", "1", "--length", "16", "--steps", "1", "--peak-tflops", "1")
	for _, want := range []string{
		`^device go\n`, `tiny: \d+ weights, \d+ sequences of 16 tokens per step\n`, `tiny-llama: \d+ weights`,
		`infbench +train bf16 +[0-9.]+ +[1-9]\d* +[0-9.]+ % +[0-9.]+ GiB\n`, `infbench +encode float32 +[0-9.]+ +[1-9]\d* `, `infbench +encode bf16 +[0-9.]+ +[1-9]\d* `,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("output lacks %s:\n%s", want, out)
		}
	}
}

// TestGPUCheckPaperLengths: texts have the paper's lengths unless equal lengths are asked
// for.
func TestGPUCheckPaperLengths(t *testing.T) {
	out := verbOutput(t, "gpu-check", "--device", "go", "--shape", "tiny", "--records", "2", "--groups", "1", "--steps", "2", "--precision", "float32")
	for _, want := range []string{`tiny: \d+ weights, \d+ sequences of \d+ to \d+ tokens, \d+ on average, per step\n`, `infbench +train float32 +[0-9.]+ +[1-9]\d* `} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("output lacks %s:\n%s", want, out)
		}
	}
	if strings.Contains(out, "bf16") {
		t.Errorf("bf16 was not asked for:\n%s", out)
	}
	verbFails(t, usage.ExitUsage, "8 tokens per text, or 0 for the paper's lengths", "gpu-check", "--length", "7")
}

// TestGPUCheckSkips: without a GPU the command reports that and succeeds.
func TestGPUCheckSkips(t *testing.T) {
	if _, err := exec.LookPath("nvidia-smi"); err == nil {
		t.Skip("SKIP: there may be a GPU here")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", t.TempDir())
	for _, args := range [][]string{{"gpu-check"}, {"gpu-check", "--device", "xla:cuda"}} { // a card is the default
		if out := verbOutput(t, args...); !strings.HasPrefix(out, "gpu-check: SKIP: no GPU here") || strings.Count(out, "\n") != 1 {
			t.Errorf("%v printed %q", args, out)
		}
	}
	verbFails(t, usage.ExitUsage, `unknown device "cuda"`, "gpu-check", "--device", "cuda")
	verbFails(t, usage.ExitUsage, `did you mean "e5-base"?`, "gpu-check", "--shape", "e5base")
	verbFails(t, usage.ExitUsage, "unknown checkpointing", "gpu-check", "--checkpointing", "yes")
	verbFails(t, usage.ExitUsage, `did you mean "bf16"?`, "gpu-check", "--precision", "fp16")
}

// TestRandomRecords: every text has the requested number of tokens.
func TestRandomRecords(t *testing.T) {
	data := gpucheck.RandomRecords(3, 32)
	tok, err := tokenizer.BuildWordPiece(catalog.Texts(data), 2000)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range training.Rows(data) {
		for _, text := range []string{r.Passage, r.Query + " " + r.Instruction} {
			if n := len(tok.Encode(text, 100)); n != 32 {
				t.Errorf("%q has %d tokens, want 32", text, n)
			}
		}
	}
}
