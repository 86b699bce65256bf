package data

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/testkit/minihub"
	"infbench/runners/device"
	"infbench/training/encoder"
)

// mined runs the command on records and reads its output as training data.
func mined(t *testing.T, triplets []datasets.Triplet, args ...string) (records []datasets.Record, said string) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl")
	var text strings.Builder
	for _, r := range triplets {
		line, err := json.Marshal(map[string]string{"id": r.ID, "instruction_positive": r.InstructionPositive, "instruction_negative": r.InstructionNegative,
			"query_positive": r.QueryPositive, "query_negative": r.QueryNegative, "document": r.Positive, "hard_negative_1": r.HardNegative1, "hard_negative_2": r.HardNegative2})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&text, string(line))
	}
	if err := os.WriteFile(in, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	cmd := mineCommand()
	cmd.SetOut(&printed)
	cmd.SetArgs(append([]string{"--data", in, "--model", "bm25", "--out", out}, args...))
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	source, err := datasets.LoadRecords(out, "")
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range source.All() {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records, printed.String()
}

// TestMineCountsRowsOfAQuery: the default depth grows with the largest number of rows of a
// query, as in mine_hard_negatives. A repeated row counts twice.
func TestMineCountsRowsOfAQuery(t *testing.T) {
	c := &collection{}
	passages, queries := map[string]int{}, map[[2]string]int{}
	for _, passage := range []string{"a", "b", "b", "b"} {
		c.add(datasets.Record{Rows: []datasets.Row{{Query: "q", Passage: passage}}}, passages, queries)
	}
	c.add(datasets.Record{Rows: []datasets.Row{{Query: "other", Passage: "a"}}}, passages, queries)
	if c.most != 4 || len(c.of[0]) != 2 {
		t.Errorf("%d rows of one query, %d passages", c.most, len(c.of[0]))
	}
}

// TestMine: the output has one line per row. Its negatives are not answers of its query and
// come best first, each with its score. A poisoned passage is a negative, whatever the margin.
func TestMine(t *testing.T) {
	triplets := datasets.MiniInfIRSized(3, 20)
	records, said := mined(t, triplets, "--negatives", "3", "--depth", "60", "--margin", "50%")
	if len(records) != 60 || !strings.Contains(said, "out.jsonl: 60 rows with ") {
		t.Fatalf("%d rows: %s", len(records), said)
	}
	poisoned := 0
	for i, r := range records {
		row, of := r.Rows[0], triplets[i/3].Record().Rows
		want := of[i%3]
		if r.ID != fmt.Sprintf("%s/%d", triplets[i/3].ID, i%3+1) || row.Instruction != want.Instruction || row.Query != want.Query || row.Passage != want.Passage {
			t.Errorf("row %d is %+v, want %+v", i, r, want)
		}
		if len(row.Negatives) > 3 || slices.Contains(row.Negatives, row.Passage) || len(row.Scores) != 1+len(row.Negatives) {
			t.Errorf("row %d: %d scores of %q", i, len(row.Scores), row.Negatives)
		}
		negatives := row.Scores[1:]
		if !slices.IsSortedFunc(negatives, func(a, b float64) int { return int(b*1e6 - a*1e6) }) {
			t.Errorf("row %d: scores %v", i, row.Scores)
		}
		for k, text := range row.Negatives {
			own := slices.ContainsFunc(of, func(r datasets.Row) bool { return r.Passage == text })
			if !own && negatives[k] > row.Scores[0]/2 {
				t.Errorf("row %d: %v is above half of %v", i, negatives[k], row.Scores[0])
			}
			if own && negatives[k] > row.Scores[0]/2 {
				poisoned++
			}
		}
	}
	if poisoned == 0 {
		t.Error("the margin took out every passage that records call a negative")
	}
}

// TestMineRescored: with --rescore all scores and the order of negatives are those of the model
// that reads pairs, and bounds apply to its scores. bm25 only selects the candidates.
func TestMineRescored(t *testing.T) {
	const name = "cross-encoder/ms-marco-MiniLM-L-6-v2"
	all := minihub.Baselines()
	dir := t.TempDir()
	for file, content := range all[slices.IndexFunc(all, func(r minihub.Repository) bool { return r.ID == name })].Files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	backend, err := device.OpenBackend(device.GoDevice)
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Finalize()
	model, err := (*encoder.Card)(nil).OpenCrossEncoder(dir, backend)
	if err != nil {
		t.Fatal(err)
	}
	triplets := datasets.MiniInfIRSized(3, 8)
	flat := func(records []datasets.Record) (scores []float64) {
		for _, r := range records {
			row := r.Rows[0]
			texts := append([]string{row.Passage}, row.Negatives...)
			want, n := make([]float32, len(texts)), len(texts)
			if err := model.Score(t.Context(), slices.Repeat([]string{row.Query}, n), slices.Repeat([]string{row.Instruction}, n), make([]string, n), texts, want); err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if math.Abs(row.Scores[i]-float64(want[i])) > 1e-5 {
					t.Errorf("row %s, text %d has the score %v, the model says %v", r.ID, i, row.Scores[i], want[i])
				}
			}
			if !slices.IsSortedFunc(row.Scores[1:], func(a, b float64) int { return cmp.Compare(b, a) }) {
				t.Errorf("row %s: scores %v", r.ID, row.Scores)
			}
			scores = append(scores, row.Scores[1:]...)
		}
		return scores
	}
	records, _ := mined(t, triplets, "--negatives", "3", "--depth", "12", "--rescore", dir)
	free := flat(records)
	byWords, _ := mined(t, triplets, "--negatives", "3", "--depth", "12")
	other := 0
	for i := range records {
		if !slices.Equal(records[i].Rows[0].Negatives, byWords[i].Rows[0].Negatives) {
			other++
		}
	}
	if other == 0 {
		t.Error("every row has the negatives that bm25 gives it")
	}
	slices.Sort(free)
	most := free[len(free)/2]
	records, _ = mined(t, triplets, "--negatives", "3", "--depth", "12", "--rescore", dir, "--max-score", fmt.Sprint(most))
	bounded := flat(records)
	if len(bounded) == 0 || slices.Max(bounded) > most {
		t.Errorf("--max-score %v leaves %v", most, bounded)
	}
}

