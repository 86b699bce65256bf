package encoder_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"infbench/datasets/shared"
	"infbench/training/encoder"
)

// continuing feeds a text to a model bit by bit.
type continuing struct {
	exec  *model.Exec
	cache []*tensors.Tensor
	from  int32
}

func newContinuing(t *testing.T, m *encoder.LanguageModel, room int) *continuing {
	t.Helper()
	shapes, err := m.CacheShapes(room)
	if err != nil {
		t.Fatal(err)
	}
	c := &continuing{}
	for _, s := range shapes {
		c.cache = append(c.cache, tensors.FromShape(s))
	}
	c.exec, err = model.NewExec(m.Model().Backend(), m.Model().Store(), func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		logits, kept := m.Continue(in[0], in[1], in[2], in[3:])
		return append([]*graph.Node{logits}, kept...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// next returns the logits after the last of ids, which are read with so much padding.
func (c *continuing) next(t *testing.T, ids []int32, padding int) [][]float32 {
	t.Helper()
	args := []any{append(slices.Clone(ids), make([]int32, padding)...), c.from, []int32{int32(len(ids) - 1)}}
	for _, kept := range c.cache {
		args = append(args, kept)
	}
	out, err := c.exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	c.cache, c.from = out[1:], c.from+int32(len(ids))
	return out[0].Value().([][]float32)
}

// TestContinueGoldens: read in any bits, with padding or without, a text has
// transformers' logits at its last token, sliding windows included.
func TestContinueGoldens(t *testing.T) {
	checked := 0
	for dir, cases := range headCases(t, "*") {
		for _, g := range cases {
			if g.Last == nil {
				continue
			}
			checked++
			t.Run(filepath.Base(dir)+"/"+g.Name, func(t *testing.T) {
				m, err := encoder.OpenLanguageModel(dir, backend(t))
				if err != nil {
					t.Fatal(err)
				}
				for row, ids := range g.IDs {
					ids = unpadded(ids, g.Mask[row])
					for _, bits := range [][]int{{len(ids)}, {1, len(ids) - 1}, slices.Repeat([]int{1}, len(ids))} {
						c, rest, logits := newContinuing(t, m, len(ids)+1), ids, [][]float32(nil)
						for _, n := range bits {
							if n > 0 {
								logits = c.next(t, rest[:n], n%3*4)
								rest = rest[n:]
							}
						}
						if worst := distance2(logits, g.Last[row:row+1]); !(worst <= logitTolerance) {
							t.Errorf("row %d in %v: logits differ by %g", row, bits, worst)
						}
					}
				}
			})
		}
	}
	if checked == 0 {
		t.Error("no golden has logits")
	}
}

// unpadded are the ids that are no padding.
func unpadded(ids, mask []int32) []int32 {
	var list []int32
	for i, id := range ids {
		if mask[i] != 0 {
			list = append(list, id)
		}
	}
	return list
}

// TestContinueWindow: a window hides what is beyond it, as it does when a text is read
// at once.
func TestContinueWindow(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(shared.Path(t, "goldens", "mistral_causal"))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config.json")
	config, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	windowed := strings.Replace(string(config), `"sliding_window": null`, `"sliding_window": 4`, 1)
	if err := errors.Join(os.Chmod(path, 0o644), os.WriteFile(path, []byte(windowed), 0o644)); err != nil || windowed == string(config) {
		t.Fatal(err)
	}
	m, err := encoder.OpenLanguageModel(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	ids := []int32{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}
	c := newContinuing(t, m, 16)
	c.next(t, ids[:7], 2)
	whole := c.next(t, ids[7:], 0)
	mask := slices.Repeat([]int32{1}, len(ids))
	want := evaluate(t, m.Model(), func(in []*graph.Node) *graph.Node { return m.NextLogits(in[0], in[1]) }, [][]int32{ids}, [][]int32{mask})
	if worst := gap(whole[0], want.([][]float32)[0]); worst > 1e-5 {
		t.Errorf("logits differ by %g", worst)
	}
}

func gap(a, b []float32) (worst float64) {
	for i := range a {
		worst = max(worst, math.Abs(float64(a[i]-b[i])))
	}
	return worst
}

// TestContinueRefuses: T5 is named.
func TestContinueRefuses(t *testing.T) {
	m, err := encoder.OpenLanguageModel(shared.Path(t, "goldens", "t5_relu"), backend(t))
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.CacheShapes(8)
	wantError(t, err, "T5ForConditionalGeneration is not built to write texts")
}
