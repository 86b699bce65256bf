package encoder_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// beyondGolden is a golden.json of goldens-beyond: the outputs for texts of the library that wrote
// the folder.
type beyondGolden struct {
	Format     string
	Activation string            `json:"activation_fn"`
	Words      []int32           `json:"token_ids_yes_no"`
	Prompts    map[string]string // of monoT5 and RankT5
	Pairs      []struct {
		Query, Document string
		Logit, Predict  float64
		Yes, No         float64 // logits of a judge's words
		True, False     float64 // of monoT5's
		LogPTrue        float64 `json:"log_p_true"`
		RankT5          float64 `json:"rankt5"`
	}
	Queries, Documents json.RawMessage
	MaxSim             [][]float64 `json:"maxsim"`
	MeanMaxSim         [][]float64 `json:"meanmaxsim"`
	Scores             [][]float64
}

// comparison counts values and their largest difference from a golden's.
type comparison struct {
	values int
	worst  float64 // in units of the tolerance
}

func (c *comparison) add(got, want, tolerance float64) {
	c.values++
	if d := math.Abs(got-want) / tolerance; !(d <= c.worst) { // NaN counts
		c.worst = d
	}
}

// fits reports whether no value differs by more than its tolerance.
func (c *comparison) fits() bool { return c.values > 0 && c.worst <= 1 }

// compareBeyond reads a folder of goldens-beyond, or a changed copy, and compares its outputs with
// its golden.json.
func compareBeyond(t *testing.T, dir string) (c comparison, err error) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden beyondGolden
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	switch {
	case golden.Format == "golden-cross-v1" && golden.Prompts != nil:
		err = c.t5(t, dir, &golden)
	case golden.Format == "golden-cross-v1":
		err = c.pairs(t, dir, &golden)
	case golden.Format == "golden-late-v1":
		err = c.late(t, dir, &golden)
	case golden.Format == "golden-sparse-v1":
		err = c.sparse(t, dir, &golden)
	default:
		t.Fatalf("%s: format %q", dir, golden.Format)
	}
	return c, err
}

// openPairs opens a folder that scores pairs, an adapter with its base.
func openPairs(t *testing.T, dir string) (*encoder.CrossEncoder, error) {
	t.Helper()
	if !encoder.IsAdapter(dir) {
		return encoder.OpenCrossEncoder(dir, backend(t))
	}
	base, _, err := encoder.AdapterBase(dir)
	if err != nil {
		return nil, err
	}
	return (*encoder.Card)(nil).OpenAdaptedCrossEncoder(filepath.Join(dir, base), dir, backend(t))
}

// pairScores are a model's scores of the golden's pairs.
func (g *beyondGolden) pairScores(t *testing.T, m *encoder.CrossEncoder) []float64 {
	t.Helper()
	n := len(g.Pairs)
	none, queries, documents, scores := make([]string, n), make([]string, n), make([]string, n), make([]float32, n)
	for i, p := range g.Pairs {
		queries[i], documents[i] = p.Query, p.Document
	}
	if err := m.Score(t.Context(), queries, none, none, documents, scores); err != nil {
		t.Fatal(err)
	}
	all := make([]float64, n)
	for i, s := range scores {
		all[i] = float64(s)
	}
	return all
}

// logOdds is the difference of two logits whose log probability of the second is p.
func logOdds(p float64) float64 { return p - math.Log1p(-math.Exp(p)) }

// pairs compares logits and predictions of sentence-transformers.
func (c *comparison) pairs(t *testing.T, dir string, g *beyondGolden) error {
	m, err := openPairs(t, dir)
	if err != nil {
		return err
	}
	base := dir
	if encoder.IsAdapter(dir) {
		base = filepath.Join(dir, "..", "judge_qwen3")
	}
	found, err := encoder.Inspect(base)
	if err != nil || !found.Runs() {
		return fmt.Errorf("inspected: %+v, %w", found, err)
	}
	for i, score := range g.pairScores(t, m) {
		want := &g.Pairs[i]
		if g.Words != nil {
			score = logOdds(score)
			c.add(want.Yes-want.No, want.Logit, logitTolerance)
		}
		c.add(score, want.Logit, logitTolerance)
		if found.Activation == "Sigmoid" {
			score = 1 / (1 + math.Exp(-score))
		}
		c.add(score, want.Predict, logitTolerance)
	}
	return nil
}

