package reports

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/runners/results"
)

// levelOf returns a run's mean; ok is false if the run is not in the plan.
type levelOf func(config map[string]string) (level float64, ok bool)

// ablationOf returns an experiment with two backbones, two interactions, five losses and
// three seeds. Its 30 queries have values around the level.
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
					c := maps.Clone(common)
					c[results.Loss], c[results.Model], c["train.lr"] = loss, "trained", "lr of "+backbone
					add(c)
				}
				c := maps.Clone(common)
				c[results.Model] = "untrained"
				add(c)
			}
		}
	}
	return e
}

// bothWays is an experiment whose findings hold for backbone a and are reversed for b,
// except for the interaction, which has no effect.
func bothWays(config map[string]string) (float64, bool) {
	level := map[string]float64{"": 0, "uni(P)": 0.1, "uni(P,I)": 0.2, "uni(P,IQ)": 0.2, "multi(P,I)": 0.5, "multi(P,IQ)": 0.4}[config[results.Loss]]
	if config[results.Backbone] == "b" && strings.HasPrefix(config[results.Loss], "multi") {
		level = 0.15
	}
	return level, true
}

// TestGainTable checks that rows are settings and losses, and that settings that follow
// from the backbone make no rows.
func TestGainTable(t *testing.T) {
	shown := ablationSection(t, ablationOf(bothWays))
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
}

// TestGainSettings checks that one column names all settings if systems of one backbone
// differ in several keys.
func TestGainSettings(t *testing.T) {
	e := ablationOf(bothWays)
	for i := range e.Trials {
		if e.Trials[i].Config[results.Loss] == "uni(P)" && e.Trials[i].Config["interaction"] == "concat" {
			e.Trials[i].Config["design.pooling"] = "last"
		}
	}
	shown := ablationSection(t, e)
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

// TestAblationWithoutReference checks that gains need a reference.
func TestAblationWithoutReference(t *testing.T) {
	v, err := scores.New([]*results.Experiment{ablationOf(func(c map[string]string) (float64, bool) {
		return 0, c[results.Model] == "trained"
	})})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gainSection(v, Options{}.WithDefaults(), (&Report{}).pair); !errors.Is(err, errNoAblation) {
		t.Errorf("error %v, want %v", err, errNoAblation)
	}
}

func ablationSection(t *testing.T, e *results.Experiment) section.Section {
	t.Helper()
	v, err := scores.New([]*results.Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := gainSection(v, Options{}.WithDefaults(), (&Report{}).pair)
	if err != nil {
		t.Fatal(err)
	}
	return shown
}
