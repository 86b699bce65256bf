package command

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mtebResult writes a result file of MTEB's: the scores of each subset by split.
func mtebResult(t *testing.T, dir, model, task string, splits map[string]map[string]string) {
	t.Helper()
	var bySplit []string
	for split, subsets := range splits {
		var objects []string
		for subset, value := range subsets {
			objects = append(objects, fmt.Sprintf(`{"hf_subset":%q,"ndcg_at_10":%s,"main_score":%s}`, subset, value, value))
		}
		bySplit = append(bySplit, fmt.Sprintf("%q:[%s]", split, strings.Join(objects, ",")))
	}
	path := filepath.Join(dir, model, "r", task+".json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	rewrite(t, path, fmt.Appendf(nil, `{"task_name":%q,"mteb_version":"2.20.0","scores":{%s}}`, task, strings.Join(bySplit, ",")))
}

// An imported mean over only some of a task's subsets counts as missing on the board: it is
// below complete ones and never bold. Values that are not numbers are reported at import.
// Only the split on which a task is evaluated counts.
func TestImportParts(t *testing.T) {
	type splits = map[string]map[string]string
	whole := splits{"test": {"eng": "0.1", "fas": "0.2", "zho": "0.3"}}
	one := func(split, value string) splits { return splits{split: {"default": value}} }
	tests := []struct {
		name, task string
		a, b       splits
		said       string   // printed at import
		board      []string // lines
	}{
		{"one language of three", "Own", whole, splits{"test": {"eng": "0.9"}}, "", []string{"o/a 20.0‡", "o/b missing"}},
		{"NaN", "Own", whole, splits{"test": {"eng": "0.9", "fas": "NaN", "zho": "0.9"}}, "o__b/r/Own.json: test fas: not a number: main_score is NaN (line 1), nDCG@10 is NaN (line 1)",
			[]string{"o/a 20.0‡", "o/b missing"}},
		{"null", "Own", whole, splits{"test": {"eng": "0.9", "fas": "null", "zho": "0.9"}}, "main_score is null", []string{"o/b missing"}},
		{"text", "Own", whole, splits{"test": {"eng": "0.9", "fas": `"0.9"`, "zho": "0.9"}}, `main_score is the text "0.9"`, []string{"o/b missing"}},
		{"percent", "Own", whole, splits{"test": {"eng": "58.3"}}, "o__b/r/Own.json: cannot be read: line 1: nDCG@10 is 58.3, outside its range [0,1]; it looks like percent", []string{"o/a 20.0‡"}},
		{"splits", "Own", splits{"dev": {"default": "0.4"}, "test": {"default": "0.7"}, "train": {"default": "0.9"}}, one("test", "0.8"),
			"Own is not evaluated on its dev split: these numbers are kept apart", []string{"o/b 80.0‡", "o/a 70.0‡"}},
		{"another split", "MSMARCO", splits{"dev": {"default": "0.4"}, "test": {"default": "0.7"}}, one("dev", "0.3"), "MSMARCO is not evaluated on its test split", []string{"o/a 40.0‡", "o/b 30.0‡"}},
		{"a split alone", "Own", one("dev", "0.9"), one("test", "0.3"), "Own is not evaluated on its dev split", []string{"o/b 30.0‡", "Own (dev split)/dev"}},
		{"several splits that count", "LEMBNeedleRetrieval", splits{"test_256": {"default": "0.2"}, "test_512": {"default": "0.4"}}, one("test_256", "0.9"), "", []string{"o/a 30.0‡", "missing"}},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		mtebResult(t, dir, "o__a", tt.task, tt.a)
		mtebResult(t, dir, "o__b", tt.task, tt.b)
		out := filepath.Join(dir, "run")
		var stdout, stderr bytes.Buffer
		if code := run([]string{"import", dir, "--out", out}, &stdout, &stderr); code != exitOK || (tt.said == "") != (stderr.Len() == 0) || !strings.Contains(stderr.String(), tt.said) {
			t.Errorf("%s: import exits %d and says %q, want %q", tt.name, code, stderr.String(), tt.said)
		}
		board := strings.Join(strings.Fields(verbOutput(t, "report", out)), " ")
		for _, line := range tt.board {
			if !strings.Contains(board, line) {
				t.Errorf("%s: no %q in\n%s", tt.name, line, board)
			}
		}
		if strings.Contains(verbOutput(t, "report", out, "--format", "markdown"), "o/b | **") && tt.name != "splits" {
			t.Errorf("%s: a mean over some tasks is bold", tt.name)
		}
		page := filepath.Join(dir, "page.html")
		verbOutput(t, "report", out, "--format", "html", "--out", page)
		verbOutput(t, "verify", page, "--runs", out)
	}
}

// Systems with similar names are kept separate, with a note.
func TestImportLookAlikes(t *testing.T) {
	dir := t.TempDir()
	one := map[string]map[string]string{"test": {"default": "0.5"}}
	mtebResult(t, dir, "o__A", "Own", one)
	mtebResult(t, dir, "o__a", "Own", one)
	var stdout, stderr bytes.Buffer
	const want = `These names look alike and are kept apart: "o/A", "o/a"`
	if run([]string{"import", dir, "--out", filepath.Join(dir, "run")}, &stdout, &stderr); strings.Count(stderr.String(), want) != 1 {
		t.Errorf("%q, want %q once", stderr.String(), want)
	}
	if out := verbOutput(t, "report", filepath.Join(dir, "run")); !strings.Contains(out, want) {
		t.Error(out)
	}
}
