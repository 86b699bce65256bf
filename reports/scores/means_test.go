package scores

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/table"
	"infbench/runners/results"
)

// mairTrial returns a trial on a benchmark called mair with the values of each task.
// Queries are numbered from 1 in every task, so that IDs repeat. Groups are domain and
// published task; a task "A/1" is a split of "A".
func mairTrial(id string, domains map[string]string, tasks []string, values map[string][]float64) results.Trial {
	t := results.Trial{ID: id, State: results.Done, Config: map[string]string{"model": id}}
	b := results.Benchmark{Name: "mair", Revision: "r", Groups: map[string][]string{}}
	for _, task := range tasks {
		published, _, _ := strings.Cut(task, "/")
		if domains != nil {
			b.Groups[task] = []string{domains[published], published}
		}
		for i, v := range values[task] {
			t.Results = append(t.Results, results.Result{Benchmark: "mair", Task: task, Query: fmt.Sprint(i + 1), Measure: "nDCG@10", Value: &v})
		}
	}
	if domains == nil {
		b.Groups = nil
	}
	t.Provenance.Benchmarks = []results.Benchmark{b}
	return t
}

// shown returns the columns of a benchmark with the value or the state of a system.
func shown(v *Set, system int, benchmark string) map[string]string {
	out := map[string]string{}
	for _, c := range v.Columns(benchmark).Main() {
		cell := v.Cell(v.Systems[system], c)
		out[c.Label()] = string(cell.State)
		if cell.State.Valued() {
			out[c.Label()] = fmt.Sprintf("%.6f %s %d", cell.Value, cell.State, cell.Queries)
		}
	}
	return out
}

func wantShown(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s: %q, want %q", name, got[name], value)
		}
	}
	for name, value := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is shown: %s", name, value)
		}
	}
}

// TestMAIRMeans checks by hand that two splits of A are one task of three queries.
func TestMAIRMeans(t *testing.T) {
	domains := map[string]string{"A": "Web", "B": "Web", "C": "Legal"}
	tasks := []string{"A/1", "A/2", "B", "C"}
	values := map[string][]float64{"A/1": {1, 0}, "A/2": {.5}, "B": {.25}, "C": {.75, .75, 0}}
	v := viewOf(t, mairTrial("a", domains, tasks, values))
	wantShown(t, shown(v, 0, "mair"), map[string]string{
		"nDCG@10 on mair (mean of 3 tasks)": "0.416667 whole 7", // (.5 + .25 + .5)/3
		"nDCG@10 on mair (mean by queries)": "0.464286 whole 7", // 3.25/7
		"nDCG@10 on mair (Web, 2 tasks)":    "0.375000 whole 4",
		"nDCG@10 on mair (Legal, 1 task)":   "0.500000 whole 3",
	})
	notes := strings.Join(MeansNotes(v, v.Columns("mair").Main()), " ")
	if !strings.Contains(notes, "several splits") || !strings.Contains(notes, "weighs all queries equally") {
		t.Errorf("notes %q", notes)
	}
}

// TestMAIRLacking checks that a trial without a split has no mean over that task and names
// the missing task. A domain that is complete keeps its mean.
func TestMAIRLacking(t *testing.T) {
	domains := map[string]string{"A": "Web", "B": "Web", "C": "Legal"}
	tasks := []string{"A/1", "A/2", "B", "C"}
	values := map[string][]float64{"A/1": {1, 0}, "A/2": {.5}, "B": {.25}, "C": {.75}}
	less := map[string][]float64{"A/1": {1, 0}, "B": {.25}, "C": {.75}}
	v := viewOf(t, mairTrial("a", domains, tasks, values), mairTrial("b", domains, tasks, less))
	wantShown(t, shown(v, 1, "mair"), map[string]string{
		"nDCG@10 on mair (mean of 3 tasks)": "missing",
		"nDCG@10 on mair (mean by queries)": "missing",
		"nDCG@10 on mair (Web, 2 tasks)":    "missing",
		"nDCG@10 on mair (Legal, 1 task)":   "0.750000 whole 1",
	})
	cell := v.Cell(v.Systems[1], v.Columns("mair").Main()[0])
	if remark := cell.Remark(); remark != "1 trial without A, 2 splits (b)" {
		t.Errorf("remark %q", remark)
	}
}

