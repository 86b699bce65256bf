package gate

import "slices"

// Outcome is what a check came to. Definitions says what each means.
type Outcome string

// The outcomes of a check.
const (
	Passed    Outcome = "pass"
	Failed    Outcome = "fail"
	Undecided Outcome = "undecided" // larger than allowed, and nothing tells whether by chance
	Agreed    Outcome = "accepted"  // somebody answers for it
	Dropped   Outcome = "dropped"   // on purpose: the plan no longer asks for it
)

// of lists the checks that came to an outcome.
func (g *Gate) of(o Outcome) []Check {
	return slices.DeleteFunc(slices.Clone(g.Checks), func(c Check) bool { return c.Outcome != o })
}

// Failed lists the checks that were not met.
func (g *Gate) Failed() []Check { return g.of(Failed) }

// Undecided lists the checks that nothing could decide.
func (g *Gate) Undecided() []Check { return g.of(Undecided) }

// Accepted lists the checks that fail but for what somebody accepted.
func (g *Gate) Accepted() []Check { return g.of(Agreed) }

// Dropped lists the numbers that the plan no longer asks for.
func (g *Gate) Dropped() []Check { return g.of(Dropped) }

// Verdict is what all checks come to: "gate met", "gate not met", or "gate undecided".
func (g *Gate) Verdict() string {
	switch {
	case len(g.Failed()) > 0:
		return "gate not met"
	case len(g.Undecided()) > 0:
		return "gate undecided"
	}
	return "gate met"
}
