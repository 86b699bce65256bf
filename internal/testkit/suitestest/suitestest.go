// Package suitestest reads the hand-worked examples that measures of suites, and the verbs
// that print them, are tested by.
package suitestest

import (
	"encoding/json"
	"os"
	"testing"

	"infbench/internal/testkit"
)

// Example is one hand-worked value.
type Example struct {
	Measure, Name, Working string
	Input, Expected        json.RawMessage
}

// Examples are those of the shared data, for a package that lies two folders below the
// project's root; the test is skipped where they are absent.
func Examples(t *testing.T) []Example {
	t.Helper()
	text, err := os.ReadFile(testkit.SharedPath(t, "goldens", "measure_examples.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Examples []Example }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Examples) == 0 {
		t.Fatal("the file has no examples")
	}
	return file.Examples
}
