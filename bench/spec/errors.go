package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Error is one mistake in an experiment file.
type Error struct {
	File         string
	Line, Column int
	Err          error
}

func (e Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, e.Err)
}

func (e Error) Unwrap() error { return e.Err }

// Errors are all mistakes of one file, in file order.
type Errors []Error

// maxErrors is how many mistakes are shown; the rest is counted.
const maxErrors = 20

func (e *Errors) add(err Error) { *e = append(*e, err) }

// ExitCode makes a wrong experiment file a usage error (exit 2).
func (e Errors) ExitCode() int { return 2 }

func (e Errors) Error() string {
	sorted := slices.Clone(e)
	slices.SortStableFunc(sorted, func(a, b Error) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	var lines []string
	for i, err := range sorted {
		if i == maxErrors {
			lines = append(lines, fmt.Sprintf("... and %d more", len(sorted)-i))
			break
		}
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

// orNil returns e as an error, or nil when there is none.
func (e Errors) orNil() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// fault is a mistake that shows once an experiment is expanded, at the first of the
// sections that the file has.
func (e *Experiment) fault(err error, sections ...string) error {
	for _, section := range sections {
		if at, ok := e.places[section]; ok {
			at.Err = err
			return Errors{at}
		}
	}
	return fmt.Errorf("experiment %s: %w", e.Name, err)
}
