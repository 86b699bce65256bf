package submit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/strict"
	"infbench/runners/results"
)

// Fault is one reason to refuse a submission.
type Fault struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // 0: the fault is of no line
	Text string `json:"text"`
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
}

// Report is what was found of one submission.
type Report struct {
	Folder    string           `json:"folder"`
	System    string           `json:"system"`
	Revision  string           `json:"revision"`
	Standing  results.Standing `json:"standing,omitempty"` // "" where it has no numbers
	Accepted  bool             `json:"accepted"`
	Unchanged bool             `json:"unchanged,omitempty"` // since it was published: it was not checked again
	Replaced  string           `json:"replaced_by,omitempty"`
	Faults    []Fault          `json:"faults"`
	Notes     []string         `json:"notes"`
	Tasks     []TaskReport     `json:"tasks"`
}

// TaskReport is what a submission has of one task.
type TaskReport struct {
	Benchmark string           `json:"benchmark"`
	Task      string           `json:"task"`
	Standing  results.Standing `json:"standing,omitempty"` // "" where it has nothing
	Queries   int              `json:"queries"`            // that the task has
	Lacking   int              `json:"lacking"`            // queries without a ranking, or without a value
	Numbers   []Number         `json:"numbers"`
}

// Number is a mean as claimed and as the rankings give it, in its native range; nil where
// there is none.
type Number struct {
	Side     string   `json:"side,omitempty"`
	Measure  string   `json:"measure"`
	Claimed  *float64 `json:"claimed"`
	Computed *float64 `json:"computed"`
}

// maxFaults are worded of one file; those beyond are counted.
const maxFaults = 20

// faultList gathers the faults of one submission. What is wrong with a file is said at
// most so often.
type faultList struct {
	dir    string
	all    []Fault
	of     map[string]int
	failed []error // to look at it: no fault of the submission's
}

func newFaults(dir string) *faultList { return &faultList{dir: dir, of: map[string]int{}} }

// add notes a fault of a file of the submission, at a line where there is one.
func (l *faultList) add(name string, line int, text string, args ...any) {
	file := l.dir
	if name != "" {
		file += "/" + name
	}
	if l.of[file]++; l.of[file] <= maxFaults {
		l.all = append(l.all, Fault{file, line, fmt.Sprintf(text, args...)})
	}
}

// stop notes why a file was not read to its end. It is listed however many faults were found
// before.
func (l *faultList) stop(name string, err error) {
	file := l.dir + "/" + name
	l.all = append(l.all, Fault{file, 0, err.Error()})
	l.of[file] = max(1, l.of[file])
}

// addStrict takes over the mistakes of a YAML file.
func (l *faultList) addStrict(name string, err error) {
	errs, ok := errors.AsType[strict.Errors](err)
	if !ok && err != nil {
		l.add(name, 0, "%v", err)
	}
	slices.SortStableFunc(errs, func(a, b strict.Error) int { return a.Line - b.Line })
	for _, e := range errs {
		l.add(name, e.Line, "%v", e.Err)
	}
}

// fail notes that something could not be looked at.
func (l *faultList) fail(err error) { l.failed = append(l.failed, err) }

// list is what was found, with a count of what was not worded.
func (l *faultList) list() []Fault {
	out := slices.Clone(l.all)
	for _, file := range sortedKeys(l.of) {
		if more := l.of[file] - maxFaults; more > 0 {
			out = append(out, Fault{File: file, Text: fmt.Sprintf("and %d more", more)})
		}
	}
	return out
}

// first names the first few of many.
func first(names []string) string {
	const shown = 3
	if more := len(names) - shown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), more)
	}
	return strings.Join(names, ", ")
}
