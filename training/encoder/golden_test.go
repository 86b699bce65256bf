package encoder_test

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	_ "infbench/training/backend"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// openBackend returns the device named by INFBENCH_DEVICE in GoMLX's syntax (the row "config" of
// infbench open-device), to run goldens on a card in a binary with the tag xla. Without it, it
// returns the Go backend in the one setting that does not deadlock on few cores.
var openBackend = sync.OnceValues(func() (compute.Backend, error) {
	return compute.NewWithConfig(cmp.Or(os.Getenv("INFBENCH_DEVICE"), "go:parallelism=-1"))
})

func backend(t testing.TB) compute.Backend {
	t.Helper()
	b, err := openBackend()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The tolerances of goldens/README.md: an independent float64 implementation agrees to a fifth of
// them.
const (
	hiddenTolerance    = 3e-5
	embeddingTolerance = 5e-6
)

type goldenCase struct {
	Name       string
	IDs        [][]int32                       `json:"input_ids"`
	Mask       [][]int32                       `json:"attention_mask"`
	Types      [][]int32                       `json:"token_type_ids"`
	Hidden     [][][]float64                   `json:"last_hidden_state"`
	Embeddings map[encoder.Pooling][][]float64 `json:"embeddings"`
}

// TestGoldens compares the networks with transformers' own outputs on random weights
// (goldens/README.md), in safetensors and in four formats of torch.save (goldens-bin/README.md),
// also for recent architectures (goldens-today/README.md).
func TestGoldens(t *testing.T) {
	checkGoldens(t, testkit.SharedPath(t, "goldens")) // TestGoldens/bert
	for _, name := range []string{"goldens-bin", "goldens-today"} {
		t.Run(name, func(t *testing.T) { checkGoldens(t, testkit.SharedPath(t, name)) })
	}
}

func checkGoldens(t *testing.T, root string) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(root, "*", "golden.json"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no goldens in %s: %v", root, err)
	}
	for _, path := range folders {
		dir := filepath.Dir(path)
		if strings.HasPrefix(filepath.Base(dir), "cross_") {
			continue // classifiers: logits only, no hidden states
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			checkGolden(t, path, dir)
			if hasTokens(dir) {
				return // no library writes such a model
			}
			saved := filepath.Join(t.TempDir(), "model")
			e, err := encoder.Open(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := e.Save(saved); err != nil {
				t.Fatal(err)
			}
			checkGolden(t, path, saved)
		})
	}
}

// checkGolden compares the model in dir with the outputs in the file at path.
func checkGolden(t *testing.T, path, dir string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var golden struct{ Cases []goldenCase }
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	e := networkIn(t, dir)
	checked := 0
	for _, c := range golden.Cases {
		if c.Hidden == nil { // a case of a decoder or classifier
			continue
		}
		checked++
		outputs := run(t, e, c)
		if worst := distance3(outputs[0], c.Hidden); !(worst <= hiddenTolerance) {
			t.Errorf("%s: hidden states differ by %g", c.Name, worst)
		}
		for i, pooling := range poolings {
			got := outputs[1+i].([][]float32)
			if worst := distance2(got, c.Embeddings[pooling]); !(worst <= embeddingTolerance) {
				t.Errorf("%s: %s embeddings differ by %g", c.Name, pooling, worst)
			}
		}
	}
	if checked == 0 {
		t.Error("no case has hidden states")
	}
}

// networkIn opens the network of a folder; for a model with several vectors for a text it is the
// network that reads documents.
func networkIn(t *testing.T, dir string) *encoder.Encoder {
	t.Helper()
	switch {
	case encoder.IsMultiVector(dir):
		m, err := encoder.OpenMultiVector(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		return m.Model()
	case encoder.IsSparse(dir):
		s, err := encoder.OpenSparse(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		networks := s.Networks()
		return networks[len(networks)-1]
	}
	e, err := encoder.Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

var poolings = []encoder.Pooling{encoder.Mean, encoder.CLS, encoder.Last}

// run returns the hidden states and the vectors of each pooling.
func run(t *testing.T, e *encoder.Encoder, c goldenCase) []any {
	t.Helper()
	args := []any{tensors.FromValue(c.IDs), tensors.FromValue(c.Mask)}
	if c.Types != nil {
		args = append(args, tensors.FromValue(c.Types))
	}
	outputs, err := model.CallOnceN(e.Backend(), e.Store(), func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		var types *graph.Node
		if len(in) > 2 {
			types = in[2]
		}
		states := e.HiddenStates(in[0].Graph(), in[0], in[1], types)
		nodes := []*graph.Node{states}
		for _, pooling := range poolings {
			nodes = append(nodes, graph.L2Normalize(encoder.Pool(pooling, states, in[1]), -1))
		}
		return nodes
	}, args...)
	if err != nil {
		t.Fatal(err)
	}
	var values []any
	for _, o := range outputs {
		values = append(values, o.Value())
	}
	return values
}

// distance3 is the largest difference over the rows that are not padding
// (null in the golden).
func distance3(got any, want [][][]float64) float64 {
	worst := 0.0
	for b, rows := range got.([][][]float32) {
		for s, row := range rows {
			if want[b][s] == nil {
				continue
			}
			worst = max(worst, distance2([][]float32{row}, [][]float64{want[b][s]}))
		}
	}
	return worst
}

// distance2 is the largest difference; different shapes are infinitely far apart.
func distance2(got [][]float32, want [][]float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	worst := 0.0
	for i := range want {
		if len(got[i]) != len(want[i]) {
			return math.Inf(1)
		}
		for k := range want[i] {
			worst = max(worst, math.Abs(float64(got[i][k])-want[i][k]))
		}
	}
	return worst
}
