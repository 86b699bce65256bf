package datasets

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// writeRows writes rows to root/path as parquet or JSON Lines, by the ending; T has parquet and
// json tags of the same names.
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

// The rows of hub repositories as written by mteb.
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

// hubEndings are the two syntaxes in which every miniature is written.
var hubEndings = []string{".parquet", ".jsonl"}

// TestDuplicateFiles reads a split that a repository has in two formats, like the older FollowIR's
// and InfoSearch's, only once, whether or not its card selects one.
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
		r, err := OpenRepository(root)
		if err != nil {
			t.Fatal(err)
		}
		files, err := r.Files("qrels_og", "test")
		if err != nil || len(files) != 1 || filepath.Base(files[0]) != "test.jsonl" {
			t.Errorf("card %q: %v, %v; want test.jsonl alone", card, files, err)
		}
	}
}
