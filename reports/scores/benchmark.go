package scores

import (
	"maps"
	"slices"

	"infbench/internal/words"
	"infbench/runners/results"
)

// Benchmark is a benchmark of one revision, as described by the provenance of trials.
type Benchmark struct {
	results.Benchmark
	Described bool // false: no finished trial recorded its origin
}

// Realm returns the realm of a benchmark, which decides its board.
func (b *Benchmark) Realm() Realm {
	switch {
	case !b.Described:
		return Unrecorded
	case b.Synthetic:
		return Synthetic
	}
	return Real
}

// Benchmarks maps display names to benchmarks.
type Benchmarks map[string]*Benchmark

// describe adds a trial's record of a benchmark. A trial records only the tasks that it
// was evaluated on.
func (all Benchmarks) describe(name string, b results.Benchmark) {
	if known := all[name]; known != nil && known.Described {
		b.Tasks = mapsJoined(known.Tasks, b.Tasks)
		b.Groups = mapsJoined(known.Groups, b.Groups)
		b.Defeats = mapsJoined(known.Defeats, b.Defeats)
		controls := slices.Clone(known.Controls)
		for _, task := range b.Controls {
			controls = words.AddNew(controls, task)
		}
		b.Controls = controls
		b.Warnings = mapsJoined(known.Warnings, b.Warnings)
	}
	all[name] = &Benchmark{Benchmark: b, Described: true}
}

// mapsJoined returns the union of two maps; nil if both are nil.
func mapsJoined[V any](a, b map[string]V) map[string]V {
	if a == nil {
		return b
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// groups returns the groups under which a task is averaged, outermost first; nil if there
// are none or they were not recorded.
func (all Benchmarks) groups(at Slot) []string { return all[at.Benchmark].Groups[at.Task] }

// published returns the published task of a slot: for a split, the task that it is part
// of.
func (all Benchmarks) published(at Slot) string { return all[at.Benchmark].Published(at.Task) }

// grouped reports whether the groups of every task of a number are recorded.
func (all Benchmarks) grouped(c Number) bool {
	return !slices.ContainsFunc(c.Slots(), func(at Slot) bool { return len(all.groups(at)) < 2 })
}

// strata groups the slots of each published task, in the order of their first slot.
func (all Benchmarks) strata(slots []Slot) []Stratum {
	var out []Stratum
	places := map[Slot]int{}
	for _, at := range slots {
		key := at
		key.Task = all.published(at)
		i, known := places[key]
		if !known {
			i = len(out)
			places[key] = i
			out = append(out, Stratum{Name: key.Task})
		}
		out[i].Slots = append(out[i].Slots, at)
	}
	return out
}

// identified reports whether the weights and data of a trial are recorded.
func (all Benchmarks) identified(t *Trial) bool {
	return !results.Config(t.Config).HasUnknownWeights() && len(t.Described) > 0 &&
		!slices.ContainsFunc(t.Described, func(name string) bool { return len(all[name].Content) == 0 && !all[name].IsPinned() })
}

// CleanBenchmark returns a copy with clean texts.
func CleanBenchmark(b results.Benchmark) results.Benchmark {
	b.Name, b.Source, b.Revision, b.Licence = words.Clean(b.Name), words.Clean(b.Source), words.Clean(b.Revision), words.Clean(b.Licence)
	tasks := make(map[string]string, len(b.Tasks))
	for name, notes := range b.Tasks {
		tasks[words.Clean(name)] = words.Clean(notes)
	}
	b.Tasks, b.Controls = tasks, words.CleanAll(b.Controls)
	b.Groups, b.Defeats = cleanLists(b.Groups), cleanLists(b.Defeats)
	content := maps.Clone(b.Content)
	clear(content)
	for name, of := range b.Content {
		of.Documents, of.Queries, of.Judgments, of.Candidates = words.Clean(of.Documents), words.Clean(of.Queries), words.Clean(of.Judgments), words.Clean(of.Candidates)
		content[words.Clean(name)] = of
	}
	b.Content, b.Path = content, "" // readers do not need the local path
	return b
}

// cleanLists returns the lists with clean names; nil if there are none.
func cleanLists(lists map[string][]string) map[string][]string {
	var out map[string][]string
	for task, names := range lists {
		if out == nil {
			out = make(map[string][]string, len(lists))
		}
		out[words.Clean(task)] = words.CleanAll(names)
	}
	return out
}
