package sentence

// Outcomes of a drop that is larger than its rule allows.
const (
	AnyDrop        = "any"             // the rule has no significance
	UntestedDrop   = "untested"        // Why is the reason
	BeyondSeeds    = "beyond seeds"    // untested, but beyond the assumed variation of seeds
	Significant    = "significant"     // fails
	NotSignificant = "not significant" // passes
	NotEvenHere    = "not even here"   // not significant for the runs at hand either: passes
	TheseRuns      = "these runs"      // significant for the runs at hand alone
	UndecidedDrop  = "undecided"       // trained once, other seeds unknown
	AcceptedDrop   = "accepted"        // somebody accepted it
)

// Drop is the reason for a gate's verdict on the change of a number since the baseline.
type Drop struct {
	Is                string // one of the constants; "" if the rule allows the drop
	After, Before     string
	Fall              string // "drop", or "rise" if lower is better
	By, Limit         string // By is "" if the number did not fall
	Accepted, Further string // the accepted value, if this is worse
	Why               string // the drop is not tested
	P, AtHand, Bound  string // p of the test and of the runs at hand; the assumed variation of seeds
	N, Runs           int    // queries and training runs of the test
	Cure              string // Cure as text
}

func (s Drop) String() string { return say(s) }

// Brief is the reason without the values of the number, so that it is the same for all numbers
// whose drops have one outcome.
func (s Drop) Brief() string { return say(DropBrief(s)) }

// DropBrief is a Drop whose text is that of Brief.
type DropBrief Drop

func (s DropBrief) String() string { return say(s) }

// Drift adds to the reason of a verdict that a series of changes, each too small to fail, goes
// beyond the rule.
type Drift struct{ Since, From, To, Fall, By, Limit string }

func (s Drift) String() string { return say(s) }

// Cure explains how to measure the variation between the seeds of a number, and why the history
// does not show it.
type Cure struct {
	History  bool   // a history was given
	Needed   int    // commits with different seeds
	Commits  int    // with the number
	Same     string // the only seed, if it always gave the same value
	Distinct int    // commits with different seeds or values
	Other    string // the seed of the history, if this commit ran another
}

func (s Cure) String() string { return say(s) }

// Found reports the smallest drop that the tests of a rule can find.
type Found struct {
	Rule, Measure string
	Chance        string
	Drops         []string // "5.3 to 7.5 for numbers of boards"
	Unknown       int      // numbers
	Allowed       string   // the rule's maximum_drop, if the tests cannot find it
	Runs          int      // seeds that would find it; 0 if no number of seeds would
}

func (s Found) String() string { return say(s) }
