package diff

import (
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/table"
	"infbench/runners/results"
)

func compareSets(t *testing.T, before, after []*results.Experiment) *Changes {
	t.Helper()
	c, err := Compare(before, after, true)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestDiffCauses changes one thing at a time; that one, and nothing else, must
// be named.
func TestDiffCauses(t *testing.T) {
	facts := func() results.Facts {
		return results.Facts{results.FactJoining: "{query} {instruction}", results.FactLength: "40", results.FactDtype: "float32", results.FactPooling: "mean", results.FactTies: "id", results.FactWeights: "00"}
	}
	fill := func() *results.Trial {
		tr := reportstest.SmallTrial("bm25", reportstest.Spread(0.5, 0.1, 8)...)
		tr.Provenance.Benchmarks[0].Tasks = map[string]string{"one": "original judgments"}
		tr.Provenance.Infbench, tr.Provenance.Source, tr.Provenance.Go = "v1", "sha256:01", "go1"
		tr.Queries = []results.QueryRecord{{Benchmark: "mair", Task: "one", Query: "q00", Text: "text", Instruction: "do"}}
		tr.Config["lr"], tr.Config["seed"] = "1", "1"
		return &tr
	}
	for _, c := range []struct {
		cause  string
		change func(*results.Trial, results.Facts)
	}{
		{"data revision", func(t *results.Trial, _ results.Facts) { t.Provenance.Benchmarks[0].Revision = "r2" }},
		{"qrels", func(t *results.Trial, _ results.Facts) { t.Provenance.Benchmarks[0].Tasks["one"] = "changed judgments" }},
		{"instruction text", func(t *results.Trial, _ results.Facts) { t.Queries[0].Instruction = "do not" }},
		{"joining order", func(_ *results.Trial, f results.Facts) { f[results.FactJoining] = "{instruction} {query}" }},
		{"max length", func(_ *results.Trial, f results.Facts) { f[results.FactLength] = "80" }},
		{"dtype", func(_ *results.Trial, f results.Facts) { f[results.FactDtype] = "bfloat16" }},
		{"pooling", func(_ *results.Trial, f results.Facts) { f[results.FactPooling] = "cls" }},
		{"tie policy", func(_ *results.Trial, f results.Facts) { f[results.FactTies] = "insertion" }},
		{"chunk", func(t *results.Trial, _ results.Facts) { t.Provenance.Chunk = 4 }},
		{"measure version", func(t *results.Trial, _ results.Facts) {
			t.Provenance.Infbench, t.Provenance.Source = "v2", "sha256:03"
		}},
		{"measure version", func(t *results.Trial, _ results.Facts) { t.Provenance.Source = "sha256:02" }},
		{"model and training", func(t *results.Trial, _ results.Facts) { t.Config["lr"] = "2" }},
		{"seeds", func(t *results.Trial, _ results.Facts) { t.Config["seed"] = "2" }},
		{"weights", func(_ *results.Trial, f results.Facts) { f[results.FactWeights] = "01" }},
		{"machine and libraries", func(t *results.Trial, _ results.Facts) { t.Provenance.Go = "go2" }},
		{"", func(*results.Trial, results.Facts) {}},
	} {
		was, is, changed := fill(), fill(), facts()
		is.ID = "after"
		c.change(is, changed)
		set := func(t *results.Trial) []*results.Experiment {
			return []*results.Experiment{{Name: "x", Trials: []results.Trial{*t}}}
		}
		all := map[string]results.Facts{was.ID: facts(), "after": changed}
		found := ""
		for _, cause := range compareSets(t, set(was), set(is)).Causes(all) {
			if cause.State == Differs {
				found += cause.Name
			}
			if cause.State == NotRecorded {
				t.Errorf("%s: %s is said not to be recorded", c.cause, cause.Name)
			}
		}
		if found != c.cause {
			t.Errorf("found %q, want %q", found, c.cause)
		}
	}
}

// Two builds are the same if their records identify the same sources. A version alone is not
// enough; the revision of an unchanged tree is.
func TestDiffBuilds(t *testing.T) {
	type program struct{ version, source string }
	for _, c := range []struct {
		was, is program
		want    CauseState
	}{
		{program{"(devel)", "sha256:01"}, program{"(devel)", "sha256:01"}, Same},
		{program{"(devel)", "sha256:01"}, program{"(devel)", "sha256:02"}, Differs},
		{program{"v1", "sha256:01"}, program{"v1-1-g01234567", "sha256:01"}, Same},
		{program{"(devel)", ""}, program{"(devel)", ""}, NotRecorded},
		{program{"(devel)", ""}, program{"(devel)", "sha256:01"}, NotRecorded},
		{program{"0123456789ab", ""}, program{"0123456789ab", ""}, Same},
		{program{"0123456789ab", ""}, program{"0123456789ab", "sha256:01"}, Same},
		{program{"0123456789ab+changes", ""}, program{"0123456789ab+changes", ""}, NotRecorded},
		{program{"0123456789ab", ""}, program{"ba9876543210", ""}, Differs},
		{program{"", ""}, program{"v1", "sha256:01"}, NotRecorded},
	} {
		sets := [2][]*results.Experiment{reportstest.OneSystem(1, 0), reportstest.OneSystem(1, 0)}
		for i, p := range []program{c.was, c.is} {
			sets[i][0].Trials[0].Provenance.Infbench, sets[i][0].Trials[0].Provenance.Source = p.version, p.source
		}
		for _, cause := range compareSets(t, sets[0], sets[1]).Causes(nil) {
			if cause.Name == measureVersion && cause.State != c.want {
				t.Errorf("%v and %v: %v, want %v", c.was, c.is, cause.State, c.want)
			}
		}
	}
}

// TestDiffShifts checks numbers that moved, disappeared and appeared.
func TestDiffShifts(t *testing.T) {
	before, after := reportstest.OneSystem(reportstest.Spread(0.5, 0.1, 12)...), reportstest.OneSystem(reportstest.Spread(0.6, 0.1, 12)...)
	before[0].Trials = append(before[0].Trials, reportstest.SmallTrial("gone", 1, 1))
	after[0].Trials = append(after[0].Trials, reportstest.SmallTrial("fresh", 1, 1), reportstest.SmallTrial("other", 1, 1))
	c := compareSets(t, before, after)
	var b strings.Builder
	if err := WriteDiff(&b, c, nil, 10); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 system in both sets", "1 of 1 number in both sets moved", "+10.0", "higher", "q00", "60.0", "70.0",
		"Only before (1): gone, nDCG@10 on mair/one", "Only after (2): fresh, nDCG@10 on mair/one", "not recorded: "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

// TestDiffAlone matches the only systems of two sets although nothing about them agrees.
func TestDiffAlone(t *testing.T) {
	before, after := reportstest.OneSystem(1, 0), reportstest.OneSystem(0, 1)
	after[0].Trials[0].Config["model"] = "dense"
	if c := compareSets(t, before, after); c.matched() != 1 {
		t.Errorf("%d matched", c.matched())
	}
	c, err := Compare(before, after, false)
	if err != nil || c.matched() != 0 {
		t.Errorf("%v, %d matched", err, c.matched())
	}
}

// TestDiffDirection: a fall is better if lower is better, and a count is never better or worse.
func TestDiffDirection(t *testing.T) {
	for measure, want := range map[string]table.Entry{
		"nDCG@10":     {Text: "lower", Tone: table.Worse},
		"Unjudged@10": {Text: "lower (better)", Tone: table.Better},
		"NumRet":      {Text: "lower"},
	} {
		before, after := reportstest.OneSystem(reportstest.Spread(0.6, 0.1, 12)...), reportstest.OneSystem(reportstest.Spread(0.5, 0.1, 12)...)
		reportstest.MeasuredBy(measure, before[0].Trials...)
		reportstest.MeasuredBy(measure, after[0].Trials...)
		if got := compareSets(t, before, after).Shifts[0].verdict(); got != want {
			t.Errorf("%s: %+v, want %+v", measure, got, want)
		}
	}
}
