package encoder_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/encoder"
	"infbench/training/weights"
)

// denseModel saves the tiny model and puts a Dense module on its pooled vector:
// y = f(W x + b) with W[o][i] = o+1 where i is o, and b[o] = o/10.
func denseModel(t *testing.T, activation string, out int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	if err := tiny(t).Save(dir); err != nil {
		t.Fatal(err)
	}
	w, b := make([]float32, out*64), make([]float32, out)
	for o := range out {
		w[o*64+o], b[o] = float32(o+1), float32(o)/10
	}
	var file bytes.Buffer
	err := weights.Write(&file, []weights.Tensor{
		{Name: "linear.weight", Shape: []int{out, 64}, Values: w}, {Name: "linear.bias", Shape: []int{out}, Values: b}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "2_Dense"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"2_Dense/config.json":       fmt.Sprintf(`{"in_features": 64, "out_features": %d, "bias": true, "activation_function": %q}`, out, activation),
		"2_Dense/model.safetensors": file.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	damage(t, filepath.Join(dir, "modules.json"), func(data []byte) []byte {
		// Between Pooling and Normalize; the order of the list counts.
		modules := strings.SplitAfter(string(data), "},")
		entry := `{"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"},`
		return []byte(strings.Join(slices.Insert(modules, 2, entry), ""))
	})
	return dir
}

// TestDense: the vector is the normalised projection of the pooled states, and a saved model
// returns the same one.
func TestDense(t *testing.T) {
	const out = 5
	texts := []string{"w1 w2 w3", "w4"}
	for activation, f := range map[string]func(float64) float64{
		"torch.nn.modules.activation.Tanh": math.Tanh,
		"torch.nn.modules.linear.Identity": func(x float64) float64 { return x },
	} {
		e, err := encoder.Open(denseModel(t, activation, out), backend(t))
		if err != nil {
			t.Fatal(err)
		}
		got := encodeTexts(t, e, texts)
		for row, text := range texts {
			ids := e.Tokens().Document("", text)
			mask := slices.Repeat([]int32{1}, len(ids))
			pooled := evaluate(t, e, func(in []*graph.Node) *graph.Node {
				return encoder.Pool(encoder.Mean, e.HiddenStates(in[0].Graph(), in[0], in[1], nil), in[1])
			}, [][]int32{ids}, [][]int32{mask}).([][]float32)[0]
			want, norm := make([]float64, out), 0.0
			for o := range want {
				want[o] = f(float64(o+1)*float64(pooled[o]) + float64(o)/10)
				norm += want[o] * want[o]
			}
			for o := range want {
				if d := math.Abs(want[o]/math.Sqrt(norm) - float64(got[row*out+o])); !(d <= 1e-5) {
					t.Errorf("%s: component %d of text %d is off by %g", activation, o, row, d)
				}
			}
		}
		saved := filepath.Join(t.TempDir(), "saved")
		if err := e.Save(saved); err != nil {
			t.Fatal(err)
		}
		again, err := encoder.Open(saved, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		if again.Dim() != out || !slices.Equal(got, encodeTexts(t, again, texts)) {
			t.Errorf("%s: the saved model gives other vectors, of %d components", activation, again.Dim())
		}
	}
}

func TestBrokenDense(t *testing.T) {
	for _, c := range []struct {
		file, old, new, want string
	}{
		{"config.json", `"in_features": 64`, `"in_features": 32`, "must have in_features 64, but has in_features 32"},
		{"config.json", `"out_features": 5`, `"out_features": 6`, `tensor "linear.weight" has shape [5 64], but the configuration needs [6 64]`},
		{"config.json", `"bias": true`, `"bias": false`, "linear.bias, linear.weight, but the configuration needs 1 tensors"},
		{"config.json", "activation.Tanh", "activation.Tansh", `did you mean "torch.nn.modules.activation.Tanh"?`},
		{"model.safetensors", "linear.bias", "linear.bios", `2_Dense: has no tensor "linear.bias" (it holds linear.bios, linear.weight)`},
	} {
		dir := denseModel(t, "torch.nn.modules.activation.Tanh", 5)
		damage(t, filepath.Join(dir, "2_Dense", c.file), replace(c.old, c.new))
		_, err := encoder.Open(dir, backend(t))
		wantError(t, err, c.want)
	}
	dir := denseModel(t, "torch.nn.modules.activation.Tanh", 5)
	damage(t, filepath.Join(dir, "2_Dense", "config.json"), nil)
	_, err := encoder.Open(dir, backend(t))
	wantError(t, err, "2_Dense: config.json is missing, but modules.json lists this folder")
}
