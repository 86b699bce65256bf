package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A number that differs from the record fails; other verdicts do not.
func TestVerdicts(t *testing.T) {
	const form = `{"sections": [{"id": "beside", "text": ["1 pair."], "tables": [{"columns": ["system", "test", "scoring", "measured", "published", "delta", "verdict"],
		"rows": [[{"text": "MiniLM"}, {"text": "scifact/test"}, {"text": "nDCG@10"}, {"text": "64.508"}, {"text": "64.508"}, {"text": "0.0001"}, {"text": "VERDICT"}]], "notes": ["a note"]}]}]}`
	for verdict, want := range map[string]string{
		"equal": "", "not compared: judgments: a, not b": "", "differs": "1 number differs from MTEB's record",
	} {
		var out strings.Builder
		b := board{stdout: &out}
		err := b.verdicts([]byte(strings.ReplaceAll(form, "VERDICT", verdict)))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", verdict, got, want)
		}
		for _, part := range []string{"MiniLM", "64.508", verdict, "a note", "1 pair."} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: %q is not shown: %s", verdict, part, out.String())
			}
		}
	}
}

// Without the shared data and the record, the command names the missing files.
func TestAbsentData(t *testing.T) {
	var out strings.Builder
	b := board{stdout: &out, shared: filepath.Join(t.TempDir(), "shared"), out: t.TempDir()}
	if ok, err := b.importScifact(t.Context()); ok || err != nil || !strings.Contains(out.String(), "real: SKIP: shared data absent at "+b.shared) {
		t.Errorf("%v, %v, %s", ok, err, out.String())
	}
	folder, err := b.published()
	if err != nil || !strings.Contains(out.String(), "nDCG@10 alone is compared") {
		t.Errorf("%v, %s", err, out.String())
	}
	if content, err := os.ReadFile(filepath.Join(folder, record)); err != nil || !strings.Contains(string(content), `"ndcg_at_10": 0.64508`) {
		t.Errorf("%s, %v", content, err)
	}
}
