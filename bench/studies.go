package main

import (
	"infbench/bench/results"
	"infbench/bench/usage"
)

// checkStudyName refuses a name that cannot be a file's.
func checkStudyName(name string) error {
	if name != results.FileName(name) {
		return usage.Errorf("--keep %q: want letters, digits, '-', '_' and '.'", name)
	}
	return nil
}