// TestMAIRWithoutGroups checks that without groups each split counts as a task, and that a
// note reports it.
func TestMAIRWithoutGroups(t *testing.T) {
	tasks := []string{"A/1", "A/2", "B"}
	v := viewOf(t, mairTrial("a", nil, tasks, map[string][]float64{"A/1": {1, 0}, "A/2": {.5}, "B": {.2}}))
	wantShown(t, shown(v, 0, "mair"), map[string]string{"nDCG@10 on mair (mean of 3 tasks)": "0.400000 whole 4"})
	if notes := strings.Join(MeansNotes(v, v.Columns("mair").Main()), " "); !strings.Contains(notes, "not recorded") {
		t.Errorf("notes %q", notes)
	}
}

// TestMAIRAggregates checks that a mean without per-query values, whose size is unknown,
// can be averaged over tasks but not over queries or splits.
func TestMAIRAggregates(t *testing.T) {
	domains := map[string]string{"A": "Web", "B": "Web"}
	trial := mairTrial("a", domains, []string{"A", "B"}, nil)
	for i, task := range []string{"A", "B"} {
		value := .2 + float64(i)/5
		trial.Results = append(trial.Results, results.Result{Benchmark: "mair", Task: task, Measure: "nDCG@10", Value: &value, Aggregate: true})
	}
	v := viewOf(t, trial)
	wantShown(t, shown(v, 0, "mair"), map[string]string{"nDCG@10 on mair (mean of 2 tasks)": "0.300000 whole 0", "nDCG@10 on mair (mean by queries)": "missing"})
}

// TestMAIRRandom checks random tasks with one to seven splits, in domains of unequal size,
// against sums computed here.
func TestMAIRRandom(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		domains, values := map[string]string{}, map[string][]float64{}
		var tasks []string
		var all, every float64
		queries, of, n := 0, map[string]float64{}, map[string]int{}
		count := 2 + r.IntN(9)
		for i := range count {
			name := fmt.Sprintf("T%d", i)
			domain := fmt.Sprintf("D%d", min(i, r.IntN(3)))
			domains[name] = domain
			sum, size := 0.0, 0
			splits := 1 + r.IntN(7)
			for j := range splits {
				split := name
				if splits > 1 {
					split = fmt.Sprintf("%s/s%d", name, j)
				}
				tasks = append(tasks, split)
				for range 1 + r.IntN(30) {
					value := r.Float64()
					values[split] = append(values[split], value)
					sum, size = sum+value, size+1
				}
			}
			all, every, queries = all+sum/float64(size), every+sum, queries+size
			of[domain], n[domain] = of[domain]+sum/float64(size), n[domain]+1
		}
		want := map[string]float64{fmt.Sprintf("mean of %d tasks", count): all / float64(count), "mean by queries": every / float64(queries)}
		for domain, sum := range of {
			noun := "tasks"
			if n[domain] == 1 {
				noun = "task"
			}
			if len(of) > 1 {
				want[fmt.Sprintf("%s, %d %s", domain, n[domain], noun)] = sum / float64(n[domain])
			}
		}
		v := viewOf(t, mairTrial("a", domains, tasks, values))
		columns := v.Columns("mair").Main()
		if len(columns) != len(want) {
			t.Fatalf("%d columns, want %d", len(columns), len(want))
		}
		for _, c := range columns {
			if got := v.Cell(v.Systems[0], c); got.State != Whole || math.Abs(got.Value-want[c.Name]) > 1e-12 {
				t.Errorf("seed %d, %s: %v %v, want %v", seed, c.Name, got.State, got.Value, want[c.Name])
			}
		}
		grids, err := v.Pivot(Projection{Row: []string{KeySystem}, Col: []string{KeyNumber}})
		if err != nil || len(grids[0].Cols) != len(want) {
			t.Fatalf("projection by number: %v %v", err, grids)
		}
		for j, col := range grids[0].Cols {
			if got := grids[0].Cells[0][j].Value; math.Abs(got-want[col[0]]) > 1e-12 {
				t.Errorf("projection, %s: %v, want %v", col[0], got, want[col[0]])
			}
		}
		grids, err = v.Pivot(Projection{Row: []string{KeySystem}, Col: []string{KeyMeasure}})
		if err != nil || math.Abs(grids[0].Cells[0][0].Value-all/float64(count)) > 1e-12 {
			t.Errorf("projection by measure: %v, %v, want %v", err, grids[0].Cells[0][0].Value, all/float64(count))
		}
	}
}

