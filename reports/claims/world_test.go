package claims

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"infbench/datasets"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// world makes up results: systems whose runs scatter around a level, on queries that vary.
type world struct {
	queries, seeds int
	spread, drift  float64 // standard deviation of a query's value, and of a run
	random         *rand.Rand
	experiment     *results.Experiment
}

func newWorld(seed uint64) *world {
	return &world{queries: 40, seeds: 3, spread: .05, drift: .005, random: rand.New(rand.NewPCG(seed, 3)), experiment: &results.Experiment{Name: "made-up"}}
}

// add runs a configuration, each argument "key=value", at a level of p-MRR and AP.
func (w *world) add(level float64, config map[string]string) *world {
	seeds := w.seeds
	if config["loss"] == "" {
		seeds = 1
	}
	for seed := range seeds {
		c := maps.Clone(config)
		c["seed"] = fmt.Sprint(seed + 1)
		if c["loss"] != "" {
			c["model"] = "trained"
		}
		run := level
		if c["loss"] != "" {
			run += w.drift * w.random.NormFloat64()
		}
		t := results.Trial{ID: fmt.Sprintf("%016x", len(w.experiment.Trials)), State: results.Done, Config: c}
		for q := range w.queries {
			for _, measure := range []string{"p-MRR", "Unjudged@10"} {
				v := run + w.spread*w.random.NormFloat64()
				t.Results = append(t.Results, results.Result{Benchmark: "bench", Task: "headline", Query: fmt.Sprintf("q%03d", q), Side: datasets.None, Measure: measure, Value: &v})
			}
		}
		w.experiment.Trials = append(w.experiment.Trials, t)
	}
	return w
}

// losses runs one backbone under losses at their levels, and untrained at 0.
func (w *world) losses(backbone string, levels map[string]float64, order ...string) *world {
	for _, loss := range order {
		w.add(levels[loss], map[string]string{"backbone": backbone, "loss": loss, "interaction": "concat"})
	}
	return w.add(0, map[string]string{"backbone": backbone, "model": "untrained"})
}

func (w *world) found(t testing.TB) Found {
	t.Helper()
	v, err := scores.New([]*results.Experiment{w.experiment})
	if err != nil {
		t.Fatal(err)
	}
	return Found{Set: v}
}

// judged judges the claims of a text, each with a command.
func judged(t testing.TB, text string, found Found) map[string]*Judgement {
	t.Helper()
	f, err := Parse("claims.yaml", []byte("sweep: sweep.yaml\nclaims:\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*Judgement{}
	for _, j := range Judge(f, found).Judgements {
		out[j.Name()] = j
	}
	return out
}
