package datasets

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/metrics/trec"
)

// followTableFiles is a set of FollowTable: query 0 has two instructions, query 2 one; IDs have a
// gap.
var followTableFiles = map[string]string{
	"corpus.jsonl": `{"_id": "t1", "title": "", "text": "one"}
{"_id": "t2", "text": "two"}
{"_id": "t3", "text": "three"}
`,
	"queries.jsonl": `{"_id": "0_0", "text": "in 2020 [SEP] wines", "metadata": {"origin_query": "wines", "instruction": "in 2020", "instruction_type": "1.1"}}
{"_id": "0_1", "text": "not red [SEP] wines", "metadata": {"origin_query": "wines", "instruction": "not red", "instruction_type": "1.2"}}
{"_id": "2_0", "text": "by year [SEP] ports", "metadata": {"origin_query": "ports", "instruction": "by year", "instruction_type": "2.3.1"}}
`,
	"only_queries.jsonl":            "{\"_id\": \"0\", \"text\": \"wines\"}\n{\"_id\": \"2\", \"text\": \"ports\"}\n",
	"qrels/test.tsv":                "query-id\tcorpus-id\tscore\n0_0\tt1\t1\n0_1\tt2\t1\n2_0\tt3\t1\n",
	"qrels/for_only_query_test.tsv": "query-id\tcorpus-id\tscore\n0\tt1\t1\n0\tt2\t1\n2\tt3\t1\n",
}

// releasedFollowTable is the same set in its authors' layout: a topic without instructions keeps
// its number.
var releasedFollowTable = map[string]string{
	"query_instruction.json": `[
{"query": "wines", "query_positive": ["t1.txt", "t2"], "outs": [
 {"instruction": "in 2020", "instruction_type": "1.1", "instruction_positive": ["t1"], "query_positive": ["t1", "t2"], "all_tables": ["t1", "t2", "t3"]},
 {"instruction": "not red", "instruction_type": "1.2", "instruction_positive": ["t2.txt"], "query_positive": ["t1", "t2"]}]},
{"query": "ales", "query_positive": ["t1"], "outs": []},
{"query": "ports", "query_positive": ["t3"], "outs": [{"instruction": "by year", "instruction_type": "2.3.1", "instruction_positive": ["t3"]}]}]`,
	"tables/t1.txt": "one", "tables/t2.txt": "two", "tables/t3.txt": "three",
}

// TestFollowTable: several instructions share a bare query, and the moved documents are those that
// an instruction rules out. Both forms give the same task.
func TestFollowTable(t *testing.T) {
	for form, files := range map[string]map[string]string{"BEIR's": followTableFiles, "released": releasedFollowTable} {
		t.Run(form, func(t *testing.T) { checkFollowTable(t, files) })
	}
}

func checkFollowTable(t *testing.T, files map[string]string) {
	b, err := OpenFolder(writeFiles(t, files))
	if err != nil {
		t.Fatal(err)
	}
	task := b.Tasks[0]
	for doc, err := range task.Corpus.Documents() {
		if want := map[string]string{"t1": "one", "t2": "two", "t3": "three"}[doc.ID]; err != nil || doc.Text != want || doc.Title != "" {
			t.Errorf("%+v, %v", doc, err)
		}
	}
	if want := []Scoring{{Measure: "IRS"}, {Measure: "nDCG@10", Side: Changed}}; !slices.Equal(task.Scorings, want) {
		t.Errorf("%v", task.Scorings)
	}
	want := []Pair{
		{ID: "0_0", Original: "0", Changed: "0_0", Moved: []string{"t2"}},
		{ID: "0_1", Original: "0", Changed: "0_1", Moved: []string{"t1"}},
		{ID: "2_0", Original: "2", Changed: "2_0"},
	}
	for i, p := range task.Pairs {
		if w := want[i]; p.ID != w.ID || p.Original != w.Original || p.Changed != w.Changed || !slices.Equal(p.Moved, w.Moved) {
			t.Errorf("pair %+v, want %+v", p, w)
		}
	}
	if len(task.Pairs) != len(want) || len(task.Queries) != 5 || task.Depth != 3 || len(task.Qrels["0"]) != 2 {
		t.Errorf("%d pairs, %d queries, depth %d, %v", len(task.Pairs), len(task.Queries), task.Depth, task.Qrels)
	}
	if q := task.Queries[3]; q != (Query{ID: "0_1", Text: "wines", Instruction: "not red"}) {
		t.Errorf("query %+v", q)
	}
	if q := task.Queries[0]; q != (Query{ID: "0", Text: "wines"}) {
		t.Errorf("bare query %+v", q)
	}
}

