package ablation

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/bench/results"
	"infbench/datasets"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
)

// level gives a run its mean; ok is false where the run is not in the plan.
type levelOf func(config map[string]string) (level float64, ok bool)

// ablationOf makes an experiment of two backbones, two interactions, five losses
// and three seeds, with 30 queries whose values lie about level.
func ablationOf(level levelOf) *results.Experiment {
	e := &results.Experiment{Name: "ablation"}
	add := func(config map[string]string) {
		mean, ok := level(config)
		if !ok {
			return
		}
		r := rand.New(rand.NewPCG(uint64(len(e.Trials)), 5))
		t := results.Trial{ID: fmt.Sprintf("%016x", len(e.Trials)), State: results.Done, Config: config}
		for q := range 30 {
			v := mean + 0.05*r.NormFloat64()
			t.Results = append(t.Results, results.Result{Benchmark: "mini-followir", Task: "headline",
				Query: fmt.Sprintf("q%02d", q), Side: datasets.None, Measure: "p-MRR", Value: &v})
		}
		e.Trials = append(e.Trials, t)
	}
	for _, backbone := range []string{"a", "b"} {
		for _, interaction := range []string{"concat", "cross_attention"} {
			for seed := range 3 {
				common := map[string]string{"backbone": backbone, "interaction": interaction, "seed": fmt.Sprint(seed + 1)}
				for _, loss := range []string{"uni(P)", "uni(P,I)", "multi(P,I)", "uni(P,IQ)", "multi(P,IQ)"} {
					c := with(common, results.Loss, loss)
					c[results.Seed], c[results.Model], c["train.lr"] = common[results.Seed], "trained", "lr of "+backbone
					add(c)
				}
				c := with(common, results.Model, "untrained")
				c[results.Seed] = common[results.Seed]
				add(c)
			}
		}
	}
	return e
}

// bothWays is an experiment in which findings hold for backbone a and the reverse
// for b, but for the interaction, which changes nothing.
func bothWays(config map[string]string) (float64, bool) {
	level := map[string]float64{"": 0, "uni(P)": 0.1, "uni(P,I)": 0.2, "uni(P,IQ)": 0.2, "multi(P,I)": 0.5, "multi(P,IQ)": 0.4}[config[results.Loss]]
	if config[results.Backbone] == "b" && strings.HasPrefix(config[results.Loss], "multi") {
		level = 0.15
	}
	return level, true
}

func TestClaims(t *testing.T) {
	v, err := scores.New([]*results.Experiment{ablationOf(bothWays)})
	if err != nil {
		t.Fatal(err)
	}
	claims := claimsOn(v, v.MainColumns("mini-followir")[0])
	familyOf(claims).Correct()
	type key struct{ claim, backbone string }
	want := map[key]string{
		{"multi over uni (Table 3)", "a"}:                     "holds",
		{"multi over uni (Table 3)", "b"}:                     "the reverse holds",
		{"multi over uni (Table 3)", "all"}:                   "holds",
		{"concatenation over cross-attention (Table 3)", "a"}: "not shown",
		{"multi(P,I) best of all losses (Table 3)", "a"}:      "holds against multi(P,IQ)",
		{"multi(P,I) best of all losses (Table 3)", "b"}:      "the reverse holds against uni(P,I) or uni(P,IQ)",
	}
	for _, c := range claims {
		expected, ok := want[key{c.claim, c.backbone}]
		delete(want, key{c.claim, c.backbone})
		verdict, rivals, _ := strings.Cut(expected, " against ")
		if ok && (c.verdict() != verdict || !strings.Contains(rivals, c.rival)) {
			t.Errorf("%s for %s: %s (%s), want %s", c.claim, c.backbone, c.verdict(), c.rival, expected)
		}
		if c.claim == "multi over uni (Table 3)" && c.Runs%6 != 0 {
			t.Errorf("%s for %s: %d pairs of runs, want two pairs of losses times three seeds a backbone", c.claim, c.backbone, c.Runs)
		}
	}
	if len(want) > 0 {
		t.Errorf("not tested: %v", want)
	}
}

// Rows are settings and losses; what follows from the backbone makes none.
func TestGainTable(t *testing.T) {
	shown, said := build(t, ablationOf(bothWays))
	gain := shown.AllTables()[0]
	var heads []string
	for _, c := range gain.Columns {
		heads = append(heads, c.Name)
	}
	if want := []string{"interaction", "loss", "a", "b"}; !slices.Equal(heads, want) {
		t.Errorf("columns %v, want %v", heads, want)
	}
	if len(gain.Rows) != 1+2*5 {
		t.Errorf("%d rows, want the untrained encoder and ten", len(gain.Rows))
	}
	for _, row := range gain.Rows[1:] {
		level, _ := bothWays(map[string]string{results.Loss: row.Entries[1].Text, results.Backbone: "a"})
		if got := *row.Entries[2].Sort; got < level-0.05 || got > level+0.05 {
			t.Errorf("%s gains %.3f, want about %.2f", row.Entries[1].Text, got, level)
		}
	}
	if words := strings.Join(said, "\n"); !strings.Contains(words, "multi over uni (Table 3), by p-MRR: holds for a, all; the reverse holds for b.") {
		t.Errorf("said:\n%s", words)
	}
}

// Where systems of one backbone differ in several keys, one column names them all.
func TestGainSettings(t *testing.T) {
	e := ablationOf(bothWays)
	for i := range e.Trials {
		if e.Trials[i].Config[results.Loss] == "uni(P)" && e.Trials[i].Config["interaction"] == "concat" {
			e.Trials[i].Config["design.pooling"] = "last"
		}
	}
	shown, _ := build(t, e)
	gain := shown.AllTables()[0]
	settings := map[string]bool{}
	for _, row := range gain.Rows {
		settings[row.Entries[0].Text] = true
	}
	want := map[string]bool{"": true, "interaction=concat": true, "interaction=cross_attention": true, "design.pooling=last interaction=concat": true}
	if gain.Columns[0].Name != "setting" || !maps.Equal(settings, want) {
		t.Errorf("%s: %v, want %v", gain.Columns[0].Name, settings, want)
	}
}

// Findings compare trained systems and need no reference; gains do.
func TestAblationWithoutReference(t *testing.T) {
	shown, _ := build(t, ablationOf(func(c map[string]string) (float64, bool) { return 0, c[results.Model] == "trained" }))
	if tables := shown.AllTables(); len(tables) != 1 || tables[0].ID != "findings" {
		t.Errorf("%d tables, want the findings alone", len(tables))
	}
	v, err := scores.New([]*results.Experiment{ablationOf(func(c map[string]string) (float64, bool) {
		return 0, c[results.Loss] == "uni(P)" && c["interaction"] == "concat"
	})})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Sections(v, contrast.DefaultReference); !errors.Is(err, errNoAblation) {
		t.Errorf("error %v, want %v", err, errNoAblation)
	}
}

func build(t *testing.T, e *results.Experiment) (shown section.Section, said []string) {
	t.Helper()
	v, err := scores.New([]*results.Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	shown, said, err = Sections(v, contrast.DefaultReference)
	if err != nil {
		t.Fatal(err)
	}
	return shown, said
}
