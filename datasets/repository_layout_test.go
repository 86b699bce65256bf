package datasets

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestConventions(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"corpus/test-00001-of-00002.jsonl": "", "corpus/test-00000-of-00002.jsonl": "",
		"data/test-00000-of-00001-0123456789abcdef.jsonl": "", "data/dev.jsonl": "",
		"queries.jsonl": "", "qrels/test.tsv": "", "notes.txt": "", ".cache/x.jsonl": "",
		"fas-corpus/test/0000.parquet": "", "fas-corpus/test/0001.parquet": "",
	})
	r, err := OpenRepository(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"corpus", "default", "fas-corpus", "qrels", "queries"}; !slices.Equal(r.Names(), want) {
		t.Errorf("configs %q, want %q", r.Names(), want)
	}
	files, err := r.Files("corpus", "test")
	if err != nil || len(files) != 2 || filepath.Base(files[0]) != "test-00000-of-00002.jsonl" {
		t.Errorf("shards %q, %v", files, err)
	}
	if files, err := r.Files("fas-corpus", "test"); err != nil || len(files) != 2 {
		t.Errorf("the hub's own parquet: %q, %v", files, err)
	}
	if files, err := r.Files("queries", "test"); err != nil || len(files) != 1 {
		t.Errorf("the only split goes by any name: %q, %v", files, err)
	}
	if _, err := r.Files("default", "train"); err == nil || !strings.Contains(err.Error(), `unknown split "train"`) {
		t.Errorf("one of two splits: %v", err)
	}
	if _, err := r.Files("querys", "test"); err == nil || !strings.Contains(err.Error(), `did you mean "queries"?`) {
		t.Errorf("unknown config: %v", err)
	}
}

func TestCard(t *testing.T) {
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
- config_name: one
  data_dir: ./sub/one
- config_name: other
  data_dir: sub
  data_files:
  - split: test
    path: two/part-[0-1][!x].jsonl
---
# Card
`,
		"qrels/one.jsonl": "", "a/b/c/part-1.jsonl": "", "a/part-0.jsonl": "", "a/b/other.jsonl": "", "queries-1.jsonl": "",
		"sub/one/train-00000-of-00001.jsonl": "", "sub/two/part-00.jsonl": "", "sub/two/part-1x.jsonl": "", "sub/two/part-20.jsonl": "",
	})
	r, err := OpenRepository(dir)
	if err != nil {
		t.Fatal(err)
	}
	for config, want := range map[string][2]any{
		"default": {"test", 1}, "corpus": {"corpus", 2}, "queries": {"train", 1},
		"one": {"train", 1}, "other": {"test", 1},
	} {
		if got := r.configs[config][want[0].(string)]; len(got) != want[1].(int) || len(r.configs[config]) != 1 {
			t.Errorf("config %s: %v, want split %v of %v files", config, r.configs[config], want[0], want[1])
		}
	}
	bad := writeFiles(t, map[string]string{"README.md": "---\nconfigs:\n- config_name: x\n  data_files:\n  - 5: [\n---\n"})
	if _, err := OpenRepository(bad); err == nil || !strings.Contains(err.Error(), "README.md: front matter") {
		t.Errorf("broken card: %v", err)
	}
}