// TestMineDrawsForAQuery: --pick random draws once per query. Its rows, one for each of its
// passages, have the same negatives.
func TestMineDrawsForAQuery(t *testing.T) {
	triplets := datasets.MiniInfIRSized(3, 8)
	for i := range triplets { // two passages of each query
		triplets[i].InstructionNegative = triplets[i].InstructionPositive
	}
	records, _ := mined(t, triplets, "--negatives", "2", "--depth", "15", "--pick", "random")
	for i := 0; i < len(records); i += 3 {
		a, b := records[i].Rows[0], records[i+1].Rows[0]
		if a.Passage == b.Passage || !slices.Equal(a.Negatives, b.Negatives) {
			t.Errorf("%q has %q, its other passage %q", a.Query, a.Negatives, b.Negatives)
		}
	}
}

// TestMineAtRandom: a draw depends on its seed; short lists are kept and counted.
func TestMineAtRandom(t *testing.T) {
	triplets := datasets.MiniInfIRSized(3, 8)
	draw := func(seed string) []datasets.Record {
		records, _ := mined(t, triplets, "--negatives", "2", "--depth", "15", "--pick", "random", "--seed", seed)
		return records
	}
	if a, b := draw("1"), draw("2"); fmt.Sprint(a) != fmt.Sprint(draw("1")) || fmt.Sprint(a) == fmt.Sprint(b) {
		t.Error("the seed does not change the draw")
	}
	records, said := mined(t, triplets, "--negatives", "30", "--max-score", "0.5")
	if len(records) != 24 || !strings.Contains(said, "24 have fewer than 30") {
		t.Errorf("%d rows: %s", len(records), said)
	}
}

func TestMineRefuses(t *testing.T) {
	for want, args := range map[string]string{
		"needs --data and --model":                "--model bm25",
		"--margin high: want a share":             "--data mini-infir --model bm25 --margin high",
		"--pick best: want top or random":         "--data mini-infir --model bm25 --pick best",
		"--skip 4 leaves nothing":                 "--data mini-infir --model bm25 --skip 4 --depth 4",
		"--negatives 0":                           "--data mini-infir --model bm25 --negatives 0",
		"no score is between":                     "--data mini-infir --model bm25 --min-score 2 --max-score 1",
		`unknown training data "nowhere"`:         "--data nowhere --model bm25",
		`unknown model "bm26"`:                    "--data mini-infir --model bm26",
		"--rescore bm25 finds passages by itself": "--data mini-infir --model bm25 --rescore bm25",
	} {
		cmd := mineCommand()
		cmd.SetArgs(append(strings.Fields(args), "--out", filepath.Join(t.TempDir(), "out.jsonl")))
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
