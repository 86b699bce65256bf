package encoder_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/training/encoder"
	"infbench/training/weights"
)

// breakable is a sound folder of a kind of model, with the function that opens it.
type breakable struct {
	name, modelType string
	make            func(t *testing.T) string
	open            func(t *testing.T, dir string) error
}

// breakables lists every architecture and every head.
func breakables() []breakable {
	open := func(t *testing.T, dir string) error { _, err := encoder.Open(dir, backend(t)); return err }
	pairs := func(t *testing.T, dir string) error { _, err := encoder.OpenCrossEncoder(dir, backend(t)); return err }
	words := func(t *testing.T, dir string) error { _, err := encoder.OpenLanguageModel(dir, backend(t)); return err }
	var all []breakable
	for _, modelType := range encoder.ModelTypes() {
		if modelType == "nvembed" {
			all = append(all, breakable{modelType, modelType, func(t *testing.T) string { dir, _ := randomFolder(t, nvConfig, nvTensors()); return dir }, open})
			continue
		}
		all = append(all, breakable{modelType, modelType, func(t *testing.T) string { dir, _ := withHead(t, modelType, "", nil, nil); return dir }, open})
	}
	add := func(name, modelType, prefix string, settings map[string]any, head []shaped, open func(*testing.T, string) error) {
		all = append(all, breakable{name, modelType, func(t *testing.T) string {
			dir, _ := withHead(t, modelType, prefix, settings, head)
			return dir
		}, open})
	}
	linear := func(name string, out int) []shaped {
		return []shaped{{name + ".weight", []int{out, 16}}, {name + ".bias", []int{out}}}
	}
	for _, m := range headModels() {
		add("classifier, "+m.name, m.modelType, m.prefix, m.settings, m.head, pairs)
	}
	one := func(class string) map[string]any {
		return map[string]any{"architectures": []string{class}, "id2label": labels(1)}
	}
	add("classifier, bert", "bert", "bert.", one("BertForSequenceClassification"), slices.Concat(linear("bert.pooler.dense", 16), linear("classifier", 1)), pairs)
	for modelType, class := range map[string]string{"roberta": "Roberta", "xlm-roberta": "XLMRoberta"} {
		add("classifier, "+modelType, modelType, "roberta.", one(class+"ForSequenceClassification"),
			slices.Concat(linear("classifier.dense", 16), linear("classifier.out_proj", 1)), pairs)
	}
	all = append(all, breakable{"classifier, t5", "t5", func(t *testing.T) string { dir, _ := t5Classifier(t); return dir }, pairs})
	all = append(all, breakable{"language model, t5", "t5", func(t *testing.T) string {
		dir, _ := t5Classifier(t)
		rewrite(t, filepath.Join(dir, "config.json"), map[string]any{"architectures": []string{"T5ForConditionalGeneration"}})
		writeTensors(t, dir, slices.DeleteFunc(readTensors(t, dir), func(s weights.Tensor) bool { return strings.HasPrefix(s.Name, "classification_head.") }))
		return dir
	}, words})
	for modelType, class := range map[string]string{"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3"} {
		add("language model, "+modelType, modelType, "model.", map[string]any{"architectures": []string{class + "ForCausalLM"}},
			[]shaped{{"lm_head.weight", []int{200, 16}}}, words)
	}
	add("language model, gemma3_text", "gemma3_text", "model.",
		map[string]any{"architectures": []string{"Gemma3ForCausalLM"}, "tie_word_embeddings": false}, []shaped{{"lm_head.weight", []int{200, 16}}}, words)
	return all
}

// TestBrokenWeights: any damage to the weights of any architecture or head is an error that names
// the file and, if possible, the tensor.
func TestBrokenWeights(t *testing.T) {
	for _, b := range breakables() {
		t.Run(b.name, func(t *testing.T) {
			dir := b.make(t)
			root := dir
			if b.modelType == "static" {
				root = filepath.Join(dir, "0_StaticEmbedding")
			}
			path := filepath.Join(root, "model.safetensors")
			if err := b.open(t, dir); err != nil {
				t.Fatalf("sound: %v", err)
			}
			if err := os.Remove(filepath.Join(root, "tokenizer.json")); err != nil { // opening is faster without it
				t.Fatal(err)
			}
			list := readTensors(t, root)
			sound, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			refused := func(what string, wants ...string) {
				t.Helper()
				err := b.open(t, dir)
				for _, want := range append(wants, "model.safetensors") {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%s: error %v, want %q", what, err, want)
					}
				}
			}
			for _, i := range []int{0, len(list) / 2, len(list) - 1} {
				name := list[i].Name
				writeTensors(t, root, slices.Delete(slices.Clone(list), i, i+1))
				refused("missing", "missing tensors: ", tail(name))
				other := slices.Clone(list)
				other[i].Shape = append([]int{1}, other[i].Shape...)
				writeTensors(t, root, other)
				refused("wrong shape", `tensor "`+name+`" has shape [1 `)
				other = slices.Clone(list)
				other[i].Values = slices.Clone(other[i].Values)
				other[i].Values[0] = float32(math.NaN())
				writeTensors(t, root, other)
				refused("NaN", `tensor "`+name+`": value 0 is NaN`)
			}
			writeTensors(t, root, append(slices.Clone(list), weights.Tensor{Name: "left.over", Shape: []int{1}, Values: []float32{1}}))
			refused("extra", "unknown tensors for model_type "+b.modelType+": left.over")
			for what, change := range map[string]func([]byte) []byte{
				"truncated":                  func(b []byte) []byte { return b[:len(b)-1] },
				"half":                       func(b []byte) []byte { return b[:len(b)/2] },
				"header length":              func(b []byte) []byte { b[0] ^= 1; return b },
				"header flipped":             func(b []byte) []byte { b[8] ^= 1; return b },
				"header flipped at its end":  func(b []byte) []byte { b[7+binary.LittleEndian.Uint64(b)] ^= 2; return b },
				"header flipped in a number": func(b []byte) []byte { return replace(`"data_offsets":[0,`, `"data_offsets":[2,`)(b) },
			} {
				if err := os.WriteFile(path, change(slices.Clone(sound)), 0o644); err != nil {
					t.Fatal(err)
				}
				refused(what)
			}
		})
	}
}

// tail is a tensor's name without the prefix of task models.
func tail(name string) string {
	for _, prefix := range []string{"bert.", "distilbert.", "mpnet.", "model.", "roberta.", "transformer."} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}
