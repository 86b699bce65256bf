package gate

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// acceptances parses accepted changes.
func acceptances(t *testing.T, text string) []*Accepted {
	t.Helper()
	all, err := ParseAccepted("accepted.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// baselines are systems without a seed, each with its value on one task.
func baselines(values map[string]float64) []*results.Experiment {
	e := &results.Experiment{Name: "small", Planned: true}
	for _, name := range []string{"bm25", "dense", "sparse"} {
		if mean, ok := values[name]; ok {
			e.Trials = append(e.Trials, reportstest.SmallTrial(name, reportstest.Spread(mean, .05, 20)...))
		}
	}
	return []*results.Experiment{e}
}

// TestAccepted: an accepted drop passes and is marked, up to its last day, and never below the
// accepted value.
func TestAccepted(t *testing.T) {
	const file = "accepted: [{system: bm25, number: nDCG@10 on mair/one, from: 50, to: 40, until: 2026-11-30, who: Ann, why: faster}]"
	day := func(d int) time.Time { return time.Date(2026, 11, d, 12, 0, 0, 0, time.UTC) }
	before := baselines(map[string]float64{"bm25": .5})
	for _, c := range []struct {
		name  string
		after float64
		now   time.Time
		want  string
	}{
		{"none to accept", .49, day(23), "gate met: 0 of 1 check failed\n"},
		{"none to accept", .5, day(23), "note accepted.yaml:1: not needed by any check: accepted by Ann"},
		{"as accepted", .4, day(23), "accepted gate.yaml:1: bm25, nDCG@10 on mair/one: 40.00, before 50.00: a drop of 10.00, more than 2.00: accepted by Ann until 2026-11-30: faster\ngate met: 0 of 1 check failed, 1 accepted"},
		{"a little below", .385, day(23), "gate met: 0 of 1 check failed, 1 accepted"},
		{"further", .3, day(23), "; 40.00 was accepted, and this is 10.00 further, more than 2.00, and significant"},
		{"on its last day", .4, day(30), "gate met: 0 of 1 check failed, 1 accepted"},
		{"over", .4, day(31), "large and real; was accepted by Ann until 2026-11-30: faster, now expired\ngate not met"},
	} {
		g := judgeCommits(t, Known{Accepted: acceptances(t, file), Now: c.now}, before, baselines(map[string]float64{"bm25": c.after}))
		if out := text(t, g); !strings.Contains(out, c.want) {
			t.Errorf("%s, %v: want %q:\n%s", c.name, c.after, c.want, out)
		}
	}
}

// TestDroppedOrLost: numbers that the plan no longer asks for are distinguished from failed ones
// and from those without a plan. An accepted missing number is marked.
func TestDroppedOrLost(t *testing.T) {
	before := baselines(map[string]float64{"bm25": .5, "dense": .6})
	dropped := baselines(map[string]float64{"bm25": .5})
	failed := baselines(map[string]float64{"bm25": .5})
	failed[0].Trials = append(failed[0].Trials, results.Trial{ID: "dense", State: results.Failed, Error: "no room", Config: map[string]string{"model": "dense"}})
	unplanned := baselines(map[string]float64{"bm25": .5})
	unplanned[0].Planned = false
	all := baselines(nil)
	for _, name := range []string{"bm25", "dense"} {
		all[0].Trials = append(all[0].Trials, results.Trial{ID: name, State: results.Failed, Error: "no room", Config: map[string]string{"model": name}})
	}
	const gone = "accepted: [{system: dense, to: gone, until: 2026-11-30, who: Ann, why: retired}]"
	for _, c := range []struct {
		name     string
		run      []*results.Experiment
		rule     string
		accepted string
		want     string
	}{
		{"dropped", dropped, "", "", "dropped gate.yaml:1: dense, nDCG@10 on mair/one: dropped: the plan no longer asks for it\ngate met: 0 of 2 checks failed, 1 dropped"},
		{"dropped, and that fails", dropped, ", dropped: fail", "", "FAIL gate.yaml:1: dense, nDCG@10 on mair/one: dropped: the plan"},
		{"dropped, and that is accepted", dropped, ", dropped: fail", gone, "gate met: 0 of 2 checks failed, 1 accepted"},
		{"lost", failed, "", "", "FAIL gate.yaml:1: dense, nDCG@10 on mair/one: missing: "},
		{"all lost", all, "", "", "gate not met: 2 of 2 checks failed"},
		{"not planned", unplanned, "", "", "FAIL gate.yaml:1: dense, nDCG@10 on mair/one: missing: only the baseline has this number: lost"},
		{"not planned, and accepted", unplanned, "", gone, "missing: only the baseline has this number: lost: accepted by Ann until 2026-11-30: retired\ngate met"},
	} {
		rules := parseRules(t, "rules: [{measure: nDCG@10, maximum_drop: 2, significance: 0.05"+c.rule+"}]")
		k := Known{Now: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)}
		if c.accepted != "" {
			k.Accepted = acceptances(t, c.accepted)
		}
		g, err := k.Judge(rules, before, c.run)
		if err != nil {
			t.Fatal(err)
		}
		if out := text(t, g); !strings.Contains(out, c.want) {
			t.Errorf("%s: want %q:\n%s", c.name, c.want, out)
		}
	}
}

// TestScale: a number that could be meant from 0 to 1 is never read as one times 100.
func TestScale(t *testing.T) {
	read := func(text string) (*Rule, error) {
		any := func(name string) (string, error) { return name, nil }
		rules, err := ParseRules("gate.yaml", []byte(text), any)
		if err != nil {
			return nil, err
		}
		return rules[0], nil
	}
	for text, want := range map[string]float64{
		"rules: [{measure: nDCG@10, minimum: 55}]":               .55,
		"rules: [{measure: nDCG@10, minimum: 0}]":                0,
		"rules: [{measure: p-MRR, minimum: -3.5}]":               -.035,
		"scale: 100\nrules: [{measure: nDCG@10, minimum: 0.55}]": .0055,
		"scale: 100\nrules: [{measure: nDCG@10, minimum: 1}]":    .01,
		"rules: [{measure: nDCG@10, minimum: 0.55}]\nscale: 1":   .55,
		"rules: [{measure: NumRet, minimum: 1}]":                 1,
		"rules: [{measure: NumRet, minimum: 3000}]":              3000,
		"rules: [{measure: Utility, minimum: 300}]":              3,
	} {
		if r, err := read(text); err != nil || math.Abs(*r.Minimum-want) > 1e-12 {
			t.Errorf("%s: %v, %v, want %v", text, r, err, want)
		}
	}
	if r, err := read("rules: [{measure: nDCG@10, maximum_drop: 1, significance: 0.05}]"); err != nil || *r.MaximumDrop != .01 || *r.Level != .05 {
		t.Errorf("a drop of 1: %v, %v", r, err)
	}
	for text, want := range map[string]string{
		"rules: [{measure: nDCG@10, minimum: 0.55}]":          "gate.yaml:1:37: minimum 0.55: rules are on the scale of tables, times 100: write 55, not 0.55; if 0.55 of 100 is meant, add scale: 100",
		"rules: [{measure: nDCG@10, maximum_drop: .02}]":      "maximum_drop 0.02: rules are on the scale of tables, times 100: write 2, not 0.02",
		"rules: [{measure: nDCG@10, maximum: 1}]":             "write 100, not 1",
		"rules: [{measure: p-MRR, minimum: -0.1}]":            "write -10, not -0.1",
		"rules: [{measure: nDCG@10, minimum: 3000}]":          "minimum 3000 is above 100, the highest possible value",
		"scale: 1\nrules: [{measure: nDCG@10, minimum: 55}]":  "minimum 55 is above 1, the highest possible value",
		"scale: 10\nrules: [{measure: nDCG@10, minimum: 55}]": "scale: want 100, as tables have it, or 1",
		"scael: 1\nrules: [{measure: nDCG@10, minimum: 55}]":  `did you mean "scale"?`,
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %q", text, err, want)
		}
	}
}

