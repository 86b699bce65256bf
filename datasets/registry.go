package datasets

import (
	"slices"
	"strings"

	"infbench/internal/nearest"
)

// Options configure the loading of a benchmark.
type Options struct {
	// Root is the folder that contains the repositories, each in its Repo.Folder.
	Root string
	// Tasks restricts the benchmark to tasks with these names; nil means all. A name may also be
	// that of a group of tasks: a MAIR domain, task or sub-task.
	Tasks []string
	// World is the seed of generated benchmarks.
	World uint64
}

// Sources returns the benchmarks that are read from files, sorted by name.
func Sources() []Source {
	all := []Source{
		followIR(), followIROld(), followIRSwapped(), mFollowIR(), mFollowIRCrossLingual(),
		mair(), instructIR(), infoSearch(), ifir(), nevIR(),
		bright(false, ""), bright(true, ""),
	}
	for _, rewrite := range brightRewrites {
		all = append(all, bright(false, rewrite), bright(true, rewrite))
	}
	all = append(all, suiteSources()...)
	slices.SortFunc(all, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Names lists all benchmarks that Load knows by name, sorted.
func Names() []string {
	names := MiniNames()
	for _, s := range Sources() {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}

// FindSource returns the description of a benchmark that is read from files.
func FindSource(name string) (Source, error) {
	for _, s := range Sources() {
		if s.Name == name {
			return s, nil
		}
	}
	if err := NotPublic(name); err != nil {
		return Source{}, err
	}
	return Source{}, nearest.Unknown("benchmark", name, Names())
}

// Load opens the named benchmark: a generated one, one of Sources below o.Root, or, if the name
// contains a slash, the collection in that folder.
func Load(name string, o Options) (*Benchmark, error) {
	switch {
	case slices.Contains(MiniNames(), name):
		b, err := Mini(name, o.World)
		if err != nil {
			return nil, err
		}
		return b, b.keep(o.Tasks)
	case strings.ContainsAny(name, `/\`):
		b, err := OpenFolder(name)
		if err != nil {
			return nil, err
		}
		return b, b.keep(o.Tasks)
	}
	s, err := FindSource(name)
	if err != nil {
		return nil, err
	}
	return s.benchmark(o.Root, o.Tasks)
}

// keep removes the tasks that are not named; nil keeps all.
func (b *Benchmark) keep(names []string) error {
	pick := chooseTasks(names)
	b.Tasks = slices.DeleteFunc(b.Tasks, func(t Task) bool {
		return !pick.Wants(append([]string{t.Name}, t.Groups...)...)
	})
	return pick.Check()
}
