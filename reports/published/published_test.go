package published

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/testkit/reportstest"
)

const followIR = "data/mteb-results/followir-200models.tar.gz"

// The counts are those of the archive's SOURCE.md.
func TestReadMTEBRepository(t *testing.T) {
	c, err := ReadMTEB(testkit.SharedPath(t, followIR))
	if err != nil {
		t.Fatal(err)
	}
	if c.Files != 600 {
		t.Errorf("%d files, want 600", c.Files)
	}
	for _, m := range c.Missing {
		if m.Reason == "" || m.File == "" {
			t.Errorf("missing without a reason or file: %+v", m)
		}
	}
	if len(c.Missing) != 27 {
		t.Errorf("%d files lack a score, want 27", len(c.Missing))
	}
	scored := map[string]bool{}
	for _, cell := range c.Cells {
		if cell.Main {
			scored[cell.Model+"@"+cell.Revision] = true
		}
	}
	if len(scored) != 191 {
		t.Errorf("%d models have a score, want 191: nine have no more than p-MRR", len(scored))
	}
	if len(c.Doubts) > 0 {
		t.Errorf("numbers deny the judgments that the layout implies:\n%s", strings.Join(c.Doubts, "\n"))
	}
}

// Every number of the extract, which another program made, is found to the last printed digit,
// under the convention that it names.
func TestMTEBEqualsTheExtract(t *testing.T) {
	c, err := ReadMTEB(testkit.SharedPath(t, followIR))
	if err != nil {
		t.Fatal(err)
	}
	type key struct{ model, revision, task, measure, side string }
	cells := map[key]Cell{}
	for _, cell := range c.Cells {
		cells[key{cell.Model, cell.Revision, cell.Task, cell.Measure, cell.Side}] = cell
	}
	columns := []struct{ column, task, measure, side string }{
		{"robust04_map@1000", "Robust04InstructionRetrieval", "AP@1000", "original"},
		{"robust04_pmrr", "Robust04InstructionRetrieval", "p-MRR", ""},
		{"news21_ndcg@5", "News21InstructionRetrieval", "nDCG@5", "original"},
		{"news21_pmrr", "News21InstructionRetrieval", "p-MRR", ""},
		{"core17_map@1000", "Core17InstructionRetrieval", "AP@1000", "original"},
		{"core17_pmrr", "Core17InstructionRetrieval", "p-MRR", ""},
		{"changed_robust04_map", "Robust04InstructionRetrieval", "AP@1000", "changed"},
		{"changed_news21_ndcg5", "News21InstructionRetrieval", "nDCG@5", "changed"},
		{"changed_core17_map", "Core17InstructionRetrieval", "AP@1000", "changed"},
	}
	compared := 0
	for _, row := range reportstest.ReadTable(t, testkit.SharedPath(t, "published/followir_published.csv")) {
		if !strings.HasPrefix(row["source"], "embeddings-benchmark/results") {
			continue
		}
		for _, col := range columns {
			want, err := strconv.ParseFloat(row[col.column], 64)
			if err != nil {
				continue // the extract has no number there
			}
			cell, ok := cells[key{row["model"], row["revision"], col.task, col.measure, col.side}]
			if !ok {
				t.Errorf("%s %s: %s is not read", row["model"], row["revision"], col.column)
				continue
			}
			if math.Abs(100*cell.Value-want) > 0.005+1e-9 {
				t.Errorf("%s %s: %s is %v, want %v", row["model"], row["revision"], col.column, 100*cell.Value, want)
			}
			if qrels := row["qrels_used_for_score"]; cell.Side == "original" && !strings.HasPrefix(qrels, cell.Conventions.Qrels) {
				t.Errorf("%s: judgments %q, want %q", row["model"], cell.Conventions.Qrels, qrels)
			}
			compared++
		}
	}
	if compared < 1000 {
		t.Errorf("only %d numbers compared", compared)
	}
	t.Logf("%d numbers compared", compared)
}

