package submit

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/reports/foreign"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// importer turns the results of other programs into trials of a run folder: it gathers the
// results of each system from files. Package reports/foreign reads their formats; nothing is
// run.
type importer struct {
	ImportOptions
	judges   judges
	order    []*importedTrial
	systems  map[[2]string]*importedTrial // by model and revision
	warnings []string
	dropped  int // rankings from which the document with their query's own ID was dropped
}

func newImporter(o ImportOptions) *importer {
	return &importer{ImportOptions: o, judges: judges{ImportOptions: o, known: map[string]judged{}}, systems: map[[2]string]*importedTrial{}}
}

// importedTrial is one system with all its results from files.
type importedTrial struct {
	model, revision string
	seed            string
	formats         []string
	files           map[string]string // base name -> SHA-256
	tasks           []importedTask
	from            map[results.Result]string // scoring -> the file that has it
	benchmarks      []results.Benchmark
	mair            bool              // it has a task that exists only in MAIR
	declared        map[string]string // revision of the data by benchmark, if a file gives one
	submission      *results.Submission
}

// importedTask is one task of a system from one file.
type importedTask struct {
	taskPlace
	results []results.Result
	source  foreign.Task
	judged  *datasets.Task // the task that scored its ranking; nil for values
}

// scored reports whether the values come from a ranking that was scored here.
func (t importedTask) scored() bool { return t.judged != nil }

// add imports one file.
func (in *importer) add(file string, c *foreign.Contents) error {
	sum, err := runs.SumOf(file)
	if err != nil {
		return err
	}
	if in.Model != "" && len(c.Systems) > 1 {
		return usage.Errorf("import: --model names one system, but %s has %d", file, len(c.Systems))
	}
	for i := range c.Systems {
		s := &c.Systems[i]
		t := in.trial(cmp.Or(in.Model, s.Model), s.Revision)
		if t.model == "" {
			return usage.Errorf("import: %s names no model; give it with --model", file)
		}
		if !slices.Contains(t.formats, c.Format) {
			t.formats = append(t.formats, c.Format)
		}
		t.files[filepath.Base(filepath.Clean(file))] = sum
		t.mair = t.mair || slices.ContainsFunc(s.Tasks, func(task foreign.Task) bool { return onlyMAIR(task.Name) })
		for _, task := range s.Tasks {
			if err := in.addTask(t, file, task); err != nil {
				return err
			}
		}
	}
	return nil
}

// trial finds the trial of a system, or creates it.
func (in *importer) trial(model, revision string) *importedTrial {
	key := [2]string{model, revision}
	t := in.systems[key]
	if t == nil {
		t = &importedTrial{model: model, revision: revision, files: map[string]string{}, from: map[results.Result]string{}}
		in.systems[key] = t
		in.order = append(in.order, t)
	}
	return t
}

// addTask imports one task: it keeps values unchanged and scores rankings.
func (in *importer) addTask(t *importedTrial, file string, source foreign.Task) error {
	at, err := in.place(t, file, &source)
	if err != nil {
		return err
	}
	task := importedTask{taskPlace: at, source: source}
	if source.Run != nil {
		if err := in.score(&task, file); err != nil {
			return err
		}
	}
	if err := in.checkQueries(at, file, source.Values); err != nil {
		return err
	}
	for _, v := range source.Values {
		task.results = append(task.results, results.Result{Benchmark: at.benchmark, Task: at.task, Query: v.Query,
			Side: datasets.Side(v.Side), Measure: v.Measure, Value: &v.Value, Aggregate: v.Mean})
	}
	for _, r := range task.results {
		key := results.Result{Benchmark: r.Benchmark, Task: r.Task, Side: r.Side, Measure: r.Measure}
		if other, ok := t.from[key]; ok && other != file {
			return fmt.Errorf("%s and %s both give %s of %s on %s/%s", other, file, r.Measure, t.model, r.Benchmark, r.Task)
		}
		t.from[key] = file
	}
	for _, other := range t.tasks {
		if other.taskPlace != task.taskPlace && results.SameFiles(other.benchmark, other.task, task.benchmark, task.task) {
			return fmt.Errorf("%s: tasks %q and %q would need files of the same name", file, other.task, task.task)
		}
	}
	t.tasks = append(t.tasks, task)
	return nil
}

// score scores a ranking and reports mismatches between ranking and judgments.
func (in *importer) score(task *importedTask, file string) error {
	judge, err := in.judges.find(task.taskPlace)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	task.judged = judge
	selves := len(task.source.Run.Selves())
	task.source.Run = judge.Ranked(task.source.Run) // keep the ranking that is judged
	left := task.source.Run.Selves()
	in.dropped += selves - len(left)
	maps.DeleteFunc(left, func(query string, _ []string) bool { return judge.Qrels[query][query] > 0 })
	if _, err := datasets.FindSource(task.benchmark); err != nil && len(left) > 0 {
		in.warnings = append(in.warnings, file+": "+datasets.SelfWarning(len(left), len(task.source.Run)))
	}
	if task.results, err = results.Score(task.benchmark, judge, task.source.Run); err != nil {
		return err
	}
	lacking, asked := 0, map[string]bool{}
	for _, q := range judge.Queries {
		if asked[q.ID] = true; task.source.Run[q.ID] == nil {
			lacking++
		}
	}
	if lacking == len(judge.Queries) {
		return fmt.Errorf("%s: none of its queries is in %s/%s", file, task.benchmark, task.task)
	}
	if lacking > 0 {
		in.warnings = append(in.warnings, fmt.Sprintf("%s: %d of %d queries of %s/%s have no ranking and count as empty rankings", file, lacking, len(judge.Queries), task.benchmark, task.task))
	}
	if warning := task.source.Run.WarnUnjudged(file, task.benchmark+"/"+task.task, func(query string) bool { return asked[query] }); warning != "" {
		in.warnings = append(in.warnings, warning)
	}
	return nil
}

// checkQueries checks the queries of values against those of --data or --qrels.
func (in *importer) checkQueries(at taskPlace, file string, values []foreign.Value) error {
	byQuery := slices.DeleteFunc(slices.Clone(values), func(v foreign.Value) bool { return v.Mean })
	if len(byQuery) == 0 || in.Data == "" && in.Qrels == "" {
		return nil
	}
	b := in.judges.load(at.benchmark)
	if b.err != nil && in.Qrels == "" {
		return nil // not available
	}
	judge, err := in.judges.find(at)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	asked := map[string]bool{}
	for _, q := range judge.Queries {
		asked[q.ID] = true
	}
	for _, p := range judge.Pairs {
		asked[p.ID] = true
	}
	for _, v := range byQuery {
		if !asked[v.Query] {
			return fmt.Errorf("%s: query %q is not in %s/%s", file, v.Query, at.benchmark, at.task)
		}
	}
	return nil
}

// config are the settings by which reports may group a trial.
func (t *importedTrial) config() results.Config {
	c := results.Config{results.Model: t.model, results.Imported: strings.Join(t.formats, "+")}
	if t.revision != "" {
		c[results.Revision] = t.revision
	}
	if t.seed != "" {
		c[results.Seed] = t.seed
	}
	return c
}

// scores are all values of a trial.
func (t *importedTrial) scores() []results.Result {
	var all []results.Result
	for _, task := range t.tasks {
		all = append(all, task.results...)
	}
	return all
}
