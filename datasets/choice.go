package datasets

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"infbench/internal/nearest"
)

// taskChoice selects tasks of a benchmark by name. It records the available tasks, so that it can
// report unknown names and missing tasks.
type taskChoice struct {
	Names   []string // nil: all tasks
	seen    []string
	matched map[string]bool

	present []string // available tasks, of a source that may be available in part
	missing int      // missing tasks that were chosen by their group, or with all
	lacking []string // missing tasks that were chosen by name
}

// UnfetchedError reports tasks, or groups of tasks, that were requested by name but whose files are
// missing, though the benchmark has other files. No names mean all tasks.
type UnfetchedError struct {
	Benchmark string
	Tasks     []string
}

func (e *UnfetchedError) Error() string {
	return fmt.Sprintf("%s was fetched without task %s", e.Benchmark, strings.Join(e.Tasks, ", "))
}

// Unwrap returns fs.ErrNotExist.
func (e *UnfetchedError) Unwrap() error { return fs.ErrNotExist }

// Here records an available task that was chosen.
func (t *taskChoice) Here(name string) {
	if !slices.Contains(t.present, name) {
		t.present = append(t.present, name)
	}
}

// Absent records a missing task. It was chosen by name if the name is its own, or that of a part of
// it.
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

// Part describes the available tasks if some chosen tasks are missing, else it returns "".
func (t *taskChoice) Part() string {
	if t.missing == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d tasks: %s", len(t.present), len(t.present)+t.missing, strings.Join(t.present, ", "))
}

// Wants reports whether a task with any of the names is chosen.
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

// Check returns an error if a name matched no task.
func (t *taskChoice) Check() error {
	for _, name := range t.Names {
		if !t.matched[name] {
			return nearest.Unknown("task", name, t.seen)
		}
	}
	return nil
}

// chooseTasks returns a choice of the named tasks, nil for all.
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
