package datasets

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infbench/datasets/format"
	"infbench/internal/testkit"
	"infbench/metrics/trec"
)

type brightExample struct {
	Query    string   `parquet:"query" json:"query"`
	Reason   string   `parquet:"reasoning" json:"reasoning"`
	ID       string   `parquet:"id" json:"id"`
	Excluded []string `parquet:"excluded_ids,list" json:"excluded_ids"`
	GoldLong []string `parquet:"gold_ids_long,list" json:"gold_ids_long"`
	Gold     []string `parquet:"gold_ids,list" json:"gold_ids"`
	Answer   string   `parquet:"gold_answer" json:"gold_answer"`
}

type brightDocument struct {
	ID      string `parquet:"id" json:"id"`
	Content string `parquet:"content" json:"content"`
}

// writeBright writes two domains in the format of xlangai/BRIGHT: biology without exclusions,
// leetcode with.
func writeBright(t *testing.T, root, ending string) {
	t.Helper()
	dir := bright(false, "").Repos[0].Folder(root)
	at := func(config, split string) string { return config + "/" + split + "-00000-of-00001" + ending }
	writeRows(t, dir, at("documents", "biology"), []brightDocument{{"a/1.txt", "one"}, {"a/2.txt", "two"}, {"b/1.txt", "three"}})
	writeRows(t, dir, at("long_documents", "biology"), []brightDocument{{"a.txt", "one two"}, {"b.txt", "three"}})
	writeRows(t, dir, at("examples", "biology"), []brightExample{
		{"why?", "r", "0", []string{"N/A"}, []string{"a.txt"}, []string{"a/1.txt", "a/2.txt"}, "x"},
		{"how?", "r", "1", []string{"N/A"}, []string{"b.txt"}, []string{"b/1.txt"}, "x"}})
	writeRows(t, dir, at("gpt4_reason", "biology"), []brightExample{{Query: "because", ID: "1"}, {Query: "essential problem", ID: "0"}})
	writeRows(t, dir, at("documents", "leetcode"), []brightDocument{{"l1", "p"}, {"l2", "q"}, {"l3", "r"}})
	writeRows(t, dir, at("examples", "leetcode"), []brightExample{
		{"code", "r", "7", []string{"l2", "l9"}, []string{}, []string{"l1"}, "x"}, {"more", "r", "8", []string{"N/A"}, []string{}, []string{"l3", "l9"}, "x"}})
}

func TestBright(t *testing.T) {
	for _, ending := range hubEndings {
		root := t.TempDir()
		writeBright(t, root, ending)
		b, err := Load("bright", Options{Root: root, Tasks: []string{"biology", "leetcode"}})
		if err != nil {
			t.Fatal(err)
		}
		biology, leetcode := b.Tasks[0], b.Tasks[1]
		if want := (Query{"0", "why?", "Given a biology post, retrieve relevant passages that help answer the post"}); biology.Queries[0] != want {
			t.Errorf("first query %+v", biology.Queries[0])
		}
		if docs := readAll(t, biology.Corpus); len(docs) != 3 || docs[2] != (Document{ID: "b/1.txt", Text: "three"}) {
			t.Errorf("documents %+v", docs)
		}
		if len(biology.Excluded) != 0 || fmt.Sprint(leetcode.Excluded) != "map[7:[l2 l9]]" {
			t.Errorf("excluded %v, %v", biology.Excluded, leetcode.Excluded)
		}
		if fmt.Sprint(biology.Qrels) != "map[0:map[a/1.txt:1 a/2.txt:1] 1:map[b/1.txt:1]]" {
			t.Errorf("qrels %v", biology.Qrels)
		}
		if w := strings.Join(leetcode.Warnings, ""); !strings.Contains(w, "1 of 3 judgments are of documents the corpus lacks") {
			t.Errorf("warnings %q", w)
		}

		long, err := Load("bright-long", Options{Root: root, Tasks: []string{"biology"}})
		if err != nil {
			t.Fatal(err)
		}
		task := long.Tasks[0]
		if task.Corpus.Len() != 2 || task.Qrels["0"]["a.txt"] != 1 || !strings.Contains(task.Queries[1].Instruction, "relevant documents") || task.Scorings[0].Measure != "R@1" {
			t.Errorf("long: %+v", task)
		}
		rewritten, err := Load("bright-gpt4_reason", Options{Root: root, Tasks: []string{"biology"}})
		if err != nil {
			t.Fatal(err)
		}
		if q := rewritten.Tasks[0].Queries; q[0].Text != "essential problem" || q[1].Text != "because" || len(rewritten.Tasks[0].Qrels["0"]) != 2 {
			t.Errorf("rewritten: %+v", q)
		}
		if _, err := Load("bright-grit_reason", Options{Root: root, Tasks: []string{"biology"}}); err == nil || !strings.Contains(err.Error(), `unknown config "grit_reason"`) {
			t.Errorf("absent rewrite: %v", err)
		}
		if _, err := Load("bright", Options{Root: root, Tasks: []string{"economics"}}); err == nil || !strings.Contains(err.Error(), "bright was fetched without task economics") {
			t.Errorf("absent domain: %v", err)
		}
		if _, err := Load("bright-long", Options{Root: root, Tasks: []string{"leetcode"}}); err == nil || !strings.Contains(err.Error(), `unknown task "leetcode"`) {
			t.Errorf("a domain without long documents: %v", err)
		}
	}
}

