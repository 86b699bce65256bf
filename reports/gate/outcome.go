package gate

import "slices"

// Outcome is the result of a check, as explained in Definitions.
type Outcome string

// The outcomes of a check.
const (
	Passed    Outcome = "pass"
	Failed    Outcome = "fail"
	Undecided Outcome = "undecided" // larger than allowed, perhaps by chance
	Agreed    Outcome = "accepted"  // somebody has accepted it
	Dropped   Outcome = "dropped"   // on purpose: the plan no longer asks for it
)

// with lists the checks with an outcome.
func (g *Gate) with(o Outcome) []Check {
	return slices.DeleteFunc(slices.Clone(g.Checks), func(c Check) bool { return c.Outcome != o })
}

// Failed lists the failed checks.
func (g *Gate) Failed() []Check { return g.with(Failed) }

// Undecided lists the undecided checks.
func (g *Gate) Undecided() []Check { return g.with(Undecided) }

// Accepted lists the checks that would fail without an accepted change.
func (g *Gate) Accepted() []Check { return g.with(Agreed) }

// Dropped lists the numbers that the plan no longer asks for.
func (g *Gate) Dropped() []Check { return g.with(Dropped) }

// Verdict is the result of all checks: "gate met", "gate not met", or "gate undecided".
func (g *Gate) Verdict() string {
	switch {
	case len(g.Failed()) > 0:
		return "gate not met"
	case len(g.Undecided()) > 0:
		return "gate undecided"
	}
	return "gate met"
}