func TestMTEBLayouts(t *testing.T) {
	tests := []struct{ name, file, content, want string }{
		{"scores by split and subset", "a__b/r/SciFact.json",
			`{"task_name":"SciFact","mteb_version":"2.20.0","scores":{"test":[{"ndcg_at_10":0.5,"nauc_ndcg_at_10_max":NaN,"main_score":0.5,"hf_subset":"default","languages":["eng-Latn"]}]}}`,
			"a/b SciFact test default  nDCG@10 0.5 main  "},
		{"1.x swaps the judgments", "a__b/r/News21InstructionRetrieval.json",
			`{"task_name":"News21InstructionRetrieval","mteb_version":"1.18.0","scores":{"test":[{"p-MRR":-0.1,"individual":{"original":{"ndcg_at_5":0.25},"changed":{"ndcg_at_5":0.5}},"main_score":-0.1,"hf_subset":"default"}]}}`,
			"a/b News21InstructionRetrieval test default  p-MRR -0.1   ;a/b News21InstructionRetrieval test default changed nDCG@5 0.5  original ;a/b News21InstructionRetrieval test default original nDCG@5 0.25 main changed "},
		{"2.x does not; numbers over both sides are left out", "a__b/r/Core17InstructionRetrieval.json",
			`{"task_name":"Core17InstructionRetrieval","mteb_version":"2.20.0","scores":{"test":[{"map_at_1000":0.9,"p-MRR":0.1,"og":{"map_at_1000":0.2},"changed":{"map_at_1000":0.3},"main_score":0.1}]}}`,
			"a/b Core17InstructionRetrieval test   p-MRR 0.1   ;a/b Core17InstructionRetrieval test  changed AP@1000 0.3  changed ;a/b Core17InstructionRetrieval test  original AP@1000 0.2 main original "},
		{"before 1.11", "x/a__b/r/T.json",
			`{"mteb_dataset_name":"T","mteb_version":"1.7.32","dataset_revision":"e","test":{"evaluation_time":284.19,"p-MRR":-0.5}}`,
			"a/b T test   p-MRR -0.5   "},
		{"of MAIR, whose measure has another name and whose splits stand beside the score", "a__b/r/CUAD.json",
			`{"dataset_revision":"7d","mteb_version":"1.2.0","evaluation_time":null,"X_queries":{"NDCG@10":0.3},"scores":{"test":[{"hf_subset":"default","NDCG@10":0.31051522727272723,"main_score":0.31051522727272723}]},"task_name":"CUAD"}`,
			"a/b CUAD test default  nDCG@10 0.31051522727272723 main  "},
		{"of MAIR, before 1.11", "a__b/r/IFEval.json",
			`{"mteb_version":"1.2.0","x_queries":{"NDCG@10":0},"task_name":"IFEval","mteb_dataset_name":"IFEval","test":{"hf_subset":"default","NDCG@10":0.4,"main_score":0.4,"evaluation_time":120}}`,
			"a/b IFEval test default  nDCG@10 0.4 main  "},
		{"two splits; the score is the measure that most files have it of", "a__b/r/BrightRetrieval.json",
			`{"task_name":"BrightRetrieval","mteb_version":"1.12.79","scores":{"long":[{"hf_subset":"pony","main_score":0.5,"map_at_10":0.4,"ndcg_at_10":0.5,"mrr":0.6}],` +
				`"standard":[{"hf_subset":"aops","main_score":0,"map_at_10":0,"ndcg_at_1":0,"ndcg_at_10":0}]}}`,
			"a/b BrightRetrieval long pony  AP@10 0.4   ;a/b BrightRetrieval long pony  RR 0.6   ;a/b BrightRetrieval long pony  nDCG@10 0.5 main  ;" +
				"a/b BrightRetrieval standard aops  AP@10 0   ;a/b BrightRetrieval standard aops  nDCG@1 0   ;a/b BrightRetrieval standard aops  nDCG@10 0 main  "},
		{"a share of pairs", "a__b/r/NevIR.json",
			`{"task_name":"NevIR","mteb_version":"2.0.0","scores":{"test":[{"paired_accuracy":0.7,"ndcg_at_10":0.1,"main_score":0.7,"hf_subset":"default"}]}}`,
			"a/b NevIR test default  PairedAccuracy 0.7 main  ;a/b NevIR test default  nDCG@10 0.1   "},
		{"a score of no known measure", "a__b/r/T.json",
			`{"task_name":"T","mteb_version":"2.0.0","scores":{"test":[{"odd_accuracy":0.7,"ndcg_at_10":0.1,"main_score":0.7,"hf_subset":"default"}]}}`,
			"a/b T test default  nDCG@10 0.1   ;a/b T test default  odd_accuracy 0.7 main  "},
		{"a score and nothing else", "a__b/r/T.json", `{"task_name":"T","mteb_version":2.1,"dataset_revision":null,"scores":{"test":{"main_score":0.7}}}`,
			"a/b T test   main score 0.7 main  "},
		{"before 1.11 with subsets", "a__b/r/T.json", `{"mteb_version":"1.2.0","test":{"en":{"map_at_10":0.2,"main_score":0.2},"de":{"map_at_10":0.1,"main_score":0.1},"evaluation_time":3}}`,
			"a/b T test de  AP@10 0.1 main  ;a/b T test en  AP@10 0.2 main  "},
		{"no organisation, odd revision, byte order mark", "b/no_revision_available/T.json", "\ufeff" + `{"scores":{"test":[{"ndcg_at_10":1,"main_score":1}]}}`,
			"b T test   nDCG@10 1 main  "},
		{"no version", "a__b/r/T.json", `{"task_name":"T","mteb_version":null,"scores":{"test":[{"map_at_10":1,"main_score":1}]}}`,
			"a/b T test   AP@10 1 main  "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := ReadMTEB(writeFolder(t, tt.file, tt.content))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, cell := range c.Cells {
				main := map[bool]string{true: "main"}[cell.Main]
				got = append(got, strings.Join([]string{cell.Model, cell.Task, cell.Split, cell.Subset, cell.Side, cell.Measure,
					strconv.FormatFloat(cell.Value, 'g', -1, 64), main, cell.Conventions.Qrels, ""}, " "))
			}
			if s := strings.Join(got, ";"); s != tt.want {
				t.Errorf("cells\n%s\nwant\n%s", s, tt.want)
			}
		})
	}
}

