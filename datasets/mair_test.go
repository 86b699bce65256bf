package datasets

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

type mairLabel struct {
	ID    string `parquet:"id" json:"id"`
	Score int64  `parquet:"score" json:"score"`
}

type mairQuery struct {
	ID          string      `parquet:"qid" json:"qid"`
	Instruction string      `parquet:"instruction" json:"instruction"`
	Query       string      `parquet:"query" json:"query"`
	Labels      []mairLabel `parquet:"labels,list" json:"labels"`
}

type mairDocument struct {
	ID   string `parquet:"id" json:"id"`
	Text string `parquet:"doc" json:"doc"`
}

// writeMAIR writes all 126 tasks: IFEval and CQADupStack with several splits, and the corpus of the
// AY2 group once, under its first task.
func writeMAIR(t *testing.T, root, ending string) {
	t.Helper()
	queries, docs := mair().Repos[0].Folder(root), mair().Repos[1].Folder(root)
	splits := map[string][]string{
		"IFEval":      {"keywords__existence_7_", "keywords__frequency_9_", "startend__quotation_1_"},
		"CQADupStack": {"CQADupStack_Android_", "CQADupStack_Tex_"},
	}
	for _, task := range MAIRTasks {
		of := splits[task.Name]
		if of == nil {
			of = []string{""}
		}
		for _, split := range of {
			writeRows(t, queries, task.Name+"/"+split+"queries-00000-of-00001"+ending, []mairQuery{
				{"q1", "find " + task.Name, "one", []mairLabel{{"a", 2}, {"b", 0}}},
				{"q2", "", "two", []mairLabel{{"b", 1}}}})
			if task.Shared == "AY2" && task.Name != "AY2" {
				continue
			}
			writeRows(t, docs, task.Name+"/"+split+"docs-00000-of-00001"+ending, []mairDocument{{"a", "doc of " + task.Name + split}, {"b", "other"}})
		}
	}
}

func TestMAIR(t *testing.T) {
	for _, ending := range hubEndings {
		root := t.TempDir()
		writeMAIR(t, root, ending)
		b, err := Load("mair", Options{Root: root})
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Tasks) != 126-2+3+2 {
			t.Fatalf("%d tasks, want 124 of one split, 3 of IFEval, 2 of CQADupStack", len(b.Tasks))
		}
		byName := map[string]*Task{}
		for i := range b.Tasks {
			byName[b.Tasks[i].Name] = &b.Tasks[i]
		}
		first, last := b.Tasks[0], b.Tasks[len(b.Tasks)-1]
		if first.Name != "Competition-Math" || first.Queries[0] != (Query{"q1", "one", "find Competition-Math"}) || first.Qrels["q1"]["a"] != 2 || len(first.Qrels["q1"]) != 2 {
			t.Errorf("first task %+v", first)
		}
		if last.Name != "IFEval/startend__quotation_1" || fmt.Sprint(last.Groups) != "[Web IFEval IFEval/startend]" || last.Scorings[0].Measure != "nDCG@10" {
			t.Errorf("last task %s, groups %q", last.Name, last.Groups)
		}
		if docs := readAll(t, last.Corpus); len(docs) != 2 || docs[0].Text != "doc of IFEvalstartend__quotation_1_" {
			t.Errorf("documents of %s: %+v", last.Name, docs)
		}
		if ay2, fever := byName["AY2"], byName["Fever"]; ay2.Corpus != fever.Corpus || fever.Queries[0].Instruction != "find Fever" {
			t.Errorf("AY2 and Fever do not share their corpus")
		}
	}
}

func TestMAIRPick(t *testing.T) {
	root := t.TempDir()
	writeMAIR(t, root, ".jsonl")
	for pick, want := range map[string]int{
		"IFEval": 3, "IFEval/keywords": 2, "IFEval/startend__quotation_1": 1, "Finance": 8, "Academic": 16, "Legal": 11, "Medical": 19, "SciFact": 1,
		"Code": 18, "Web": 54 - 2 + 3 + 2,
	} {
		b, err := Load("mair", Options{Root: root, Tasks: []string{pick}})
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Tasks) != want {
			t.Errorf("%s: %d tasks, want %d", pick, len(b.Tasks), want)
		}
	}
	if err := os.RemoveAll(filepath.Join(mair().Repos[0].Folder(root), "SciFact")); err != nil {
		t.Fatal(err)
	}
	if _, err := Load("mair", Options{Root: root, Tasks: []string{"SciFact"}}); err == nil || !strings.Contains(err.Error(), "task SciFact") {
		t.Errorf("absent task: %v", err)
	}
	if b, err := Load("mair", Options{Root: root, Tasks: []string{"SciDocs"}}); err != nil || len(b.Tasks) != 1 {
		t.Errorf("another task: %v", err)
	}
}

