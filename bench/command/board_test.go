package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/memory"
	"infbench/internal/testkit"
)

// printed runs the verb on a table.
func printed(t *testing.T, table string, args ...string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scores.csv")
	if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := boardCommand()
	cmd.SetArgs(append([]string{path}, args...))
	cmd.SetOut(&out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.Execute()
	return out.String(), err
}

// By hand: m leads both tasks that it ran, lacks C, and has the best rank without a mean.
func TestMissingTask(t *testing.T) {
	out, err := printed(t, "system,task,score,type\nn,A,1,X\nn,B,1,X\nn,C,1,Y\nm,A,9,X\nm,B,9,X\n", "--format", "csv")
	if err != nil {
		t.Fatal(err)
	}
	if want := "system,rank,points,mean of tasks,mean of types,X,Y,missing\nm,1,2,,,9,,C\nn,2,1,1,1,1,1,\n"; out != want {
		t.Errorf("%s, want %s", out, want)
	}
	if out, err = printed(t, "task,system,score\nA,m,1\nA,n,1\n"); err != nil || strings.Contains(out, "mean of types") || !strings.Contains(out, "2 systems, 1 task") {
		t.Errorf("%s, %v", out, err)
	}
}

// The prompts' scores 2, 4 and 9 have mean 5 and a sum of squared deviations of 26.
func TestSpread(t *testing.T) {
	table := "system,task,prompt,score\nm,A,p1,2\nm,A,p2,4\nm,A,p3,9\nn,A,p1,5\n"
	out, err := printed(t, table, "--format", "json")
	if err != nil {
		t.Fatal(err)
	}
	var r boardReport
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	s := r.Spreads[0]
	if len(r.Spreads) != 2 || s.Prompts != 3 || s.Mean != 5 || s.Lowest != 2 || s.Highest != 9 || math.Abs(s.Population-math.Sqrt(26./3)) > 1e-12 || math.Abs(*s.Sample-math.Sqrt(13)) > 1e-12 || r.Spreads[1].Sample != nil {
		t.Errorf("%s", out)
	}
	if r.Rows[0].Rank != 1 || r.Rows[1].Rank != 1 || *r.Rows[0].MeanTask != 5 {
		t.Errorf("equal means, and ranks %+v", r.Rows)
	}
	if out, err = printed(t, table); err != nil || !strings.Contains(out, "Spread over prompts") || !strings.Contains(out, "2.94") || !strings.Contains(out, "3.61") {
		t.Errorf("%s, %v", out, err)
	}
}

func TestErrors(t *testing.T) {
	for table, want := range map[string]string{
		"":                                           "scores.csv:1: empty file",
		"system,task\n":                              "scores.csv:1: no column score",
		"system,task,score,promt\n":                  `scores.csv:1: unknown column "promt"; did you mean "prompt"?`,
		"system,system,score\n":                      "column system comes twice",
		"system,task,score\n":                        "no scores",
		"system,task,score\nm,A,x\n":                 `scores.csv:2: score "x" is not a number`,
		"system,task,score\nm,A,NaN\n":               "is not a number",
		"system,task,score\n,A,1\n":                  "scores.csv:2: system or task is empty",
		"system,task,score\nm,A,1\nm,A,2\n":          "scores.csv:3: m has a score on A already",
		"system,task,score\nm,A\n":                   "scores.csv:2: wrong number of fields",
		"system,task,score\nm,A,1\n\"n,A,1\n":        "scores.csv:3: extraneous or missing",
		"system,ta\"sk,score\n":                      "scores.csv:1: bare \"",
		"system,task,score,type\nm,A,1,X\nn,A,1,Y\n": `task A has type "Y" here and "X" before`,
	} {
		if _, err := printed(t, table); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", table, err, want)
		}
	}
}

// A complete system has an empty list, not null, so that programs can iterate over it.
func TestNothingMissing(t *testing.T) {
	out, err := printed(t, "system,task,score\nm,A,1\n", "--format", "json")
	if err != nil || !strings.Contains(out, `"missing": []`) {
		t.Errorf("%s, %v", out, err)
	}
}

// The hand-worked examples of mteb's board, through the verb.
func TestBoardExamples(t *testing.T) {
	type number struct{ Value float64 }
	tried := 0
	for _, e := range testkit.MeasureExamples(t) {
		if e.Measure != "mteb_board" {
			continue
		}
		tried++
		var in struct {
			Scores map[string]map[string]json.RawMessage
			Types  map[string]string
		}
		var want map[string]struct {
			MeanTask *number `json:"mean_task"`
			MeanType *number `json:"mean_task_type"`
			Points   number
			Rank     number
		}
		if err := json.Unmarshal(e.Input, &in); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(e.Expected, &want); err != nil {
			t.Fatal(err)
		}
		table := "system,task,score,type\n"
		for system, of := range in.Scores {
			for task, score := range of {
				table += fmt.Sprintf("%s,%s,%s,%s\n", system, task, exampleValue(t, score), in.Types[task])
			}
		}
		out, err := printed(t, table, "--format", "json")
		if err != nil {
			t.Fatal(err)
		}
		var got boardReport
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		same := func(a *float64, b *number) bool {
			return (a == nil) == (b == nil) && (a == nil || math.Abs(*a-b.Value) < 1e-12)
		}
		for _, row := range got.Rows {
			w := want[row.System]
			if !same(row.MeanTask, w.MeanTask) || !same(row.MeanType, w.MeanType) || !same(&row.Points, &w.Points) || float64(row.Rank) != w.Rank.Value {
				t.Errorf("%s: %+v, want %+v", e.Name, row, w)
			}
		}
		if len(got.Rows) == 0 {
			t.Errorf("%s: no rows", e.Name)
		}
	}
	if tried < 6 {
		t.Errorf("%d examples", tried)
	}
}

// exampleValue is an exact number of an example: a number, or text such as "1/2".
func exampleValue(t *testing.T, text json.RawMessage) string {
	t.Helper()
	above, below, ok := strings.Cut(strings.Trim(string(text), `"`), "/")
	if !ok {
		return above
	}
	var a, b float64
	if _, err := fmt.Sscan(above+" "+below, &a, &b); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(a / b)
}

// A table that is too large for memory is refused before memory runs out.
func TestTableBeyondMemory(t *testing.T) {
	var table strings.Builder
	table.WriteString("system,task,score\n")
	for i := range 600_000 {
		fmt.Fprintf(&table, "system %d,task %d,0.5\n", i/1000, i%1000)
	}
	defer memory.Limit(memory.Least)()
	_, err := printed(t, table.String())
	if _, full := errors.AsType[*memory.Full](err); !full {
		t.Errorf("%v, want a *room.Full", err)
	}
}
