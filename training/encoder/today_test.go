package encoder_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// hasTokens reports whether a golden folder's model has no single vector for a text.
// TestLateGoldens and TestSparseGoldens read such folders.
func hasTokens(dir string) bool { return encoder.IsMultiVector(dir) || encoder.IsSparse(dir) }

// goldenFiles lists the golden.json of every folder that matches pattern, in goldens and
// goldens-today, except for models with several vectors.
func goldenFiles(t *testing.T, pattern string) []string {
	t.Helper()
	var list []string
	for _, root := range []string{testkit.SharedPath(t, "goldens"), filepath.Join(testkit.Shared(), "goldens-today")} {
		paths, err := filepath.Glob(filepath.Join(root, pattern, "golden.json"))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, slices.DeleteFunc(paths, func(path string) bool { return hasTokens(filepath.Dir(path)) })...)
	}
	if len(list) == 0 {
		t.Fatalf("no goldens %s", pattern)
	}
	return list
}

// goldenFolder is the folder of a golden model, in goldens-today or goldens.
func goldenFolder(t testing.TB, name string) string {
	t.Helper()
	today := filepath.Join(testkit.Shared(), "goldens-today", name)
	if _, err := os.Stat(today); err == nil {
		return today
	}
	return testkit.SharedPath(t, "goldens", name)
}

// todayCase holds the data that goldens-today has in addition to goldens.
type todayCase struct {
	headCase
	Sentences     [][]float64                     `json:"sentence_embeddings"` // of the folder's own modules
	Judge         []int32                         `json:"judge_token_ids_true_false"`
	JudgeTrue     []float64                       `json:"judge_log_p_true"`
	JudgeOdds     []float64                       `json:"judge_log_odds"`
	Prompts       []int                           `json:"prompt_lengths"`
	WithoutPrompt map[encoder.Pooling][][]float64 `json:"embeddings_without_prompt"`
}

// eachToday runs check on every folder of goldens-today that has cases with the wanted field,
// with those cases.
func eachToday(t *testing.T, wanted func(todayCase) bool, check func(t *testing.T, dir string, cases []todayCase)) {
	t.Helper()
	root := testkit.SharedPath(t, "goldens-today")
	paths, err := filepath.Glob(filepath.Join(root, "*", "golden.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens in %s: %v", root, err)
	}
	checked := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var golden struct{ Cases []todayCase }
		if err := json.Unmarshal(data, &golden); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		dir := filepath.Dir(path)
		cases := slices.DeleteFunc(golden.Cases, func(c todayCase) bool { return !wanted(c) })
		if len(cases) == 0 {
			continue
		}
		checked++
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if hasTokens(dir) {
				t.Skip("SKIP: no one vector for a text: see TestLateGoldens and TestSparseGoldens")
			}
			check(t, dir, cases)
		})
	}
	if checked == 0 {
		t.Error("no golden has such a case")
	}
}

// eachSaved opens an encoder from its folder, then from the folder that Save writes.
func eachSaved(t *testing.T, dir string, check func(e *encoder.Encoder)) {
	t.Helper()
	for range 2 {
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		check(e)
		dir = filepath.Join(t.TempDir(), "saved")
		if err := e.Save(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSentenceGoldens compares complete folders with sentence-transformers: network, pooling and
// the modules after it.
func TestSentenceGoldens(t *testing.T) {
	eachToday(t, func(c todayCase) bool { return c.Sentences != nil }, func(t *testing.T, dir string, cases []todayCase) {
		eachSaved(t, dir, func(e *encoder.Encoder) {
			for _, c := range cases {
				got := evaluate(t, e, func(in []*graph.Node) *graph.Node { return e.Embed(in[0].Graph(), in[0], in[1]) }, c.IDs, c.Mask)
				if worst := distance2(got.([][]float32), c.Sentences); !(worst <= embeddingTolerance) {
					t.Errorf("%s: vectors differ by %g", c.Name, worst)
				}
			}
		})
	})
}

// TestJudgeGoldens: the score of yes against no is its log probability among the two, and their
// logits differ as in Qwen3-Reranker.
func TestJudgeGoldens(t *testing.T) {
	eachToday(t, func(c todayCase) bool { return c.Judge != nil }, func(t *testing.T, dir string, cases []todayCase) {
		m, err := encoder.OpenLanguageModel(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			next := evaluate(t, m.Model(), func(in []*graph.Node) *graph.Node { return m.NextLogits(in[0], in[1]) }, c.IDs, c.Mask)
			for i, row := range next.([][]float32) {
				yes, no := float64(row[c.Judge[0]]), float64(row[c.Judge[1]])
				if d := math.Abs(encoder.LogProbability(no, yes) - c.JudgeTrue[i]); !(d <= logitTolerance) {
					t.Errorf("%s: log p(yes) of row %d differs by %g", c.Name, i, d)
				}
				if d := math.Abs(yes - no - c.JudgeOdds[i]); !(d <= logitTolerance) {
					t.Errorf("%s: log odds of row %d differ by %g", c.Name, i, d)
				}
			}
		}
	})
}

// TestPromptGoldens: the network reads the first tokens of each text, but the mean leaves them
// out, on either side of the padding.
func TestPromptGoldens(t *testing.T) {
	eachToday(t, func(c todayCase) bool { return c.WithoutPrompt != nil }, func(t *testing.T, dir string, cases []todayCase) {
		eachSaved(t, dir, func(e *encoder.Encoder) {
			if !e.Config().Text.Prompt.Excludes() {
				t.Fatalf("prompts are pooled: %q", e.Config().Text.Prompt)
			}
			for _, c := range cases {
				types := make([][]int32, len(c.IDs))
				for b, row := range c.Mask {
					types[b] = make([]int32, len(row))
					from := slices.Index(row, 1)
					for s := range c.Prompts[b] {
						types[b][from+s] = 1
					}
				}
				got := evaluate(t, e, func(in []*graph.Node) *graph.Node { return e.EmbedMarked(in[0], in[1], in[2]) }, c.IDs, c.Mask, types)
				if worst := distance2(got.([][]float32), c.WithoutPrompt[encoder.Mean]); !(worst <= embeddingTolerance) {
					t.Errorf("%s: vectors differ by %g", c.Name, worst)
				}
			}
		})
	})
}
