package sentence

// Title is the question that a report answers: that of the experiments or, without one, a
// question after the axes that vary.
type Title struct {
	Questions []string
	Systems   int
	System    string // the only one
	Axes      []string
	Measures  []string
}

func (s Title) String() string { return say(s) }

// Leader names the system with the best value of a number, and whether it is shown to be the
// best.
type Leader struct {
	Number        string
	Lower         bool   // lower is better
	System, Value string // of the leader
	Extreme       string // "highest" or "lowest"
	Of            int    // systems compared
	Subject       string // "trained systems"
	Tested, Shown bool
	Level         []string // systems that could be best, the leader first
	Equal         []string // the leader and those of Level that have the same value; nil if there are none
	OneRun        bool     // a tested system was trained once
	Fails         bool     // the leader fails a control
}

func (s Leader) String() string { return say(s) }

// LossLeader is Leader for losses, compared over the settings of the other axes.
type LossLeader struct {
	Leader
	Settings int
	Axes     []string // the other axes
}

func (s LossLeader) String() string { return say(s) }

// Left counts the trained systems that a LossLeader leaves out, because they lack settings.
type Left struct{ Systems int }

func (s Left) String() string { return say(s) }

// Margin is the tested difference between a leader and another system.
type Margin struct {
	System, Other string
	Difference           // without a P if the difference is not shown
	Basis         string // correction, queries and training runs
	Verdict       string // "" if a difference is shown, or if another sentence has it
}

func (s Margin) String() string { return say(s) }

// NotTested counts the trained systems that were not compared with the reference.
type NotTested struct {
	Systems   int
	Reference string
}

func (s NotTested) String() string { return say(s) }

// Once warns that some, or all, of the compared systems were trained once.
type Once struct{ All bool }

func (s Once) String() string { return say(s) }

// OtherNumbers counts the other numbers in which a best system or loss is shown.
type OtherNumbers struct {
	Of     int
	Shown  []string // "uni(P) in p-MRR on a"
	Losses bool
}

// Add adds a number in which a system or loss is shown to be the best.
func (s *OtherNumbers) Add(system, number string, oneRun bool) {
	text := system + " in " + number
	if oneRun {
		text += " (this run)"
	}
	s.Shown = append(s.Shown, text)
}

func (s OtherNumbers) String() string { return say(s) }

// Against reports whether the leader, and the trained systems, are better than the reference.
type Against struct {
	System, Reference string
	Won, Lost         bool   // the leader is shown to be better, or worse
	Points            string // size of the leader's difference, ×100
	Better, Trained   int    // trained systems shown to be better, and tested; 0 if only one was
}

func (s Against) String() string { return say(s) }

// Alone lists the values of a system that has no rank.
type Alone struct {
	System string
	Values []string // "58.9 in nDCG@10 on a"
	Why    string   // why it has no rank
}

func (s Alone) String() string { return say(s) }

// Runs counts the training runs of some systems.
type Runs struct{ Systems, Least, Most int }

func (s Runs) String() string { return say(s) }
