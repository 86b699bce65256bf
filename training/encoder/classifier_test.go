package encoder_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"infbench/training/encoder"
	"infbench/training/weights"
)

// family is a small network of each architecture, for tests of all of them.
func family(modelType string) encoder.Config {
	c := encoder.Config{
		ModelType: modelType, HiddenSize: 16, NumHiddenLayers: 1, NumAttentionHeads: 2, IntermediateSize: 24,
		HiddenAct: "gelu", MaxPositionEmbeddings: 64, TypeVocabSize: 2, VocabSize: 200,
	}
	switch modelType {
	case "llama", "llama_bidirec", "mistral", "qwen2", "qwen3":
		c.HiddenAct, c.NumKeyValueHeads, c.TypeVocabSize = "silu", 1, 0
	case "gemma3_text":
		c.HiddenAct, c.NumKeyValueHeads, c.HeadDim, c.TypeVocabSize = "gelu_pytorch_tanh", 1, 8, 0
	case "t5":
		c.HiddenAct, c.HeadDim, c.MaxPositionEmbeddings, c.TypeVocabSize = "gated-gelu", 8, 0, 0
	case "static":
		c = encoder.Config{ModelType: modelType, HiddenSize: 16, VocabSize: 200}
	case "distilbert", "modernbert", "mpnet":
		c.TypeVocabSize = 0
	}
	return c
}

// withHead saves a new network, then adds the tensors of a task and the settings of its class to
// the folder. Weights of the network get the prefix of the task's model.
func withHead(t *testing.T, modelType, prefix string, settings map[string]any, head []shaped) (string, values) {
	t.Helper()
	e, err := encoder.New(family(modelType), wordTokenizer(t, 150), 3, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "model")
	if err := e.Save(dir); err != nil {
		t.Fatal(err)
	}
	if settings == nil && head == nil {
		return dir, nil
	}
	rewrite(t, filepath.Join(dir, "config.json"), settings)
	list := readTensors(t, dir)
	for i := range list {
		list[i].Name = prefix + list[i].Name
	}
	w, source := values{}, rand.New(rand.NewPCG(5, 6))
	for _, s := range head {
		size := 1
		for _, n := range s.shape {
			size *= n
		}
		data, wide := make([]float32, size), make([]float64, size)
		for i := range data {
			data[i] = float32(source.NormFloat64() / 2)
			wide[i] = float64(data[i])
		}
		w[s.name] = wide
		list = append(list, weights.Tensor{Name: s.name, Shape: s.shape, Values: data})
	}
	writeTensors(t, dir, list)
	return dir, w
}

