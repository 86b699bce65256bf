package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// followIRCard is the card of jhu-clsp's repositories for mteb 2, in which every config has a split
// with its own name.
const followIRCard = `---
configs:
- config_name: default
  data_files: [{split: test, path: data/test-*}]
- config_name: corpus
  data_files: [{split: corpus, path: corpus/corpus-*}]
- config_name: queries
  data_files: [{split: queries, path: queries/queries-*}]
- config_name: instruction
  data_files: [{split: instruction, path: instruction/instruction-*}]
- config_name: top_ranked
  data_files: [{split: top_ranked, path: top_ranked/top_ranked-*}]
- config_name: qrel_diff
  data_files: [{split: qrel_diff, path: qrel_diff/qrel_diff-*}]
---
`

// writeFollowIR writes a repository in mteb 2's layout: two pairs, four documents in two shards,
// and for mFollowIR a suffix on every config.
func writeFollowIR(t *testing.T, dir, ending, suffix string) {
	t.Helper()
	at := func(config, file string) string { return config + suffix + "/" + file + "-00000-of-00001" + ending }
	writeRows(t, dir, "corpus"+suffix+"/corpus-00000-of-00002"+ending, []hubDocument{{"d1", "Title", "one"}, {"d2", "", "two"}})
	writeRows(t, dir, "corpus"+suffix+"/corpus-00001-of-00002"+ending, []hubDocument{{"d3", "", "three"}, {"d4", "", "four"}})
	writeRows(t, dir, at("queries", "queries"), []hubQuery{{"301-og", "crime"}, {"301-changed", "crime"}, {"336-og", "bears"}, {"336-changed", "bears"}})
	writeRows(t, dir, at("instruction", "instruction"), []hubInstruction{
		{"336-changed", "bears, narrow"}, {"301-og", "crime, wide"}, {"301-changed", "crime, narrow"}, {"336-og", "bears, wide"}})
	config := "default" + suffix
	if suffix == "" {
		config = "data"
	}
	writeRows(t, dir, config+"/test-00000-of-00001"+ending, []hubQrel{
		{"301-og", "d1", 1}, {"301-og", "d2", 1}, {"301-og", "d3", 0}, {"301-changed", "d1", 1}, {"301-changed", "d2", 0}, {"301-changed", "d3", 0},
		{"336-og", "d4", 2}, {"336-changed", "d4", 0}})
	writeRows(t, dir, at("top_ranked", "top_ranked"), []hubList{
		{"301-og", []string{"d3", "d1", "d2"}}, {"301-changed", []string{"d3", "d1", "d2"}}, {"336-og", []string{"d4"}}, {"336-changed", []string{"d4", "d4", "d9"}}})
	writeRows(t, dir, at("qrel_diff", "qrel_diff"), []hubList{{"301", []string{"d2"}}, {"336", []string{"d4"}}})
}

// checkFollowIR checks the result of reading the miniature in either layout.
func checkFollowIR(t *testing.T, name string, task *Task) {
	t.Helper()
	docs := readAll(t, task.Corpus)
	if len(docs) != 4 || docs[0] != (Document{ID: "d1", Title: "Title", Text: "one"}) || docs[3] != (Document{ID: "d4", Text: "four"}) {
		t.Errorf("%s: documents %+v", name, docs)
	}
	want := []Query{{"301-og", "crime", "crime, wide"}, {"301-changed", "crime", "crime, narrow"},
		{"336-og", "bears", "bears, wide"}, {"336-changed", "bears", "bears, narrow"}}
	if !slices.Equal(task.Queries, want) {
		t.Errorf("%s: queries %+v", name, task.Queries)
	}
	if len(task.Pairs) != 2 || fmt.Sprint(task.Pairs[0]) != "{301 301-og 301-changed  [d2]}" || fmt.Sprint(task.Pairs[1]) != "{336 336-og 336-changed  [d4]}" {
		t.Errorf("%s: pairs %v", name, task.Pairs)
	}
	if task.Qrels["336-og"]["d4"] != 2 || task.Qrels["301-og"]["d2"] != 1 || task.Qrels["301-changed"]["d2"] != 0 || len(task.Qrels["301-changed"]) != 3 {
		t.Errorf("%s: qrels %v", name, task.Qrels)
	}
	if fmt.Sprint(task.Candidates["301-og"], task.Candidates["301-changed"], task.Candidates["336-og"]) != "[d3 d1 d2] [d3 d1 d2] [d4]" {
		t.Errorf("%s: candidates %v", name, task.Candidates)
	}
}

