package datasets

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/metrics/suites"
)

func aspectFile(t *testing.T, lines string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "aspects.jsonl")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{path}
}

// TestReadAspects: weights add up to 1 over a query's own aspects. Document d is listed three
// times, the last time by query 2's aspect. It is also gold for query 1, which gets that aspect
// after its own.
func TestReadAspects(t *testing.T) {
	gold := map[string]map[string]int{"1": {"c": 1, "d": 1}, "2": {"d": 1}}
	got, err := ReadAspects(aspectFile(t, `{"id": "biology-1-a1", "weight": 1.5, "supporting_docs": ["c", "d"]}
{"id": "biology-1-aspect-2", "weight": 0.5, "supporting_docs": ["d", "e"]}
{"id": "biology-2-a1", "weight": 2, "supporting_docs": ["d"]}
{"id": "biology-2-a2", "weight": 2}
{"id": "biology-9-a1", "weight": 1, "supporting_docs": []}
`), "biology", gold)
	if err != nil {
		t.Fatal(err)
	}
	other := suites.Aspect{ID: "biology-2-a1", Weight: 0.5, Docs: []string{"d"}}
	want := map[string][]suites.Aspect{
		"1": {{ID: "biology-1-a1", Weight: 0.75, Docs: []string{"c"}}, {ID: "biology-1-aspect-2", Weight: 0.25, Docs: []string{"e"}}, other},
		"2": {other, {ID: "biology-2-a2", Weight: 0.5}},
	}
	if !reflect.DeepEqual(got.ByQuery, want) || got.Foreign != 1 || got.Orphans != 1 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestReadAspectsErrors(t *testing.T) {
	for line, want := range map[string]string{
		`{"id": "economics-1-a1", "weight": 1}`: `aspects.jsonl:1: ID "economics-1-a1" is not of the form biology-<query>-a<number>`,
		`{"id": "biology-1", "weight": 1}`:      "is not of the form",
		`{"id": "biology-1-a1", "weight": -1}`:  "weight -1 is negative",
		`{"id": "biology-1-a1"}`:                "weight",
		`{"id": "biology-1-a1", "weight": 1}` + "\n" + `{"id": "biology-1-a1", "weight": 1}`: `aspects.jsonl:2: aspect "biology-1-a1" comes twice`,
	} {
		if _, err := ReadAspects(aspectFile(t, line+"\n"), "biology", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
