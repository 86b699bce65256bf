package keys_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"gopkg.in/yaml.v3"

	"infbench/bench/keys"
	"infbench/runners/catalog"
)

// TestEveryKeyIsExplained: every key has a description. Package spec checks descriptions
// against the fields.
func TestEveryKeyIsExplained(t *testing.T) {
	for _, k := range keys.All() {
		switch {
		case k.Meaning == "" || k.Source == "":
			t.Errorf("%s has no meaning or no source", k.Name)
		case k.Otherwise() == "":
			t.Errorf("%s: what is its value if it is left out?", k.Name)
		case (k.TypeName() == "whole number" || k.TypeName() == "number") && (k.Unit == "" && k.Range != "" && k.Name != "train.lora.alpha"):
			t.Errorf("%s has no unit", k.Name)
		}
	}
}

// TestFind: a key is found by its path, and by the end of its path if no key has that name.
func TestFind(t *testing.T) {
	for name, want := range map[string]string{"train.lr": "train.lr", "lr": "train.lr", "lora.r": "train.lora.r", "matryoshka": "train.matryoshka", "baselines": "baselines", "data": "data"} {
		if found, err := keys.Find(name); err != nil || found[0].Name != want {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
	if found, err := keys.Find("measure"); err != nil || len(found) != 3 {
		t.Errorf("measure is a key of three sections: %v, %v", found, err)
	}
	if _, err := keys.Find("train.lrr"); err == nil || !strings.Contains(err.Error(), `did you mean "train.lr"?`) {
		t.Errorf("an unknown key: %v", err)
	}
}

// TestSamplesNameTheKey: the parser accepts the sample of every key, or rejects only a name in
// it.
func TestSamplesNameTheKey(t *testing.T) {
	for _, k := range keys.All() {
		_, err := catalog.Parse("sample", []byte(keys.Sample(k.Name, `"no such thing"`)))
		if err != nil && (strings.Contains(err.Error(), "unknown key") && !strings.Contains(err.Error(), "no such thing") || strings.Contains(err.Error(), "given twice")) {
			t.Errorf("%s: %s\n%v", k.Name, keys.Sample(k.Name, "x"), err)
		}
	}
}

// schema reads the schema from its text, like an editor.
func schema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	var text bytes.Buffer
	if err := keys.WriteSchema(&text); err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// validate checks an experiment file against the schema.
func validate(s *jsonschema.Resolved, text []byte) error {
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var values any
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	return s.Validate(values)
}

func TestSchemaTakesShippedExperiments(t *testing.T) {
	s := schema(t)
	var files []string
	for _, pattern := range []string{"../experiments/*.yaml", "../corpora/mini-quality.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(s, text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// candidates are values of every kind, some valid for a key and some not.
var candidates = []string{
	"-1", "0", "1", "2", "3", "0.25", "0.5", "0.75", "1.5", "1000000000", "-0.5", "70000", "true", "false", "null", "[]", "[1]", "{}", "{no: 1}", `""`, `"1"`, "no-such-value", "two words",
}

// TestSchemaAgreesWithParser: schema and parser agree on every key, for values of every kind
// and for all names that a key accepts.
func TestSchemaAgreesWithParser(t *testing.T) {
	s := schema(t)
	for _, k := range keys.All() {
		values := slices.Clone(candidates)
		for _, name := range k.Values {
			values = append(values, fmt.Sprintf("%q", name), "["+fmt.Sprintf("%q", name)+"]", fmt.Sprintf("%q", name+"x"))
		}
		for _, value := range values {
			text := []byte(keys.Sample(k.Name, value))
			_, parsed := catalog.Parse("sample", text)
			if valid := validate(s, text); (parsed == nil) != (valid == nil) && !mayDiffer(k, value, parsed) {
				t.Errorf("%s\nparser: %v\nschema: %v", text, parsed, valid)
			}
		}
	}
}

// TestSchemaAgreesOnData: schema and parser agree on files with spaces in their names, alone
// and in mixtures.
func TestSchemaAgreesOnData(t *testing.T) {
	s := schema(t)
	t.Chdir(t.TempDir())
	const row = `{"query": "q", "positive": "p"}`
	for _, name := range []string{"my long trip.jsonl", "a+b.jsonl"} {
		if err := os.WriteFile(name, []byte(row), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for data, fits := range map[string]bool{
		"mini-infir": true, "./my long trip.jsonl": true, "mini-infir + ./my long trip.jsonl": true, "./my long trip.jsonl + mini-infir": true,
		"./a+b.jsonl": true, "mini-infir +": false, "+ mini-infir": false, "mini-infir + + ./a+b.jsonl": false, "": false,
	} {
		text := []byte(fmt.Sprintf("name: x\nbase: {data: %q}\nevaluate: [mini-followir]\n", data))
		_, parsed := catalog.Parse("sample", text)
		if valid := validate(s, text); (parsed == nil) != fits || (valid == nil) != fits {
			t.Errorf("%q, want valid: %v\nparser: %v\nschema: %v", data, fits, parsed, valid)
		}
	}
}

// mayDiffer reports whether a difference is intended: a name that only this machine can look
// up, or a name that YAML reads as a number, which an editor should mark.
func mayDiffer(k keys.Key, value string, parsed error) bool {
	if parsed != nil {
		return (k.Open || k.Name == "baselines.rerank") && (strings.Contains(parsed.Error(), "unknown") || strings.Contains(parsed.Error(), "finds documents by itself"))
	}
	number := strings.Trim(value, "[]-.0123456789") == "" || value == "true" || value == "false"
	return number && strings.Contains(k.TypeName(), "name") ||
		(k.Name == "validate.measure" || k.Name == "select.measure") && value == `""` || // treated as absent
		k.Name == "baselines.rerank.window" && value == "0" // likewise
}

func TestSchemaRefuses(t *testing.T) {
	s := schema(t)
	const head = "name: x\nevaluate: [mini-followir]\n"
	for _, c := range []struct{ name, text string }{
		{"unknown section", head + "matrx: {}"},
		{"unknown key", head + "base: {los: uni(P)}"},
		{"unknown nested key", head + "base: {train: {epoch: 2}}"},
		{"dotted key in base", head + "base: {train.epochs: 2}"},
		{"unknown axis", head + "matrix: {sed: [1]}"},
		{"unknown loss", head + "matrix:\n  loss: [uni(P), uni(Q)]"},
		{"a term twice", head + `base: {loss: "uni(P,P)"}`},
		{"IP in the form uni", head + `base: {loss: "uni(P,IP)"}`},
		{"ST alone", head + "base: {loss: uni(ST)}"},
		{"unknown loss of the code", head + "base: {loss: map/nothing}"},
		{"split loss", head + "matrix: {loss: [uni(P), multi(P,I)]}"},
		{"fraction for an integer", head + "matrix: {seed: [1.5]}"},
		{"text for a number", head + "base: {seed: one}"},
		{"number out of range", head + "base: {train: {warmup: 1.5}}"},
		{"rate of zero", head + "base: {train: {lr: 0}}"},
		{"negative world", head + "base: {world: -1}"},
		{"model is not set", head + "base: {model: bm25}"},
		{"key of a baseline", head + "base: {depth: 3}"},
		{"value twice", head + "matrix: {seed: [1, 1]}"},
		{"empty axis", head + "matrix: {seed: []}"},
		{"axis is no list", head + "matrix: {seed: 1}"},
		{"missing name", "evaluate: [mini-followir]"},
		{"missing evaluate", "name: x"},
		{"name leaves the folder", "name: ../x\nevaluate: [mini-followir]"},
		{"epochs and steps", head + "base: {train: {epochs: 2, steps: 5}}"},
		{"validate without a measure", head + "base: {validate: {data: held-out}}"},
		{"unknown measure", head + "base: {validate: {measure: nDGC@10}}"},
		{"select without on", head + "select: {measure: p-MRR}"},
		{"select on test without a measure", head + "select: {on: test}"},
		{"select per seed", head + "select: {on: test, measure: p-MRR, per: seed}"},
		{"two models", head + "baselines: [{model: bm25, rerank: a/b}]"},
		{"depth alone", head + "baselines: [{model: bm25, depth: 3}]"},
		{"remote without dim", head + "baselines: [{remote: {model: m}}]"},
		{"key of an endpoint", head + "baselines: [{remote: {model: m, dim: 3, key: k}}]"},
		{"rule without when", head + "resources: {overrides: [{gpus: 1}]}"},
		{"amount of memory", head + "resources: {memory: much}"},
		{"time too short", head + "resources: {time: 4m}"},
		{"forgetting without a margin", head + "forgetting: {collections: [mini-mair]}"},
		{"alpha out of range", head + "stop_hopeless: {alpha: 0.6}"},
		{"entry without settings", head + "exclude: [{}]"},
		{"bases of nothing", head + "bases: {}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := catalog.Parse("x.yaml", []byte(c.text)); err == nil {
				t.Error("the parser takes it")
			}
			if err := validate(s, []byte(c.text)); err == nil {
				t.Error("the schema takes it")
			}
		})
	}
}
