package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeMTEB writes a retrieval repository in mteb's layout with two queries, optionally with
// instructions and candidates.
func writeMTEB(t *testing.T, dir, ending string, instructions, candidates bool) {
	t.Helper()
	writeRows(t, dir, "corpus/test-00000-of-00001"+ending, []hubDocument{{"p1_1", "", "first"}, {"p1_2", "T", "second"}, {"p2_1", "", "third"}})
	writeRows(t, dir, "queries/test-00000-of-00001"+ending, []hubQuery{{"7_q1", "what"}, {"7_q2", "who"}, {"8_q1", "unjudged"}})
	writeRows(t, dir, "data/test-00000-of-00001"+ending, []hubQrel{{"7_q1", "p1_1", 1}, {"7_q2", "p1_2", 3}, {"7_q2", "p2_1", 0}})
	if instructions {
		writeRows(t, dir, "instruction/test-00000-of-00001"+ending, []hubInstruction{{"7_q2", "for lawyers"}, {"7_q1", "for cooks"}, {"8_q1", "x"}})
	}
	if candidates {
		writeRows(t, dir, "top_ranked/test-00000-of-00001"+ending, []hubList{{"7_q1", []string{"p1_1", "p1_2"}}, {"7_q2", []string{"p1_2", "p1_1"}}})
	}
}

// TestMTEBBenchmarks opens the benchmarks that are plain repositories of mteb.
func TestMTEBBenchmarks(t *testing.T) {
	for _, tt := range []struct {
		name                     string
		tasks                    int
		measure                  string
		instructions, candidates bool
	}{
		{"instructir", 1, "Robustness@10", true, false},
		{"ifir", 7, "nDCG@20", true, false},
		{"nevir", 1, "PairedAccuracy", false, true},
	} {
		for _, ending := range hubEndings {
			root := t.TempDir()
			s, err := FindSource(tt.name)
			if err != nil {
				t.Fatal(err)
			}
			for _, repo := range s.Repos {
				writeMTEB(t, repo.Folder(root), ending, tt.instructions, tt.candidates)
			}
			b, err := Load(tt.name, Options{Root: root})
			if err != nil {
				t.Fatal(err)
			}
			if len(b.Tasks) != tt.tasks || len(s.Repos) != tt.tasks || b.Source == "" || b.Citation == "" {
				t.Fatalf("%s: %d tasks, %d repositories", tt.name, len(b.Tasks), len(s.Repos))
			}
			task := b.Tasks[tt.tasks-1]
			want := []Query{{ID: "7_q1", Text: "what"}, {ID: "7_q2", Text: "who"}}
			if tt.instructions {
				want[0].Instruction, want[1].Instruction = "for cooks", "for lawyers"
			}
			if !slices.Equal(task.Queries, want) || task.Scorings[0].Measure != tt.measure {
				t.Errorf("%s: queries %+v, scorings %v", tt.name, task.Queries, task.Scorings)
			}
			if fmt.Sprint(task.Qrels) != "map[7_q1:map[p1_1:1] 7_q2:map[p1_2:3 p2_1:0]]" {
				t.Errorf("%s: qrels %v", tt.name, task.Qrels)
			}
			if tt.candidates != (task.Candidates != nil) || tt.candidates && fmt.Sprint(task.Candidates["7_q2"]) != "[p1_2 p1_1]" {
				t.Errorf("%s: candidates %v", tt.name, task.Candidates)
			}
			if docs := readAll(t, task.Corpus); len(docs) != 3 || docs[1] != (Document{ID: "p1_2", Title: "T", Text: "second"}) {
				t.Errorf("%s: documents %+v", tt.name, docs)
			}
		}
	}
}

// TestOpenFolder opens folders in every layout by their path.
func TestOpenFolder(t *testing.T) {
	plain := t.TempDir()
	writeMTEB(t, plain, ".parquet", true, true)
	subsets := t.TempDir()
	for _, language := range []string{"fas", "zho"} {
		writeRows(t, subsets, language+"-corpus/test.jsonl", []hubDocument{{"d", "", "x"}})
		writeRows(t, subsets, language+"-queries/test.jsonl", []hubQuery{{"q", language}})
		writeRows(t, subsets, language+"-qrels/test.jsonl", []hubQrel{{"q", "d", 1}})
	}
	suffixed, paired := t.TempDir(), t.TempDir()
	writeFollowIR(t, suffixed, ".parquet", "-rus")
	writePaired(t, paired, ".jsonl", false)
	flat := writeFiles(t, map[string]string{
		"corpus.jsonl": `{"_id":"d","title":"","text":"x"}`, "queries.jsonl": `{"_id":"q","text":"y"}`, "qrels/dev.tsv": "query-id\tcorpus-id\tscore\nq\td\t1\n",
	})
	for _, tt := range []struct {
		dir, tasks string
		queries    int
	}{
		{writeFiles(t, tinyBEIR()), "test", 2},
		{writeFiles(t, tinyTREC()), "test", 1},
		{plain, "test", 2},
		{subsets, "fas zho", 1},
		{suffixed, "rus", 4},
		{paired, "test", 4},
		{flat, "dev", 1},
	} {
		b, err := Load(tt.dir+"/", Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		var names []string
		for _, task := range b.Tasks {
			names = append(names, task.Name)
			if len(task.Scorings) == 0 {
				t.Errorf("%s: task %s has nothing to measure", tt.dir, task.Name)
			}
		}
		if strings.Join(names, " ") != tt.tasks || len(b.Tasks[0].Queries) != tt.queries || b.Name != filepath.Base(tt.dir) {
			t.Errorf("%s: benchmark %s, tasks %q, %d queries, want %q, %d", tt.dir, b.Name, names, len(b.Tasks[0].Queries), tt.tasks, tt.queries)
		}
	}
	if _, err := Load(t.TempDir()+"/", Options{}); err == nil || !strings.Contains(err.Error(), "none of the known layouts") {
		t.Errorf("empty folder: %v", err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "absent"), Options{}); err == nil || !os.IsNotExist(err) && !strings.Contains(err.Error(), "absent") {
		t.Errorf("absent folder: %v", err)
	}
}

func TestRegistry(t *testing.T) {
	names := Names()
	if !slices.IsSorted(names) || !slices.Equal(names, slices.Compact(slices.Clone(names))) {
		t.Errorf("names %q", names)
	}
	for _, want := range []string{"bright", "bright-long-gpt4_reason", "followir", "mair", "mini-followir"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s among %q", want, names)
		}
	}
	for _, s := range Sources() {
		if s.About == "" || s.Licence == "" || s.Citation == "" || s.Protocol == "" || len(s.Measures) == 0 || len(s.Repos) == 0 && s.Elsewhere == "" {
			t.Errorf("%s lacks a description: %+v", s.Name, s)
		}
	}
	if _, err := Load("folowir", Options{}); err == nil || !strings.Contains(err.Error(), `unknown benchmark "folowir"; did you mean "followir"?`) {
		t.Errorf("unknown name: %v", err)
	}
	b, err := Load("mini-followir", Options{World: 1})
	if err != nil || !b.Synthetic {
		t.Fatal(err)
	}
	one, err := Load("mini-followir", Options{World: 1, Tasks: []string{b.Tasks[0].Name}})
	if err != nil || len(one.Tasks) != 1 {
		t.Errorf("one task of %d: %v", len(b.Tasks), err)
	}
}
