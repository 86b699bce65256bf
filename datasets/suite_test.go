package datasets

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// followTable is a set of FollowTable: query 0 has two instructions, query 2 one; IDs
// have a gap.
var followTable = map[string]string{
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

// One bare query is the base of several instructions; what an instruction rules out is
// what it moves.
func TestFollowTable(t *testing.T) {
	b, err := OpenFolder(writeFiles(t, followTable))
	if err != nil {
		t.Fatal(err)
	}
	task := b.Tasks[0]
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
		"an ID without a number": {"queries.jsonl", strings.Replace(followTable["queries.jsonl"], "0_1", "wine", 1), `queries.jsonl:2: ID "wine" is not of the form <query>_<number>`},
		"no instruction":         {"queries.jsonl", strings.Replace(followTable["queries.jsonl"], `"instruction": "not red", `, "", 1), "queries.jsonl:2"},
		"no bare query":          {"only_queries.jsonl", "{\"_id\": \"0\", \"text\": \"wines\"}\n", `query "2_0": no bare query "2"`},
		"no bare judgments":      {"qrels/for_only_query_test.tsv", "", "for_only_query_test.tsv"},
	} {
		files := maps.Clone(followTable)
		files[change.file] = change.content
		if change.content == "" {
			delete(files, change.file)
		}
		if _, err := OpenFolder(writeFiles(t, files)); err == nil || !strings.Contains(err.Error(), change.want) {
			t.Errorf("%s: %v, want %q", name, err, change.want)
		}
	}
}

// Every suite says what a report has to, each of its parts is pinned, and no two
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
		if s.About == "" || s.Licence == "" || s.Citation == "" || s.Protocol == "" || len(s.Measures) == 0 || len(s.Repos) == 0 {
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

// Documents and queries of ExcluIR go by their places; of index the first is ruled out.
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
