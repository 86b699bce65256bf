package submit

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/metrics/trec"
	"infbench/reports/foreign"
	"infbench/reports/published"
	"infbench/runners/catalog"
	"infbench/runners/provenance"
	"infbench/runners/results"
)

// taskPlace is the benchmark and task of values.
type taskPlace struct{ benchmark, task string }

// place finds the benchmark and task for values of a file. Means on a split that the task is
// not evaluated on get a benchmark of their own, so that they are not averaged with regular
// means.
func (in *importer) place(t *importedTrial, file string, source *foreign.Task) (taskPlace, error) {
	at, err := in.placeIn(t, file, source)
	if ofOtherSplit(source) {
		at.benchmark += " (" + source.Split + " split)"
		in.warnings = words.AddNew(in.warnings, fmt.Sprintf("%s is not evaluated on its %s split: these numbers are kept apart", source.Name, source.Split))
	}
	return at, err
}

// ofOtherSplit reports whether means are for a split that their task is not evaluated on.
func ofOtherSplit(source *foreign.Task) bool {
	return source.Run == nil && !published.Evaluates(source.Name, source.Split)
}

// placeIn is like place, but ignores the split.
func (in *importer) placeIn(t *importedTrial, file string, source *foreign.Task) (taskPlace, error) {
	part := cmp.Or(in.Task, source.Part)
	if source.Name == "" {
		if in.Data == "" && in.Qrels == "" {
			return taskPlace{}, usage.Errorf("import: %s does not name its benchmark; give it with --data", file)
		}
		return taskPlace{in.benchmarkName(), in.onlyTask(part)}, nil
	}
	benchmark, task, known := published.Name{Task: source.Name}.Ours()
	switch {
	case known && source.Swapped:
		benchmark = swappedFollowIR
	case !known && t.mair && datasets.HasMAIRTask(source.Name):
		benchmark, task, known = mair, source.Name, true
	}
	switch {
	case in.Data != "" && !known:
		return taskPlace{in.benchmarkName(), in.onlyTask(cmp.Or(in.Task, strings.TrimSuffix(source.Name+"/"+source.Part, "/")))}, nil
	case in.Data != "":
		return taskPlace{in.benchmarkName(), in.onlyTask(cmp.Or(in.Task, task))}, nil
	case known && benchmark == mair:
		return taskPlace{mair, strings.TrimSuffix(task+"/"+mairPart(source.Part), "/")}, nil
	case known:
		return taskPlace{benchmark, strings.TrimSuffix(task+"/"+source.Part, "/")}, nil
	}
	return taskPlace{source.Name, cmp.Or(part, onlyTask)}, nil
}

// onlyTask is the task name for a benchmark with a single, unnamed task.
const onlyTask = "default"

// onlyTask replaces the task name of a file by that of the only task, if --data or --qrels
// names a benchmark with one task.
func (in *importer) onlyTask(name string) string {
	if b := in.judges.load(in.benchmarkName()); b.err == nil && len(b.Tasks) == 1 {
		return b.Tasks[0].Name
	}
	return cmp.Or(name, onlyTask)
}

// swappedFollowIR is FollowIR as scored by mteb 1.7 to 1.39.
const swappedFollowIR = "followir-mteb1"

// mair is the name of that benchmark.
const mair = "mair"

// mairPart is a split in the notation of MAIR's loader: "X" for "X_queries" in files, and "" if
// a task has one split.
func mairPart(split string) string {
	return strings.TrimSuffix(strings.TrimSuffix(split, "queries"), "_")
}

// groupsOf are the groups in which imported tasks are averaged; nil except for MAIR.
func groupsOf(benchmark string, tasks []importedTask) map[string][]string {
	if benchmark != mair {
		return nil
	}
	groups := map[string][]string{}
	for _, t := range tasks {
		if of := datasets.MAIRGroups(t.task); of != nil {
			groups[t.task] = of
		}
	}
	return groups
}

// onlyMAIR reports whether, by its name, a task is in MAIR and in no other benchmark.
func onlyMAIR(task string) bool {
	return strings.ContainsAny(task, "_") && datasets.HasMAIRTask(task)
}

