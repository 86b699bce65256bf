package command

import (
	"strings"
	"testing"

	"infbench/reports"
	"infbench/training"
)

// Every preset of the objective, and no other name, has words on the board.
func TestPresetsAreSaid(t *testing.T) {
	_, err := training.Fidelity("nothing of that name")
	if err == nil {
		t.Fatal("a preset of any name")
	}
	for _, name := range []string{"recommended", "paper", "reference"} {
		if _, err := training.Fidelity(name); err != nil || reports.PresetWords(name) == "" {
			t.Errorf("%s: %q, %v", name, reports.PresetWords(name), err)
		}
	}
	if _, known, ok := strings.Cut(err.Error(), "known: "); !ok || strings.Count(known, ",") != 2 {
		t.Errorf("not three presets: %v", err)
	}
}
