package datasets

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// writeRows writes rows to root/path as parquet or JSON Lines, as the ending
// says; T carries parquet and json tags of the same names.
func writeRows[T any](t testing.TB, root, path string, rows []T) {
	t.Helper()
	path = filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".parquet") {
		if err := parquet.WriteFile(path, rows); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := json.NewEncoder(f)
	for _, row := range rows {
		if err := e.Encode(row); err != nil {
			t.Fatal(err)
		}
	}
}

// The rows of hub repositories as mteb writes them.
type (
	hubDocument struct {
		ID    string `parquet:"_id" json:"_id"`
		Title string `parquet:"title" json:"title"`
		Text  string `parquet:"text" json:"text"`
	}
	hubQuery struct {
		ID   string `parquet:"_id" json:"_id"`
		Text string `parquet:"text" json:"text"`
	}
	hubInstruction struct {
		Query string `parquet:"query-id" json:"query-id"`
		Text  string `parquet:"instruction" json:"instruction"`
	}
	hubQrel struct {
		Query string  `parquet:"query-id" json:"query-id"`
		Doc   string  `parquet:"corpus-id" json:"corpus-id"`
		Score float64 `parquet:"score" json:"score"`
	}
	hubList struct {
		Query string   `parquet:"query-id" json:"query-id"`
		Docs  []string `parquet:"corpus-ids,list" json:"corpus-ids"`
	}
)

// hubEndings are the two syntaxes every miniature is written in.
var hubEndings = []string{".parquet", ".jsonl"}

func TestRepositoryByConvention(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"corpus/test-00001-of-00002.jsonl": "", "corpus/test-00000-of-00002.jsonl": "",
		"data/test-00000-of-00001-0123456789abcdef.jsonl": "", "data/dev.jsonl": "",
		"queries.jsonl": "", "qrels/test.tsv": "", "notes.txt": "", ".cache/x.jsonl": "",
		"fas-corpus/test/0000.parquet": "", "fas-corpus/test/0001.parquet": "",
	})
	r, err := openRepository(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"corpus", "default", "fas-corpus", "qrels", "queries"}; !slices.Equal(r.names(), want) {
		t.Errorf("configs %q, want %q", r.names(), want)
	}
	files, err := r.files("corpus", "test")
	if err != nil || len(files) != 2 || filepath.Base(files[0]) != "test-00000-of-00002.jsonl" {
		t.Errorf("shards %q, %v", files, err)
	}
	if files, err := r.files("fas-corpus", "test"); err != nil || len(files) != 2 {
		t.Errorf("the hub's own parquet: %q, %v", files, err)
	}
	if files, err := r.files("queries", "test"); err != nil || len(files) != 1 {
		t.Errorf("the only split goes by any name: %q, %v", files, err)
	}
	if _, err := r.files("default", "train"); err == nil || !strings.Contains(err.Error(), `unknown split "train"`) {
		t.Errorf("one of two splits: %v", err)
	}
	if _, err := r.files("querys", "test"); err == nil || !strings.Contains(err.Error(), `did you mean "queries"?`) {
		t.Errorf("unknown config: %v", err)
	}
}

func TestRepositoryCard(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"README.md": `---
license: mit
configs:
- config_name: default
  data_files:
  - split: test
    path: qrels/*.jsonl
- config_name: corpus
  data_files:
  - split: corpus
    path:
    - a/**/part-*.jsonl
- config_name: queries
  data_files: queries-?.jsonl
---
# Card
`,
		"qrels/one.jsonl": "", "a/b/c/part-1.jsonl": "", "a/part-0.jsonl": "", "a/b/other.jsonl": "", "queries-1.jsonl": "",
	})
	r, err := openRepository(dir)
	if err != nil {
		t.Fatal(err)
	}
	for config, want := range map[string][2]any{
		"default": {"test", 1}, "corpus": {"corpus", 2}, "queries": {"train", 1},
	} {
		if got := r.configs[config][want[0].(string)]; len(got) != want[1].(int) || len(r.configs[config]) != 1 {
			t.Errorf("config %s: %v, want split %v of %v files", config, r.configs[config], want[0], want[1])
		}
	}
	bad := writeFiles(t, map[string]string{"README.md": "---\nconfigs:\n- config_name: x\n  data_files:\n  - 5: [\n---\n"})
	if _, err := openRepository(bad); err == nil || !strings.Contains(err.Error(), "README.md: front matter") {
		t.Errorf("broken card: %v", err)
	}
}

// TestDuplicateFiles reads a split once that a repository has in two formats, as the
// older FollowIR's and InfoSearch's do, whether its card tells which is meant or not.
func TestDuplicateFiles(t *testing.T) {
	type qrel struct {
		Query string `json:"query-id"`
		Doc   string `json:"corpus-id"`
		Score int    `json:"score"`
	}
	root := t.TempDir()
	writeRows(t, root, "qrels_og/test.jsonl", []qrel{{"q", "d", 1}, {"q", "e", 0}})
	if err := os.WriteFile(filepath.Join(root, "qrels_og", "test.tsv"), []byte("query-id\tcorpus-id\tscore\nq\td\t1\nq\te\t0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, card := range []string{"", "---\nconfigs:\n- config_name: qrels_og\n  data_files:\n  - split: test\n    path: qrels_og/test.jsonl\n---\n"} {
		if err := os.WriteFile(filepath.Join(root, "README.md"), []byte(card), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := openRepository(root)
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.files("qrels_og", "test")
		if err != nil || len(files) != 1 || filepath.Base(files[0]) != "test.jsonl" {
			t.Errorf("card %q: %v, %v; want test.jsonl alone", card, files, err)
		}
	}
}
