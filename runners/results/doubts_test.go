package results

import (
	"fmt"
	"strings"
	"testing"

	"infbench/datasets"
)

func TestDoubts(t *testing.T) {
	b := &datasets.Benchmark{Name: "own", Tasks: []datasets.Task{
		{Name: "b", Warnings: []string{"fetched in part", "2 queries are given twice"}}, {Name: "a", Warnings: []string{"fetched in part"}}, {Name: "c"},
	}}
	got := strings.Join(Doubts(b.Name, WarningsOf(b)), "\n")
	if want := "own/a and 1 other tasks: fetched in part\nown/b: 2 queries are given twice"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range 9 {
		b.Tasks[2].Warnings = append(b.Tasks[2].Warnings, fmt.Sprint("doubt ", i))
	}
	all := Doubts(b.Name, WarningsOf(b))
	if len(all) != 6 || all[5] != "own: and 6 other warnings about its data" {
		t.Errorf("%q", all)
	}
	b.Tasks = b.Tasks[:0]
	if warnings := WarningsOf(b); warnings != nil || Doubts(b.Name, warnings) != nil {
		t.Errorf("doubts about nothing: %q", warnings)
	}
}
