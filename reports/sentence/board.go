package sentence

// Finished reports how much of a plan has results.
type Finished struct{ Done, Planned, Lacking int } // trials; Lacking are those of Done without all of their values

func (s Finished) String() string { return say(s) }

// Best names the best system of each column: those that are shown to be the best and, for the
// other columns, those with the best value.
type Best struct {
	Ranked      int    // columns with a ranking
	Leads       []Lead // systems that are shown to be the best
	Open        []Lead // systems with the best value in the other columns
	Level       int    // number of the other columns
	Least, Most int    // systems that could be best in one of those
}

// Lead is a system and the numbers in which it has the best value, each with the value.
type Lead struct {
	System  string
	Numbers []string
}

func (s Best) String() string { return say(s) }

// Compared counts the tests of trained systems against the reference.
type Compared struct {
	Reference                      string
	Untestable                     string   // Untestable as text, if there is no reference; else ""
	Tested, Better, Worse, Differs int      // tests; Differs has no better direction
	Open                           []string // systems, and in which number, for which no difference is shown
	Untested                       int      // comparisons
	OneRun                         bool     // some tested system was trained once
}

func (s Compared) String() string { return say(s) }

// Controls reports which controls of a board fail.
type Controls struct {
	Failed   []FailedControl
	More     int // failures that are not listed
	Checked  int
	Declared string // Declared as text
}

// FailedControl is a control, a number and the systems that fail it.
type FailedControl struct {
	Control, Number string
	Systems         []string
}

func (s Controls) String() string { return say(s) }

// Declared lists the systems that tasks are made to defeat, and that they do defeat, each
// with the number. It is empty if there are none.
type Declared []string

func (s Declared) String() string { return say(s) }

// ControlsOfPage reports which systems fail controls on any board.
type ControlsOfPage struct {
	Failed  []string // systems
	Checked int
}

func (s ControlsOfPage) String() string { return say(s) }

// Finding counts the verdicts on one number for the trained systems.
type Finding struct {
	Number                        string
	Of                            int // trained systems
	Better, Worse, Same, Untested []string
	Ahead, Behind                 string // "above" and "below", or the reverse if lower is better
	Reference                     string
	Lower                         bool
	N                             string // "10 queries"
	Level                         float64
	OneRun                        int    // tested systems that were trained once
	Untrained, Extreme, Value     string // the untrained system with the "highest" or "lowest" value; "" if that was trained
}

func (s Finding) String() string { return say(s) }

// Untestable says that no system of a board is the reference.
type Untestable struct {
	Reference, Board string
	Start            bool // the reference is each system's own start
}

func (s Untestable) String() string { return say(s) }

// Moved reports a system that reacts where instructions change nothing.
type Moved struct {
	System, Number string
	Difference
	OneRun bool
}

func (s Moved) String() string { return say(s) }

// BelowChance reports a system that ranks worse than a random order, or, if the task is made
// to defeat it, better.
type BelowChance struct {
	System, Number, Chance string
	Difference
	OneRun, Defeated bool
	Data             string // the task's remarks on its data
}

func (s BelowChance) String() string { return say(s) }
