package submit

import (
	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/reports/foreign"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// adoptedSystem is a system whose results are already read, assigned to tasks and scored.
type adoptedSystem struct {
	Model, Revision string
	Seed            string // "" if the system was trained once
	Formats         []string
	Files           map[string]string // name -> SHA-256
	Revisions       map[string]string // revisions of the data by benchmark, if known
	Tasks           []adoptedTask
	Submission      *results.Submission
}

// adoptedTask is one task of a system: the values of its ranking, with the task that scored it,
// or means.
type adoptedTask struct {
	Benchmark, Task string
	Judge           *datasets.Task
	Run             trec.Run
	Results         []results.Result
}

// adopt makes a run folder of systems; benchmarks are the available ones, by name.
func adopt(to runs.Folder, name string, systems []adoptedSystem, benchmarks map[string]*datasets.Benchmark) error {
	in := newImporter(ImportOptions{})
	for name, b := range benchmarks {
		in.judges.known[name] = judged{Benchmark: b}
	}
	for _, s := range systems {
		in.order = append(in.order, s.trial())
	}
	return in.write(to, name)
}

// trial converts a system to a trial of an import.
func (s adoptedSystem) trial() *importedTrial {
	t := &importedTrial{model: s.Model, revision: s.Revision, seed: s.Seed, formats: s.Formats, files: s.Files, declared: s.Revisions, submission: s.Submission}
	for _, task := range s.Tasks {
		t.tasks = append(t.tasks, importedTask{taskPlace: taskPlace{task.Benchmark, task.Task}, results: task.Results, judged: task.Judge,
			source: foreign.Task{Name: task.Benchmark, Part: task.Task, Run: task.Run}})
	}
	return t
}

// placeOf returns the benchmark and task of this program for a task of another program.
func placeOf(source foreign.Task) (benchmark, task string) {
	in := newImporter(ImportOptions{})
	at, err := in.place(&importedTrial{mair: onlyMAIR(source.Name)}, "", &source)
	if err != nil {
		return source.Name, source.Part // no benchmark here has the task
	}
	return at.benchmark, at.task
}
