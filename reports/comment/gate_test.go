package comment

import (
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/gate"
)

func parseRules(t *testing.T, text string) []*gate.Rule {
	t.Helper()
	rules, err := gate.ParseRules("gate.yaml", []byte(text), reportstest.SameMeasure)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}