func TestFollowTableErrors(t *testing.T) {
	for name, change := range map[string]struct{ file, content, want string }{
		"an ID without a number": {"queries.jsonl", strings.Replace(followTableFiles["queries.jsonl"], "0_1", "wine", 1), `queries.jsonl:2: ID "wine" is not of the form <query>_<number>`},
		"no instruction":         {"queries.jsonl", strings.Replace(followTableFiles["queries.jsonl"], `"instruction": "not red", `, "", 1), "queries.jsonl:2"},
		"no bare query":          {"only_queries.jsonl", "{\"_id\": \"0\", \"text\": \"wines\"}\n", `query "2_0": no bare query "2"`},
		"no bare judgments":      {"qrels/for_only_query_test.tsv", "", "for_only_query_test.tsv"},
	} {
		files := maps.Clone(followTableFiles)
		files[change.file] = change.content
		if change.content == "" {
			delete(files, change.file)
		}
		if _, err := OpenFolder(writeFiles(t, files)); err == nil || !strings.Contains(err.Error(), change.want) {
			t.Errorf("%s: %v, want %q", name, err, change.want)
		}
	}
}

// TestReleasedFollowTableErrors: an error in a released set has its position.
func TestReleasedFollowTableErrors(t *testing.T) {
	topics := releasedFollowTable["query_instruction.json"]
	for _, c := range []struct{ old, new, want string }{
		{`["t3"], "outs"`, `["t4"], "outs"`, `query_instruction.json: query 3: query_positive: "t4" is not a table in tables`},
		{`"instruction_positive": ["t1"]`, `"instruction_positive": []`, "query 1: instruction_positive: no table"},
		{`"instruction": "not red", `, "", "query 1: instruction: it is empty"},
		{`"query": "ports"`, `"query": ""`, "query 3: query: it is empty"},
		{`{"query": "ales"`, `"query": "ales"`, "query_instruction.json:5"},
	} {
		files := maps.Clone(releasedFollowTable)
		files["query_instruction.json"] = strings.Replace(topics, c.old, c.new, 1)
		if _, err := OpenFolder(writeFiles(t, files)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
	files := maps.Clone(releasedFollowTable)
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasPrefix(name, "tables/") })
	if _, err := OpenFolder(writeFiles(t, files)); err == nil || !strings.Contains(err.Error(), "tables") {
		t.Errorf("without tables: %v", err)
	}
}

// TestSuiteSources: every suite has the facts for a report, each of its parts is pinned, and no two
// benchmarks share a name.
func TestSuiteSources(t *testing.T) {
	names := map[string]bool{}
	for _, s := range Sources() {
		if names[s.Name] {
			t.Errorf("two benchmarks are called %s", s.Name)
		}
		names[s.Name] = true
	}
	for _, s := range suiteSources() {
		if s.About == "" || s.Licence == "" || s.Citation == "" || s.Protocol == "" || len(s.Measures) == 0 || (len(s.Repos) == 0) == (s.Elsewhere == "") {
			t.Errorf("%s: %+v", s.Name, s)
		}
		for _, r := range s.Repos {
			if len(r.Revision) < 7 || strings.Trim(r.Revision, "0123456789abcdef") != "" {
				t.Errorf("%s: %s is pinned at %q", s.Name, r.ID, r.Revision)
			}
		}
		if tasks, whole := TaskNames(s.Name); !whole || len(tasks) == 0 {
			t.Errorf("%s: tasks %q", s.Name, tasks)
		}
	}
}

