package command

import (
	"os"
	"testing"

	"infbench/reports/gate"
	"infbench/runners/catalog"
)

// The rules that stand ready are rules.
func TestReadyRules(t *testing.T) {
	const file = "../../.github/gate.yaml"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if rules, err := gate.ParseRules(file, data, catalog.CanonicalMeasure); err != nil || len(rules) != 2 {
		t.Errorf("%d rules, %v", len(rules), err)
	}
}
