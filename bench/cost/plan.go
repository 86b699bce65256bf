package cost

// Options are the flags of plan.
type Options struct {
	Runs    string
	Diff    bool
	Workers int
	Device  string
}
