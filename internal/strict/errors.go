// Package strict decodes YAML files written by people, more strictly than yaml.v3. Errors are
// unknown and repeated keys, fractions in place of integers, NaN and Inf, numbers that YAML readers
// interpret differently, tags, a second document, alias bombs and files that are too large. Merge
// keys (<<) are merged. All errors of a file are reported at once, each with file:line:column and
// the nearest known name.
//
// It knows no section of any file: its callers walk the mappings. It writes nothing, and is not
// meant for files of other programs, which have their own dialects.
package strict

import (
	"fmt"
	"slices"
	"strings"
)

// Error is one mistake in a file.
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

// Errors are all mistakes of one file; they are printed in file order.
type Errors []Error

// maxShown is the maximum number of mistakes shown; the rest is counted.
const maxShown = 20

// ExitCode makes a faulty file a usage error (exit 2).
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
		if i == maxShown {
			lines = append(lines, fmt.Sprintf("... and %d more", len(sorted)-i))
			break
		}
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}