// TestMAIRPart opens a MAIR that was fetched in part: the numbers are marked and kept separate from
// those of the complete MAIR.
func TestMAIRPart(t *testing.T) {
	root := t.TempDir()
	writeMAIR(t, root, ".jsonl")
	whole, err := Load("mair", Options{Root: root})
	if err != nil || whole.Part != "" {
		t.Fatalf("whole: part %q, %v", whole.Part, err)
	}
	source := mair()
	want, err := source.Wanted([]string{"DD_2015", "FairRanking_2021"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range source.Repos {
		dirs, err := filepath.Glob(filepath.Join(r.Folder(root), "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range dirs {
			if !want(filepath.Base(dir) + "/x.jsonl") {
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	b, err := Load("mair", Options{Root: root})
	if err != nil || len(b.Tasks) != 2 || b.Part != "2 of 126 tasks: DD_2015, FairRanking_2021" {
		t.Fatalf("%d tasks, part %q, %v", len(b.Tasks), b.Part, err)
	}
	if got := fmt.Sprint(b.Tasks[0].Warnings); !strings.Contains(got, b.Part) {
		t.Errorf("warnings %s, want %q", got, b.Part)
	}
	if _, err := Load("mair", Options{Root: root, Tasks: []string{"Legal"}}); err == nil || !strings.Contains(err.Error(), "none of the tasks is here") {
		t.Errorf("a domain of which nothing is there: %v", err)
	}
	for _, test := range []struct{ ask, lack []string }{
		{[]string{"DD_2015", "DD_2016", "DD_2017"}, []string{"DD_2016", "DD_2017"}},
		{[]string{"FairRanking_2022"}, []string{"FairRanking_2022"}},
		{[]string{"DD_2015", "IFEval/keywords"}, []string{"IFEval"}},
		{[]string{"Legal"}, []string{"Legal"}},
	} {
		_, err := Load("mair", Options{Root: root, Tasks: test.ask})
		if part, ok := errors.AsType[*UnfetchedError](err); !ok || !slices.Equal(part.Tasks, test.lack) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v, want those that were not fetched: %q", test.ask, err, test.lack)
		}
	}
	if _, err := Load("mair", Options{Root: root, Tasks: []string{"DD_2015", "DD_2051"}}); err == nil || !strings.Contains(err.Error(), `did you mean`) {
		t.Errorf("an unknown task: %v", err)
	}
}

// TestFetchPart checks which files tasks are read from.
func TestFetchPart(t *testing.T) {
	for _, c := range []struct {
		source, task, file string
		want               bool
	}{
		{"mair", "DD_2015", "DD_2015/docs.jsonl", true},
		{"mair", "DD_2015", "DD_2016/docs.jsonl", false},
		{"mair", "DD_2015", "README.md", true},
		{"mair", "Fever", "Fever/queries.jsonl", true},
		{"mair", "Fever", "AY2/docs.jsonl", true},
		{"mair", "Fever", "ELI5/docs.jsonl", false},
		{"mair", "Finance", "Apple/docs.jsonl", true},
		{"bright", "pony", "examples/pony-00000-of-00001.parquet", true},
		{"bright", "pony", "documents/biology-00000-of-00001.parquet", false},
	} {
		s, err := FindSource(c.source)
		if err != nil {
			t.Fatal(err)
		}
		wanted, err := s.Wanted([]string{c.task})
		if err != nil {
			t.Fatal(err)
		}
		if got := wanted(c.file); got != c.want {
			t.Errorf("%s %s: %s wanted %t", c.source, c.task, c.file, got)
		}
	}
	s := mair()
	if _, err := s.Wanted([]string{"DD_2105"}); err == nil || !strings.Contains(err.Error(), `did you mean "DD_2015"`) {
		t.Errorf("a near miss: %v", err)
	}
	s = nevIR()
	if _, err := s.Wanted([]string{"nevir"}); err == nil || !strings.Contains(err.Error(), "only be fetched completely") {
		t.Errorf("a source whose files are not by task: %v", err)
	}
	if wanted, err := s.Wanted(nil); err != nil || wanted != nil {
		t.Errorf("no task named: %v", err)
	}
}

// TestMAIRTasks compares the table of tasks with a transcript of MAIR's config.py.
func TestMAIRTasks(t *testing.T) {
	f, err := os.Open(filepath.Join(testkit.SharedPath(t, "published"), "mair_tasks.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(MAIRTasks) != 126 || len(rows) != 127 {
		t.Fatalf("%d tasks, %d lines", len(MAIRTasks), len(rows))
	}
	for i, row := range rows[1:] {
		if got := MAIRTasks[i]; got != (MAIRTask{Name: row[0], Domain: row[1], Shared: row[4]}) {
			t.Errorf("task %d: %v, want %v", i, got, row)
		}
	}
}