// TestExcluIR: documents and queries of ExcluIR are identified by their indexes; the first document
// of index is ruled out.
func TestExcluIR(t *testing.T) {
	for _, names := range [][2]string{{"ExcluQ", "index"}, {"RQ_rewrite", "corpus_sub_index"}} {
		dir := writeFiles(t, map[string]string{"corpus.json": `["one", "two", "three"]`,
			"test_manual_final.json": `[{"` + names[0] + `": "not one", "` + names[1] + `": [0, 2]}, {"` + names[0] + `": "not three", "` + names[1] + `": [2, 1]}]`})
		b, err := OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		task := b.Tasks[0]
		if len(task.Queries) != 2 || task.Queries[1] != (Query{ID: "1", Text: "not three"}) || task.Corpus.Len() != 3 || len(task.Scorings) != 5 {
			t.Errorf("%+v", task)
		}
		if of := task.Qrels["0"]; len(of) != 2 || of["2"] != 1 || of["0"] != 0 {
			t.Errorf("judgments %v", of)
		}
	}
	for name, files := range map[string]map[string]string{
		"corpus.json:2: json: cannot unmarshal number":  {"corpus.json": "[\"one\",\n2]", "test_manual_final.json": `[{"ExcluQ": "q", "index": [0, 1]}]`},
		"corpus.json: the list is empty":                {"corpus.json": "[]", "test_manual_final.json": `[{"ExcluQ": "q", "index": [0, 1]}]`},
		"test_manual_final.json":                        {"corpus.json": `["one", "two"]`, "test_manual_final.json": `[{"ExcluQ": "q"}]`},
		"query 1: index [0 2]: corpus.json has 2 texts": {"corpus.json": `["one", "two"]`, "test_manual_final.json": `[{"ExcluQ": "q", "index": [0, 2]}]`},
		"index [0] is not two documents":                {"corpus.json": `["one", "two"]`, "test_manual_final.json": `[{"ExcluQ": "q", "index": [0]}]`},
		"index [1 1] is not two documents":              {"corpus.json": `["one", "two"]`, "test_manual_final.json": `[{"ExcluQ": "q", "index": [1, 1]}]`},
		"no such file":                                  {"test_manual_final.json": `[{"ExcluQ": "q", "index": [0, 1]}]`},
	} {
		if _, err := OpenFolder(writeFiles(t, files)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}

// TestFollowTableSets: the sets of FollowTable in a folder are its tasks.
func TestFollowTableSets(t *testing.T) {
	files := map[string]string{}
	for name, content := range followTableFiles {
		files["WTR/"+name], files["TArX/"+name], files["new_WQT/"+name] = content, content, content
	}
	b, err := OpenFolder(writeFiles(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Tasks) != 2 || b.Tasks[0].Name != "WTR" || b.Tasks[1].Name != "TArX" || len(b.Tasks[1].Pairs) != 3 || b.Citation == "" {
		t.Errorf("%+v", b)
	}
}

// multiConIRFiles are files of MultiConIR with one row each, with a line break in a document.
func multiConIRFiles() map[string]string {
	first, firstRow, chain := "Positive", "\"all,\nand more\"", "Query10,Natural_Query10,Positive"
	chainRow := "q ten,natural ten,all"
	for n := range 10 {
		first += fmt.Sprintf(",Query%d,HN%d,HN_%d", n+1, n+1, n+1)
		firstRow += fmt.Sprintf(",q %d,misses %d,unused", n+1, n+1)
		chain += fmt.Sprintf(",HN%d", n+1)
		chainRow += fmt.Sprintf(",misses %d", n+1)
	}
	files := map[string]string{}
	for _, domain := range []string{"Books", "Legal Document", "Medical Case", "Movies", "People"} {
		files["Task1/"+domain+"_Task1.csv"] = first + "\n" + firstRow + "\n"
		for _, name := range []string{"Task2_&_3/" + domain + "_Task2_&_3.csv", "Task4/" + domain + "_512.csv", "Task4/" + domain + "_1024.csv"} {
			files[name] = chain + "\n" + chainRow + "\n"
		}
	}
	return files
}

// TestMultiConIR: a query of three conditions ranks the document that meets all and the third hard
// negative. A query of ten conditions grades eleven documents, and forms a pair with its natural
// wording.
func TestMultiConIR(t *testing.T) {
	b, err := OpenFolder(writeFiles(t, multiConIRFiles()))
	if err != nil {
		t.Fatal(err)
	}
	known, _ := TaskNames("multiconir")
	for i, task := range b.Tasks {
		if task.Name != known[i] {
			t.Errorf("task %s, the registry has %s", task.Name, known[i])
		}
	}
	if len(b.Tasks) != 65 || b.Licence != "Apache 2.0" {
		t.Fatalf("%d tasks, licence %s", len(b.Tasks), b.Licence)
	}
	three := b.Tasks[slices.Index(known, "books/conditions-03")]
	if q := three.Queries[0]; q.Text != "q 3" || q.Instruction == "" || !slices.Equal(three.Candidates[q.ID], []string{"1-0", "1-3"}) || !maps.Equal(three.Qrels[q.ID], map[string]int{"1-0": 1, "1-3": 0}) {
		t.Errorf("%+v, candidates %v, judgments %v", q, three.Candidates, three.Qrels)
	}
	if doc := three.Corpus.(MemoryCorpus)[0]; doc.Text != "all,\nand more" || three.Corpus.Len() != 11 {
		t.Errorf("%+v of %d", doc, three.Corpus.Len())
	}
	chain := b.Tasks[slices.Index(known, "people/monotonicity")]
	if p := chain.Pairs[0]; len(chain.Pairs) != 1 || p.ID != "1" || p.Original != "1" || p.Changed != "1-natural" || len(chain.Candidates[p.Changed]) != 11 {
		t.Errorf("%+v, candidates %v", p, chain.Candidates)
	}
	if of := chain.Qrels["1"]; of["1-0"] != 10 || of["1-1"] != 9 || of["1-10"] != 0 {
		t.Errorf("judgments %v", of)
	}
}

func TestMultiConIRErrors(t *testing.T) {
	for want, change := range map[string]func(files map[string]string){
		"Movies_512.csv": func(f map[string]string) { delete(f, "Task4/Movies_512.csv") },
		`Books_Task1.csv:2: column "HN3" is empty`: func(f map[string]string) {
			f["Task1/Books_Task1.csv"] = strings.Replace(f["Task1/Books_Task1.csv"], "misses 3", "", 1)
		},
		`"Natural_Query10"`: func(f map[string]string) {
			f["Task2_&_3/People_Task2_&_3.csv"] = strings.Replace(f["Task2_&_3/People_Task2_&_3.csv"], "Natural_", "", 1)
		},
		"no rows": func(f map[string]string) {
			head, _, _ := strings.Cut(f["Task4/Books_512.csv"], "\n")
			f["Task4/Books_512.csv"] = head + "\n"
		},
	} {
		files := multiConIRFiles()
		change(files)
		if _, err := OpenFolder(writeFiles(t, files)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// crumbFiles is a repository of CRUMB with two tasks: one with judged documents and ranked
// passages, and one with two sets of judgments, in a folder with another name.
func crumbFiles(labels string) map[string]string {
	files := map[string]string{
		"clinical_trial/passage_corpus.jsonl": `{"document_id": "X:0", "document_content": "one", "parent_id": "X", "metadata": "{}"}
{"document_id": "X:1", "document_content": "two", "parent_id": "X", "metadata": "{}"}
{"document_id": "Y", "document_content": "three", "parent_id": null, "metadata": "{}"}
`,
		"clinical_trial/eval/query_labels.jsonl": `{"query_id": "1", "query_content": "q", "instruction": null, "passage_qrels": [], "full_document_qrels": [{"id": "X", "label": 2.0}, {"id": "Z", "label": 1.0}], "use_max_p": true}
`,
		"scientific_paper/passage_corpus.jsonl": `{"document_id": "p1", "document_content": "one"}
{"document_id": "p2", "document_content": "two"}
`,
		"scientific_paper/eval/query_labels.jsonl": `{"query_id": 7, "query_content": "q", "instruction": "i", "passage_qrels": ` + labels + `, "passage_binary_qrels": [{"id": "p2", "label": 1}], "full_document_qrels": []}
`,
		"README.md": "---\nconfigs:\n",
	}
	for config, name := range map[string]string{"passage_corpus": "passage_corpus.jsonl", "evaluation_queries": "eval/query_labels.jsonl"} {
		files["README.md"] += "- config_name: " + config + "\n  data_files:\n  - {split: clinical_trial, path: clinical_trial/" + name + "}\n  - {split: paper_retrieval, path: scientific_paper/" + name + "}\n"
	}
	files["README.md"] += "---\n"
	return files
}

// openCrumbFiles opens crumbFiles as the hub's repository.
func openCrumbFiles(t *testing.T, labels string, tasks ...string) (*Benchmark, error) {
	root := t.TempDir()
	for name, content := range crumbFiles(labels) {
		path := filepath.Join(root, "jfkback", "crumb", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Load("crumb", Options{Root: root, Tasks: tasks})
}

func TestCrumb(t *testing.T) {
	b, err := openCrumbFiles(t, `[{"id": "p1", "label": 0.9}, {"id": "p2", "label": 2.0}]`)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Tasks) != 3 || !strings.Contains(b.Part, "3 of 9 tasks") {
		t.Fatalf("%d tasks, part %q", len(b.Tasks), b.Part)
	}
	if _, err := openCrumbFiles(t, `[{"id": "p1", "label": 1}]`, "code_retrieval"); err == nil || !strings.Contains(err.Error(), "crumb was fetched without task code_retrieval") {
		t.Errorf("a task that was not fetched: %v", err)
	}
	trial, graded, binary := b.Tasks[0], b.Tasks[1], b.Tasks[2]
	if trial.PassageMark != ":" || trial.Depth != 2000 || trial.Qrels["1"]["X"] != 2 || !strings.Contains(strings.Join(trial.Warnings, ";"), `1 of 2 judgments are of documents the corpus lacks`) {
		t.Errorf("%+v", trial)
	}
	run := trial.Ranked(trec.Run{"1": {{Doc: "X:1", Score: 1}, {Doc: "Y", Score: 2}, {Doc: "X:0", Score: 3}}})
	if want := (trec.Ranking{{Doc: "X", Score: 3}, {Doc: "Y", Score: 2}}); !slices.Equal(run["1"], want) {
		t.Errorf("best passages %v, want %v", run["1"], want)
	}
	if graded.Name != "paper_retrieval" || !maps.Equal(graded.Qrels["7"], map[string]int{"p1": 0, "p2": 2}) || len(graded.Scorings) != 1 || graded.Queries[0].Instruction != "i" {
		t.Errorf("%+v", graded)
	}
	if binary.Name != "paper_retrieval-binary" || !maps.Equal(binary.Qrels["7"], map[string]int{"p2": 1}) || len(binary.Scorings) != 4 || binary.PassageMark != "" {
		t.Errorf("%+v", binary)
	}
	for labels, want := range map[string]string{
		`[{"id": "p1"}]`:                                       "query_labels.jsonl:1",
		`[{"id": "p1", "label": "x"}]`:                         "query_labels.jsonl:1",
		`[{"id": "p1", "label": 1}, {"id": "p1", "label": 2}]`: "graded 2 after 1",
	} {
		if _, err := openCrumbFiles(t, labels); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", labels, err, want)
		}
	}
}

// TestNotServed: the errors for closed BEIR sets, and for suites outside the hub, name their
// sources.
func TestNotServed(t *testing.T) {
	for name, want := range map[string]string{
		"beir-robust04": "benchmark beir-robust04 is not public: TREC disks 4 and 5, under an agreement with NIST",
		"beir-bioasq":   "not public", "beir-trec-news": "not public", "beir-signal1m": "not public",
		"beir-scifakt": `did you mean "beir-scifact"?`,
		"multiconir":   "it is not on the hub: get it from https://github.com/EIT-NLP/MultiConIR at 26b6504",
	} {
		if _, err := Load(name, Options{Root: t.TempDir()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