// benchmarkName is the benchmark of files that do not name one.
func (o *ImportOptions) benchmarkName() string {
	if o.Data != "" {
		return catalog.BenchmarkName(o.Data)
	}
	name := filepath.Base(o.Qrels)
	for _, ending := range []string{".gz", ".zst", ".json", ".txt", ".tsv", ".qrels", ".qrel"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// judges finds the tasks that score rankings. It loads each benchmark once.
type judges struct {
	ImportOptions
	known    map[string]judged
	warnings []string // warnings about the file of judgments
}

// judged is a loaded benchmark, or the error of loading it.
type judged struct {
	*datasets.Benchmark
	described *results.Benchmark // nil until first needed
	err       error
}

// find returns the task that scores a ranking: from --qrels, or from an available benchmark.
func (j *judges) find(at taskPlace) (*datasets.Task, error) {
	b := j.load(at.benchmark)
	if b.err != nil {
		return nil, fmt.Errorf("a ranking needs judgments, from --qrels or from an available benchmark: %w", b.err)
	}
	var names []string
	for i := range b.Tasks {
		if names = append(names, b.Tasks[i].Name); b.Tasks[i].Name == at.task {
			return &b.Tasks[i], nil
		}
	}
	return nil, usage.Errorf("%w; give one with --task", nearest.Unknown("task of "+at.benchmark, at.task, names))
}

// load reads judgments.
func (j *judges) load(name string) judged {
	if b, ok := j.known[name]; ok {
		return b
	}
	var b judged
	if j.Qrels == "" {
		b.Benchmark, b.err = catalog.LoadBenchmark(cmp.Or(j.Data, name), j.World)
	} else {
		b.Benchmark, b.err = j.fromQrels(name)
	}
	if b.err == nil {
		b.Name = name
		b.err = catalog.OverrideMeasures(b.Benchmark, j.Measures)
	}
	if b.err == nil && j.DropSelf {
		b.err = b.DropSelf()
	}
	j.known[name] = b
	return b
}

// describe returns the origin of a loaded benchmark. It is hashed once for all trials.
func (j *judges) describe(name string) (*results.Benchmark, error) {
	b := j.load(name)
	if b.described == nil {
		described, err := provenance.DescribeBenchmark(b.Benchmark)
		if err != nil {
			return nil, err
		}
		b.described = &described
		j.known[name] = b
	}
	return b.described, nil
}

// fromQrels makes a benchmark from a file of judgments. If the file is for generated data, the
// benchmark counts as synthetic.
func (j *judges) fromQrels(name string) (*datasets.Benchmark, error) {
	qrels, err := foreign.ReadQrels(j.Qrels, trec.Options{Warn: func(err error) { j.warnings = append(j.warnings, err.Error()) }})
	if err != nil {
		return nil, fmt.Errorf("judgments: %w", err)
	}
	var text strings.Builder
	if err := trec.WriteQrels(&text, qrels); err != nil {
		return nil, fmt.Errorf("%s: %w", j.Qrels, err)
	}
	return &datasets.Benchmark{
		Name: name, Synthetic: slices.Contains(datasets.MiniNames(), name), Source: "judgments of " + filepath.Base(j.Qrels),
		Revision: cmp.Or(j.Revision, "sha256:"+disk.Sum(text.String())), Tasks: []datasets.Task{datasets.Judged(cmp.Or(j.Task, onlyTask), qrels)},
	}, nil
}

// describe returns the origin of each benchmark of a trial.
func (in *importer) describe(t *importedTrial) ([]results.Benchmark, error) {
	byName := map[string][]importedTask{}
	for _, task := range t.tasks {
		byName[task.benchmark] = append(byName[task.benchmark], task)
	}
	var out []results.Benchmark
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		tasks := byName[name]
		other := ofOtherSplit(&tasks[0].source) // no collection has that split
		if !other && (in.Data != "" || in.Qrels != "" || slices.Contains(datasets.MiniNames(), name) || slices.ContainsFunc(tasks, importedTask.scored) || t.submission != nil) {
			if loaded := in.judges.load(name); loaded.err == nil {
				described, err := in.judges.describe(name)
				if err != nil {
					return nil, err
				}
				out = append(out, *described)
				continue
			} else if in.Qrels != "" {
				return nil, loaded.err
			}
		}
		out = append(out, results.Benchmark{Name: name, Source: "taken over from " + strings.Join(t.formats, ", "), Revision: cmp.Or(in.Revision, t.declared[name], dataRevision(name, tasks)),
			Tasks: map[string]string{}, Groups: groupsOf(name, tasks)})
	}
	return out, nil
}

// dataRevision is the revision of the data of values, as far as their files give one. A
// benchmark of several repositories, such as FollowIR, has all their revisions. A repository
// without a revision in the files has this program's, since no value depends on it.
func dataRevision(benchmark string, tasks []importedTask) string {
	declared := map[string]string{}
	for _, t := range tasks {
		if t.source.Revision != "" {
			declared[t.task] = t.source.Revision
		}
	}
	if source, err := datasets.FindSource(benchmark); err == nil && len(source.Repos) > 1 {
		var revisions []string
		matched := 0
		for _, repo := range source.Repos {
			revision := repo.Revision
			for task, of := range declared {
				if strings.Contains(strings.ToLower(repo.ID), task) {
					revision = of
					matched++
				}
			}
			revisions = append(revisions, revision)
		}
		if matched > 0 && matched == len(declared) {
			return strings.Join(revisions, ", ")
		}
	}
	distinct := slices.Sorted(maps.Values(declared))
	return strings.Join(slices.Compact(distinct), ", ")
}
