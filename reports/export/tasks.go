package export

import (
	"slices"
	"strings"

	"infbench/metrics"
	"infbench/reports/published"
	"infbench/reports/scores"
)

// taskScores has the published means of a trial on one task: over all queries of its splits, and of
// each split.
type taskScores struct {
	mtebTask
	benchmark *scores.Benchmark
	swapped   bool // judgments are swapped, as in mteb 1.7 to 1.39
	scores    []score
	splits    []*splitScores
}

// splitScores has the means of one split.
type splitScores struct {
	name   string
	scores []score
}

// score is the mean of one measure on one side.
type score struct {
	scores.Slot
	mean    float64
	defined int
	unsized bool // a mean of means without their queries
}

// mtebTask is the name of a task in MTEB's results and on the hub.
type mtebTask struct {
	name    string
	dataset string // repository of its data
	config  string // configuration in the repository
	split   string
}

// swappedBenchmark is FollowIR as mteb 1.7 to 1.39 scored it: the ranking of each
// instruction against the judgments of the other.
const swappedBenchmark = "followir-mteb1"

// nameOf returns the name of a task in MTEB if it is one of MTEB's or MAIR's. MTEB's repository had
// the results of MAIR with one file for each task, and in it one split for each of MAIR's own
// ("X_queries"). Other tasks get a name that nobody else uses.
func nameOf(b *scores.Benchmark, display, task string) mtebTask {
	own := SafeSegment(display + "." + task)
	if b.Synthetic {
		return mtebTask{own, "infbench/" + own, "default", "test"}
	}
	switch names := published.Names(b.Name, task); {
	case b.Name == "mair":
		name, part, several := strings.Cut(task, "/")
		if several {
			part += "_"
		}
		return mtebTask{SafeSegment(name), "MAIR-Bench/MAIR-Queries", name, SafeSegment(part + "queries")}
	case len(names) == 0:
		return mtebTask{own, "infbench/" + own, "default", "test"}
	case b.Name == "bright":
		return mtebTask{names[0].Task, "xlangai/BRIGHT", "default", "standard"}
	case b.Name == "bright-long":
		return mtebTask{names[0].Task, "xlangai/BRIGHT", "default", "long"}
	default:
		return mtebTask{names[0].Task, "mteb/" + names[0].Task, "default", "test"}
	}
}

// tasksOf lists the means of a trial by task, in the order of the slots, without numbers that are
// undefined for every query.
func tasksOf(v *scores.Set, t *scores.Trial) []*taskScores {
	var out []*taskScores
	byTask := map[[2]string]*taskScores{}
	for _, at := range v.Slots {
		mean, defined := t.Scores[at].Mean()
		if defined == 0 {
			continue
		}
		b := v.Benchmarks[at.Benchmark]
		named := nameOf(b, at.Benchmark, at.Task)
		key := [2]string{at.Benchmark, named.name}
		task := byTask[key]
		if task == nil {
			task = &taskScores{mtebTask: named, benchmark: b, swapped: b.Name == swappedBenchmark}
			byTask[key] = task
			out = append(out, task)
		}
		task.add(named.split, score{at, mean, defined, t.Scores[at].Aggregate})
	}
	return out
}

// add adds the mean of a split: to the split, and to the mean over all queries of the task.
func (t *taskScores) add(split string, s score) {
	i := slices.IndexFunc(t.splits, func(have *splitScores) bool { return have.name == split })
	if i < 0 {
		i = len(t.splits)
		t.splits = append(t.splits, &splitScores{name: split})
	}
	t.splits[i].scores = append(t.splits[i].scores, s)
	i = slices.IndexFunc(t.scores, func(have score) bool { return have.Measure == s.Measure && have.Side == s.Side })
	if i < 0 {
		t.scores = append(t.scores, s)
		return
	}
	all := &t.scores[i]
	all.unsized = all.unsized || s.unsized
	all.defined += s.defined
	all.mean += (s.mean - all.mean) * float64(s.defined) / float64(all.defined)
}

// sized returns the means over all queries of a task. For a task of several splits it omits means
// whose number of queries is unknown.
func (t *taskScores) sized() []score {
	return slices.DeleteFunc(slices.Clone(t.scores), func(s score) bool { return s.unsized && len(t.splits) > 1 })
}

// mainOf returns the score that ranks a task: a measure of pairs if there is one, else the first.
func mainOf(all []score) score {
	i := slices.IndexFunc(all, func(s score) bool { return metrics.IsShift(s.Measure) })
	return all[max(i, 0)]
}
