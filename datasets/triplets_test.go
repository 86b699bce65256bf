package datasets

import (
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

// TestInfIR reads all relatives of InF-IR, each as its repository has it.
func TestInfIR(t *testing.T) {
	for _, ending := range hubEndings {
		root := t.TempDir()
		for i, s := range infIRSources() {
			config := s.Config
			if config == "" {
				config = "data"
			}
			rows := infIRRows(5 + i)
			writeRows(t, s.Repo.Folder(root), config+"/train-00000-of-00002"+ending, rows[:3])
			writeRows(t, s.Repo.Folder(root), config+"/train-00001-of-00002"+ending, rows[3:])
		}
		for i, s := range infIRSources() {
			records, err := LoadTriplets(s.Name, root, TripletFields{})
			if err != nil {
				t.Fatal(err)
			}
			all := collect(t, records.All())
			want := Triplet{"4", "I+4", "I-4", "Q+4", "Q-4", "P+4", "P1-4", "P2-4"}
			if len(all) != 5+i || all[4] != want || all[0].Positive != "P+0" {
				t.Errorf("%s: %d records, fifth %+v", s.Name, len(all), all[4])
			}
		}
	}
	_, err := LoadTriplets("inf-irr", "", TripletFields{})
	if err == nil || !strings.Contains(err.Error(), `unknown training corpus "inf-irr"; did you mean "inf-ir"?`) {
		t.Errorf("unknown name: %v", err)
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
