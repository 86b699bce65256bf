package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infbench/bench/runs"
	"infbench/bench/usage"
	"infbench/internal/testkit"
	"infbench/reports/words"
	"infbench/reports/write"
)

// What testdata/format-1 holds was written by commit 4b92b02 (its make.sh says by
// which commands). Whoever has such a folder or page must be able to go on with it:
// these tests may grow, and no file that they read is ever made anew.

// oldRuns is a copy of the folders and pages of commit 4b92b02, in which the test
// works from now on.
func oldRuns(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "format-1"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("HF_HUB_CACHE", "hub")
}

// The run folders of a sweep, an evaluation and an import.
var oldFolders = []string{"runs/small", "runs/okapi", "runs/imported"}

// goldenText is what commit 4b92b02 printed.
func goldenText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("golden", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantIn holds output to a text that must be in it.
func wantIn(t *testing.T, output string, want ...string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(output, text) {
			t.Errorf("%q is not in:\n%s", text, output)
		}
	}
}

// sameNumbers holds a report of the old folders to the values that commit 4b92b02
// gave, digit by digit.
func sameNumbers(t *testing.T, got string) {
	t.Helper()
	columns := []string{"system", "benchmark", "task", "side", "measure", "value", "state", "queries", "undefined", "tasks", "trials", "planned"}
	want, have := csvRows(t, goldenText(t, "all.csv"), columns), csvRows(t, got, columns)
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(have, want) {
		t.Errorf("numbers\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// csvRows lists the rows of a CSV by columns of these names.
func csvRows(t *testing.T, text string, columns []string) []string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(all) < 2 {
		t.Fatalf("%d rows, %v", len(all), err)
	}
	var rows []string
	for _, row := range all[1:] {
		var cells []string
		for _, name := range columns {
			i := slices.Index(all[0], name)
			if i < 0 {
				t.Fatalf("no column %s in %v", name, all[0])
			}
			cells = append(cells, row[i])
		}
		if strings.Join(cells, "") != "" { // not of another kind of line
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
	return rows
}

func TestOldNumbersStay(t *testing.T) {
	oldRuns(t)
	sameNumbers(t, verbOutput(t, append([]string{"report", "--format", "csv"}, oldFolders...)...))

	normal := func(line string) string { return strings.Join(strings.Fields(line), " ") }
	var printed []string
	for line := range strings.Lines(verbOutput(t, "report", "runs/small")) {
		printed = append(printed, normal(line))
	}
	_, board, found := strings.Cut(goldenText(t, "small.txt"), "\n──")
	board, _, ended := strings.Cut(board, "  note:")
	rows := strings.Split(strings.TrimSpace(board), "\n")[1:]
	if !found || !ended || len(rows) != 6 {
		t.Fatalf("leaderboard %q", rows)
	}
	for _, row := range rows {
		if !slices.ContainsFunc(printed, func(line string) bool { return hasNumbers(line, normal(row)) }) {
			t.Errorf("the leaderboard has no row %q", normal(row))
		}
	}
}

// hasNumbers reports whether a row of a leaderboard has what an old one has: its four
// numbers, beside which there may be others by now, and what stands before them. What
// was selected on the test is no longer marked beside what was on validation.
func hasNumbers(line, old string) bool {
	unmarked := strings.NewReplacer(words.TopMark, "")
	fields, want := strings.Fields(unmarked.Replace(line)), strings.Fields(unmarked.Replace(old))
	system := len(want) - 4
	if len(fields) < len(want) || !slices.Equal(fields[:system], want[:system]) {
		return false
	}
	rest := fields[system:]
	for _, number := range want[system:] {
		i := slices.Index(rest, number)
		if i < 0 {
			return false
		}
		rest = slices.Delete(slices.Clone(rest), i, i+1)
	}
	return true
}

func TestOldRunsInEveryFormat(t *testing.T) {
	oldRuns(t)
	for _, runs := range append([][]string{oldFolders}, []string{"runs/small"}, []string{"runs/okapi"}, []string{"runs/imported"}) {
		for _, format := range write.Formats() {
			out := "out." + format
			verbOutput(t, append([]string{"report", "--format", format, "--out", out}, runs...)...)
			text, err := os.ReadFile(out)
			if err != nil || !strings.Contains(string(text), "followir") {
				t.Errorf("%s of %v: %d bytes, %v", format, runs, len(text), err)
			}
			if format == "html" {
				verbOutput(t, append([]string{"verify", out}, withRuns(runs)...)...)
			}
		}
	}
}

// What was evaluated before data and weights were recorded says so.
func TestOldEvaluationsSayWhatIsNotRecorded(t *testing.T) {
	oldRuns(t)
	wantIn(t, verbOutput(t, "report", "runs/okapi"), "Data and weights not recorded: bm25-okapi-candidates")
	verbFails(t, usage.ExitUsage, "did not record its data", "evaluate", "--model", "bm25-okapi-candidates", "--data", "followir", "--out", "runs/okapi")
}

// withRuns is the flag --runs for each folder.
func withRuns(folders []string) []string {
	var args []string
	for _, dir := range folders {
		args = append(args, "--runs", dir)
	}
	return args
}

func TestOldRunsAreVerified(t *testing.T) {
	oldRuns(t)
	wantIn(t, verbOutput(t, append([]string{"verify"}, oldFolders...)...),
		"runs/small: 7 trials, 252 values scored again, 0 differences",
		"runs/okapi: 1 trials, 36 values scored again, 0 differences",
		"runs/imported: 1 trials, 12 values scored again, 0 differences")
}

// A page that was honest when it was written is honest for good, and what somebody
// changes in it is found still.
func TestOldPagesAreVerified(t *testing.T) {
	oldRuns(t)
	verbOutput(t, "verify", "page.html")
	for page, runs := range map[string][]string{"page.html": oldFolders[1:], "runs/small/report.html": oldFolders[:1]} {
		verbOutput(t, append([]string{"verify", page}, withRuns(runs)...)...)
		verbOutput(t, append([]string{"verify", page}, withRuns(oldFolders)...)...)
		for _, forged := range []struct{ what, from, to string }{
			{"a number shown", `>54.2<`, `>64.2<`},
			{"a number carried", `"revision":"0495a5cb`, `"revision":"1495a5cb`},
		} {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			if page == "runs/small/report.html" {
				forged.from, forged.to = strings.Replace(forged.from, "54.2", "64.0", 1), strings.Replace(forged.to, "64.2", "94.0", 1)
			}
			if !bytes.Contains(text, []byte(forged.from)) {
				t.Errorf("%s holds no %s", page, forged.from)
			}
			if err := os.WriteFile("forged.html", bytes.Replace(text, []byte(forged.from), []byte(forged.to), 1), 0o644); err != nil {
				t.Fatal(err)
			}
			verbFails(t, exitFailure, "difference", append([]string{"verify", "forged.html"}, withRuns(runs)...)...)
		}
	}
}

func TestOldRunsAreCompared(t *testing.T) {
	oldRuns(t)
	verbOutput(t, "report", "runs/small", "--format", "html", "--out", "new.html")
	verbOutput(t, "report", "runs/okapi", "runs/imported", "--format", "html", "--out", "new-page.html")
	for _, pair := range [][2]string{
		{"runs/small", "runs/small"}, {"runs/small/report.html", "runs/small"}, {"runs/small", "runs/small/report.html"},
		{"runs/small/report.html", "runs/small/report.html"}, {"runs/small/report.html", "new.html"},
	} {
		wantIn(t, verbOutput(t, "diff", pair[0], pair[1]), "0 of 30 numbers that both have moved")
	}
	wantIn(t, verbOutput(t, "diff", "page.html", "new-page.html"), "0 of 8 numbers that both have moved")
	verbFails(t, usage.ExitUsage, "write 30, not 0.3", "gate", "--rule", "gate.yaml", "--baseline", "runs/small", "runs/small") // rules were from 0 to 1
	rewrite(t, "gate.yaml", append([]byte("scale: 1\n"), readFile(t, "gate.yaml")...))
	for _, pair := range [][2]string{{"runs/small", "runs/small"}, {"runs/small/report.html", "runs/small"}, {"runs/small", "runs/small/report.html"}} {
		wantIn(t, verbOutput(t, "gate", "--rule", "gate.yaml", "--baseline", pair[0], pair[1]), strings.Replace(firstLine(goldenText(t, "gate.txt")), "of 7 ", "of 9 ", 1)) // two means that boards show beside
	}
	strict := inFile(t, "strict.yaml", "rules: [{measure: p-MRR, minimum: 99}]")
	for _, name := range []string{"runs/small", "page.html"} {
		verbFails(t, 3, "gate not met", "gate", "--rule", strict, name)
	}
}

func TestOldRunsAreExported(t *testing.T) {
	oldRuns(t)
	for _, format := range []string{"csv", "eval-results", "json", "model-index", "mteb", "latex", "trec"} {
		for _, name := range append([]string{"page.html", "runs/small/report.html"}, oldFolders...) {
			if format == "trec" && strings.HasSuffix(name, ".html") {
				continue // a page carries no rankings
			}
			out := t.TempDir()
			verbOutput(t, "export", "--format", format, "--out", out, name)
			if files, err := filepath.Glob(filepath.Join(out, "*")); err != nil || len(files) == 0 {
				t.Errorf("%s of %s: %d files, %v", format, name, len(files), err)
			}
		}
	}
	site := filepath.Join(t.TempDir(), "site")
	verbOutput(t, "publish", site, "runs/small/report.html", "page.html")
	index, err := os.ReadFile(filepath.Join(site, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, string(index), "bm25-okapi-candidates", "team/old", "multi(P,I)")
}

func TestOldPlansStand(t *testing.T) {
	oldRuns(t)
	wantIn(t, verbOutput(t, "status", "runs/small"), firstLine(goldenText(t, "status.txt")), "0d355a958501483a", "loss NaN")
	said := verbOutput(t, "plan", "small.yaml")
	wantIn(t, said, "8 trials, 1 to run; 4 train, 4 are baselines")
	if strings.Contains(said, "run again") {
		t.Errorf("cells would run again:\n%s", said)
	}
	for _, file := range []string{"small.yaml", "every.yaml"} {
		wantIn(t, verbOutput(t, "plan", "--diff", file), "nothing differs from")
	}
	wantIn(t, verbOutput(t, "repeat", "runs/small", "07d33ce7"), "the same")
}

// fileSums hashes the finished trials of a run folder, file by file.
func fileSums(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	sums := map[string][32]byte{}
	err := filepath.WalkDir(filepath.Join(dir, runs.TrialsDir), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, "0d355a958501483a") {
			return err
		}
		data, err := os.ReadFile(path)
		sums[path] = sha256.Sum256(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// The same experiment again runs only the cell that has no numbers yet.
func TestOldSweepGoesOn(t *testing.T) {
	oldRuns(t)
	before := fileSums(t, "runs/small")
	verbFails(t, exitFailure, "small: 8 trials, 1 to run", "sweep", "small.yaml", "--workers", "1")
	if after := fileSums(t, "runs/small"); len(before) == 0 || !maps.Equal(before, after) {
		t.Error("finished trials were touched")
	}
	sameNumbers(t, verbOutput(t, append([]string{"report", "--format", "csv"}, oldFolders...)...))
}

// replan edits the plan of a run folder as another version would have written it:
// each trial hashed to its ID, its folder called by that, and the sum of the file.
func replan(t *testing.T, dir string, edit func(plan map[string]any)) {
	t.Helper()
	path := runs.At(dir).PlanPath()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var plan map[string]any
	if err := dec.Decode(&plan); err != nil {
		t.Fatal(err)
	}
	delete(plan, "sum")
	edit(plan)
	for _, item := range plan["trials"].([]any) {
		trial := item.(map[string]any)
		identity, err := json.Marshal(map[string]any{"format": plan["format"], "cell": trial["cell"], "evaluate": trial["evaluate"], "revisions": trial["revisions"]})
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(identity)
		id := hex.EncodeToString(sum[:])[:16]
		if old := trial["id"].(string); old != id {
			if err := os.Rename(runs.At(dir).Trial(old).Dir, runs.At(dir).Trial(id).Dir); err != nil {
				t.Fatal(err)
			}
		}
		trial["id"] = id
	}
	text, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	rest := append(bytes.TrimPrefix(text, []byte("{\n")), '\n')
	if err := os.WriteFile(path, fmt.Appendf(nil, "{\n  \"sum\": \"%x\",\n%s", sha256.Sum256(rest), rest), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lossCells edits the training settings of the cells of a loss.
func lossCells(plan map[string]any, loss string, edit func(train map[string]any)) {
	for _, trial := range plan["trials"].([]any) {
		if cell := trial.(map[string]any)["cell"].(map[string]any); cell["loss"] == loss {
			edit(cell["train"].(map[string]any))
		}
	}
}

// The plan of a newer infbench is neither misread nor written over.
func TestNewerPlansAreLeftAlone(t *testing.T) {
	for _, c := range []struct {
		name, want string
		edit       func(plan map[string]any)
	}{
		{"another format", "format 2, and this infbench reads formats up to 1", func(plan map[string]any) { plan["format"] = 2 }},
		{"a key that is not known", `unknown key "ema"`, func(plan map[string]any) {
			lossCells(plan, "uni(P)", func(train map[string]any) { train["ema"] = 0.5 })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			oldRuns(t)
			replan(t, "runs/small", c.edit)
			path := filepath.Join("runs", "small", runs.PlanFile)
			written, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, verb := range [][]string{{"report", "runs/small"}, {"status", "runs/small"}, {"verify", "runs/small"}, {"retry", "runs/small"}, {"sweep", "small.yaml"}, {"plan", "--diff", "small.yaml"}} {
				verbFails(t, exitFailure, c.want, verb...)
				verbFails(t, exitFailure, "newer infbench", verb...)
			}
			wantIn(t, verbOutput(t, "plan", "small.yaml"), path, c.want, "newer infbench")
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, written) {
				t.Errorf("the plan was written over, %v", err)
			}
		})
	}
}

// A plan from before a setting was part of trial IDs reads as ever; which of its
// cells run again, and why, is said before and while they do, and what they gave
// stays.
func TestCellsOfOlderIDs(t *testing.T) {
	oldRuns(t)
	replan(t, "runs/small", func(plan map[string]any) {
		lossCells(plan, "uni(P)", func(train map[string]any) { delete(train, "decay_all") })
	})
	why := "1 of 7 finished cells run again: its ID now also holds train.decay_all (false); what they gave stays in " + filepath.Join("runs", "small", "trials")

	sameNumbers(t, verbOutput(t, append([]string{"report", "--format", "csv"}, oldFolders...)...))
	wantIn(t, verbOutput(t, "status", "runs/small"), "7 done, 0 running, 1 failed")
	wantIn(t, verbOutput(t, "verify", "runs/small"), "7 trials, 252 values scored again, 0 differences")
	wantIn(t, verbOutput(t, "plan", "small.yaml"), why, "8 trials, 2 to run")
	listed := verbOutput(t, "plan", "small.yaml", "--diff")
	if got := len(regexp.MustCompile(`(?m)^~ [0-9a-f]{16} -> [0-9a-f]{16}  uni\(P\).*: its ID now also holds train.decay_all \(false\)$`).FindAllString(listed, -1)); got != 2 {
		t.Errorf("%d cells are listed with the reason, want 2:\n%s", got, listed)
	}
	verbFails(t, exitFailure, "cannot run as it was planned: its ID now also holds train.decay_all (false); sweep its experiment file again", "retry", "runs/small")
	testkit.Deep(t)
	before := fileSums(t, "runs/small")
	verbFails(t, exitFailure, why, "sweep", "small.yaml", "--workers", "1")
	after := fileSums(t, "runs/small")
	for path, sum := range before {
		if after[path] != sum {
			t.Errorf("%s was changed or is gone", path)
		}
	}
	if err := runs.At("runs/small").Trial("16a305449043554e").Verify(); err != nil {
		t.Errorf("the cell under its new ID: %v", err)
	}
}

// A file that is no plan, or a changed one, is no newer one.
func TestChangedPlansAreNotNewer(t *testing.T) {
	oldRuns(t)
	path := filepath.Join("runs", "small", runs.PlanFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{`"decay_all"`: `"decay_alp"`, `"name": "small"`: `"name": "smell"`, `"lr": 0.005`: `"lr": 0.006`, `"format": 1`: `"format": 0`} {
		if err := os.WriteFile(path, bytes.Replace(text, []byte(from), []byte(to), 1), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run([]string{"status", "runs/small"}, &out, &errs); code == exitOK || !strings.Contains(errs.String(), path) || strings.Contains(errs.String(), "newer") {
			t.Errorf("%s: exit %d, %s", to, code, errs.String())
		}
	}
	verbFails(t, usage.ExitUsage, "holds imported results", "status", "runs/imported")
}
