package gate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/runners/results"
)

// population is a repository whose commits are measured again and again, with its true parameters:
// systems that are trained with seeds, on tasks of queries. A run differs from its system by ±seed
// on all queries together, by ±task more on those of one task, and by ±query on each. Differences
// occur only on a share live of the queries.
type population struct {
	systems, tasks, queries, seeds int
	seed, task, query              float64 // standard deviations, native range
	change                         float64 // variation of a drop from query to query
	live                           float64
	skewed                         bool // differences of runs on a query are rare and large
	noise                          *rand.Rand
}

// drawn starts a population.
func (p population) drawn(seed uint64) *population {
	if p.live == 0 {
		p.live = 1
	}
	p.noise = rand.New(rand.NewPCG(seed, 18))
	return &p
}

// lossOf names the systems.
func lossOf(system int) string { return reportstest.FixtureLosses[system] }

// commit measures once; drop is the amount by which each system falls below its earlier level, on
// all tasks.
func (p *population) commit(drop ...float64) []*results.Experiment {
	e := &results.Experiment{Name: "made", Planned: true}
	for s := range p.systems {
		for range p.seeds {
			seed := fmt.Sprint(p.noise.Uint32())
			dropped := 0.0
			if s < len(drop) {
				dropped = drop[s]
			}
			e.Trials = append(e.Trials, p.run(s, seed, dropped))
		}
	}
	return []*results.Experiment{e}
}

// run is one training run of a system that has dropped by dropped in total.
func (p *population) run(system int, seed string, dropped float64) results.Trial {
	t := results.Trial{ID: fmt.Sprintf("%d-%s", system, seed), State: results.Done, Config: map[string]string{"model": "tiny-bert", "loss": lossOf(system), "seed": seed}}
	t.Provenance.Benchmarks = []results.Benchmark{{Name: "made", Synthetic: true, Revision: "r1"}}
	at := p.seed*p.noise.NormFloat64() - dropped
	queries := rand.New(rand.NewPCG(uint64(system), 1)) // the same for every commit
	for k := range p.tasks {
		here := at + p.task*p.noise.NormFloat64()
		for q := range p.queries {
			v := 0.5 + 0.2*queries.NormFloat64()
			changed := p.change * queries.NormFloat64()
			if queries.Float64() < p.live {
				v += here/p.live + p.moved()
			}
			if dropped != 0 {
				v += changed
			}
			t.Results = append(t.Results, results.Result{Benchmark: "made", Task: fmt.Sprintf("task-%d", k+1), Query: fmt.Sprintf("q%03d", q), Measure: "nDCG@10", Value: &v})
		}
	}
	return t
}

// moved draws the difference of a run on one query.
func (p *population) moved() float64 {
	if !p.skewed {
		return p.query * p.noise.NormFloat64()
	}
	if p.noise.Float64() < .1 {
		return 3 * p.query * p.noise.ExpFloat64()
	}
	return 0
}

// historyOf turns commits into a history.
func historyOf(commits ...[]*results.Experiment) []Past {
	var out []Past
	for i, c := range commits {
		out = append(out, pastOf(fmt.Sprintf("c%d", i+1), c))
	}
	return out
}

// pastOf is a commit in the form of a history: the mean over tasks, and single tasks.
func pastOf(commit string, exps []*results.Experiment) Past {
	type sum struct {
		total float64
		n     int
	}
	out := Past{Commit: commit, Seeds: map[string]string{}}
	sums, order := map[place]*sum{}, []place{}
	add := func(at place, v float64) {
		if sums[at] == nil {
			sums[at], order = &sum{}, append(order, at)
		}
		sums[at].total += v
		sums[at].n++
	}
	for _, t := range exps[0].Trials {
		system := t.Config["loss"]
		if out.Seeds[system] != "" {
			out.Seeds[system] += ","
		}
		out.Seeds[system] += t.Config["seed"]
		tasks := map[string]bool{}
		for _, r := range t.Results {
			add(place{system, "nDCG@10 on made/" + r.Task}, *r.Value)
			tasks[r.Task] = true
		}
		for _, r := range t.Results {
			if len(tasks) > 1 {
				add(place{system, fmt.Sprintf("nDCG@10 on made (mean of %d tasks)", len(tasks))}, *r.Value)
			}
		}
	}
	for _, at := range order {
		out.Values = append(out.Values, PastValue{at.system, at.number, sums[at].total / float64(sums[at].n)})
	}
	return out
}

// significantRules are the rules in .github.
func significantRules(t testing.TB) []*Rule {
	t.Helper()
	rules, err := ParseRules("gate.yaml", []byte("rules: [{measure: nDCG@10, maximum_drop: 2, significance: 0.05, new: pass}]"), reportstest.SameMeasure)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// judgeCommits judges a commit against the one before it.
func judgeCommits(t testing.TB, k Known, before, after []*results.Experiment) *Gate {
	t.Helper()
	g, err := k.Judge(significantRules(t), before, after)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