// TestWords: every reason of a gate uses a term of Definitions, and every defined term of checks is
// used.
func TestWords(t *testing.T) {
	p := population{systems: 1, tasks: 2, queries: 40, seeds: 1, seed: .03, query: .08}.drawn(5)
	k := Known{Now: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)}
	gates := []*Gate{judgeCommits(t, k, p.commit(), p.commit(.1))} // undecided
	p.seeds = 3
	gates = append(gates, judgeCommits(t, k, p.commit(), p.commit(.3)), judgeCommits(t, k, p.commit(), p.commit(.05))) // real, not shown
	before := baselines(map[string]float64{"bm25": .5, "dense": .6})
	after := baselines(map[string]float64{"bm25": .4, "sparse": .6})
	gates = append(gates, judgeCommits(t, k, before, after)) // dropped, new
	after[0].Planned = false
	k.Accepted = acceptances(t, "accepted: [{system: bm25, number: nDCG@10 on mair/one, to: 40, until: 2026-11-30, who: Ann, why: faster}]")
	gates = append(gates, judgeCommits(t, k, before, after)) // accepted, lost

	said := map[string]bool{}
	ofChecks := []string{Large, Real, NotShown, Lost, New, string(Undecided), string(Dropped), string(Agreed), "significant", "smallest drop"}
	defined := func(word string) bool {
		return slices.ContainsFunc(Definitions(), func(d Definition) bool { return d.Word == word })
	}
	for _, g := range gates {
		for _, c := range g.Checks {
			n := 0
			for _, word := range ofChecks {
				if strings.Contains(c.Reason, word) {
					said[word] = true
					n++
				}
			}
			if n == 0 && c.worse && strings.Contains(c.Reason, "more than") || c.Outcome != Passed && n == 0 {
				t.Errorf("no word of the definitions: %s", c.Sentence())
			}
		}
		said["smallest drop"] = said["smallest drop"] || strings.Contains(text(t, g), "smallest drop")
	}
	for _, word := range ofChecks {
		if !said[word] || !defined(word) {
			t.Errorf("%q: said %v, defined %v", word, said[word], defined(word))
		}
	}
	for _, d := range Definitions() {
		if !strings.Contains(Help(80), "\n  "+d.Word+"\n") {
			t.Errorf("%q is not in the help", d.Word)
		}
	}
	for line := range strings.Lines(Help(80)) {
		if len([]rune(line)) > 81 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

// TestPower: a gate states what it can find, and finds it about as often.
func TestPower(t *testing.T) {
	p := population{systems: 2, tasks: 3, queries: 40, seeds: 3, seed: .01, task: .005, query: .08}.drawn(7)
	g := judgeCommits(t, Known{}, p.commit(), p.commit())
	of := g.Power()
	if len(of) != 1 || of[0].Tests != 8 || of[0].Shown.Of != 2 || of[0].Tasks.Of != 6 || !(of[0].Shown.Most < of[0].Tasks.Least) {
		t.Fatalf("%+v", of)
	}
	if of[0].Runs <= p.seeds && !of[0].Never {
		t.Errorf("%v of boards is more than the 2.00 that is allowed, and %d runs would do", of[0].Shown, of[0].Runs)
	}
	t.Log(of[0].Sentence())
	found, n := 0, 60
	var smallest float64
	for range n {
		g := judgeCommits(t, Known{}, p.commit(), p.commit(.04, 0))
		for _, c := range g.Checks {
			if c.Board && strings.HasPrefix(c.Place, lossOf(0)) {
				one, _ := c.Smallest()
				smallest += one / float64(n)
				if c.Outcome == Failed {
					found++
				}
			}
		}
	}
	t.Logf("a drop of 4.00 on the board is found %d times of %d; %.2f would be with a chance of 80 %%", found, n, 100*smallest)
	if share := float64(found) / float64(n); math.Abs(smallest-.04) > .003 || share < .65 || share > .95 {
		t.Errorf("found with %.2f, where %.2f is found with .8", share, smallest)
	}
}