// An invalid file is named with the reason, and the others are still on the board.
func TestMTEBMissing(t *testing.T) {
	const good = `{"task_name":"Good","scores":{"test":[{"ndcg_at_10":0.5,"main_score":0.5}]}}`
	tests := []struct{ content, want string }{
		{`{"task_name":"T","mteb_version":"1.18.0","scores":{}}`, "the file holds no number"},
		{`{"task_name":"T","scores":{"test":null}}`, "the file holds no number"},
		{`{"task_name":"T","scores":{"test":[{"main_score":NaN,"ndcg_at_10":null}]}}`, "test: not a number: main_score is NaN (line 1), nDCG@10 is null (line 1)"},
		{"{\"task_name\":\"T\",\"scores\":{\"s\":[{\"main_score\":0.5},\n{\"hf_subset\":\"x\",\"main_score\":\n\"0.5\"}]}}", "s x: not a number: main_score is the text \"0.5\" (line 2)"},
		{`{"task_name":"T","test":{"eng":{"main_score":0.5},"deu":{"main_score":-Infinity}}}`, "test deu: not a number: main_score is -Infinity (line 1)"},
		{`{"task_name":"T","mteb_version":"2.1.0","scores":{"test":[{"og":{"ndcg_at_5":0.5},"changed":{"ndcg_at_5":[1]},"p-MRR":0.5,"main_score":0.5}]}}`,
			"test changed: not a number: nDCG@5 is [1] (line 1)"},
		{`{"task_name":"T","scores":{"test":[{"hf_subset":"x","ndcg_at_10":0.5,"main_score":0.5},{"hf_subset":"y","ndcg_at_10":0.5}]}}`, "test y does not say which of its numbers is the score"},
		{`{"task_name":"T","scores":{"test":[{"ndcg_at_10":0.5}]}}`, "the file does not say which of its numbers is the score"},
		{"{\"task_name\":\"T\",\n\"scores\":{\"test\":[{\"map", "cannot be read: line 2: unexpected end of JSON input"},
		{``, "cannot be read: line 1: unexpected end of JSON input"},
		{`[1]`, "cannot be read: line 1: "},
		{"{\"task_name\":\"T\",\n\"scores\":{\"test\":[{\"a\":{\"ndcg_at_10\":[0]},\n\"ndcg_at_10\":58.3,\"main_score\":58.3}]}}", "cannot be read: line 3: nDCG@10 is 58.3, outside its range [0,1]; it looks like percent"},
		{`{"task_name":"T","scores":{"test":[{"f1":58.3,"main_score":58.3}]}}`, "cannot be read: line 1: main_score is 58.3, outside its range [-1,1]; it looks like percent"},
		{`{"task_name":"T","scores":{"test":[{"ndcg_at_10":58.3}]}}`, "cannot be read: line 1: nDCG@10 is 58.3, outside its range [0,1]; it looks like percent"},
		{"{\"test\":{\"deu\":{\n\"main_score\":0.5},\"eng\":\n{\"map_at_10\":-0.5,\n\"main_score\":0.5}}}", "cannot be read: line 3: AP@10 is -0.5, outside its range [0,1]"},
		{`{"scores":{"test":[{"individual":{"original":{"map_at_1000":0.2}},"p-MRR":5.3,"main_score":0.3}]}}`, "cannot be read: line 1: p-MRR is 5.3, outside its range (-1,1); it looks like percent"},
		{`{"scores":{"test":[{"individual":{"original":{"map_at_1000":20}},"p-MRR":0.3,"main_score":0.3}]}}`, "cannot be read: line 1: AP@1000 is 20, outside its range [0,1]; it looks like percent"},
		{`{"task_name":"T","scores":{"test":[0.5]}}`, "cannot be read: split test: neither a list of scores nor one of them"},
		{`{"task_name":"U","scores":{}}`, "cannot be read: the file is named for task T but says U"},
		{`{"hello":1}`, "cannot be read: neither scores nor a split: no result file of MTEB's"},
	}
	for _, tt := range tests {
		dir := writeFolder(t, "a__b/r/T.json", tt.content)
		if _, err := ReadMTEB(dir); strings.HasPrefix(tt.want, "cannot") != (err != nil) || err != nil && !strings.Contains(err.Error(), "a__b/r/T.json: ") {
			t.Errorf("%s alone: error %v", tt.content, err)
		}
		writeFile(t, dir, "c__d/r/Good.json", good)
		c, err := ReadMTEB(dir)
		if err != nil {
			t.Errorf("%s: %v", tt.content, err)
			continue
		}
		if len(c.Missing) != 1 || !strings.HasPrefix(c.Missing[0].Reason, tt.want) || c.Missing[0].Task != "T" || c.Missing[0].Model != "a/b" {
			t.Errorf("%s: missing %+v, want %q", tt.content, c.Missing, tt.want)
		}
		if !slices.ContainsFunc(c.Cells, func(cell Cell) bool { return cell.Task == "Good" && cell.Main }) {
			t.Errorf("%s keeps the good file from the board", tt.content)
		}
	}
	if _, err := ReadMTEB(writeFolder(t, "readme.json", `{}`)); err == nil || !strings.Contains(err.Error(), "holds no file named like") {
		t.Errorf("a folder without results: error %v", err)
	}
}

