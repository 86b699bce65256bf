package datasets

import (
	"cmp"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
)

// infIRRow is a record of aarontrinh02/ms_marco_synthetic_data.
type infIRRow struct {
	InstructionPositive string `parquet:"instruction_positive" json:"instruction_positive"`
	InstructionNegative string `parquet:"instruction_negative" json:"instruction_negative"`
	QueryPositive       string `parquet:"query_positive" json:"query_positive"`
	QueryNegative       string `parquet:"query_negative" json:"query_negative"`
	Document            string `parquet:"document" json:"document"`
	Hard1               string `parquet:"hard_negative_document_1" json:"hard_negative_document_1"`
	Hard2               string `parquet:"hard_negative_document_2" json:"hard_negative_document_2"`
}

// infIRRows makes n records with their number in their texts.
func infIRRows(n int) []infIRRow {
	var rows []infIRRow
	for i := range n {
		rows = append(rows, infIRRow{
			fmt.Sprint("I+", i), fmt.Sprint("I-", i), fmt.Sprint("Q+", i), fmt.Sprint("Q-", i),
			fmt.Sprint("P+", i), fmt.Sprint("P1-", i), fmt.Sprint("P2-", i)})
	}
	return rows
}

func collect(t *testing.T, records iter.Seq2[Record, error]) []Record {
	t.Helper()
	var all []Record
	for r, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// TestInfIR reads all relatives of InF-IR in their repositories' layouts: the reference code's
// load_dataset(ID)[split] reads splits of the default config.
func TestInfIR(t *testing.T) {
	splits := map[string]string{"inf-ir-leetcode": "leetcode", "inf-ir-metamath": "metamath", "inf-ir-release": "msmarco"}
	for _, ending := range hubEndings {
		root := t.TempDir()
		for i, s := range infIRSources() {
			split := cmp.Or(splits[s.Name], "train")
			rows := infIRRows(5 + i)
			writeRows(t, s.Repo.Folder(root), "data/"+split+"-00000-of-00002"+ending, rows[:3])
			writeRows(t, s.Repo.Folder(root), "data/"+split+"-00001-of-00002"+ending, rows[3:])
			writeRows(t, s.Repo.Folder(root), "data/other-00000-of-00001"+ending, rows[:1])
		}
		for i, s := range infIRSources() {
			records, err := LoadRecords(s.Name, root)
			if err != nil {
				t.Fatal(err)
			}
			all := collect(t, records.All())
			want := Triplet{"4", "I+4", "I-4", "Q+4", "Q-4", "P+4", "P1-4", "P2-4"}
			if len(all) != 5+i || !reflect.DeepEqual(all[4], want.Record()) || all[0].Rows[0].Passage != "P+0" || records.Lacks() != nil {
				t.Errorf("%s: %d records, fifth %+v, without %v", s.Name, len(all), all[4], records.Lacks())
			}
		}
	}
	_, err := LoadRecords("inf-irr", "")
	if err == nil || !strings.Contains(err.Error(), `unknown training corpus "inf-irr"; did you mean "inf-ir"?`) {
		t.Errorf("unknown name: %v", err)
	}
}

// TestInfIRRelease opens the released set with its known columns: each missing field is reported
// with a set that has it.
func TestInfIRRelease(t *testing.T) {
	type row struct {
		QueryPositive       string `parquet:"query_positive" json:"query_positive"`
		InstructionPositive string `parquet:"instruction_positive" json:"instruction_positive"`
		InstructionNegative string `parquet:"instruction_negative" json:"instruction_negative"`
		Positive            string `parquet:"document_positive" json:"document_positive"`
		Hard1               string `parquet:"hard_negative_document_1" json:"hard_negative_document_1"`
	}
	for _, ending := range hubEndings {
		root := t.TempDir()
		writeRows(t, root, "InF-IR/InF-IR/data/msmarco-00000-of-00001"+ending, []row{{"q", "i", "i-", "p", "p1"}})
		records, err := LoadRecords("inf-ir-release", root)
		if err != nil {
			t.Fatal(err)
		}
		want := Triplet{ID: "0", QueryPositive: "q", InstructionPositive: "i", InstructionNegative: "i-", Positive: "p", HardNegative1: "p1"}
		if all := collect(t, records.All()); len(all) != 1 || !reflect.DeepEqual(all[0], want.Record()) || len(all[0].Rows) != 2 || records.Shape().Rows() != 2 {
			t.Errorf("%+v", all)
		}
		lacks := records.Lacks()
		if len(lacks) != 2 || lacks[0].Field != "query_negative" || lacks[1].Field != "hard_negative_document_2" {
			t.Fatalf("lacks %v", lacks)
		}
		if e := lacks[0].Error(); e != "inf-ir-release (InF-IR/InF-IR) has no query_negative; inf-ir (aarontrinh02/ms_marco_synthetic_data) has it" {
			t.Error(e)
		}
	}
	root := t.TempDir()
	writeRows(t, root, "InF-IR/InF-IR/data/msmarco-00000-of-00001.parquet", []struct {
		Query string `parquet:"query_positive"`
	}{{"q"}})
	if _, err := LoadRecords("inf-ir-release", root); err == nil || !strings.Contains(err.Error(), `no column "instruction_negative"`) {
		t.Errorf("columns that are known of the release: %v", err)
	}
	for name, want := range map[string]string{
		"promptriever": "[promptriever (samaya-ai/msmarco-w-instructions) has no instruction_negative promptriever (samaya-ai/msmarco-w-instructions) has no query_negative]",
		"msmarco": "[msmarco (microsoft/ms_marco) has no instruction_positive msmarco (microsoft/ms_marco) has no instruction_negative " +
			"msmarco (microsoft/ms_marco) has no query_negative msmarco (microsoft/ms_marco) has no hard_negative_document_2]",
	} {
		if s, err := FindTraining(name); err != nil || fmt.Sprint(s.missing) != want {
			t.Errorf("%s: %v, %v", name, s.missing, err)
		}
	}
}

// TestSourcesTerms compares pins and licences with the repositories' pages.
func TestSourcesTerms(t *testing.T) {
	if l := promptriever().Licence; !strings.HasPrefix(l, "none stated") {
		t.Errorf("promptriever: licence %q; its card has none", l)
	}
	if l := ifir().Licence; !strings.Contains(l, "songtingyu/IFIR") || !strings.Contains(l, "unknown") {
		t.Errorf("ifir: licence %q; the cards of if-ir/* say unknown", l)
	}
	for _, p := range infoSearchParts {
		if pinned := p.repo.Revision != ""; pinned == (p.task == "length") {
			t.Errorf("infosearch %s: pinned %t; the commit that its authors name for Length-v1 is one of Language-v1", p.task, pinned)
		}
	}
}

// TestOwnFiles opens users' own files: their fields make rows, missing fields are listed, and half
// a poisoned side is an error.
func TestOwnFiles(t *testing.T) {
	for _, c := range []struct {
		name, line string
		want       []Row
		lacks      string
	}{
		{"a triplet", `{"id": 7, "instruction_positive": "i", "instruction_negative": "i-", "query_positive": "q", "query_negative": "q-", "document": "p", "hard_negative_1": "p1", "hard_negative_2": "p2"}`,
			[]Row{{Instruction: "i", Query: "q", Passage: "p"}, {Instruction: "i-", Query: "q", Passage: "p1"}, {Instruction: "i", Query: "q-", Passage: "p2"}}, ""},
		{"without poisoned queries", `{"id": 7, "instruction_positive": "i", "instruction_negative": "i-", "query_positive": "q", "document_positive": "p", "hard_negative_document_1": "p1"}`,
			[]Row{{Instruction: "i", Query: "q", Passage: "p"}, {Instruction: "i-", Query: "q", Passage: "p1"}}, "x.jsonl has no query_negative"},
		{"pairs", `{"id": 7, "query": "q", "positive": "p"}`,
			[]Row{{Query: "q", Passage: "p"}}, "x.jsonl has no instruction_negative, x.jsonl has no query_negative, x.jsonl has no instruction_positive"},
		{"with negatives", `{"id": 7, "query": "q", "instruction": "i", "passage": "p", "negatives": ["n", "m"]}`,
			[]Row{{Query: "q", Instruction: "i", Passage: "p", Negatives: []string{"n", "m"}}}, "x.jsonl has no instruction_negative, x.jsonl has no query_negative"},
		{"with a teacher's scores", `{"id": 7, "query": "q", "passage": "p", "negatives": ["n", "m"], "teacher_scores": [7.5, -2, 0.25]}`,
			[]Row{{Query: "q", Passage: "p", Negatives: []string{"n", "m"}, Scores: []float64{7.5, -2, 0.25}}}, "x.jsonl has no instruction_negative, x.jsonl has no query_negative, x.jsonl has no instruction_positive"},
		{"two rows with a teacher's scores", `{"id": 7, "instruction_positive": "i", "instruction_negative": "i-", "query_positive": "q", "document_positive": "p", "hard_negative_document_1": "p1", "teacher_scores": [1, 2, 3, 4]}`,
			[]Row{{Instruction: "i", Query: "q", Passage: "p", Scores: []float64{1, 2}}, {Instruction: "i-", Query: "q", Passage: "p1", Scores: []float64{3, 4}}}, "x.jsonl has no query_negative"},
		{"a passage, but no poisoned instruction", `{"query": "q", "instruction": "i", "passage": "p", "hard_negative_1": "p1"}`, nil, `x.jsonl:1: column "instruction_negative" is missing or null`},
		{"no query", `{"question": "q", "passage": "p"}`, nil, `x.jsonl:1: column "query_positive|query|anchor" is missing or null`},
		{"another type", `{"query": 7, "passage": "p"}`, nil, `x.jsonl:1: column "query": found number, want string`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.jsonl")
			if err := os.WriteFile(path, []byte(c.line+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			records, err := LoadRecords(path, "")
			if err != nil {
				if c.want != nil || !strings.Contains(err.Error(), c.lacks) {
					t.Errorf("%v, want %s", err, c.lacks)
				}
				return
			}
			if c.want == nil {
				t.Fatalf("no error, want %s", c.lacks)
			}
			var lacks []string
			for _, m := range records.Lacks() {
				lacks = append(lacks, m.Error())
			}
			all := collect(t, records.All())
			if len(all) != 1 || !reflect.DeepEqual(all[0], Record{"7", c.want}) || strings.Join(lacks, ", ") != c.lacks || records.Shape().Rows() != len(c.want) {
				t.Errorf("%+v of %d rows, without %v", all, records.Shape().Rows(), lacks)
			}
		})
	}
}

// TestOwnParquet: a parquet file may lack all optional columns.
func TestOwnParquet(t *testing.T) {
	type row struct {
		Query   string `parquet:"query" json:"query"`
		Passage string `parquet:"passage" json:"passage"`
	}
	dir := t.TempDir()
	writeRows(t, dir, "x.parquet", []row{{"q", "p"}, {"r", "s"}})
	records, err := LoadRecords(filepath.Join(dir, "x.parquet"), "")
	if err != nil {
		t.Fatal(err)
	}
	if all := collect(t, records.All()); len(all) != 2 || !reflect.DeepEqual(all[1].Rows, []Row{{Query: "r", Passage: "s"}}) {
		t.Errorf("%+v", all)
	}
}

// TestOwnFolders opens folders by the hub's conventions, or with a single file.
func TestOwnFolders(t *testing.T) {
	pair := []map[string]any{{"query": "q", "passage": "p"}}
	for _, name := range []string{"data/train-00000-of-00001.jsonl", "train.jsonl", "mine.jsonl"} {
		dir := t.TempDir()
		writeRows(t, dir, name, pair)
		records, err := LoadRecords(dir, "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if all := collect(t, records.All()); len(all) != 1 {
			t.Errorf("%s: %+v", name, all)
		}
	}
	dir := t.TempDir()
	writeRows(t, dir, "data/a.jsonl", pair)
	writeRows(t, dir, "data/b.jsonl", pair)
	if _, err := LoadRecords(dir, ""); err == nil || !strings.Contains(err.Error(), `unknown split "train" (known: a, b)`) {
		t.Errorf("two splits: %v", err)
	}
}

// TestOwnListsInAnyLine: lists count in any line, not only the first, and a table format without
// lists needs none.
func TestOwnListsInAnyLine(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"late.jsonl": `{"query": "q", "passage": "p"}` + "\n" + `{"query": "r", "passage": "s", "negatives": ["n"], "teacher_scores": [2, 1]}` + "\n",
		"pairs.csv":  "query,passage\nq,p\nr,s\n",
		"text.jsonl": `{"query": "q", "passage": "p", "negatives": "n"}` + "\n",
	})
	for file, want := range map[string]Row{
		"late.jsonl": {Query: "r", Passage: "s", Negatives: []string{"n"}, Scores: []float64{2, 1}},
		"pairs.csv":  {Query: "r", Passage: "s"},
	} {
		records, err := OpenOwn("x", []string{filepath.Join(dir, file)})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if all := collect(t, records.All()); len(all) != 2 || !reflect.DeepEqual(all[1].Rows, []Row{want}) {
			t.Errorf("%s: %+v", file, all)
		}
	}
	if _, err := OpenOwn("x", []string{filepath.Join(dir, "text.jsonl")}); err == nil || !strings.Contains(err.Error(), `column "negatives": found string, want list of string`) {
		t.Errorf("negatives that are no list: %v", err)
	}
}

