package encoder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnIsStrict checks that an unknown key in infbench.json is an error, whatever reads the
// folder.
func TestOwnIsStrict(t *testing.T) {
	for text, want := range map[string]string{
		`{"pool": "cls", "query_prompt": "query: "}`: `infbench.json:1: unknown key "pool"`,
		"{\n\"poolin\": \"cls\"}":                    `infbench.json:2: unknown key "poolin"; did you mean "pooling"?`,
		`{"judge": {"promt": ""}}`:                   `judge: unknown key "promt"; did you mean "prompt"?`,
		`{"query": "a", "query": "b"}`:               `key "query" comes twice`,
		`{} {}`:                                      "data after the JSON value",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ownFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		readers := map[string]func() error{
			"text":      func() error { _, err := readText(dir, layout{static: true}); return err },
			"templates": func() error { return new(Text).readOwnTemplates(dir) },
			"sides":     func() error { _, _, _, err := readSides(dir); return err },
		}
		for name, read := range readers {
			if err := read(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %s: %v, want %q", name, text, err, want)
			}
		}
	}
}