// A clone, its results, the folder of one model and that of one revision give the same numbers.
func TestMTEBFolders(t *testing.T) {
	dir := writeFolder(t, "results/a__b/r/T.json", `{"scores":{"test":[{"ndcg_at_10":0.5,"main_score":0.5}]}}`)
	for _, below := range []string{"", "results", "results/a__b", "results/a__b/r"} {
		c, err := ReadMTEB(filepath.Join(dir, filepath.FromSlash(below)))
		if err != nil || len(c.Cells) != 1 || c.Cells[0].Model != "a/b" || c.Cells[0].Revision != "r" || c.Cells[0].Task != "T" {
			t.Errorf("%q: %v %+v", below, err, c)
		}
	}
}

// The same number in two files counts once. If the values differ, the first counts, with a doubt.
func TestMTEBRepeated(t *testing.T) {
	file := func(value string) string {
		return `{"scores":{"test":[{"ndcg_at_10":` + value + `,"main_score":` + value + `}]}}`
	}
	dir := writeFolder(t, "x/a__b/r/T.json", file("0.5"))
	writeFile(t, dir, "y/a__b/r/T.json", file("0.5"))
	writeFile(t, dir, "z/a__b/r/T.json", file("0.75"))
	c, err := ReadMTEB(dir)
	if err != nil || len(c.Cells) != 1 || c.Cells[0].Value != 0.5 {
		t.Fatalf("%v %+v", err, c)
	}
	if len(c.Doubts) != 1 || c.Doubts[0] != "nDCG@10 of a/b @r on T is 0.5 in x/a__b/r/T.json and 0.75 in z/a__b/r/T.json: the first is shown" {
		t.Errorf("doubts %q", c.Doubts)
	}
}

