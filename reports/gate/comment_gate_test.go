package gate

import (
	"testing"

	"infbench/internal/testkit/reportstest"
)

func mustParse(t *testing.T, text string) []*Rule {
	t.Helper()
	rules, err := ParseRules("gate.yaml", []byte(text), reportstest.SameMeasure)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}
