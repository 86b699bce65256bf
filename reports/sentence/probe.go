package sentence

// Change is how a measure changes with another instruction, as a clause.
type Change struct {
	With               string // "without an instruction"
	Measure            string
	From, By, Interval string // ×100
	Smallest, Chance   string // the change that a test would find with that chance, if none is shown
}

func (s Change) String() string { return say(s) }

// Verdicts on the use of instructions.
const (
	Untested          = "untested"
	Unmoved           = "unmoved"
	Used              = "used"
	Helped            = "helped"
	Unused            = "unused"
	ReadsBetterNone   = "reads, better without"
	BetterNone        = "better without"
	Reads             = "reads"
	BetterWithAnother = "better with another"
	Unknown           = "unknown"
)

// Usage reports whether a system uses instructions.
type Usage struct {
	Is          string // one of the constants
	Band        string // a change inside ± this counts as none
	None, Other string // Change without, and with another query's instruction; "" if there is no other
}

func (s Usage) String() string { return say(s) }

// Same reports the change when the same is asked for in other words.
type Same struct{ Means, Kind, Measure, By, Interval, Verdict string }

func (s Same) String() string { return say(s) }

// MovedFurther reports how much further rankings move under instructions of another meaning.
type MovedFurther struct {
	Than  string   // kind of instruction with the same meaning
	Under []string // "shuffled +3.1 [...]"
}

func (s MovedFurther) String() string { return say(s) }

// Spread reports how much wording alone changes a measure.
type Spread struct {
	Ways, Queries          int
	Measure                string
	Within, Between, Share string
}

func (s Spread) String() string { return say(s) }

// InstructionTypes counts queries by type, and lists types without a shown reaction.
type InstructionTypes struct{ Counts, Unused []string }

func (s InstructionTypes) String() string { return say(s) }
