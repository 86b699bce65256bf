package published

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// backboneNames are the names of the paper's backbones by their repositories.
var backboneNames = map[string]string{
	"answerdotai/ModernBERT-base": "ModernBERT-base", "intfloat/e5-base-v2": "e5-base-v2", "intfloat/e5-large-v2": "e5-large-v2",
	"meta-llama/Llama-3.2-1B": "Llama-3.2-1B", "meta-llama/Llama-3.2-1B-Instruct": "Llama-3.2-1B-Inst", "Qwen/Qwen2.5-1.5B": "Qwen2.5-1.5B",
	"Qwen/Qwen2.5-1.5B-Instruct": "Qwen2.5-1.5B-Inst", "Qwen/Qwen2.5-3B": "Qwen2.5-3B", "Qwen/Qwen2.5-3B-Instruct": "Qwen2.5-3B-Inst",
}

// This project's files of the paper's tables, trained on all of its records, differ from the paper
// only in the settings that they state.
func TestPapersFiles(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	all := []int{PaperRecords}
	for _, test := range []struct {
		file string
		want []string // differences of some cell
	}{
		{"paper-losses", nil},
		{"paper-main", nil},
		{"paper-designs", []string{"design.pooling: mean, not last", "design.share_encoder: false, not true", "train.epochs: 1, not 2"}},
		{"paper-filtering", []string{"data: inf-ir-unfiltered, not inf-ir", "train.steps_of: inf-ir, not the cell's own data"}},
	} {
		e, err := catalog.ReadFile(filepath.Join("bench", "experiments", test.file+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.Expand(func(name string, _ uint64) (string, error) {
			if strings.HasPrefix(name, spec.SimilarityInput) {
				return "cosine", nil
			}
			return name, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		compared := 0
		for _, trial := range p.Trials {
			config := trial.Cell.Settings()
			if trial.Cell.Model == spec.Trained {
				config[results.Model] = trial.Cell.Backbone
			} else {
				delete(config, results.Loss)
			}
			number := Cell{Source: SourcePaper + ", table 6", Model: backboneNames[trial.Cell.Backbone], Config: "base", Task: "Core17"}
			d := number.OtherSettings(Training{config[results.Loss], config}, all)
			compared++
			for _, text := range slices.Concat(d.Data, d.Settings) {
				if !slices.Contains(got, text) {
					got = append(got, text)
				}
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, test.want) || compared == 0 {
			t.Errorf("%s, %d cells: %q, want %q", test.file, compared, got, test.want)
		}
	}
}

// Settings that the paper states for one number do not apply to others: MAIR is ranked by the inner
// product, candidates of FollowIR are not searched first, and a printed design was already
// compared.
func TestOtherSettings(t *testing.T) {
	same := map[string]string{"backbone": "Qwen/Qwen2.5-1.5B", "design.pooling": "last", "design.max_query_tokens": "256", "design.max_document_tokens": "512"}
	with := func(changes ...string) map[string]string {
		c := map[string]string{}
		for k, v := range same {
			c[k] = v
		}
		for _, change := range changes {
			key, value, _ := strings.Cut(change, "=")
			c[key] = value
		}
		return c
	}
	for _, test := range []struct {
		model, task, row string
		config           map[string]string
		want             string
	}{
		{"Qwen2.5-1.5B", "Core17", "base", same, ""},
		{"Qwen2.5-1.5B", "Core17", "base", with("similarity=dot"), "similarity: dot, not cosine"},
		{"Qwen2.5-1.5B", "DD-15", "base", with("similarity=dot"), ""},
		{"Qwen2.5-1.5B", "DD-15", "base", same, "similarity: not recorded, not dot"},
		{"Qwen2.5-1.5B", "MAIR-5", "base", with("similarity=cosine"), "similarity: cosine, not dot"},
		{"e5-base-v2", "DD-15", "base", map[string]string{"backbone": "intfloat/e5-base-v2"}, ""},
		{"Qwen2.5-1.5B", "Core17", "base", with("first=bm25"), "first: bm25, not every document, or those that the benchmark lists"},
		{"Qwen2.5-1.5B", "Core17", "base", with("design.pooling=mean"), "design.pooling: mean, not last"},
		{"Qwen2.5-1.5B", "Core17", "base", with("design.max_document_tokens=64"), "design.max_document_tokens: 64, not 512"},
		{"monoT5-3B", "DD-15", "baseline", map[string]string{"model": "castorini/monot5-3b-msmarco-10k", "first": "bm25-mair"}, ""},
		{"contriever", "Core17", "baseline", map[string]string{"model": "facebook/contriever-msmarco", "dims": "64"}, "dims: 64, not 0"},
		{"contriever", "Core17", "baseline", map[string]string{"model": "facebook/contriever-msmarco", "fuse": "bm25"}, "fuse: bm25, not none"},
		{"contriever", "Core17", "baseline", map[string]string{"model": "facebook/contriever-msmarco", "probe": "none"}, "probe: none, not set"},
	} {
		c := Cell{Source: SourcePaper + ", table 2", Model: test.model, Task: test.task, Config: test.row}
		d := c.OtherSettings(Training{"", test.config}, nil)
		if got := strings.Join(append(d.Data, d.Settings...), "; "); got != test.want {
			t.Errorf("%s on %s, %v: %q, want %q", test.model, test.task, test.config, got, test.want)
		}
		c.Source = "MTEB"
		if d := c.OtherSettings(Training{"", test.config}, nil); d.Any() {
			t.Errorf("a number of another source is compared with the paper's settings: %v", d)
		}
	}
}

func TestOtherRecords(t *testing.T) {
	for _, test := range []struct {
		runs []int
		want string
	}{
		{[]int{PaperRecords, PaperRecords}, ""},
		{[]int{60, 60}, "60 records, the paper 38,759"},
		{[]int{PaperRecords, 1}, "1 record, the paper 38,759"},
		{[]int{38559, 0}, "38,559 records, the paper 38,759; number of records: not recorded, the paper 38,759"},
	} {
		if got := strings.Join(otherRecords(test.runs), "; "); got != test.want {
			t.Errorf("%v: %q, want %q", test.runs, got, test.want)
		}
	}
}
