package encoder_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"infbench/training/encoder"
	"infbench/training/weights"
)

// adapter writes a PEFT folder for the query projection of the tiny model. A and B have rank 2,
// so that B A has, in row o and column i, (o+1)/64 * 1 if i is 0 and (o+1)/64 * 3 if i is 1, and
// 0 elsewhere.
func adapter(t *testing.T, config string, change func([]weights.Tensor) []weights.Tensor) string {
	t.Helper()
	const rank, width = 2, 64
	a, b := make([]float32, rank*width), make([]float32, width*rank)
	a[0], a[width+1] = 1, 3
	for o := range width {
		b[o*rank], b[o*rank+1] = float32(o+1)/width, float32(o+1)/width
	}
	const layer = "base_model.model.encoder.layer.0.attention.self.query."
	list := []weights.Tensor{
		{Name: layer + "lora_A.weight", Shape: []int{rank, width}, Values: a},
		{Name: layer + "lora_B.weight", Shape: []int{width, rank}, Values: b},
	}
	if change != nil {
		list = change(list)
	}
	var file bytes.Buffer
	if err := weights.Write(&file, list); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"adapter_config.json": config, "adapter_model.safetensors": file.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const adapterConfig = `{"peft_type": "LORA", "r": 2, "lora_alpha": 6, "target_modules": ["query"], "bias": "none",
	"fan_in_fan_out": false, "modules_to_save": null, "lora_dropout": 0.1, "task_type": "FEATURE_EXTRACTION",
	"base_model_name_or_path": "somewhere", "use_rslora": false, "init_lora_weights": true, "rank_pattern": {}, "use_dora": false}`

// TestAdapter merges adapters with PEFT's scale.
func TestAdapter(t *testing.T) {
	base := filepath.Join(t.TempDir(), "model")
	if err := tiny(t).Save(base); err != nil {
		t.Fatal(err)
	}
	const name = "encoder.layer.0.attention.self.query.weight"
	before := tensors.MustCopyFlatData[float32](tiny(t).Variable(name).MustValue())
	for _, c := range []struct {
		old, new string
		scale    float64
	}{
		{"", "", 6.0 / 2},
		{`"use_rslora": false`, `"use_rslora": true`, 6 / math.Sqrt2},
		{`"rank_pattern": {}`, `"alpha_pattern": {"self.query": 10}`, 10.0 / 2},
		{`"r": 2`, `"r": 8, "rank_pattern": {"query": 2}`, 6.0 / 2},
		{`["query"]`, `".*\\.self\\.query"`, 6.0 / 2},
		{`["query"]`, `["attention.self.query"]`, 6.0 / 2},
		{`["query"]`, `["encoder.layer.0.attention.self.query"]`, 6.0 / 2},
		{`["query"]`, `["query"], "exclude_modules": ["layer.1.attention.self.query"]`, 6.0 / 2},
		{`["query"]`, `["query", "value", "pooler.dense"], "exclude_modules": ".*\\.value"`, 6.0 / 2},
		{`["query"]`, `["query"], "layers_to_transform": 0`, 6.0 / 2},
		{`["query"]`, `["query"], "layers_to_transform": [1, 0], "layers_pattern": ["h", "layer"]`, 6.0 / 2},
		{`["query"]`, `["encoder.layer.0.attention.self.query"], "layers_to_transform": [7]`, 6.0 / 2},
		{`"fan_in_fan_out": false`, `"fan_in_fan_out": true`, 6.0 / 2},
		// Keys of patterns are expressions, and the first one in the file counts: results of PEFT
		// 0.21.2.
		{`"rank_pattern": {}`, `"alpha_pattern": {"query": 10, "self.query": 20}`, 10.0 / 2},
		{`"rank_pattern": {}`, `"alpha_pattern": {"self.query": 20, "query": 10}`, 20.0 / 2},
		{`"rank_pattern": {}`, `"alpha_pattern": {"value": 20, "(query|value)": 10}`, 10.0 / 2},
		{`"rank_pattern": {}`, `"alpha_pattern": {"^encoder.layer.[01].attention.self.query": 10}`, 10.0 / 2},
		{`"rank_pattern": {}`, `"alpha_pattern": {".*\\.layer\\.0\\..*": 10}`, 10.0 / 2},
		{`"rank_pattern": {}`, `"alpha_pattern": {"layer.\\d{,2}.*query\\Z": 10}`, 10.0 / 2},
		{`"rank_pattern": {}`, `"alpha_pattern": {"uery": 10, "layer.0": 20, "[[:alpha:]]*": 30}`, 6.0 / 2},
		{`"rank_pattern": {}`, `"alpha_pattern": {"query": 10, "value": 20, "query": 30}`, 30.0 / 2},
		{`"r": 2`, `"r": 8, "rank_pattern": {"layer\\.0\\..*": 2, "query": 8}`, 6.0 / 2},
	} {
		config := strings.Replace(adapterConfig, c.old, c.new, 1)
		if strings.Contains(c.new, `"rank_pattern"`) {
			config = strings.Replace(config, `, "rank_pattern": {}`, "", 1)
		}
		e, err := encoder.OpenAdapted(base, adapter(t, config, nil), backend(t))
		if err != nil {
			t.Errorf("%s: %v", c.new, err)
			continue
		}
		after := tensors.MustCopyFlatData[float32](e.Variable(name).MustValue())
		for at := range after {
			o, i := at/64, at%64
			want := float64(before[at])
			switch i {
			case 0:
				want += c.scale * float64(o+1) / 64
			case 1:
				want += c.scale * float64(o+1) / 64 * 3
			}
			if math.Abs(float64(after[at])-want) > 1e-5 {
				t.Fatalf("%s: weight [%d,%d] is %g, want %g", c.new, o, i, after[at], want)
			}
		}
	}
}

// TestBrokenAdapters: a part of an adapter that is missing in the model, or that this code does
// not support, is an error that names it.
func TestBrokenAdapters(t *testing.T) {
	base := filepath.Join(t.TempDir(), "model")
	if err := tiny(t).Save(base); err != nil {
		t.Fatal(err)
	}
	rename := func(old, new string) func([]weights.Tensor) []weights.Tensor {
		return func(list []weights.Tensor) []weights.Tensor {
			for i := range list {
				list[i].Name = strings.Replace(list[i].Name, old, new, 1)
			}
			return list
		}
	}
	for i, c := range []struct {
		old, new string
		change   func([]weights.Tensor) []weights.Tensor
		want     string
	}{
		{`["query"]`, `["query", "q_proj"]`, nil, "target_modules: the model has no linear layer q_proj"},
		{`["query"]`, `["query", "value"]`, nil, "missing adapter for layer encoder.layer.0.attention.self.value"},
		{`["query"]`, `"all-linear"`, nil, "missing adapter for layer encoder.layer.0.attention.output.dense"},
		{`["query"]`, `["value"]`, nil, "layer encoder.layer.0.attention.self.query has an adapter, but adapter_config.json does not target it"},
		{`["query"]`, `[]`, nil, "target_modules is neither"},
		{`["query"]`, `"("`, nil, "target_modules: error parsing regexp"},
		{`"use_dora": false`, `"use_dora": true`, nil, "use_dora is true, but lora_magnitude_vector is present: false"},
		{`"modules_to_save": null`, `"modules_to_save": ["pool"]`, nil, "modules_to_save: the model has no module pool"},
		{`"modules_to_save": null`, `"something_new": 7`, nil, "something_new 7 is not supported"},
		{`["query"]`, `["query"], "exclude_modules": ["self.query"]`, nil, "adapter_config.json does not target it"},
		{`["query"]`, `["query"], "layers_to_transform": [1]`, nil, "adapter_config.json does not target it"},
		{`["query"]`, `".*query", "layers_to_transform": [0]`, nil, "layers_to_transform needs a list of names"},
		{`["query"]`, `["query"], "layers_pattern": "layer"`, nil, "layers_pattern needs layers_to_transform"},
		{`["query"]`, `".*(?!value)query"`, nil, "target_modules: error parsing regexp"},
		{`["query"]`, `".*(query|value)"`, nil, "missing adapter for layer encoder.layer.0.attention.self.value"},
		{`"rank_pattern": {}`, `"alpha_pattern": {"que++ry": 1}`, nil, `alpha_pattern: "que++ry": error parsing regexp`},
		{`"rank_pattern": {}`, `"alpha_pattern": {"(?i)QUERY": 1}`, nil, `alpha_pattern: "(?i)QUERY": global flags are not at its start`},
		{`"rank_pattern": {}`, `"rank_pattern": {"\\pL": 1}`, nil, `rank_pattern: "\\pL": bad escape \p`},
		{`"modules_to_save": null`, `"lora_bias": true`, nil, "lora_bias true is not supported"},
		{`"bias": "none"`, `"bias": "all"`, nil, `bias "all"`},
		{`"LORA"`, `"IA3"`, nil, `peft_type "IA3"`},
		{`"init_lora_weights": true`, `"init_lora_weights": "pissa"`, nil, `init_lora_weights "pissa"`},
		{`"r": 2`, `"r": 0`, nil, "r is 0"},
		{`"r": 2`, `"r": 4`, nil, "do not fit rank 4"},
		{"", "", rename("layer.0", "layer.1"), "no linear layer encoder.layer.1.attention.self.query"},
		{"", "", rename("lora_B", "lora_E"), "unknown tensors: base_model.model.encoder.layer.0.attention.self.query.lora_E.weight"},
		{"", "", rename("base_model.", "base."), "unknown tensors"},
		{"", "", func(list []weights.Tensor) []weights.Tensor { return list[:1] }, "lora_A or lora_B without the other"},
		{"", "", func(list []weights.Tensor) []weights.Tensor {
			list[0].Shape = []int{64, 2}
			return list
		}, "do not fit rank 2"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			_, err := encoder.OpenAdapted(base, adapter(t, strings.Replace(adapterConfig, c.old, c.new, 1), c.change), backend(t))
			wantError(t, err, c.want)
		})
	}
}