func TestQuoteNaN(t *testing.T) {
	in := `{"a":NaN,"b":[-Infinity,Infinity,-1],"NaN":"NaN \" NaN\\"}`
	want := `{"a":"NaN","b":["-Infinity","Infinity",-1],"NaN":"NaN \" NaN\\"}`
	if got := string(QuoteNaN([]byte(in))); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTies(t *testing.T) {
	for text, want := range map[string]string{
		"1.18.0": TiesByInsertion, "2.19.4": TiesByInsertion, "2.19.5": TiesByID, "2.20.0": TiesByID, "3.0.0.dev1": TiesByID, "": "", "main": "",
	} {
		if got := mtebTies(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPaper(t *testing.T) {
	c, err := Paper()
	if err != nil {
		t.Fatal(err)
	}
	find := func(source, model, config, task, measure string) Cell {
		i := slices.IndexFunc(c.Cells, func(c Cell) bool {
			return c.Source == source && c.Model == model && c.Config == config && c.Task == task && c.Measure == measure
		})
		if i < 0 {
			t.Fatalf("%s: no %s of %s %s on %s", source, measure, model, config, task)
		}
		return c.Cells[i]
	}
	e5 := find("InF-IR, table 2", "e5-base-v2", "base", "Robust04", "AP@1000")
	if e5.Value != 13.4/100 || math.Abs(e5.Tolerance-0.0005) > 1e-12 || e5.Conventions.Qrels != "changed" {
		t.Errorf("e5-base-v2 on Robust04 is %+v", e5)
	}
	if doubted := find("InF-IR, table 6", "Llama-3.2-1B", "multi:I+IQ", "FollowIR", "p-MRR"); len(doubted.Footnotes) == 0 {
		t.Error("a number that does not follow from its parts has no footnote")
	}
	if doubted := find("InF-IR, table 2", "Qwen2.5-1.5B", "InF-Embed", "FR-22", "nDCG@10"); len(doubted.Footnotes) == 0 {
		t.Error("a number that two tables give differently has no footnote in table 2")
	}
	if len(c.Doubts) != 11 {
		t.Errorf("%d contradictions, want the 11 of violations.csv", len(c.Doubts))
	}
}

func TestDiffer(t *testing.T) {
	paper := Conventions{Qrels: "changed", Ties: TiesByInsertion}
	ours := Conventions{Qrels: "original", Ties: TiesByID}
	if d := paper.Differ(ours, "AP@1000"); len(d) != 1 {
		t.Errorf("AP differs in %q, want the judgments only", d)
	}
	if d := paper.Differ(ours, "p-MRR"); len(d) != 1 || !strings.HasPrefix(d[0], "ties") {
		t.Errorf("p-MRR differs in %q, want the ties only", d)
	}
	if d := ours.Differ(ours, "p-MRR"); d != nil {
		t.Errorf("a convention differs from itself in %q", d)
	}
}

func BenchmarkReadMTEB(b *testing.B) {
	file := testkit.SharedPath(b, followIR)
	for b.Loop() {
		if _, err := ReadMTEB(file); err != nil {
			b.Fatal(err)
		}
	}
}

// writeFolder makes a folder of one file.
func writeFolder(t *testing.T, name, content string) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, dir, name, content)
	return dir
}

// writeFile adds a file to a folder.
func writeFile(t *testing.T, dir, name, content string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
