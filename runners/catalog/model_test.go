package catalog

import (
	"os"
	"strings"
	"testing"

	"infbench/internal/disk"
)

// TestBaselinesAreChecked: a baseline of an experiment is checked without a device, which is
// chosen elsewhere.
func TestBaselinesAreChecked(t *testing.T) {
	for yaml, want := range map[string]string{
		"{model: bm25, fuse: [random]}":             "",
		"{model: bm25, similarity: euclid}":         `unknown similarity "euclid"`,
		"{remote: {api: cohere, model: m, dim: 3}}": "",
		"{remote: {api: coher, model: m, dim: 3}}":  `did you mean "cohere"?`,
		"{remote: {model: m, dim: 3}}":              "such as https://api.openai.com/v1",
		"e5-base-v2":                                "",
		"intfloat/e5-base-v3":                       "",
		"e5-base-v22":                               `did you mean "e5-base-v2"?`,
		"bm52":                                      `did you mean "bm25"?`,
		"./nowhere":                                 "no such file",
		"/":                                         "is not a model folder",
		"tart-contriever":                           "links a zip archive",
		"text-embedding-3-large":                    "{remote: {api: openai, model: text-embedding-3-large",
		"{rerank: castorini/monobert-large-msmarco, first: bm25}": "",
		"{rerank: monobert, first: monobert}":                     "scores pairs",
		"{rerank: e5-base-v2, first: bm25}":                       "finds documents by itself",
	} {
		_, err := Parse("x.yaml", []byte("name: x\nevaluate: [mini-bright]\nbaselines: ["+yaml+"]"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "x.yaml:3:1")) {
			t.Errorf("%s: %v, want %q", yaml, err, want)
		}
	}
}

func TestSnapshotsAreNamedByRepository(t *testing.T) {
	for path, want := range map[string]string{
		"/cache/models--intfloat--e5-base-v2/snapshots/1c644c92ad3ba1efdad3f1451a637716616a20e8":     "intfloat/e5-base-v2",
		"/cache/models--a--b-c/snapshots/1c644c92ad3ba1efdad3f1451a637716616a20e8/":                  "a/b-c",
		"/cache/models--intfloat--e5-base-v2/blobs/1c644c92ad3ba1efdad3f1451a637716616a20e8":         "",
		"/cache/datasets--intfloat--e5-base-v2/snapshots/1c644c92ad3ba1efdad3f1451a637716616a20e8":   "",
		"/cache/models--intfloat--e5-base-v2/snapshots/main":                                         "",
		"/x/models--intfloat--e5-base-v2/snapshots/1c644c92ad3ba1efdad3f1451a637716616a20e8/modules": "",
	} {
		w, err := weightsAt(path, true)
		if err != nil || (w.commit != "") != (want != "") || want != "" && w.name != want {
			t.Errorf("%s is %q at %q, %v; want %q", path, w.name, w.commit, err, want)
		}
	}
}

// TestAdapterWithoutBase: an adapter whose base is a folder without a network, or the adapter
// itself, is refused.
func TestAdapterWithoutBase(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for base, want := range map[string]string{
		".":             ". is not a model folder",
		dir:             "is not a model folder",
		"./nowhere":     "no such file",
		"somewhere":     `unknown model "somewhere"`,
		"no/such-model": "model no/such-model, which the adapter " + disk.RealPath(dir) + " is merged into, is not on this machine: infbench models fetch no/such-model",
	} {
		if err := os.WriteFile("adapter_config.json", []byte(`{"base_model_name_or_path": "`+base+`"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := findWeights("."); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("base %q: %v, want %q", base, err, want)
		}
		if found, err := FindModel("."); err != nil || found.Into != base || found.Base != "" {
			t.Errorf("base %q is found as %+v, %v", base, found, err)
		}
	}
}
