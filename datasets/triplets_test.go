package datasets

import (
	"cmp"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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

// infIRRows makes n records that tell their number.
func infIRRows(n int) []infIRRow {
	var rows []infIRRow
	for i := range n {
		rows = append(rows, infIRRow{
			fmt.Sprint("I+", i), fmt.Sprint("I-", i), fmt.Sprint("Q+", i), fmt.Sprint("Q-", i),
			fmt.Sprint("P+", i), fmt.Sprint("P1-", i), fmt.Sprint("P2-", i)})
	}
	return rows
}

func collect(t *testing.T, records iter.Seq2[Triplet, error]) []Triplet {
	t.Helper()
	var all []Triplet
	for r, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// TestInfIR reads all relatives of InF-IR, each as its repository has it: what the
// reference code loads as load_dataset(ID)[split] are splits of the default config.
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
			records, err := LoadTriplets(s.Name, root, TripletFields{})
			if err != nil {
				t.Fatal(err)
			}
			all := collect(t, records.All())
			want := Triplet{"4", "I+4", "I-4", "Q+4", "Q-4", "P+4", "P1-4", "P2-4"}
			if len(all) != 5+i || all[4] != want || all[0].Positive != "P+0" || records.Lacks() != nil {
				t.Errorf("%s: %d records, fifth %+v, without %v", s.Name, len(all), all[4], records.Lacks())
			}
		}
	}
	_, err := LoadTriplets("inf-irr", "", TripletFields{})
	if err == nil || !strings.Contains(err.Error(), `unknown training corpus "inf-irr"; did you mean "inf-ir"?`) {
		t.Errorf("unknown name: %v", err)
	}
}

// TestInfIRRelease opens the released set with the columns that are known of it: what
// it lacks is said, with the set that has it.
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
		records, err := LoadTriplets("inf-ir-release", root, TripletFields{})
		if err != nil {
			t.Fatal(err)
		}
		want := Triplet{ID: "0", QueryPositive: "q", InstructionPositive: "i", InstructionNegative: "i-", Positive: "p", HardNegative1: "p1"}
		if all := collect(t, records.All()); len(all) != 1 || all[0] != want {
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
	if _, err := LoadTriplets("inf-ir-release", root, TripletFields{}); err == nil || !strings.Contains(err.Error(), `no column "instruction_negative"`) {
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

// TestSourcesTerms holds pins and licences to what the repositories' pages show.
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

// TestTripletFields renames columns, leaves some out and checks the rest before
// the first row.
func TestTripletFields(t *testing.T) {
	dir := t.TempDir()
	writeRows(t, dir, "metamath.parquet", []struct {
		ID       int64  `parquet:"id"`
		Query    string `parquet:"question"`
		Document string `parquet:"document_positive"`
	}{{17, "2+2?", "four"}})
	path := filepath.Join(dir, "metamath.parquet")
	records, err := LoadTriplets(path, "", TripletFields{ID: "id", QueryPositive: "query|question", Positive: "document_positive"})
	if err != nil {
		t.Fatal(err)
	}
	if all := collect(t, records.All()); len(all) != 1 || all[0] != (Triplet{ID: "17", QueryPositive: "2+2?", Positive: "four"}) {
		t.Errorf("%+v", all)
	}
	_, err = LoadTriplets(path, "", TripletFields{})
	for _, want := range []string{`metamath.parquet: no column "instruction_positive" (string)`, `no column "hard_negative_document_2|hard_negative_2"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	_, err = LoadTriplets(path, "", TripletFields{QueryPositive: "id"})
	if err == nil || !strings.Contains(err.Error(), `column "id": found int(64,true), want string`) {
		t.Errorf("wrong type: %v", err)
	}
}

func TestTripletsFaults(t *testing.T) {
	for want, passage := range map[string]any{
		`column "document" is missing or null`: nil,
		`column "document" is blank`:           " \t",
		`column "document": found number`:      7,
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		writeRows(t, filepath.Dir(path), "x.jsonl", []map[string]any{
			{"query_positive": "q", "document": "d"}, {"query_positive": "q", "document": passage}})
		records, err := LoadTriplets(path, "", TripletFields{QueryPositive: "query_positive", Positive: "document"})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range records.All() {
			err = e
		}
		if err == nil || !strings.Contains(err.Error(), "x.jsonl:2: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("passage %v: %v, want %q in line 2", passage, err, want)
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
		records, err := LoadTriplets("promptriever", root, TripletFields{})
		if err != nil {
			t.Fatal(err)
		}
		want := []Triplet{
			{ID: "7", InstructionPositive: "Be brief.", QueryPositive: "what", Positive: "yes", HardNegative1: "not brief", HardNegative2: "no"},
			{ID: "9", QueryPositive: "why", Positive: "because"}}
		if all := collect(t, records.All()); !slices.Equal(all, want) {
			t.Errorf("%+v", all)
		}
	}
}

// TestMSMARCOReal reads the real sample of ten queries as a training corpus.
func TestMSMARCOReal(t *testing.T) {
	s := msMARCO()
	file := filepath.Join(sharedDir(t, "data/msmarco-sample"), "ms_marco_v2.1_validation_10.parquet")
	records := &Triplets{files: []string{file}, cols: s.cols, fill: s.fill}
	if err := records.check(); err != nil {
		t.Fatal(err)
	}
	all := collect(t, records.All())
	if len(all) == 0 || len(all) > 10 {
		t.Errorf("%d records; the file has 10 rows", len(all))
	}
	for _, r := range all {
		if r.ID == "" || r.QueryPositive == "" || r.Positive == "" || r.HardNegative1 == "" || r.Positive == r.HardNegative1 {
			t.Errorf("%+v", r)
		}
	}
}
