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

// adapter writes a PEFT folder for the query projection of the tiny model: A
// and B of rank 2, so that B A has, in row o and column i,
// (o+1)/64 * 1 where i is 0 and (o+1)/64 * 3 where i is 1, and 0 elsewhere.
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

// TestAdapter merges adapters with the scale that PEFT gives them.
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

// TestBrokenAdapters: what an adapter asks for and the model or this code does
// not have is an error that names it.
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
		{`["query"]`, `["value"]`, nil, "layer encoder.layer.0.attention.self.query is adapted, but no target"},
		{`["query"]`, `[]`, nil, "target_modules is neither"},
		{`["query"]`, `"("`, nil, "target_modules: error parsing regexp"},
		{`"use_dora": false`, `"use_dora": true`, nil, "use_dora true is not supported"},
		{`"modules_to_save": null`, `"modules_to_save": ["pool"]`, nil, "modules_to_save: the model has no module pool"},
		{`"modules_to_save": null`, `"something_new": 7`, nil, "something_new 7 is not supported"},
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

// TestIsAdapter: a folder of an adapter may have a copy of its network's configuration,
// but not its weights.
func TestIsAdapter(t *testing.T) {
	dir := adapter(t, adapterConfig, nil)
	add := func(name string, want bool) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
		if is := encoder.IsAdapter(dir); is != want {
			t.Errorf("with %s: %t, want %t", name, is, want)
		}
	}
	add("config.json", true)
	add("pytorch_model.bin.index.json", false)
	if name, revision, err := encoder.AdapterBase(dir); name != "somewhere" || revision != "" || err != nil {
		t.Errorf("made for %q at %q, %v", name, revision, err)
	}
	if _, _, err := encoder.AdapterBase(t.TempDir()); err == nil || !strings.Contains(err.Error(), "names no base_model_name_or_path") {
		t.Errorf("without a configuration: %v", err)
	}
}
