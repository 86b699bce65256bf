package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"infbench/reports/export"
)

// Names of models, tasks, queries and documents in imported files appear as plain text in
// every format, and without control bytes on a terminal.
func TestImportHostile(t *testing.T) {
	names := []string{
		"</script><script>alert(1)</script>", `=cmd|' /C calc'!A0`, "{{.}}${x}", "a\x1b]0;t\x07\x1b[31mred", "x\u202egnp.exe", "a|b\\|c\\", `\input{/etc/passwd}%_#`,
		"javascript:alert(1)", "../../etc/passwd", "nul\x00byte", "two\nlines",
	}
	for i, name := range names {
		predictions := map[string]any{
			"mteb_model_meta": map[string]any{"model_name": name, "revision": name},
			name:              map[string]any{"test": map[string]any{"q1": map[string]any{"d1": 1, "d2": 2}, "q2": map[string]any{"d1": 1}}},
		}
		data, err := json.Marshal(predictions)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		file, qrels := filepath.Join(dir, "T_predictions.json"), filepath.Join(dir, "qrels.json")
		rewrite(t, file, data)
		rewrite(t, qrels, []byte(`{"q1":{"d1":1},"q2":{"d1":1}}`))
		run := importedRun(t, file, "--qrels", qrels, "--data", "team")
		for _, format := range export.Formats() {
			out := verbOutput(t, "report", run, "--format", format)
			for _, r := range out {
				if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) && !(format == "markdown" && r == '\u200b') {
					t.Errorf("%d as %s holds %q", i, format, r)
					break
				}
			}
			if (format == "html" || format == "markdown") && strings.Contains(out, "<script>alert") || format == "latex" && strings.Contains(out, `\input`) || format == "csv" && (strings.Contains(out, ",=") || strings.HasPrefix(out, "=")) {
				t.Errorf("%d as %s is more than text", i, format)
			}
		}
		page := filepath.Join(dir, "page.html")
		verbOutput(t, "report", run, "--format", "html", "--out", page)
		verbOutput(t, "verify", run, page, "--runs", run)
		for _, format := range []string{"csv", "json", "trec", "mteb", "model-index", "eval-results", "latex"} {
			verbOutput(t, "export", "--format", format, "--out", filepath.Join(dir, format), run)
		}
		verbOutput(t, "diff", run, run)
		verbOutput(t, "publish", filepath.Join(dir, "site"), run)
	}
}
