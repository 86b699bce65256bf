package beir

import (
	"os"
	"path/filepath"
	"testing"
)

// A copy has the first judged queries with all their judgments; lines stay as they are.
func TestCut(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(from, "qrels"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"corpus.jsonl":   "{}\n",
		"queries.jsonl":  "{\"_id\": \"1\"}\n{\"_id\": \"2\"}\n{\"_id\": \"3\"}\n{\"_id\": \"4\"}\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\n4\ta\t1\n2\tb\t1\n3\tc\t1\n4\td\t1\n",
	} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := Cut(from, to, 2, func(line []byte, _ bool) ([]byte, error) { return line, nil }); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"corpus.jsonl":   "{}\n",
		"queries.jsonl":  "{\"_id\": \"2\"}\n{\"_id\": \"4\"}\n",
		"qrels/test.tsv": "query-id\tcorpus-id\tscore\n4\ta\t1\n2\tb\t1\n4\td\t1\n",
	} {
		if got, err := os.ReadFile(filepath.Join(to, name)); string(got) != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}
