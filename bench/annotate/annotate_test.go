package annotate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infbench/datasets/annotate"
	"infbench/datasets/curate"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// found is the JSON output of read.
type found struct {
	Agreement, Agreement_by_role struct {
		Items    int
		Pairwise []coefficient
		Means    []coefficient
	}
	Right []struct {
		Rater          string
		Right, N       int
		Share, Kappa   float64
		Kappa_interval interval
	}
	Noise []struct {
		Type                 string
		Passed               bool
		Right, Wrong, Unsure int
		Interval             interval
	}
	Disagreements []results.Disagreement
	Notes         []string
}

type coefficient struct {
	Raters   []string
	N        int
	Observed float64
	Expected float64
	Value    float64
	Interval interval
}

type interval struct{ Low, High float64 }

func read(t *testing.T, args ...string) found {
	t.Helper()
	var f found
	if err := json.Unmarshal([]byte(verb(t, append([]string{"read", "--format", "json", "--resamples", "200"}, args...)...)), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// Annotators and judges of the simulated study, with their error rates.
var (
	errorsOf = map[string]float64{"ann": .05, "bob": .1, "eve": .25, "judge-a": .15, "judge-b": .4, corpus: 0}
	people   = []string{"ann", "bob", "eve"}
	judges   = map[string]float64{"judge-a": .15, "judge-b": .4}
)

// studied draws a sample of a world, lets annotators fill in its sheets, and returns the key
// and their files.
func studied(t *testing.T, sample int, seed uint64, more ...string) (w *world, key string, files []string) {
	t.Helper()
	w = newWorld(t, sample+20, seed, judges)
	dir := t.TempDir()
	verb(t, append([]string{"sheet", w.file, "--sample", fmt.Sprint(sample), "--seed", fmt.Sprint(seed), "--annotators", strings.Join(people, ","), "--out", dir}, more...)...)
	rng := rand.New(rand.NewPCG(seed, 99))
	for _, name := range people {
		files = append(files, w.fill(t, dir, name, errorsOf[name], rng))
	}
	return w, filepath.Join(dir, keyFile), files
}

// implied is the expected kappa of two raters whose errors are independent and pick any other
// candidate with equal chance. They agree if both are right, and in one of four cases if
// both are wrong. They agree by chance in one of five cases, since positions are shuffled.
func implied(a, b string) float64 {
	x, y := errorsOf[a], errorsOf[b]
	const chance = 1. / candidates
	return ((1-x)*(1-y) + x*y/(candidates-1) - chance) / (1 - chance)
}

// TestKappaIsWhatRatesImply: three people and two judges with known error rates fill in the
// verb's sheets, and kappa is as these rates imply. The 95% intervals of 20 studies cover it at
// about their nominal rate.
func TestKappaIsWhatRatesImply(t *testing.T) {
	held, all := 0, 0
	check := func(i interval, a, b string) {
		all++
		if want := implied(a, b); i.Low <= want && want <= i.High {
			held++
		}
	}
	for seed := range uint64(20) {
		_, key, files := studied(t, 100, seed+1)
		f := read(t, append([]string{key}, files...)...)
		if len(f.Agreement.Pairwise) != 10 || f.Agreement.Items != 100 {
			t.Fatalf("%+v", f.Agreement)
		}
		for _, p := range f.Agreement.Pairwise {
			check(p.Interval, p.Raters[0], p.Raters[1])
		}
		for _, r := range f.Right {
			check(r.Kappa_interval, r.Rater, corpus)
		}
		for _, m := range f.Agreement.Means[1:] {
			var want float64
			for _, h := range people {
				want += implied(h, m.Raters[0]) / float64(len(people))
			}
			if all++; m.Interval.Low <= want && want <= m.Interval.High {
				held++
			}
		}
	}
	// The 340 intervals are not independent within a study: fewer than 90% would be a fault.
	if share := float64(held) / float64(all); all != 340 || share < .9 || share > .99 {
		t.Errorf("%d of %d intervals hold the implied kappa", held, all)
	}
}

// TestEqualsAgreement: every number of the study equals that of metrics/agreement to the last
// digit. infbench data agreement computes the same from the written ratings.
func TestEqualsAgreement(t *testing.T) {
	_, key, files := studied(t, 60, 3, "--scenarios", "all")
	dir := t.TempDir()
	args := append([]string{"read", key, "--format", "json", "--out", dir}, files...)
	var own map[string]json.RawMessage
	if err := json.Unmarshal([]byte(verb(t, args...)), &own); err != nil {
		t.Fatal(err)
	}
	for file, part := range map[string]string{"ratings.csv": "agreement", "roles.csv": "agreement_by_role"} {
		cmd := AgreementCommand()
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetArgs([]string{filepath.Join(dir, file), "--models", "judge-a,judge-b", "--format", "json"})
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
		if compact(t, own[part]) != compact(t, out.Bytes()) {
			t.Errorf("%s: %s\nagreement says %s", part, own[part], out.Bytes())
		}
	}
	if rows := readCSV(t, filepath.Join(dir, "picks.csv")); len(rows) != 181 || len(rows[0]) != 7+2*5 {
		t.Errorf("picks.csv has %d lines of %d", len(rows), len(rows[0]))
	}
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRoleBesidePosition: kappa by role and kappa by position are different numbers, and both
// are reported.
func TestRoleBesidePosition(t *testing.T) {
	_, key, files := studied(t, 100, 5)
	f := read(t, append([]string{key}, files...)...)
	for i, p := range f.Agreement.Pairwise {
		r := f.Agreement_by_role.Pairwise[i]
		if r.Observed < p.Observed || math.Abs(p.Expected-.2) > .03 || r.Expected < .25 {
			t.Errorf("%v: by position %+v, by role %+v", p.Raters, p, r)
		}
	}
	out := verb(t, append([]string{"read", key, "--resamples", "50"}, files...)...)
	for _, want := range []string{"100 items, 5 labels (1, 2, 3, 4, 5), 3 human and 2 model raters", "Kappa by position and by role", "chance agreement is 0.", "judge-a | humans", "Noise audit", "negation, passed by most judges", "Disagreements: "} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
}

// TestNoiseAudit: the audit finds the records whose right passage is wrong, by type.
func TestNoiseAudit(t *testing.T) {
	w := newWorld(t, 90, 8, judges)
	for about := range w.right { // to people, no passage answers the records of one type
		var i int
		if _, err := fmt.Sscanf(about, "Find what was said of harbour %d by", &i); err != nil {
			t.Fatal(err)
		}
		if types[i%3] == "time" {
			w.right[about] = ""
		}
	}
	dir := t.TempDir()
	verb(t, "sheet", w.file, "--sample", "60", "--annotators", "ann,bob", "--out", dir)
	args := []string{filepath.Join(dir, keyFile)}
	for _, name := range []string{"ann", "bob"} {
		path := filepath.Join(dir, "sheet-"+name+".csv")
		rows := readCSV(t, path)
		for _, row := range rows[1:] {
			row[3] = annotate.NoneLabel
			for i, text := range row[6:] {
				if text == w.right[row[4]+"\n"+row[5]] {
					row[3] = fmt.Sprint(i + 1)
				}
			}
		}
		args = append(args, writeCSV(t, path, rows))
	}
	for _, n := range read(t, args...).Noise {
		wrong := n.Wrong
		switch n.Type {
		case "time":
			if n.Right != 0 || wrong == 0 || n.Interval.High != 1 || n.Interval.Low > .95 {
				t.Errorf("%+v", n)
			}
		case "all":
		default:
			if wrong != 0 || n.Right == 0 || n.Interval.Low != 0 || n.Interval.High < .05 {
				t.Errorf("%+v", n)
			}
		}
	}
}

// TestJudgesAlone: without people, judges are rated by a key or on all questions of a corpus.
func TestJudgesAlone(t *testing.T) {
	w, key, _ := studied(t, 30, 2)
	for source, items := range map[string]int{key: 30, w.file: 150, filepath.Dir(w.file): 150} {
		f := read(t, source)
		if f.Agreement.Items != items || len(f.Agreement.Pairwise) != 1 || len(f.Noise) != 0 || len(f.Right) != 2 {
			t.Errorf("%s: %+v", source, f)
		}
		if out := verb(t, "read", source, "--resamples", "10"); strings.Contains(out, "with humans") || strings.Contains(out, "undefined") {
			t.Errorf("there are no humans:\n%s", out)
		}
	}
}

// TestKeptStudy: the saved study has every number and the texts on which raters disagree.
func TestKeptStudy(t *testing.T) {
	_, key, files := studied(t, 40, 4)
	t.Chdir(t.TempDir())
	verb(t, append([]string{"read", key, "--keep", "mini"}, files...)...)
	data, err := os.ReadFile(runs.StudyFile("agreement", "mini"))
	if err != nil {
		t.Fatal(err)
	}
	var s results.Study
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for _, v := range s.Values {
		names[v.Measure]++
	}
	for name, n := range map[string]int{"Cohen's kappa": 10, "Cohen's kappa, by role": 10, "mean of Cohen's kappa": 3, "picks the right passage": 5, "wrong records": 8} {
		if names[name] != n {
			t.Errorf("%d of %q, want %d", names[name], name, n)
		}
	}
	if len(s.Disagreements) == 0 || len(s.Disagreements[0].Candidates) != candidates || len(s.Disagreements[0].Picks()) < 2 || !strings.Contains(s.Disagreements[0].Candidates[0].Text, "Passage") {
		t.Errorf("%+v", s.Disagreements)
	}
}

// TestSheetFolder: the same command writes the same bytes, and does not overwrite the key of
// other sheets.
func TestSheetFolder(t *testing.T) {
	w := newWorld(t, 20, 1, judges)
	dir := t.TempDir()
	args := []string{"sheet", w.file, "--sample", "10", "--out", dir}
	verb(t, args...)
	first := folder(t, dir)
	verb(t, args...)
	if len(first) != 7 || fmt.Sprint(folder(t, dir)) != fmt.Sprint(first) {
		t.Errorf("%d files, or other bytes", len(first))
	}
	fails(t, "is the key of other sheets", append(args, "--seed", "2")...)
	filled := filepath.Join(dir, "sheet-annotator-2.csv")
	write(t, filled, first["sheet-annotator-2.csv"]+"picked")
	remove(t, filepath.Join(dir, "sheet-annotator-1.html"))
	fails(t, "sheet-annotator-2.csv has other content than this sheet and may hold picks", args...)
	if now := folder(t, dir); len(now) != 6 || !strings.HasSuffix(now["sheet-annotator-2.csv"], "picked") {
		t.Error("a filled-in sheet is overwritten, or other sheets were written next to it")
	}
	remove(t, filled)
	verb(t, args...)
	if fmt.Sprint(folder(t, dir)) != fmt.Sprint(first) {
		t.Error("sheets that are missing are not written again")
	}
	fails(t, "needs --out", "sheet", w.file)
	fails(t, "a sample of 100 records: ", "sheet", w.file, "--out", t.TempDir())
	fails(t, "is not a folder of a curated corpus", "sheet", dir, "--out", t.TempDir())
	fails(t, "is not a key", "read", w.file, "x.csv")
	fails(t, "unknown format", "read", w.file, "--format", "yaml")
	fails(t, "not the key of a sheet", "read", write(t, filepath.Join(dir, "x.json"), "[]"))
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(data)
	}
	return out
}

// TestNonePicked: "none of them" is a label of its own.
func TestNonePicked(t *testing.T) {
	q := (&world{right: map[string]string{}}).question(1, curate.Original, rand.New(rand.NewPCG(1, 1)))
	q.Picks = []curate.Pick{{Judge: "=a", Candidate: curate.None}, {Judge: "b", Candidate: 0}, {Judge: "c", Candidate: curate.None, Why: "malformed"}}
	line, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f := read(t, write(t, filepath.Join(dir, curate.JudgedFile), string(line)+"\n"), "--out", filepath.Join(dir, "read"))
	if rows := fmt.Sprint(readCSV(t, filepath.Join(dir, "read", "ratings.csv"))); rows != "[['=a b c] [none 1 ]]" {
		t.Error(rows)
	}
	if notes := strings.Join(f.Notes, "; "); !strings.Contains(notes, "c rated 0 of 1 items; 1 no rating: malformed") {
		t.Error(notes)
	}
}
