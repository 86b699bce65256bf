package gate

import (
	"testing"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/diff"
)

func mustParse(t *testing.T, text string) []*Rule {
	t.Helper()
	rules, err := ParseRules("gate.yaml", []byte(text), reportstest.SameMeasure)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// The counts of changes add up to their number.
func TestKinds(t *testing.T) {
	one := []*diff.Shift{{}}
	for want, k := range map[string]kinds{
		"**1 higher, 0 lower**, 0 moved but not shown to be real, 2 the same":                                               {higher: one, unchanged: 2},
		"**0 higher, 1 lower**, 1 undecided (trained once), 1 moved but not shown to be real, 0 the same, 1 not comparable": {lower: one, once: one, unreal: one, other: one},
	} {
		if got := k.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