// TestOwnNegativeColumns: the columns of sentence-transformers' triplets and n-tuples are
// negatives, in the order of their numbers and in every syntax; unread columns are named.
func TestOwnNegativeColumns(t *testing.T) {
	type tuple struct {
		Anchor   string `parquet:"anchor" json:"anchor"`
		Positive string `parquet:"positive" json:"positive"`
		Tenth    string `parquet:"negative_10" json:"negative_10"`
		First    string `parquet:"negative_1" json:"negative_1"`
		Second   string `parquet:"negative_2" json:"negative_2"`
		Score    string `parquet:"score" json:"score"`
	}
	dir := writeFiles(t, map[string]string{
		"one.jsonl":    `{"anchor": "q", "positive": "p", "negative": "a"}` + "\n",
		"null.jsonl":   `{"anchor": "q", "positive": "p", "negative_1": "a", "negative_2": null}` + "\n",
		"list.jsonl":   `{"anchor": "q", "positive": "p", "negative": ["a", "b"], "score": 1}` + "\n",
		"both.jsonl":   `{"anchor": "q", "positive": "p", "negative": "b", "negatives": ["a"]}` + "\n",
		"scores.jsonl": `{"anchor": "q", "positive": "p", "negative": "a", "teacher_scores": [2, 1]}` + "\n",
		"late.jsonl":   `{"anchor": "r", "positive": "s"}` + "\n" + `{"anchor": "q", "positive": "p", "negative_0": "a", "negative_1": "b", "lang": "de", "negativs": []}` + "\n",
		"far.jsonl":    strings.Repeat(`{"anchor": "r", "positive": "s"}`+"\n", 1500) + `{"anchor": "q", "positive": "p", "negative_63": "a"}` + "\n",
		"one.csv":      "anchor,positive,negative\nq,p,a\n",
		"two.tsv":      "negative_2\tanchor\tpositive\tnegative_1\tlang\nb\tq\tp\ta\tde\n",
		"fewer.csv":    "anchor,positive,negative_1,negative_2\nq,p,a,\n",
	})
	writeRows(t, dir, "all.parquet", []tuple{{"q", "p", "c", "a", "b", "1"}})
	writeRows(t, dir, "all.jsonl", []tuple{{"q", "p", "c", "a", "b", "1"}})
	for file, want := range map[string]struct {
		negatives, unread string
	}{
		"one.jsonl": {"a", ""}, "null.jsonl": {"a", ""}, "list.jsonl": {"a b", "score"}, "both.jsonl": {"a b", ""}, "scores.jsonl": {"a", ""},
		"late.jsonl": {"a b", "lang, negativs (did you mean negatives?)"}, "far.jsonl": {"a", ""},
		"one.csv": {"a", ""}, "two.tsv": {"a b", "lang"}, "fewer.csv": {"a", ""},
		"all.parquet": {"a b c", "score"}, "all.jsonl": {"a b c", "score"},
	} {
		records, err := OpenOwn("x", []string{filepath.Join(dir, file)})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		all := collect(t, records.All())
		last := all[len(all)-1].Rows[0]
		if last.Query != "q" || last.Passage != "p" || strings.Join(last.Negatives, " ") != want.negatives || strings.Join(records.Unread(), ", ") != want.unread {
			t.Errorf("%s: %+v, unread %q; want negatives %s, unread %q", file, last, records.Unread(), want.negatives, want.unread)
		}
		if !records.ListsNegatives() && file != "far.jsonl" && file != "late.jsonl" {
			t.Errorf("%s: no negatives are listed", file)
		}
	}
}