// rewrite changes keys of a JSON object in a file; nil removes one.
func rewrite(t *testing.T, path string, changes map[string]any) {
	t.Helper()
	object := map[string]any{}
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(data, &object); err != nil {
			t.Fatal(err)
		}
	}
	maps.Copy(object, changes)
	maps.DeleteFunc(object, func(_ string, v any) bool { return v == nil })
	data, err := json.MarshalIndent(object, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// readTensors reads all tensors of a folder.
func readTensors(t *testing.T, dir string) []weights.Tensor {
	t.Helper()
	stored, err := weights.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	var list []weights.Tensor
	for _, name := range stored.Names() {
		info, _ := stored.Info(name)
		data, err := stored.Float32(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, weights.Tensor{Name: name, Shape: info.Shape, Values: data})
	}
	return list
}

// writeTensors replaces a folder's weights.
func writeTensors(t *testing.T, dir string, list []weights.Tensor) {
	t.Helper()
	var b bytes.Buffer
	if err := weights.Write(&b, list); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "model.safetensors"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// labels is id2label for n labels.
func labels(n int) map[string]string {
	l := map[string]string{}
	for i := range n {
		l[fmt.Sprint(i)] = fmt.Sprintf("LABEL_%d", i)
	}
	return l
}

// headModel is a sequence classifier in the format of transformers, and its head in plain Go on
// the states of one text.
type headModel struct {
	name, modelType, prefix string
	settings                map[string]any
	head                    []shaped
	logits                  func(w values, states [][]float64) []float64
}

// headModels lists the heads without goldens, from the forward functions of transformers 4.49
// and, for EncT5, of facebookresearch/tart.
func headModels() []headModel {
	const d = 16
	linear := func(name string, out int) []shaped {
		return []shaped{{name + ".weight", []int{out, d}}, {name + ".bias", []int{out}}}
	}
	relu := func(x float64) float64 { return max(x, 0) }
	class := func(name string, n int, more ...any) map[string]any {
		settings := map[string]any{"architectures": []string{name}, "id2label": labels(n)}
		for i := 0; i < len(more); i += 2 {
			settings[more[i].(string)] = more[i+1]
		}
		return settings
	}
	last := func(w values, s [][]float64) []float64 { return w.apply("score", s[len(s)-1]) }
	return []headModel{
		{"distilbert", "distilbert", "distilbert.", class("DistilBertForSequenceClassification", 1),
			slices.Concat(linear("pre_classifier", d), linear("classifier", 1)),
			func(w values, s [][]float64) []float64 {
				return w.apply("classifier", mapped(w.apply("pre_classifier", s[0]), relu))
			}},
		{"mpnet", "mpnet", "mpnet.", class("MPNetForSequenceClassification", 2),
			slices.Concat(linear("classifier.dense", d), linear("classifier.out_proj", 2)),
			func(w values, s [][]float64) []float64 {
				return w.apply("classifier.out_proj", mapped(w.apply("classifier.dense", s[0]), math.Tanh))
			}},
		{"modernbert cls", "modernbert", "model.", class("ModernBertForSequenceClassification", 1),
			slices.Concat(linear("head.dense", d)[:1], linear("classifier", 1), []shaped{{"head.norm.weight", []int{d}}}),
			func(w values, s [][]float64) []float64 {
				return w.apply("classifier", w.norm("head.norm", mapped(w.apply("head.dense", s[0]), gelu64), 1e-5))
			}},
		{"modernbert mean", "modernbert", "model.",
			class("ModernBertForSequenceClassification", 2, "classifier_pooling", "mean", "classifier_activation", "silu", "classifier_bias", true),
			slices.Concat(linear("head.dense", d), linear("classifier", 2), []shaped{{"head.norm.weight", []int{d}}}),
			func(w values, s [][]float64) []float64 {
				return w.apply("classifier", w.norm("head.norm", mapped(w.apply("head.dense", mean(s)), silu64), 1e-5))
			}},
		{"gemma 3", "gemma3_text", "model.", class("Gemma3TextForSequenceClassification", 1), linear("score", 1)[:1], last},
		{"llama", "llama", "model.", class("LlamaForSequenceClassification", 1), linear("score", 1)[:1], last},
		{"mistral", "mistral", "model.", class("MistralForSequenceClassification", 2), linear("score", 2)[:1], last},
		{"qwen2", "qwen2", "model.", class("Qwen2ForSequenceClassification", 1), linear("score", 1)[:1], last},
		{"qwen3", "qwen3", "model.", class("Qwen3ForSequenceClassification", 2), linear("score", 2)[:1], last},
		{"llama both ways", "llama_bidirec", "model.", class("LlamaBidirectionalForSequenceClassification", 1, "temperature", 0.25), linear("score", 1)[:1],
			func(w values, s [][]float64) []float64 { // NeMo Automodel's forward function
				return mapped(w.apply("score", mean(s)), func(x float64) float64 { return x / 0.25 })
			}},
		{"llama both ways, last", "llama_bidirec", "model.", class("LlamaBidirectionalForSequenceClassification", 2, "pooling", "last"), linear("score", 2)[:1], last},
		{"qwen2, padding ends texts", "qwen2", "model.", class("Qwen2ForSequenceClassification", 1, "pad_token_id", 3), linear("score", 1)[:1],
			func(w values, s [][]float64) []float64 { return w.apply("score", s[len(s)-2]) }}, // before [SEP], id 3
		{"enc t5", "t5", "", class("EncT5ForSequenceClassification", 2), linear("classifier", 2),
			func(w values, s [][]float64) []float64 { return w.apply("classifier", s[0]) }},
	}
}

// TestClassifiers compares heads with plain loops over the network's own states, in a batch with
// padding.
func TestClassifiers(t *testing.T) {
	for _, m := range headModels() {
		t.Run(m.name, func(t *testing.T) {
			dir, w := withHead(t, m.modelType, m.prefix, m.settings, m.head)
			c, err := encoder.OpenCrossEncoder(dir, backend(t))
			if err != nil {
				t.Fatal(err)
			}
			ids, mask := pairRows(c.Model())
			got := evaluate(t, c.Model(), func(in []*graph.Node) *graph.Node { return c.Logits(in[0], in[1], nil) }, ids, mask).([][]float32)
			states := evaluate(t, c.Model(), func(in []*graph.Node) *graph.Node {
				return c.Model().HiddenStates(in[0].Graph(), in[0], in[1], nil)
			}, ids, mask).([][][]float32)
			for b, rows := range states {
				var text [][]float64
				for s, row := range rows {
					if mask[b][s] == 0 {
						break
					}
					text = append(text, widened(row))
				}
				if worst := distance2(got[b:b+1], [][]float64{m.logits(w, text)}); !(worst <= logitTolerance) {
					t.Errorf("row %d: logits differ by %g", b, worst)
				}
			}
			if got := scores(t, c, "w1", "w2", []string{"w3 w4", ""}); got[0] == got[1] {
				t.Errorf("scores %v", got)
			}
		})
	}
}

// TestBegins: EncT5 uses the token before a text, which T5's tokenizer does not write.
func TestBegins(t *testing.T) {
	head := []shaped{{"classifier.weight", []int{2, 16}}, {"classifier.bias", []int{2}}}
	dir, _ := withHead(t, "t5", "", map[string]any{"architectures": []string{"EncT5ForSequenceClassification"}}, head)
	rewrite(t, filepath.Join(dir, "tokenizer.json"), map[string]any{"post_processor": nil})
	_, err := encoder.OpenCrossEncoder(dir, backend(t))
	wantError(t, err, "reads the state of a token before the text, which the tokenizer does not write")
	found, err := encoder.Inspect(dir)
	if err != nil || found.Runs() || !strings.Contains(strings.Join(found.Problems, " "), "EncT5Tokenizer") {
		t.Errorf("%+v, %v", found, err)
	}
}

// pairRows are two pairs of texts in one batch, the second shorter.
func pairRows(e *encoder.Encoder) (ids, mask [][]int32) {
	for _, document := range []string{"w3 w4 w5 w6 w7 w8", "w9"} {
		row, _ := e.Tokenizer().EncodePair("w1 w2", document, 0)
		ids, mask = append(ids, row), append(mask, slices.Repeat([]int32{1}, len(row)))
	}
	short := len(ids[0]) - len(ids[1])
	ids[1] = append(ids[1], slices.Repeat([]int32{e.Tokens().PadID()}, short)...)
	mask[1] = append(mask[1], make([]int32, short)...)
	return ids, mask
}

// widened converts to float64.
func widened(row []float32) []float64 {
	out := make([]float64, len(row))
	for i, v := range row {
		out[i] = float64(v)
	}
	return out
}

// TestT5Classifier compares T5ForSequenceClassification with plain loops over the decoder's
// states. A language model whose output table is an identity matrix returns these states; goldens
// check that decoder. The end token is [SEP].
func TestT5Classifier(t *testing.T) {
	const d, sep = 16, 3
	dir, w := t5Classifier(t)
	c, err := encoder.OpenCrossEncoder(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	shown := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(shown, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	rewrite(t, filepath.Join(shown, "config.json"), map[string]any{"architectures": []string{"T5ForConditionalGeneration"}, "tie_word_embeddings": false})
	list := slices.DeleteFunc(readTensors(t, dir), func(s weights.Tensor) bool { return strings.HasPrefix(s.Name, "classification_head.") })
	vocabulary := c.Model().Config().VocabSize
	diagonal := make([]float32, vocabulary*d)
	for i := range d {
		diagonal[i*d+i] = 1
	}
	writeTensors(t, shown, append(list, weights.Tensor{Name: "lm_head.weight", Shape: []int{vocabulary, d}, Values: diagonal}))
	m, err := encoder.OpenLanguageModel(shown, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	ids, mask := pairRows(c.Model())
	got := evaluate(t, c.Model(), func(in []*graph.Node) *graph.Node { return c.Logits(in[0], in[1], nil) }, ids, mask).([][]float32)
	var decoder [][]int32
	for _, row := range ids {
		decoder = append(decoder, append([]int32{0}, row[:len(row)-1]...))
	}
	states := evaluate(t, m.Model(), func(in []*graph.Node) *graph.Node { return m.DecoderLogits(in[0], in[1], in[2]) }, ids, mask, decoder).([][][]float32)
	for b := range ids {
		end := -1
		for s, id := range ids[b] {
			if id == sep {
				end = s
			}
		}
		x := mapped(w.apply("classification_head.dense", widened(states[b][end][:d])), math.Tanh)
		if worst := distance2(got[b:b+1], [][]float64{w.apply("classification_head.out_proj", x)}); !(worst <= logitTolerance) {
			t.Errorf("row %d: logits differ by %g", b, worst)
		}
	}

	rewrite(t, filepath.Join(dir, "config.json"), map[string]any{"eos_token_id": 7})
	if c, err = encoder.OpenCrossEncoder(dir, backend(t)); err != nil {
		t.Fatal(err)
	}
	err = c.Score(t.Context(), []string{"w1"}, []string{""}, []string{""}, []string{"w2"}, make([]float32, 1))
	wantError(t, err, "reads the state of eos_token_id 7")
}

// t5Classifier makes a folder of T5ForSequenceClassification with one label.
func t5Classifier(t *testing.T) (string, values) {
	t.Helper()
	const d, inner, heads, wide = 16, 16, 2, 24
	const block = "transformer.decoder.block.0."
	var head []shaped
	for _, attention := range []string{"layer.0.SelfAttention.", "layer.1.EncDecAttention."} {
		for _, name := range []string{"q", "k", "v"} {
			head = append(head, shaped{block + attention + name + ".weight", []int{inner, d}})
		}
		head = append(head, shaped{block + attention + "o.weight", []int{d, inner}}, shaped{block + attention[:8] + "layer_norm.weight", []int{d}})
	}
	head = append(head,
		shaped{block + "layer.0.SelfAttention.relative_attention_bias.weight", []int{32, heads}},
		shaped{block + "layer.2.DenseReluDense.wi_0.weight", []int{wide, d}}, shaped{block + "layer.2.DenseReluDense.wi_1.weight", []int{wide, d}},
		shaped{block + "layer.2.DenseReluDense.wo.weight", []int{d, wide}}, shaped{block + "layer.2.layer_norm.weight", []int{d}},
		shaped{"transformer.decoder.final_layer_norm.weight", []int{d}},
		shaped{"classification_head.dense.weight", []int{d, d}}, shaped{"classification_head.dense.bias", []int{d}},
		shaped{"classification_head.out_proj.weight", []int{1, d}}, shaped{"classification_head.out_proj.bias", []int{1}})
	return withHead(t, "t5", "transformer.", map[string]any{
		"architectures": []string{"T5ForSequenceClassification"}, "id2label": labels(1), "eos_token_id": 3, "decoder_start_token_id": 0,
	}, head)
}
