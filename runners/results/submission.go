package results

// Submission describes who submitted the results of a trial to a board, and their declarations.
// Each number shows whether it is only claimed or was computed here from the submitted
// rankings: a claimed number is a mean without queries (Result.Aggregate).
type Submission struct {
	Model       string   `json:"model"` // address
	By          string   `json:"by"`
	Contact     string   `json:"contact"`
	Licence     string   `json:"licence"`
	Date        string   `json:"date"`
	Command     string   `json:"command"`
	TrainedOn   []string `json:"trained_on"`            // training data
	Benchmarks  []string `json:"trained_on_benchmarks"` // benchmarks whose texts or judgments were in the training data
	Depth       int      `json:"depth"`                 // documents ranked for a query
	Ties        string   `json:"ties"`                  // order of equal scores in the claimed numbers
	Prompts     string   `json:"prompts"`
	Partial     string   `json:"partial,omitempty"`  // why tasks or queries are missing
	Replaces    string   `json:"replaces,omitempty"` // revision
	Declaration string   `json:"declaration"`        // SHA-256 of submission.yaml
}

// Standing is how far submitted numbers were checked.
type Standing string

// Standings of numbers. Numbers are Partly recomputed if the board computed some and others are
// only claimed.
const (
	Measured   Standing = ""           // not submitted
	Recomputed Standing = "recomputed" // from submitted rankings
	Claimed    Standing = "as claimed"
	Partly     Standing = "recomputed in part"
)

// StandingOf returns the standing of submitted numbers by how many of them are only claimed.
func StandingOf(claimed, all int) Standing {
	switch claimed {
	case 0:
		return Recomputed
	case all:
		return Claimed
	}
	return Partly
}
