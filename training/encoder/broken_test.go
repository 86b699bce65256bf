package encoder_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/training/encoder"
)

// TestBrokenFolders damages a sound model in every way seen in real folders. Each must be an
// error with a message that names the place.
func TestBrokenFolders(t *testing.T) {
	const weights = "model.safetensors"
	for _, c := range []struct {
		name, file string
		damage     func([]byte) []byte
		want       string
	}{
		{"no config", "config.json", nil, "config.json"},
		{"no weights", weights, nil, "no weights"},
		{"config is no JSON", "config.json", replace("{", "{{"), "config.json"},
		{"another family", "config.json", replace(`"bert"`, `"brt"`), `unknown model_type "brt"`},
		{"a layer too many", "config.json", replace(`"num_hidden_layers": 1`, `"num_hidden_layers": 2`),
			"missing tensors: encoder.layer.1.attention.self.query.weight"},
		{"wrong shape", "config.json", replace(`"intermediate_size": 128`, `"intermediate_size": 127`),
			`tensor "encoder.layer.0.intermediate.dense.weight" has shape [128 64], but the configuration needs [127 64]`},
		{"renamed", weights, replace("output.dense.bias", "output.dense.bins"), "unknown tensors for model_type bert: encoder.layer.0.attention.output.dense.bins"},
		{"sound", weights, replace("", ""), ""},
		{"both spellings", weights, inHeader("encoder.layer.0.output.dense.bias", "bert.embeddings.LayerNorm.beta"),
			`tensors "bert.embeddings.LayerNorm.beta" and "embeddings.LayerNorm.bias" are the same weight`},
		{"listed twice", weights, inHeader("encoder.layer.0.output.dense.bias", "embeddings.LayerNorm.bias"),
			`tensor "embeddings.LayerNorm.bias" is listed twice`},
		{"truncated", weights, func(b []byte) []byte { return b[:len(b)-5] }, "truncated"},
		{"empty", weights, func([]byte) []byte { return nil }, "not a safetensors file"},
		{"header cut", weights, func(b []byte) []byte { return b[:100] }, "truncated or not safetensors"},
		{"longer", weights, func(b []byte) []byte { return append(b, 0) }, "truncated or damaged"},
		{"LFS pointer", weights, only(lfsPointer), "model.safetensors: this is a Git LFS pointer"},
		{"LFS pointer as configuration", "config.json", only(lfsPointer), "config.json: this is a Git LFS pointer"},
		{"LFS pointer as tokenizer", "tokenizer.json", only(lfsPointer), "tokenizer.json: this is a Git LFS pointer"},
		{"LFS pointer as modules", "modules.json", only(lfsPointer), "modules.json: this is a Git LFS pointer"},
		{"LFS pointer as settings", "infbench.json", only(lfsPointer), "infbench.json: this is a Git LFS pointer"},
		{"page as weights", weights, only(htmlPage), "model.safetensors: this is an HTML page"},
		{"page as configuration", "config.json", only(htmlPage), "config.json: this is an HTML page"},
		{"page as pooling", filepath.Join("1_Pooling", "config.json"), only("\ufeff\n<HTML>"), "config.json: this is an HTML page"},
		{"header length", weights, func(b []byte) []byte { b[0] ^= 1; return b }, "header"},
		{"header length huge", weights, func(b []byte) []byte { b[7] = 0xff; return b }, "truncated or not safetensors"},
		{"offset", weights, replace(`"data_offsets":[0,`, `"data_offsets":[1,`), "bytes 1 to"},
		{"dtype", weights, replace(`"dtype":"F32"`, `"dtype":"I32"`), "I32 is not a type of weights"},
		{"unknown dtype", weights, replace(`"dtype":"F32"`, `"dtype":"F31"`), `unknown dtype "F31"`},
		{"NaN", weights, func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[len(b)-4:], math.Float32bits(float32(math.NaN())))
			return b
		}, `tensor "encoder.layer.0.output.LayerNorm.bias": value 63 is NaN`},
		{"infinity", weights, func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[len(b)-4:], math.Float32bits(float32(math.Inf(-1))))
			return b
		}, "value 63 is -Inf"},
		{"tokenizer", "tokenizer.json", replace(`"BertNormalizer"`, `"BirtNormalizer"`), `unknown normalizer type "BirtNormalizer"`},
		{"pooling", filepath.Join("1_Pooling", "config.json"), replace(`"pooling_mode_max_tokens": false`, `"pooling_mode_max_tokens": true`), "pooling"},
		{"no pooling", filepath.Join("1_Pooling", "config.json"), nil, "1_Pooling: config.json is missing, but modules.json lists this folder"},
		{"modules upside down", "modules.json", inModules(func(m []any) []any { slices.Reverse(m); return m }), "modules.json: Normalize is not supported there"},
		{"poolings", "modules.json", inModules(func(m []any) []any { return slices.Insert(m, 2, m[1]) }), "modules.json: Pooling is not supported there"},
		{"networks", "modules.json", inModules(func(m []any) []any { return append(m, m[0]) }), "modules.json: Transformer is not supported there"},
		{"module", "modules.json", replace("models.Normalize", "models.LayerNorm"), `unknown module "LayerNorm"`},
		{"lengths", "infbench.json", replace(`"max_query_tokens": 40`, `"max_query_tokens": 400`), "maximum of 400 tokens"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "model")
			if err := tiny(t).Save(dir); err != nil {
				t.Fatal(err)
			}
			damage(t, filepath.Join(dir, c.file), c.damage)
			_, err := encoder.Open(dir, backend(t))
			if c.want == "" && err == nil {
				return
			}
			if i, err := encoder.Inspect(dir); err != nil || len(i.Problems) != len(slices.Compact(slices.Sorted(slices.Values(i.Problems)))) {
				t.Errorf("inspected: %q, %v", i.Problems, err)
			}
			if c.want == "" || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// The contents of a file if a repository was cloned without Git LFS, and if a server sent a page.
const (
	lfsPointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 133466304\n"
	htmlPage   = "<!DOCTYPE html>\n<html class=\"\"><head></head></html>"
)

// only replaces a file's contents by text.
func only(text string) func([]byte) []byte {
	return func([]byte) []byte { return []byte(text) }
}

// damage rewrites a file, or removes it if change is nil.
func damage(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	if change == nil {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// inModules changes the list in modules.json.
func inModules(change func([]any) []any) func([]byte) []byte {
	return func(data []byte) []byte {
		var modules []any
		if err := json.Unmarshal(data, &modules); err != nil {
			panic(err)
		}
		data, err := json.Marshal(change(modules))
		if err != nil {
			panic(err)
		}
		return data
	}
}

// inHeader is replace within a safetensors header, with a corrected length.
func inHeader(old, new string) func([]byte) []byte {
	return func(data []byte) []byte {
		data = replace(old, new)(data)
		n := binary.LittleEndian.Uint64(data) + uint64(len(new)-len(old))
		binary.LittleEndian.PutUint64(data, n)
		return data
	}
}

// replace substitutes the first occurrence.
func replace(old, new string) func([]byte) []byte {
	return func(data []byte) []byte {
		text := strings.Replace(string(data), old, new, 1)
		if text == string(data) && old != new {
			panic("test data lack " + old)
		}
		return []byte(text)
	}
}
