package submit

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"infbench/internal/usage"
	view "infbench/reports/scores"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// seeded moves the rankings of a fixture to two seeds: those of the second are reversed.
func (f *fixture) seeded() {
	f.without("scores")
	for name, text := range maps.Clone(f.files) {
		if !strings.HasPrefix(name, "runs/") {
			continue
		}
		delete(f.files, name)
		f.files["seed-1/"+name] = text
		var other strings.Builder
		for line := range strings.Lines(text) {
			fields := strings.Fields(line)
			fields[4] = "-" + fields[4]
			fmt.Fprintln(&other, strings.Join(fields, " "))
		}
		f.files["seed-2/"+name] = other.String()
	}
}

// TestSeeds: two trainings of one system are one submission and one row of a board, whose values
// are means over both.
func TestSeeds(t *testing.T) {
	f := newFixture(t, "mini-followir")
	f.seeded()
	out := filepath.Join(t.TempDir(), "out")
	s, err := summary(t, options{out: out}, f.dir())
	if err != nil || s.Accepted != 1 || s.Submissions[0].Standing != results.Recomputed {
		t.Fatalf("%v: %v", err, s.faults(f.all))
	}
	exps, err := runs.LoadAll([]string{out})
	if err != nil {
		t.Fatal(err)
	}
	v, err := view.New(exps)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Systems) != 1 || len(v.Systems[0].Trials) != 2 {
		t.Fatalf("%d systems", len(v.Systems))
	}
	for _, task := range s.Submissions[0].Tasks {
		for _, n := range task.Numbers {
			sum, of := 0.0, 0
			for _, trial := range exps[0].Trials {
				var own []results.Result
				for _, r := range trial.Results {
					if r.Task == task.Task && r.Measure == n.Measure && string(r.Side) == n.Side {
						own = append(own, r)
					}
				}
				if mean, k := results.Mean(own); k > 0 {
					sum, of = sum+mean, of+1
				}
			}
			if of != 2 || n.Computed == nil || *n.Computed-sum/2 > 1e-12 || sum/2-*n.Computed > 1e-12 {
				t.Errorf("%s %s %s: %v, want %v of %d seeds", task.Task, n.Measure, n.Side, n.Computed, sum/2, of)
			}
		}
	}
	made := filepath.Join(t.TempDir(), "again")
	d := draft{into: made, set: func(string) bool { return false }}
	d.System, d.Revision = "acme/embed-1", "v1"
	var text strings.Builder
	if err := d.run(out, day, &text); err != nil {
		t.Fatal(err)
	}
	again := *f
	again.all, again.files = made, map[string]string{DeclarationFile: f.files[DeclarationFile]}
	if s, err := summary(t, options{}, again.dir()); err != nil || s.Accepted != 1 || s.Submissions[0].Standing != results.Recomputed || s.Submissions[0].Tasks[0].Numbers[0].Claimed == nil {
		t.Errorf("made from a run folder: %v: %v", err, s.faults(made))
	}
}

// TestSeedFaults: every seed has the same tasks in a folder of its own, and other rankings.
func TestSeedFaults(t *testing.T) {
	const second = "seed-2/" + headline
	for name, c := range map[string]struct {
		change func(*fixture)
		want   []string
		note   string
	}{
		"task missing":  {func(f *fixture) { f.without(second) }, []string{"seed-2/runs: has no rankings of mini-followir/headline, but seed-1/" + headline + " has"}, ""},
		"both places":   {func(f *fixture) { f.files[headline] = f.files[second] }, []string{"runs: there are rankings in seed-1/runs, too"}, ""},
		"other folder":  {func(f *fixture) { f.files["seed-two/"+headline] = f.files[second] }, []string{"seed-two: is not part of a submission"}, ""},
		"twice":         {func(f *fixture) { f.files[second+".gz"] = f.files[second] }, []string{second + ".gz: and " + second + " are both rankings"}, ""},
		"fault":         {func(f *fixture) { f.files[second] = "x\n" }, []string{second + ":1: 1 fields"}, ""},
		"same rankings": {func(f *fixture) { f.files[second] = f.files["seed-1/"+headline] }, nil, second + ": its rankings are those of seed-1/" + headline},
		"claims of one": {func(f *fixture) {
			_, scored := rankings(f.t, load(f.t, "mini-followir"))
			f.files[results.ScoresFile] = jsonLines(f.t, meansOf(scored)[1:2])
		}, []string{"scores.jsonl:1: "}, ""},
	} {
		f := newFixture(t, "mini-followir")
		f.seeded()
		c.change(f)
		s, err := summary(t, options{}, f.dir())
		if (exitCode(err) == usage.ExitGate) != (len(c.want) > 0) {
			t.Errorf("%s: %v", name, err)
		}
		same(t, s.faults(f.all), c.want)
		if notes := strings.Join(s.Submissions[0].Notes, "\n"); !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}
