package datasets

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"infbench/internal/nearest"
)

// taskChoice chooses tasks of a benchmark by name. It remembers what there was to choose
// from, so that it can report names that are unknown and tasks that are not there.
type taskChoice struct {
	Names   []string // nil: everything
	seen    []string
	matched map[string]bool

	present []string // tasks that are there, of a source that may be there in part
	missing int      // those chosen, by their group or all, that are not
	lacking []string // those chosen by name that are not
}

// UnfetchedError reports tasks, or groups of tasks, of a benchmark that were asked for by
// name and whose files are not there, though files of the benchmark are; no names mean
// all tasks.
type UnfetchedError struct {
	Benchmark string
	Tasks     []string
}

func (e *UnfetchedError) Error() string {
	return fmt.Sprintf("%s was fetched without task %s", e.Benchmark, strings.Join(e.Tasks, ", "))
}

// Unwrap makes it an fs.ErrNotExist.
func (e *UnfetchedError) Unwrap() error { return fs.ErrNotExist }

// Here notes a chosen task that is there.
func (t *taskChoice) Here(name string) {
	if !slices.Contains(t.present, name) {
		t.present = append(t.present, name)
	}
}

// Absent notes a task that is not there. It was chosen by name where the name is its own,
// or that of a part of it.
func (t *taskChoice) Absent(names ...string) {
	wanted := t.Wants(names...)
	for _, name := range t.Names {
		if name == names[0] || strings.HasPrefix(name, names[0]+"/") {
			t.matched[name] = true
			t.lacking = append(t.lacking, names[0])
			return
		}
	}
	if wanted {
		t.missing++
	}
}

// Part says what is there of a source some of whose chosen tasks are not.
func (t *taskChoice) Part() string {
	if t.missing == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d tasks: %s", len(t.present), len(t.present)+t.missing, strings.Join(t.present, ", "))
}

// Wants tells whether a task that goes by any of the names is chosen.
func (t *taskChoice) Wants(names ...string) bool {
	t.seen = append(t.seen, names[0])
	if t.Names == nil {
		return true
	}
	found := false
	for _, name := range names {
		if slices.Contains(t.Names, name) {
			t.matched[name] = true
			found = true
		}
	}
	return found
}

// Check is an error if a name matched no task.
func (t *taskChoice) Check() error {
	for _, name := range t.Names {
		if !t.matched[name] {
			return nearest.Unknown("task", name, t.seen)
		}
	}
	return nil
}

// chooseTasks chooses the tasks of some names, nil for all.
func chooseTasks(names []string) *taskChoice {
	return &taskChoice{Names: names, matched: map[string]bool{}}
}

// Distinct keeps the first of equal names.
func Distinct(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
