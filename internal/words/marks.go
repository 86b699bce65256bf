package words

// UnsetMark stands for the value of a key that trials do not have.
const UnsetMark = "not set"

// Marks that stand where a number would, the same in every format.
const (
	UndefinedMark = "–"       // values exist, none of them is defined
	MissingMark   = "missing" // planned, but there is no value
	PartialMark   = "*"       // after a mean over less than was planned
	TopMark       = "†"       // after a number that was chosen by itself
	AggregateMark = "‡"       // after a mean that was taken over without its queries
)
