package results

// Submission says who brought the results of a trial to a board, and what they declare.
// Whether a number is theirs or was computed here from their rankings is said by each
// number: one that is only claimed is a mean without queries (Result.Aggregate).
type Submission struct {
	Model       string   `json:"model"` // address
	By          string   `json:"by"`
	Contact     string   `json:"contact"`
	Licence     string   `json:"licence"`
	Date        string   `json:"date"`
	Command     string   `json:"command"`
	TrainedOn   []string `json:"trained_on"`            // data
	Benchmarks  []string `json:"trained_on_benchmarks"` // whose texts or judgments were among them
	Depth       int      `json:"depth"`                 // documents that were ranked for a query
	Ties        string   `json:"ties"`                  // order of equal scores in what is claimed
	Prompts     string   `json:"prompts"`
	Partial     string   `json:"partial,omitempty"`  // why tasks or queries are missing
	Replaces    string   `json:"replaces,omitempty"` // revision
	Declaration string   `json:"declaration"`        // SHA-256 of submission.yaml
}

// Standing says how far numbers that others brought were checked.
type Standing string

// The standings. Numbers of which a board made some and was told others are Partly.
const (
	Measured   Standing = ""           // nobody brought them
	Recomputed Standing = "recomputed" // from rankings that were brought
	Claimed    Standing = "as claimed"
	Partly     Standing = "recomputed in part"
)

// StandingOf is the standing of numbers that were brought, by how many of them are only
// claimed.
func StandingOf(claimed, all int) Standing {
	switch claimed {
	case 0:
		return Recomputed
	case all:
		return Claimed
	}
	return Partly
}
