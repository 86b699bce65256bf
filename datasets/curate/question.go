// Package curate makes training corpora by the method of InF-IR (arXiv 2505.21439, section 4 and
// appendices B, F and H). A corpus has instructions for pairs of a query and a passage, poisoned
// instructions and queries, and passages for these; filters and judges drop bad records. Each stage
// is a file that can be read, resumed and made again separately. Records are written and judged by
// a language model through package chat (PromptedAuthor, PromptedJudge), or by rules
// (OfflineAuthor, OfflineJudge).
package curate

// Scenario is the combination of instruction and query that a question asks about.
type Scenario string

// The scenarios of the quality check, each with one right passage.
const (
	Original            Scenario = "I+Q+"
	PoisonedInstruction Scenario = "I-Q+"
	PoisonedQuery       Scenario = "I+Q-"
)

// Scenarios lists them in the order in which they are asked.
func Scenarios() []Scenario { return []Scenario{Original, PoisonedInstruction, PoisonedQuery} }

// Role is the relation of a candidate to its record.
type Role string

// Roles of candidates: the passages that answer each scenario, and passages of other records.
const (
	Positive      Role = "P+"
	HardNegative1 Role = "P1-" // answers the poisoned instruction
	HardNegative2 Role = "P2-" // answers the poisoned query
	Distractor    Role = "distractor"
)

// Right returns the role of the passage that answers a scenario.
func (s Scenario) Right() Role {
	switch s {
	case PoisonedInstruction:
		return HardNegative1
	case PoisonedQuery:
		return HardNegative2
	}
	return Positive
}

// Candidate is one passage to choose from.
type Candidate struct {
	Role Role   `json:"role"`
	Text string `json:"text"`
}

// Question asks which of several shuffled passages answers an instruction and a query. It is a line
// of the stage judged.jsonl, with the pick of each judge.
type Question struct {
	ID          string      `json:"id"`     // record and scenario
	Record      string      `json:"record"` // ID of the record
	Scenario    Scenario    `json:"scenario"`
	Instruction string      `json:"instruction"`
	Query       string      `json:"query"`
	Candidates  []Candidate `json:"candidates"` // in the order shown to judges
	Picks       []Pick      `json:"picks,omitempty"`
}

// None is the position of a pick without a candidate.
const None = -1

// NoneFits is the reason of a pick without a candidate if the judge found no or several answers.
const NoneFits = "none"

// Pick is the choice of one judge, human or not.
type Pick struct {
	Judge     string `json:"judge"`
	Candidate int    `json:"candidate"` // position in Candidates, from 0; None if nothing was chosen
	Human     bool   `json:"human,omitempty"`
	Why       string `json:"why,omitempty"` // reason for no choice: refused, malformed, unsure...

	Unsure  bool  `json:"unsure,omitempty"` // the judge was unsure: another may be asked
	Lineage *Step `json:"lineage,omitempty"`
}

// Answer returns the position of the right candidate; None if there is none.
func (q *Question) Answer() int {
	for i, c := range q.Candidates {
		if c.Role == q.Scenario.Right() {
			return i
		}
	}
	return None
}