// TestMAIRFive checks that MAIR-5 alone is not repeated under the name of another mean,
// and that it has its own column if there are other tasks.
func TestMAIRFive(t *testing.T) {
	five := []string{"DD_2015", "DD_2016", "DD_2017", "FairRanking_2021", "FairRanking_2022"}
	domains, values := map[string]string{"SciFact": "Academic"}, map[string][]float64{"SciFact": {1, 1}}
	for i, task := range five {
		domains[task], values[task] = "Web", slices.Repeat([]float64{float64(i) / 10}, i+1)
	}
	v := viewOf(t, mairTrial("a", domains, five, values))
	wantShown(t, shown(v, 0, "mair"), map[string]string{"nDCG@10 on mair (MAIR-5)": "0.200000 whole 15", "nDCG@10 on mair (mean by queries)": "0.266667 whole 15"})
	v = viewOf(t, mairTrial("a", domains, append([]string{"SciFact"}, five...), values))
	wantShown(t, shown(v, 0, "mair"), map[string]string{
		"nDCG@10 on mair (MAIR-5)": "0.200000 whole 15", "nDCG@10 on mair (mean of 6 tasks)": "0.333333 whole 17", "nDCG@10 on mair (mean by queries)": "0.352941 whole 17",
		"nDCG@10 on mair (Web, 5 tasks)": "0.200000 whole 15", "nDCG@10 on mair (Academic, 1 task)": "1.000000 whole 2",
	})
}

// TestFollowIRScore checks that FollowIR's score, which is of two measures, is not shown
// as a mean of two tasks.
func TestFollowIRScore(t *testing.T) {
	at := reportstest.At
	all := []reportstest.Value{
		at("followir", "core17", "original", "AP@1000", "1", .1), at("followir", "core17", "original", "AP@1000", "2", .3), at("followir", "core17", "", "p-MRR", "1", .4),
		at("followir", "robust04", "original", "AP@1000", "1", .5), at("followir", "robust04", "", "p-MRR", "1", -.1),
		at("followir", "news21", "original", "nDCG@5", "1", .6), at("followir", "news21", "", "p-MRR", "1", 0),
	}
	less := slices.DeleteFunc(slices.Clone(all), func(r reportstest.Value) bool { return r.Task == "core17" })
	v := viewOf(t, reportstest.TrialOf("a", map[string]string{"model": "a"}, all...), reportstest.TrialOf("b", map[string]string{"model": "b"}, less...))
	rest := map[string]string{"AP@1000 original on followir/robust04": "0.500000 whole 1", "nDCG@5 original on followir/news21": "0.600000 whole 1"}
	want := map[string]string{
		"FollowIR score original on followir (mean of 3 tasks)": "0.433333 whole 4", // (.5 + .6 + .2)/3
		"p-MRR on followir (mean of 3 tasks)":                   "0.100000 whole 3",
		"AP@1000 original on followir/core17":                   "0.200000 whole 2",
	}
	lacking := map[string]string{"FollowIR score original on followir (mean of 3 tasks)": "missing", "p-MRR on followir (mean of 3 tasks)": "missing", "AP@1000 original on followir/core17": "missing"}
	for name, value := range rest {
		want[name], lacking[name] = value, value
	}
	wantShown(t, shown(v, 0, "followir"), want)
	wantShown(t, shown(v, 1, "followir"), lacking)
	if score := v.Columns("followir").Main()[0]; score.Heading().Best != table.Highest {
		t.Error("the score has no direction")
	}
}

// TestBRIGHTMean checks that BRIGHT without one of its domains is named a mean of eleven,
// and is missing if another system has all domains.
func TestBRIGHTMean(t *testing.T) {
	var all []reportstest.Value
	for i, domain := range []string{"biology", "earth_science", "economics", "psychology", "robotics", "stackoverflow", "sustainable_living", "leetcode", "pony", "aops", "theoremqa_questions", "theoremqa_theorems"} {
		all = append(all, reportstest.At("bright", domain, "", "nDCG@10", "1", float64(i)/20))
	}
	whole, less := reportstest.TrialOf("a", map[string]string{"model": "a"}, all...), reportstest.TrialOf("b", map[string]string{"model": "b"}, all[:11]...)
	both := viewOf(t, whole, less)
	wantShown(t, shown(both, 0, "bright"), map[string]string{"nDCG@10 on bright (mean of 12 domains)": "0.275000 whole 12"})
	wantShown(t, shown(both, 1, "bright"), map[string]string{"nDCG@10 on bright (mean of 12 domains)": "missing"})
	wantShown(t, shown(viewOf(t, less), 0, "bright"), map[string]string{"nDCG@10 on bright (mean of 11 tasks)": "0.250000 whole 11"})
}