func TestBrightGoldExcluded(t *testing.T) {
	root := t.TempDir()
	dir := bright(false, "").Repos[0].Folder(root)
	writeRows(t, dir, "documents/aops.jsonl", []brightDocument{{"a", "x"}})
	writeRows(t, dir, "examples/aops.jsonl", []brightExample{{"q", "", "1", []string{"a"}, nil, []string{"a"}, ""}})
	// encoding/json writes the nil list as null, not as a list.
	_, err := Load("bright", Options{Root: root, Tasks: []string{"aops"}})
	if err == nil || !strings.Contains(err.Error(), `aops.jsonl:1: query "1": document "a" is both gold and excluded`) {
		t.Error(err)
	}
}

// TestBrightInstructions compares the instructions with those of BRIGHT's e5 configuration, for the
// domains that differ.
func TestBrightInstructions(t *testing.T) {
	got := map[string]string{}
	for _, s := range brightSplits {
		got[s.name] = brightInstruction(s.ask, false)
	}
	for name, want := range map[string]string{
		"sustainable_living":  "Given a sustainable_living post, retrieve relevant passages that help answer the post",
		"pony":                "Given a pony question, retrieve relevant passages that help answer the question",
		"leetcode":            "Given a coding problem, retrieve relevant examples that help answer the problem",
		"aops":                "Given a Math problem, retrieve relevant examples that help answer the problem",
		"theoremqa_questions": "Given a Math problem, retrieve relevant examples that help answer the problem",
		"theoremqa_theorems":  "Given a Math problem, retrieve relevant theorems that help answer the problem",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

// brightStats names mteb's file of numbers and the query count of each domain (card of
// mteb/BRIGHT).
var brightStats = []struct {
	split, file string
	queries     int
}{
	{"biology", "Biology", 103}, {"earth_science", "EarthScience", 116}, {"economics", "Economics", 103}, {"psychology", "Psychology", 101},
	{"robotics", "Robotics", 101}, {"stackoverflow", "Stackoverflow", 117}, {"sustainable_living", "SustainableLiving", 108}, {"leetcode", "Leetcode", 142},
	{"pony", "Pony", 112}, {"aops", "Aops", 111}, {"theoremqa_questions", "TheoremQAQuestions", 194}, {"theoremqa_theorems", "TheoremQATheorems", 76},
}

// readPublished reads the numbers that mteb publishes for a task and split.
func readPublished(t *testing.T, name, split string) *Statistics {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testkit.SharedPath(t, "data/mteb-stats"), name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var splits map[string]*Statistics
	if err := json.Unmarshal(text, &splits); err != nil || splits[split] == nil {
		t.Fatalf("%s: no split %s: %v", name, split, err)
	}
	return splits[split]
}

// TestBrightReal reads the real examples of all domains from BRIGHT's repository. The gold
// documents must equal those in Anserini's qrels, which were made from the same revision. mteb's
// published numbers are of an older revision, in which the queries of ten domains and the gold
// documents of two were the same; those must agree. The documents are not here.
func TestBrightReal(t *testing.T) {
	folder := testkit.SharedPath(t, "data/bright")
	total, excluded := 0, map[string]int{}
	for _, s := range brightStats {
		name := strings.ReplaceAll(s.split, "_", "-")
		task := Task{Name: s.split, Corpus: MemoryCorpus{}, Qrels: trec.Qrels{}, Excluded: map[string][]string{}}
		examples := filepath.Join(folder, "topics.bright-"+name+"-original.jsonl.gz")
		if err := task.readBrightExamples([]string{examples}, "gold_ids", func(string) bool { return true }); err != nil {
			t.Fatal(err)
		}
		if len(task.Queries) != s.queries || task.Notes != "" {
			t.Errorf("%s: %d queries, want %d; notes %q", s.split, len(task.Queries), s.queries, task.Notes)
		}
		total += len(task.Queries)
		for _, list := range task.Excluded {
			excluded[s.split] += len(list)
		}
		want, err := format.OpenQrels(filepath.Join(folder, "qrels.bright-"+name+".txt"), trec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(task.Qrels, want) {
			t.Errorf("%s: gold differs from Anserini's qrels", s.split)
		}
		var queries textCounter
		for _, q := range task.Queries {
			queries.Add(queryText(q.Text, q.Instruction))
		}
		published := readPublished(t, "Bright"+s.file+"Retrieval", "standard")
		if !strings.HasPrefix(s.split, "theoremqa") && *queries.Statistics() != *published.Queries {
			t.Errorf("%s: queries %+v, want %+v", s.split, *queries.Statistics(), *published.Queries)
		}
		if sameGold := s.split == "leetcode" || s.split == "aops"; sameGold && *countRelevant(task.Qrels) != *published.RelevantDocs {
			t.Errorf("%s: judgments %+v, want %+v", s.split, *countRelevant(task.Qrels), *published.RelevantDocs)
		}
	}
	// counted in the files with another program
	want := map[string]int{"leetcode": 33485, "aops": 622756, "theoremqa_questions": 606523}
	if total != 1384 || !maps.Equal(excluded, want) {
		t.Errorf("%d queries, want 1,384; excluded %v, want %v", total, excluded, want)
	}
}

// TestPublishedNames reads published files of each benchmark: the field names must be mteb's, or
// values would be missing.
func TestPublishedNames(t *testing.T) {
	for _, name := range []string{"Core17InstructionRetrieval", "InstructIR", "IFIRAila", "mFollowIR", "BrightAopsRetrieval"} {
		split := "test"
		if strings.HasPrefix(name, "Bright") {
			split = "standard"
		}
		s := readPublished(t, name, split)
		if s.Documents.Total+s.Queries.Total != s.NumberOfCharacters || s.Documents.Unique == 0 || s.RelevantDocs.Unique == 0 || s.NumSamples == 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}