// t5 compares monoT5's two words, each of them alone, and RankT5's one.
func (c *comparison) t5(t *testing.T, dir string, g *beyondGolden) error {
	dir = copied(t, dir)
	for _, by := range []struct {
		prompt, yes, no string
		want            func(i int) float64
	}{
		{"monot5", "true", "false", func(i int) float64 { return g.Pairs[i].LogPTrue }},
		{"monot5", "true", "", func(i int) float64 { return g.Pairs[i].True }},
		{"monot5", "false", "", func(i int) float64 { return g.Pairs[i].False }},
		{"rankt5", "<extra_id_10>", "", func(i int) float64 { return g.Pairs[i].RankT5 }},
	} {
		rewrite(t, filepath.Join(dir, "infbench.json"), map[string]any{"judge": map[string]any{"prompt": g.Prompts[by.prompt], "yes": by.yes, "no": by.no}})
		m, err := encoder.OpenCrossEncoder(dir, backend(t))
		if err != nil {
			return err
		}
		for i, score := range g.pairScores(t, m) {
			c.add(score, by.want(i), logitTolerance)
		}
	}
	return nil
}

// late compares token vectors and MaxSim.
func (c *comparison) late(t *testing.T, dir string, g *beyondGolden) error {
	m, err := encoder.OpenMultiVector(dir, backend(t))
	if err != nil {
		return err
	}
	encode := func(data json.RawMessage, ofQueries bool) [][][]float32 {
		var texts []lateText
		if err := json.Unmarshal(data, &texts); err != nil {
			t.Fatal(err)
		}
		vectors := tokenVectors(t, m, texts, ofQueries)
		for i, text := range texts {
			c.add(distance2(vectors[i], text.Vectors), 0, tokenTolerance)
		}
		return vectors
	}
	queries, documents := encode(g.Queries, true), encode(g.Documents, false)
	for i, q := range queries {
		for k, d := range documents {
			score := maxSim(q, d)
			c.add(score, g.MaxSim[i][k], maxSimTolerance)
			if g.MeanMaxSim != nil {
				c.add(score/float64(len(q)), g.MeanMaxSim[i][k], maxSimTolerance)
			}
		}
	}
	return nil
}

// sparse compares weights of terms and inner products.
func (c *comparison) sparse(t *testing.T, dir string, g *beyondGolden) error {
	m, err := encoder.OpenSparse(dir, backend(t))
	if err != nil {
		return err
	}
	encode := func(data json.RawMessage, ofQueries bool) []map[int32]float64 {
		var texts []sparseText
		if err := json.Unmarshal(data, &texts); err != nil {
			t.Fatal(err)
		}
		all := termWeights(t, m, texts, ofQueries)
		for i, text := range texts {
			want := map[int32]float64{}
			for k, term := range text.Indices {
				want[term] = text.Values[k]
			}
			for term := range int32(m.Terms()) {
				c.add(float64(all[i][term]), want[term], weightTolerance)
			}
		}
		return all
	}
	queries, documents := encode(g.Queries, true), encode(g.Documents, false)
	for i, q := range queries {
		for k, d := range documents {
			dot := 0.0
			for term, w := range q {
				dot += w * d[term]
			}
			c.add(dot, g.Scores[i][k], scoreTolerance)
		}
	}
	return nil
}

// beyondFolders are the folders of goldens-beyond.
var beyondFolders = []string{
	"colbert_bert", "colbert_bert_trained", "cross_bert", "cross_bert_st5", "cross_bert_trained", "cross_modernbert",
	"judge_qwen3", "judge_qwen3_lora", "judge_qwen3_lora_trained", "late_modernbert", "late_modernbert_trained", "monot5",
	"splade_bert", "splade_bert_st5", "splade_bert_trained", "splade_router", "splade_router_trained",
}

