package command

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"infbench/bench/experiments"
	"infbench/runners/catalog"
)

// initiate runs init in the folder of the test.
func initiate(args ...string) (string, error) {
	cmd := initCommand()
	var out bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.Execute()
	return out.String(), err
}

// ownData writes triplets with the given columns, and a collection.
func ownData(t *testing.T, columns ...string) {
	t.Helper()
	var lines strings.Builder
	for i := range 40 {
		var cells []string
		for _, c := range columns {
			cells = append(cells, fmt.Sprintf("%q: %q", c, fmt.Sprintf("%s of thing %d", c, i)))
		}
		fmt.Fprintf(&lines, "{%s}\n", strings.Join(cells, ", "))
	}
	for name, text := range map[string]string{
		"trip.jsonl":            lines.String(),
		"mycoll/corpus.jsonl":   `{"_id": "d1", "title": "", "text": "a thing"}` + "\n" + `{"_id": "d2", "title": "", "text": "another"}` + "\n",
		"mycoll/queries.jsonl":  `{"_id": "q1", "text": "thing"}` + "\n",
		"mycoll/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
	} {
		if dir, _, nested := strings.Cut(name, "/"); nested {
			if err := os.MkdirAll(dir+"/qrels", 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Every file that init writes makes a plan, is commented, and is never overwritten.
func TestFilesMakePlans(t *testing.T) {
	cases := [][]string{{}, {"second", "--mini"}, {"mine", "--data", "trip.jsonl", "--evaluate", "mycoll"}, {"mine-too.yaml", "--data", "./trip.jsonl", "--evaluate", "mycoll", "--evaluate", "mini-followir"}}
	for _, table := range experiments.Names("paper-") {
		cases = append(cases, []string{"--paper", table})
	}
	for _, args := range cases {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Chdir(t.TempDir())
			ownData(t, "query", "positive", "instruction")
			out, err := initiate(args...)
			if err != nil {
				t.Fatal(err)
			}
			file, _, _ := strings.Cut(out, "\n")
			if !strings.Contains(out, "infbench plan "+file) || !strings.Contains(out, "infbench sweep "+file) {
				t.Errorf("it says %q", out)
			}
			e, err := catalog.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if e.Name+".yaml" != file {
				t.Errorf("%s holds %s", file, e.Name)
			}
			found := catalog.Gaps{Found: catalog.Revisions{}}
			if _, _, err := catalog.Expand(e, found.Resolve); err != nil {
				t.Error(err)
			}
			if strings.Count(e.Source, "#") < 4 {
				t.Errorf("few comments:\n%s", e.Source)
			}
			before := e.Source
			if _, err := initiate(args...); err == nil || !strings.Contains(err.Error(), " exists: give another NAME") {
				t.Errorf("again: %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != before {
				t.Errorf("it was written over: %v", err)
			}
		})
	}
}

// The file has the losses for which there are columns, and names the others.
func TestLossesFitTheData(t *testing.T) {
	for _, c := range []struct {
		columns []string
		want    string
	}{
		{[]string{"query", "positive"}, "loss: [uni:P]"},
		{[]string{"query", "positive", "instruction"}, "loss: [uni:P]"},
		{[]string{"query_positive", "instruction_positive", "document_positive", "instruction_negative", "hard_negative_1", "query_negative", "hard_negative_2"}, "loss: [uni:P, multi:P+I]"},
	} {
		t.Chdir(t.TempDir())
		ownData(t, c.columns...)
		if _, err := initiate("x", "--data", "trip.jsonl", "--evaluate", "mycoll"); err != nil {
			t.Errorf("%q: %v", c.columns, err)
			continue
		}
		text, err := os.ReadFile("x.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), c.want) || strings.Contains(c.want, "multi") == strings.Contains(string(text), "left out") {
			t.Errorf("%q: want %s in\n%s", c.columns, c.want, text)
		}
	}
}

func TestRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	ownData(t, "query", "positive")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--paper", "mian"}, `unknown table "mian"; did you mean "main"?`},
		{[]string{"--mini", "--paper", "main"}, "give one"},
		{[]string{"--data", "trip.jsonl"}, "give both"},
		{[]string{"--evaluate", "mycoll"}, "give both"},
		{[]string{"x", "--data", "tripp.jsonl", "--evaluate", "mycoll"}, "init: training data tripp.jsonl: there is no such file or folder; did you mean trip.jsonl?"},
		{[]string{"x", "--data", "trip.jsonl", "--evaluate", "mini-folowir"}, `init: unknown benchmark "mini-folowir"; did you mean "mini-followir"?`},
		{[]string{"x", "--data", "trip.jsonl", "--evaluate", "mycoll", "--backbone", "tiny-bart"}, `init: unknown backbone "tiny-bart"; did you mean "tiny-bert"?`},
		{[]string{"two words"}, "init: name: want up to 64"},
		{[]string{"nowhere/x"}, "nowhere/x.yaml"},
	} {
		if _, err := initiate(c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
	if _, err := os.Stat("x.yaml"); err == nil {
		t.Error("a file was written")
	}
}

// Unused columns are reported, with the name that was likely meant.
func TestUnreadColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	ownData(t, "query", "positive", "negativ", "score")
	out, err := initiate("mine", "--data", "trip.jsonl", "--evaluate", "mycoll")
	if err != nil || !strings.Contains(out, "note: trip.jsonl: these columns are not used: negativ (did you mean negative?), score; known columns: ") {
		t.Errorf("%v\n%s", err, out)
	}
	ownData(t, "anchor", "positive")
	if out, err := initiate("other", "--data", "trip.jsonl", "--evaluate", "mycoll"); err != nil || strings.Contains(out, "not used") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := initiate("third", "--data", "trip.jsonl", "--evaluate", "mycol"); err == nil || !strings.Contains(err.Error(), `did you mean "mycoll"?`) {
		t.Error(err)
	}
}
