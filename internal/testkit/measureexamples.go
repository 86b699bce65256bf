package testkit

import (
	"encoding/json"
	"os"
	"testing"
)

// MeasureExample is one hand-worked value of a suite's measure.
type MeasureExample struct {
	Measure, Name, Working string
	Input, Expected        json.RawMessage
}

// MeasureExamples returns the hand-worked values of the shared data; the test is skipped if they
// are absent.
func MeasureExamples(t *testing.T) []MeasureExample {
	t.Helper()
	text, err := os.ReadFile(SharedPath(t, "goldens", "measure_examples.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Examples []MeasureExample }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Examples) == 0 {
		t.Fatal("the file has no examples")
	}
	return file.Examples
}