// TestBeyondFolders reads every folder of goldens-beyond and compares logits, predictions, token
// vectors, weights of terms and scores with those of the library that wrote it.
func TestBeyondFolders(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testkit.SharedPath(t, "goldens-beyond"), "*", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	read, compared := 0, 0
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c, err := compareBeyond(t, dir)
			if err != nil || !c.fits() {
				t.Fatalf("%d values, the largest difference is %.2g times its tolerance, %v", c.values, c.worst, err)
			}
			t.Logf("%d values, the largest difference is %.2g times its tolerance", c.values, c.worst)
			read, compared = read+1, compared+c.values
		})
	}
	t.Logf("%d of %d folders read, %d values compared, %d folders skipped", read, len(files), compared, len(files)-read)
	for _, name := range beyondFolders {
		if !slices.Contains(files, filepath.Join(testkit.Shared(), "goldens-beyond", name, "golden.json")) {
			t.Errorf("no folder %s", name)
		}
	}
}

// TestBeyondMistakes: a folder that is read with one setting changed or ignored misses its golden.
func TestBeyondMistakes(t *testing.T) {
	file := func(name string, changes map[string]any) func(*testing.T, string) {
		return func(t *testing.T, dir string) { rewrite(t, filepath.Join(dir, name), changes) }
	}
	const library = "config_sentence_transformers.json"
	for _, c := range []struct {
		name, folder string
		change       func(*testing.T, string)
	}{
		{"no activation in the library's file", "cross_bert_trained", file(library, map[string]any{"activation_fn": nil})},
		{"no activation in config.json", "cross_bert_st5", file("config.json", map[string]any{"sentence_transformers": nil})},
		{"shorter pairs", "cross_bert_trained", file("tokenizer_config.json", map[string]any{"model_max_length": 10})},
		{"first state for the mean", "cross_modernbert", file("config.json", map[string]any{"classifier_pooling": "cls"})},
		{"words exchanged", "judge_qwen3", file("1_LogitScore/config.json", map[string]any{"true_token_id": 70, "false_token_id": 69})},
		{"one word for two", "judge_qwen3", file("1_LogitScore/config.json", map[string]any{"false_token_id": nil})},
		{"a system message", "judge_qwen3", file(library, map[string]any{"prompts": map[string]any{"a": "w1"}, "default_prompt_name": "a"})},
		{"another template", "judge_qwen3", func(t *testing.T, dir string) {
			damage(t, filepath.Join(dir, "chat_template.jinja"), replace(" answer:", ""))
		}},
		{"shorter documents", "colbert_bert_trained", file(library, map[string]any{"document_length": 6})},
		{"attended expansion", "colbert_bert", file(library, map[string]any{"attend_to_expansion_tokens": true})},
		{"no skip list", "colbert_bert", file(library, map[string]any{"skiplist_words": []string{"w1"}})},
		{"another prefix", "colbert_bert", file(library, map[string]any{"query_prefix": "w1"})},
		{"vectors not unit", "late_modernbert", func(t *testing.T, dir string) {
			damage(t, filepath.Join(dir, "modules.json"), func(data []byte) []byte {
				var modules []map[string]any
				if err := json.Unmarshal(data, &modules); err != nil {
					t.Fatal(err)
				}
				data, err := json.Marshal(modules[:3])
				if err != nil {
					t.Fatal(err)
				}
				return data
			})
		}},
		{"no prompt", "late_modernbert_trained", file(library, map[string]any{"prompts": map[string]any{"query": "", "document": "w1"}})},
		{"sum pooling", "splade_bert", file("1_SpladePooling/config.json", map[string]any{"pooling_strategy": "sum"})},
		{"two logarithms", "splade_bert_st5", file("1_SpladePooling/config.json", map[string]any{"activation_function": "log1p_relu"})},
		{"one logarithm", "splade_router", file("document_1_SpladePooling/config.json", map[string]any{"activation_function": "relu"})},
		{"queries by the network", "splade_router_trained", file("router_config.json", map[string]any{"structure": map[string]any{
			"query": []string{"document_0_Transformer", "document_1_SpladePooling"}, "document": []string{"document_0_Transformer", "document_1_SpladePooling"}}})},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := copied(t, testkit.SharedPath(t, "goldens-beyond", c.folder))
			c.change(t, dir)
			if got, err := compareBeyond(t, dir); err != nil || got.worst < 10 {
				t.Errorf("the largest difference is only %.2g times its tolerance, %v", got.worst, err)
			}
		})
	}
}