// TestOwnWithoutRecords: a file without a record is rejected in every syntax.
func TestOwnWithoutRecords(t *testing.T) {
	dir := writeFiles(t, map[string]string{"empty.jsonl": "", "blank.jsonl": "\n \n", "header.tsv": "query\tpassage\n", "header.csv": "query,passage\n", "empty.csv": ""})
	writeRows(t, dir, "none.parquet", []struct {
		Query   string `parquet:"query" json:"query"`
		Passage string `parquet:"passage" json:"passage"`
	}{})
	for file, want := range map[string]string{
		"empty.jsonl": "no record in it", "blank.jsonl": "no record in it", "header.tsv": "no record in it", "header.csv": "no record in it",
		"none.parquet": "no record in it", "empty.csv": "empty file, want a header line",
	} {
		if _, err := OpenOwn("x", []string{filepath.Join(dir, file)}); err == nil || !strings.Contains(err.Error(), file+": "+want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
}

func TestRecordFaults(t *testing.T) {
	for want, second := range map[string]map[string]any{
		`column "document_positive|document|positive_document|positive|passage" is missing or null`: {"query": "q"},
		`column "document_positive|document|positive_document|positive|passage" is blank`:           {"query": "q", "passage": " \t"},
		`found number`: {"query": "q", "passage": 7},
		`3 scores, want 1, of the passage and its 0 negatives`:                         {"query": "q", "passage": "p", "teacher_scores": []float64{1, 2, 3}},
		`a teacher's score of 1e+39, want a number of float32`:                         {"query": "q", "passage": "p", "teacher_scores": []float64{1e39}},
		`negative 2 is blank, want text`:                                               {"query": "q", "passage": "p", "negatives": []string{"n", " "}},
		`found string, want number`:                                                    {"query": "q", "passage": "p", "teacher_scores": []string{"high"}},
		`the record makes 2 rows with its poisoned fields, the corpus's first makes 1`: {"query": "q", "passage": "p", "instruction_negative": "i-"},
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		writeRows(t, filepath.Dir(path), "x.jsonl", []map[string]any{{"query": "q", "passage": "d", "teacher_scores": []float64{1}}, second})
		records, err := LoadRecords(path, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range records.All() {
			err = e
		}
		if err == nil || !strings.Contains(err.Error(), "x.jsonl:2: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q in line 2", second, err, want)
		}
	}
}

func TestPromptriever(t *testing.T) {
	type passage struct {
		ID    string `parquet:"docid" json:"docid"`
		Title string `parquet:"title" json:"title"`
		Text  string `parquet:"text" json:"text"`
	}
	type row struct {
		ID          string    `parquet:"query_id" json:"query_id"`
		Query       string    `parquet:"query" json:"query"`
		Positive    []passage `parquet:"positive_passages,list" json:"positive_passages"`
		Negative    []passage `parquet:"negative_passages,list" json:"negative_passages"`
		Instruction string    `parquet:"only_instruction" json:"only_instruction"`
		OnlyQuery   string    `parquet:"only_query" json:"only_query"`
		New         []passage `parquet:"new_negatives,list" json:"new_negatives"`
	}
	for _, ending := range hubEndings {
		root := t.TempDir()
		p := func(text string) []passage { return []passage{{"1", "t", text}, {"2", "t", text + " again"}} }
		writeRows(t, promptriever().Repo.Folder(root), "data/train-00000-of-00001"+ending, []row{
			{"7", "what Be brief.", p("yes"), p("no"), "Be brief.", "what", p("not brief")},
			{"8", "who", []passage{}, p("no"), "", "who", []passage{}},
			{"9", "why", p("because"), []passage{}, "", "why", []passage{}}})
		records, err := LoadRecords("promptriever", root)
		if err != nil {
			t.Fatal(err)
		}
		want := []Record{
			{"7", []Row{{Instruction: "Be brief.", Query: "what", Passage: "yes", Negatives: []string{"not brief", "not brief again", "no", "no again"}}}},
			{"9", []Row{{Query: "why", Passage: "because"}}}}
		if all := collect(t, records.All()); !reflect.DeepEqual(all, want) || records.Shape().Rows() != 1 {
			t.Errorf("%+v", all)
		}
	}
}

// TestMSMARCOReal reads the real sample of ten queries as a training corpus.
func TestMSMARCOReal(t *testing.T) {
	file := filepath.Join(testkit.SharedPath(t, "data/msmarco-sample"), "ms_marco_v2.1_validation_10.parquet")
	records, err := msMARCO().open([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	all := collect(t, records.All())
	if len(all) == 0 || len(all) > 10 {
		t.Errorf("%d records; the file has 10 rows", len(all))
	}
	for _, r := range all {
		if row := r.Rows[0]; r.ID == "" || row.Query == "" || len(row.Negatives) == 0 || slices.Contains(append(row.Negatives, ""), row.Passage) {
			t.Errorf("%+v", r)
		}
	}
}
