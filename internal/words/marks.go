package words

// UnsetMark is shown for a key that a trial does not set.
const UnsetMark = "not set"

// Marks shown in place of a number or after it, the same in every format.
const (
	UndefinedMark = "–"       // values exist, but none is defined
	MissingMark   = "missing" // planned, but there is no value
	PartialMark   = "*"       // after a mean over fewer values than planned
	TopMark       = "†"       // after a number that was selected on its own value
	AggregateMark = "‡"       // after a mean that was imported without its per-query values
)