// TestBatchesOfTokenizers: truncation and padding in tokenizer.json are those of the last batch that
// a library encoded, not the model's.
func TestBatchesOfTokenizers(t *testing.T) {
	for _, name := range []string{"colbert_bert", "colbert_bert_trained", "cross_bert", "cross_modernbert", "judge_qwen3", "late_modernbert", "monot5", "splade_bert"} {
		dir := copied(t, testkit.SharedPath(t, "goldens-beyond", name))
		rewrite(t, filepath.Join(dir, "tokenizer.json"), map[string]any{
			"truncation": map[string]any{"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0},
			"padding":    map[string]any{"strategy": map[string]any{"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": nil, "pad_id": 4, "pad_type_id": 0, "pad_token": "[MASK]"},
		})
		if c, err := compareBeyond(t, dir); err != nil || !c.fits() {
			t.Errorf("%s: the largest difference is %.2g times its tolerance, %v", name, c.worst, err)
		}
	}
}

// TestDamagedHeads: a tensor of a head or an adapter that is missing or has another shape is an
// error that names it.
func TestDamagedHeads(t *testing.T) {
	for _, c := range []struct{ folder, tensor string }{
		{"cross_bert", "classifier.weight"},
		{"cross_bert", "classifier.bias"},
		{"cross_bert_trained", "bert.pooler.dense.bias"},
		{"cross_modernbert", "head.dense.weight"},
		{"cross_modernbert", "head.norm.weight"},
		{"cross_modernbert", "classifier.bias"},
		{"judge_qwen3", "model.norm.weight"},
		{"judge_qwen3_lora", "base_model.model.model.layers.1.mlp.up_proj.lora_B.weight"},
		{"monot5", "decoder.final_layer_norm.weight"},
		{"colbert_bert/1_Dense", "linear.weight"},
		{"late_modernbert/1_Dense", "linear.weight"},
		{"splade_bert", "cls.predictions.bias"},
		{"splade_bert", "cls.predictions.transform.dense.bias"},
		{"splade_router/query_0_SparseStaticEmbedding", "weight"},
	} {
		folder, part, _ := strings.Cut(c.folder, "/")
		for _, change := range []string{"missing", "shape"} {
			parent := t.TempDir()
			for _, name := range slices.Compact([]string{folder, "judge_qwen3"}) { // the base of adapters
				if err := os.CopyFS(filepath.Join(parent, name), os.DirFS(testkit.SharedPath(t, "goldens-beyond", name))); err != nil {
					t.Fatal(err)
				}
			}
			dir := filepath.Join(parent, folder)
			weightsFile, adapterFile := filepath.Join(dir, part, "model.safetensors"), filepath.Join(dir, "adapter_model.safetensors")
			isAdapter := encoder.IsAdapter(dir)
			rename := func(from, to string) {
				if err := os.Rename(from, to); isAdapter && err != nil {
					t.Fatal(err)
				}
			}
			rename(adapterFile, weightsFile)
			changed := 0
			list := readTensors(t, filepath.Join(dir, part))
			for i, w := range list {
				switch {
				case w.Name != c.tensor:
					continue
				case change == "missing":
					list = slices.Delete(list, i, i+1)
				default:
					list[i].Shape, list[i].Values = []int{1, len(w.Values) + 1}, append(w.Values, 0)
				}
				changed++
				break
			}
			if changed != 1 {
				t.Fatalf("%s holds no tensor %s", c.folder, c.tensor)
			}
			writeTensors(t, filepath.Join(dir, part), list)
			if isAdapter {
				rename(weightsFile, adapterFile)
			}
			_, err := compareBeyond(t, dir)
			name := strings.TrimPrefix(strings.TrimPrefix(c.tensor, "bert."), "base_model.model.")
			name, _, _ = strings.Cut(strings.TrimPrefix(name, "model."), ".lora_")
			if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, %s %s: error %v, want one line with %s", c.folder, change, c.tensor, err, name)
			}
		}
	}
}
