package encoder_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// opened opens a folder as its kind; pairs means that it scores pairs. Only the error matters.
func opened(t *testing.T, dir string, pairs bool) (err error) {
	t.Helper()
	switch {
	case encoder.IsMultiVector(dir):
		_, err = encoder.OpenMultiVector(dir, backend(t))
	case encoder.IsSparse(dir):
		_, err = encoder.OpenSparse(dir, backend(t))
	case pairs:
		_, err = encoder.OpenCrossEncoder(dir, backend(t))
	default:
		_, err = encoder.Open(dir, backend(t))
	}
	return err
}

// Every damaged file of every folder of recent architectures is an error that names the file, the
// tensor, or the setting.
func TestBrokenToday(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(testkit.SharedPath(t, "goldens-today"), "*", "golden.json"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no folders, %v", err)
	}
	for _, golden := range folders {
		source := filepath.Dir(golden)
		pairs := strings.HasPrefix(filepath.Base(source), "cross_")
		t.Run(filepath.Base(source), func(t *testing.T) {
			if err := opened(t, source, pairs); err != nil {
				t.Fatalf("it is broken already: %v", err)
			}
			for _, file := range readFiles(t, source) {
				for _, c := range damagesOf(t, filepath.Join(source, file)) {
					dir := copied(t, source)
					damage(t, filepath.Join(dir, file), c.change)
					if err := opened(t, dir, pairs); err == nil || !strings.Contains(err.Error(), c.want) {
						t.Errorf("%s, %s: error %v, want %q", file, c.name, err, c.want)
					}
				}
			}
		})
	}
}

// A folder with projections but without modules.json is not read as the network before them.
func TestNoModules(t *testing.T) {
	for _, name := range []string{"embeddinggemma", "colbert_modernbert", "colbert_modernbert_st6"} {
		dir := copied(t, filepath.Join(testkit.SharedPath(t, "goldens-today"), name))
		if err := os.Remove(filepath.Join(dir, "modules.json")); err != nil {
			t.Fatal(err)
		}
		wantError(t, opened(t, dir, false), "_Dense: modules.json is missing, so the module before it is unknown")
		inspected, err := encoder.Inspect(dir)
		if err == nil && inspected.Runs() {
			t.Errorf("%s: models check reports that it runs", name)
		}
	}
}

// unread are files that contain nothing about a model, or only duplicates.
var unread = []string{"golden.json", "special_tokens_map.json", "vocab.txt", "3_Normalize/config.json", "query_0_SparseStaticEmbedding/config.json"}

// readFiles lists the files of a folder that affect its model.
func readFiles(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() || slices.Contains(unread, path) || slices.Contains(unread, d.Name()) {
			return err
		}
		if d.Name() == "tokenizer_config.json" && encoder.IsSparse(dir) { // it has no effect here
			return err
		}
		files = append(files, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// brokenFile is a way of damaging a file, with the expected error.
type brokenFile struct {
	name   string
	change func([]byte) []byte
	want   string
}

// damagesOf lists ways of damaging a file.
func damagesOf(t *testing.T, path string) []brokenFile {
	t.Helper()
	name := filepath.Base(path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(name) == ".safetensors" {
		tensor := firstTensor(t, data)
		changed := []byte(tensor)
		changed[len(changed)-1]++
		return []brokenFile{
			{"cut", func(b []byte) []byte { return b[:len(b)-3] }, "truncated"},
			{"empty", func([]byte) []byte { return nil }, name},
			{"a tensor renamed", func(b []byte) []byte {
				return bytes.Replace(b, []byte(`"`+tensor+`"`), []byte(`"`+string(changed)+`"`), 1)
			}, lastPart(tensor[:len(tensor)-1])},
		}
	}
	all := []brokenFile{
		{"cut", func(b []byte) []byte { return b[:len(b)/2] }, name},
		{"empty", func([]byte) []byte { return nil }, name},
	}
	var config map[string]any
	if json.Unmarshal(data, &config) == nil && config["model_type"] != nil && config["num_hidden_layers"] != nil {
		all = append(all,
			brokenFile{"another network", inObject("model_type", "qwem"), `unknown model_type "qwem"`},
			brokenFile{"no layers", inObject("num_hidden_layers", "three"), "num_hidden_layers"},
			brokenFile{"another width", inObject("hidden_size", 24), "24"})
	}
	return all
}

// inObject sets a key of a JSON object.
func inObject(key string, value any) func([]byte) []byte {
	return func(data []byte) []byte {
		var object map[string]any
		if err := json.Unmarshal(data, &object); err != nil {
			panic(err)
		}
		object[key] = value
		data, err := json.Marshal(object)
		if err != nil {
			panic(err)
		}
		return data
	}
}

// firstTensor is the name of the first tensor, by offset, in a safetensors file.
func firstTensor(t *testing.T, data []byte) string {
	t.Helper()
	header := data[8:]
	var tensors map[string]any
	if err := json.NewDecoder(bytes.NewReader(header)).Decode(&tensors); err != nil {
		t.Fatal(err)
	}
	delete(tensors, "__metadata__")
	delete(tensors, "lm_head.weight") // an embedder does not need it
	names := make([]string, 0, len(tensors))
	for name := range tensors {
		names = append(names, name)
	}
	return slices.Min(names)
}

// lastPart is the end of a tensor's name, because messages may omit a prefix.
func lastPart(tensor string) string {
	parts := strings.Split(tensor, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}
