package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// plan uses models check: a model folder that cannot run is not listed as waiting.
func TestPlanOfModelsThatCannotRun(t *testing.T) {
	testkit.Deep(t)
	whole := testkit.SharedPath(t, "models/stories260k-hf")
	bare := filepath.Join(t.TempDir(), "bare")
	if err := os.CopyFS(bare, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(bare, "tokenizer.json")); err != nil {
		t.Fatal(err)
	}
	const form = "name: x\nbase: {backbone: %s, train: {epochs: 1, rows_per_group: 12}%s}\nbaselines: [bm25, %s]\nevaluate: [mini-bright]"
	for _, c := range []struct {
		name, backbone, more, baseline string
		cannot                         int
		want                           string
	}{
		{"a model that runs", whole, "", "untrained", 0, ""},
		{"a backbone without a tokenizer", bare, "", "untrained", 2, bare + " cannot be run: "},
		{"a baseline without a tokenizer", "tiny-bert", "", bare, 1, bare + " cannot be run: "},
		{"longer texts than positions", whole, ", design: {max_document_tokens: 1024}", "untrained", 2, "texts of 1024 tokens: it has positions for 512"},
		{"longer documents than a built-in network reads", "tiny-bert", ", design: {max_document_tokens: 100000}", "untrained", 2, "tiny-bert cannot be run with texts of 100000 tokens: it has positions for 64"},
		{"longer queries than a built-in network reads", "tiny-llama", ", design: {max_query_tokens: 65}", "untrained", 2, "tiny-llama cannot be run with texts of 65 tokens: it has positions for 64"},
		{"as long as a built-in network reads", "tiny-qwen3", ", design: {max_document_tokens: 64}", "untrained", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := verbOutput(t, "plan", inFile(t, "x.yaml", fmt.Sprintf(form, c.backbone, c.more, c.baseline)), "--runs", t.TempDir())
			if n := strings.Count(out, "cannot run "); n != c.cannot || !strings.Contains(out, c.want) {
				t.Errorf("%d cells cannot run, want %d with %q:\n%s", n, c.cannot, c.want, out)
			}
			// The file has bm25, a trained cell and the baseline.
			if count := fmt.Sprintf("3 trials, %d to run", 3-c.cannot); !strings.Contains(out, count) || strings.Contains(out, fmt.Sprintf(", %d cannot run;", c.cannot)) != (c.cannot > 0) {
				t.Errorf("cells that cannot run are counted as to run, want %q:\n%s", count, out)
			}
			if strings.Count(out, "note: "+c.backbone+" cannot") > 1 {
				t.Errorf("it is said twice:\n%s", out)
			}
		})
	}
}