// TestAdapterSavesTensors: a tensor with the name of a weight replaces it, whether or not
// modules_to_save lists it, as PEFT writes the embeddings of an enlarged vocabulary. The factors
// of an embedding are added to it.
func TestAdapterSavesTensors(t *testing.T) {
	base := filepath.Join(t.TempDir(), "model")
	if err := tiny(t).Save(base); err != nil {
		t.Fatal(err)
	}
	const name = "embeddings.word_embeddings.weight"
	before := tensors.MustCopyFlatData[float32](tiny(t).Variable(name).MustValue())
	shape := tiny(t).Variable(name).Shape().Dimensions
	values := make([]float32, len(before))
	for i := range values {
		values[i] = float32(i%7) / 7
	}
	a, b := make([]float32, 2*shape[0]), make([]float32, 2*shape[1])
	a[3], b[2*5+0] = 2, .5 // row 3, component 5
	for _, c := range []struct {
		name, old, new string
		add            []weights.Tensor
		want           func(i int) float32
		err            string
	}{
		{"whole", "", "", []weights.Tensor{{Name: name, Shape: shape, Values: values}}, func(i int) float32 { return values[i] }, ""},
		{"of another size", "", "", []weights.Tensor{{Name: name, Shape: []int{1, shape[1]}, Values: values[:shape[1]]}}, nil, "the vocabulary was resized in training"},
		{"not of the model", "", "", []weights.Tensor{{Name: "embeddings.others.weight", Shape: shape, Values: values}}, nil, "saves embeddings.others.weight, which the model does not have"},
		{"factors", `["query"]`, `["query", "word_embeddings"]`, []weights.Tensor{
			{Name: "embeddings.word_embeddings.lora_embedding_A", Shape: []int{2, shape[0]}, Values: a},
			{Name: "embeddings.word_embeddings.lora_embedding_B", Shape: []int{shape[1], 2}, Values: b},
		}, func(i int) float32 {
			if i == 3*shape[1]+5 {
				return before[i] + 3*2*.5
			}
			return before[i]
		}, ""},
	} {
		config := strings.Replace(adapterConfig, c.old, c.new, 1)
		e, err := encoder.OpenAdapted(base, adapter(t, config, func(list []weights.Tensor) []weights.Tensor {
			for _, more := range c.add {
				more.Name = "base_model.model." + more.Name
				list = append(list, more)
			}
			return list
		}), backend(t))
		if c.err != "" {
			wantError(t, err, c.err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for i, v := range tensors.MustCopyFlatData[float32](e.Variable(name).MustValue()) {
			if math.Abs(float64(v-c.want(i))) > 1e-6 {
				t.Errorf("%s: value %d is %g, want %g", c.name, i, v, c.want(i))
				break
			}
		}
	}
}

// TestDecomposedAdapter: with DoRA every row of the merged weight has the length stored in the
// adapter, and the direction of W + s B A.
func TestDecomposedAdapter(t *testing.T) {
	base := filepath.Join(t.TempDir(), "model")
	if err := tiny(t).Save(base); err != nil {
		t.Fatal(err)
	}
	const name = "encoder.layer.0.attention.self.query"
	open := func(config string, change func([]weights.Tensor) []weights.Tensor) []float32 {
		t.Helper()
		e, err := encoder.OpenAdapted(base, adapter(t, config, change), backend(t))
		if err != nil {
			t.Fatal(err)
		}
		return tensors.MustCopyFlatData[float32](e.Variable(name + ".weight").MustValue())
	}
	plain := open(adapterConfig, nil)
	lengths := make([]float32, 64)
	for o := range lengths {
		lengths[o] = float32(o) / 8
	}
	got := open(strings.Replace(adapterConfig, `"use_dora": false`, `"use_dora": true`, 1), func(list []weights.Tensor) []weights.Tensor {
		return append(list, weights.Tensor{Name: "base_model.model." + name + ".lora_magnitude_vector", Shape: []int{64}, Values: lengths})
	})
	for o := range lengths {
		var sum float64
		for _, v := range plain[o*64 : (o+1)*64] {
			sum += float64(v) * float64(v)
		}
		for i := o * 64; i < (o+1)*64; i++ {
			if want := float64(plain[i]) * float64(lengths[o]) / math.Sqrt(sum); math.Abs(float64(got[i])-want) > 1e-6 {
				t.Fatalf("value %d is %g, want %g", i, got[i], want)
			}
		}
	}
}

// TestIsAdapter: an adapter's folder may have a copy of its network's configuration, but not its
// weights.
func TestIsAdapter(t *testing.T) {
	dir := adapter(t, adapterConfig, nil)
	add := func(name string, want bool) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := encoder.IsAdapter(dir); got != want {
			t.Errorf("with %s: %t, want %t", name, got, want)
		}
	}
	add("config.json", true)
	add("pytorch_model.bin.index.json", false)
	if name, revision, err := encoder.AdapterBase(dir); name != "somewhere" || revision != "" || err != nil {
		t.Errorf("made for %q at %q, %v", name, revision, err)
	}
	if _, _, err := encoder.AdapterBase(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has no base_model_name_or_path") {
		t.Errorf("without a configuration: %v", err)
	}
}