func TestFollowIR(t *testing.T) {
	for _, ending := range hubEndings {
		root := t.TempDir()
		for _, part := range followIRParts {
			dir := part.new.Folder(root)
			writeFollowIR(t, dir, ending, "")
			if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(followIRCard), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b, err := Load("followir", Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		for i, score := range []string{"AP@1000", "nDCG@5", "AP@1000"} {
			task := b.Tasks[i]
			checkFollowIR(t, ending, &task)
			if !slices.Equal(task.Scorings, []Scoring{{score, Original}, {"p-MRR", None}}) {
				t.Errorf("task %s: scorings %v", task.Name, task.Scorings)
			}
			if w := strings.Join(task.Warnings, "; "); w != "1 candidates are listed twice and kept once; 1 candidates are not in the corpus" {
				t.Errorf("task %s: warnings %q", task.Name, w)
			}
		}
		if len(b.Tasks) != 3 || b.Tasks[1].Name != "news21" || !strings.HasPrefix(b.Revision, "0495a5cb6") {
			t.Errorf("benchmark %s, revision %s", b.Name, b.Revision)
		}
	}
}

// pairedRow is a query of FollowIR in mteb 1's layout, or with reversed of InfoSearch.
type pairedRow struct {
	ID       string `parquet:"_id" json:"_id"`
	Text     string `parquet:"text" json:"text"`
	Original string `parquet:"instruction_og" json:"instruction_og"`
	Changed  string `parquet:"instruction_changed" json:"instruction_changed"`
	Reversed string `parquet:"instruction_reversed" json:"instruction_reversed"`
}

// pairRow is a candidate in mteb 1: one row per pair.
type pairRow struct {
	Query string `parquet:"qid" json:"qid"`
	Doc   string `parquet:"pid" json:"pid"`
}

// writePaired writes the same collection in the older layout, with three sets of
// judgments if reversed.
func writePaired(t *testing.T, dir, ending string, reversed bool) {
	t.Helper()
	writeRows(t, dir, "corpus/corpus-00000-of-00001"+ending, []hubDocument{{"d1", "Title", "one"}, {"d2", "", "two"}, {"d3", "", "three"}, {"d4", "", "four"}})
	writeRows(t, dir, "queries/queries-00000-of-00001"+ending, []pairedRow{
		{"301", "crime", "crime, wide", "crime, narrow", "crime, not narrow"},
		{"336", "bears", "bears, wide", "bears, narrow", "bears, not narrow"}, {"999", "unjudged", "a", "b", "c"}})
	writeRows(t, dir, "qrels_og/test-00000-of-00001"+ending, []hubQrel{{"301", "d1", 1}, {"301", "d2", 1}, {"301", "d3", 0}, {"336", "d4", 2}})
	writeRows(t, dir, "qrels_changed/test-00000-of-00001"+ending, []hubQrel{{"301", "d1", 1}, {"301", "d2", 0}, {"301", "d3", 0}, {"336", "d4", 0}})
	if reversed {
		writeRows(t, dir, "qrels_reversed/test-00000-of-00001"+ending, []hubQrel{{"301", "d1", 0}, {"301", "d2", 1}, {"301", "d3", 0}, {"336", "d4", 1}})
		return
	}
	writeRows(t, dir, "top_ranked/top_ranked-00000-of-00001"+ending, []pairRow{{"301", "d3"}, {"336", "d4"}, {"301", "d1"}, {"301", "d2"}})
}

// TestFollowIROldLayout reads the layout of mteb 1, unchanged and with the judgments swapped as in
// mteb 1.7 to 1.39.
func TestFollowIROldLayout(t *testing.T) {
	for _, ending := range hubEndings {
		root := t.TempDir()
		for _, part := range followIRParts {
			writePaired(t, part.old.Folder(root), ending, false)
		}
		for _, name := range []string{"followir-v1", "followir"} {
			b, err := Load(name, Options{Root: root, Tasks: []string{"core17"}})
			if err != nil {
				t.Fatal(err)
			}
			checkFollowIR(t, name+ending, &b.Tasks[0])
			if len(b.Tasks) != 1 || b.Tasks[0].Notes != "1 of 3 queries have no judgments and are not run" {
				t.Errorf("%d tasks, notes %q", len(b.Tasks), b.Tasks[0].Notes)
			}
		}
		b, err := Load("followir-mteb1", Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		task := b.Tasks[0]
		if task.Qrels["301-og"]["d2"] != 0 || task.Qrels["301-changed"]["d2"] != 1 || !slices.Equal(task.Pairs[0].Moved, []string{"d2"}) ||
			!strings.Contains(task.Notes, "scored with the changed judgments") {
			t.Errorf("swapped: qrels %v, notes %q", task.Qrels, task.Notes)
		}
	}
}

func TestFollowIRFaults(t *testing.T) {
	write := func(change func(dir string)) error {
		root := t.TempDir()
		dir := followIRParts[2].new.Folder(root)
		writeFollowIR(t, dir, ".jsonl", "")
		change(dir)
		_, err := Load("followir", Options{Root: root, Tasks: []string{"core17"}})
		return err
	}
	for _, tt := range []struct {
		name   string
		change func(dir string)
		want   string
	}{
		{"nothing", func(string) {}, ""},
		{"no instruction", func(dir string) {
			writeRows(t, dir, "instruction/instruction-00000-of-00001.jsonl", []hubInstruction{{"301-og", "x"}})
		}, `none for query "301-changed"`},
		{"two instructions", func(dir string) {
			writeRows(t, dir, "instruction/instruction-00000-of-00001.jsonl", []hubInstruction{{"301-og", "x"}, {"301-og", "y"}})
		}, `instruction-00000-of-00001.jsonl:2: query "301-og" has two instructions`},
		{"no candidates", func(dir string) {
			writeRows(t, dir, "top_ranked/top_ranked-00000-of-00001.jsonl", []hubList{{"301-og", []string{"d1"}}})
		}, `candidates: none for query "301-changed"`},
		{"half a pair", func(dir string) {
			writeRows(t, dir, "queries/queries-00000-of-00001.jsonl", []hubQuery{{"301-og", "crime"}})
		}, `query "301-og" has no "301-changed"`},
		{"no pair", func(dir string) {
			writeRows(t, dir, "queries/queries-00000-of-00001.jsonl", []hubQuery{{"301-changed", "crime"}})
		}, `query "301-changed" is not part of a pair`},
		{"no corpus", func(dir string) { os.RemoveAll(filepath.Join(dir, "corpus")) }, `unknown config "corpus"`},
	} {
		err := write(tt.change)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	_, err := Load("followir", Options{Root: t.TempDir(), Tasks: []string{"core71"}})
	if err == nil || !strings.Contains(err.Error(), `unknown task "core71"; did you mean "core17"?`) {
		t.Errorf("unknown task: %v", err)
	}
	_, err = Load("followir", Options{Root: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "mteb/Robust04InstructionRetrieval") {
		t.Errorf("nothing fetched: %v", err)
	}
}

func TestMFollowIR(t *testing.T) {
	for i, name := range []string{"mfollowir", "mfollowir-cross"} {
		root := t.TempDir()
		s, err := FindSource(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, language := range mFollowIRLanguages {
			writeFollowIR(t, s.Repos[0].Folder(root), hubEndings[i], "-"+language)
		}
		b, err := Load(name, Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Tasks) != 3 || b.Tasks[2].Name != []string{"zho", "eng-zho"}[i] || b.Tasks[0].Scorings[0] != (Scoring{"nDCG@20", Original}) {
			t.Fatalf("%s: tasks %v", name, b.Tasks)
		}
		for _, task := range b.Tasks {
			checkFollowIR(t, name+" "+task.Name, &task)
		}
	}
}

func TestInfoSearch(t *testing.T) {
	for _, ending := range hubEndings {
		root := t.TempDir()
		for _, part := range infoSearchParts {
			writePaired(t, part.repo.Folder(root), ending, true)
		}
		b, err := Load("infosearch", Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		task := b.Tasks[5]
		if len(b.Tasks) != 6 || task.Name != "source" || len(task.Queries) != 6 || task.Candidates != nil {
			t.Fatalf("%d tasks, %+v", len(b.Tasks), task)
		}
		if task.Queries[5] != (Query{"336-reversed", "bears", "bears, not narrow"}) {
			t.Errorf("last query %+v", task.Queries[5])
		}
		if p := task.Pairs[0]; p.Reversed != "301-reversed" || !slices.Equal(p.Moved, []string{"d2"}) || task.Qrels[p.Reversed]["d2"] != 1 {
			t.Errorf("pair %+v, qrels %v", p, task.Qrels)
		}
	}
}
