package submit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/strict"
	"infbench/runners/results"
)

// Fault is a reason to refuse a submission.
type Fault struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // 0: the fault has no line
	Text string `json:"text"`
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text)
}

// Report is the result for one submission.
type Report struct {
	Folder    string           `json:"folder"`
	System    string           `json:"system"`
	Revision  string           `json:"revision"`
	Standing  results.Standing `json:"standing,omitempty"` // "" if it has no numbers
	Accepted  bool             `json:"accepted"`
	Unchanged bool             `json:"unchanged,omitempty"` // the published submission has the same files, so it was not checked again
	Replaced  string           `json:"replaced_by,omitempty"`
	Faults    []Fault          `json:"faults"`
	Notes     []string         `json:"notes"`
	Tasks     []TaskReport     `json:"tasks"`
}

// TaskReport is the result for one task of a submission.
type TaskReport struct {
	Benchmark string           `json:"benchmark"`
	Task      string           `json:"task"`
	Standing  results.Standing `json:"standing,omitempty"` // "" if it has no numbers
	Queries   int              `json:"queries"`            // number of queries of the task
	Lacking   int              `json:"lacking"`            // queries without a ranking, or without a value
	Numbers   []Number         `json:"numbers"`
}

// Number is a mean as claimed and as computed from the rankings, in its native range; nil if
// there is none.
type Number struct {
	Side     string   `json:"side,omitempty"`
	Measure  string   `json:"measure"`
	Claimed  *float64 `json:"claimed"`
	Computed *float64 `json:"computed"`
}

// maxFaults is the number of faults that are listed for a file; others are only counted.
const maxFaults = 20

// faultList collects the faults of one submission, at most maxFaults for each file.
type faultList struct {
	dir    string
	all    []Fault
	of     map[string]int
	failed []error // errors of the check itself, not faults of the submission
}

func newFaults(dir string) *faultList { return &faultList{dir: dir, of: map[string]int{}} }

// add adds a fault of a file of the submission, at a line if there is one.
func (l *faultList) add(name string, line int, text string, args ...any) {
	file := l.dir
	if name != "" {
		file += "/" + name
	}
	if l.of[file]++; l.of[file] <= maxFaults {
		l.all = append(l.all, Fault{file, line, fmt.Sprintf(text, args...)})
	}
}

// stop adds the reason why a file was not read to its end. It is listed regardless of
// maxFaults.
func (l *faultList) stop(name string, err error) {
	file := l.dir + "/" + name
	l.all = append(l.all, Fault{file, 0, err.Error()})
	l.of[file] = max(1, l.of[file])
}

// addStrict adds the mistakes of a YAML file.
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

// fail adds an error of the check itself.
func (l *faultList) fail(err error) { l.failed = append(l.failed, err) }

// list returns the listed faults and the count of the others.
func (l *faultList) list() []Fault {
	out := slices.Clone(l.all)
	for _, file := range sortedKeys(l.of) {
		if more := l.of[file] - maxFaults; more > 0 {
			out = append(out, Fault{File: file, Text: fmt.Sprintf("and %d more", more)})
		}
	}
	return out
}

// first lists the first few of many names.
func first(names []string) string {
	const shown = 3
	if more := len(names) - shown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), more)
	}
	return strings.Join(names, ", ")
}
