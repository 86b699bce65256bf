// Package curate makes training corpora as InF-IR was made (arXiv 2505.21439, section 4
// and appendices B, F and H): instructions for pairs of a query and a passage, poisoned
// instructions and queries, passages for these, filters, and judges who keep what is
// right. Each stage is a file that can be read, resumed and made again alone. Records are
// written and judged by a language model (PromptedAuthor, PromptedJudge), which package chat
// asks, or without any (OfflineAuthor, OfflineJudge).
package curate

// Scenario is which side of a record a question asks about.
type Scenario string

// The scenarios of the quality check, each with one right passage.
const (
	Original            Scenario = "I+Q+"
	PoisonedInstruction Scenario = "I-Q+"
	PoisonedQuery       Scenario = "I+Q-"
)

// Scenarios lists them in the order in which they are asked.
func Scenarios() []Scenario { return []Scenario{Original, PoisonedInstruction, PoisonedQuery} }

// Role is what a candidate is to its record.
type Role string

// Roles of candidates: the passage that answers each scenario, and passages of others.
const (
	Positive      Role = "P+"
	HardNegative1 Role = "P1-" // answers the poisoned instruction
	HardNegative2 Role = "P2-" // answers the poisoned query
	Distractor    Role = "distractor"
)

// Right is the role of the passage that answers a scenario.
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

// Question asks which of some shuffled passages answers an instruction and a query. It
// is a line of the stage judged.jsonl, with what each judge chose.
type Question struct {
	ID          string      `json:"id"`     // of the question: record and scenario
	Record      string      `json:"record"` // ID of the record
	Scenario    Scenario    `json:"scenario"`
	Instruction string      `json:"instruction"`
	Query       string      `json:"query"`
	Candidates  []Candidate `json:"candidates"` // in the order that a judge sees
	Picks       []Pick      `json:"picks,omitempty"`
}

// None is the position of a pick that chose no candidate.
const None = -1

// NoneFits is why nothing was chosen where the judge found none that answers, or several.
const NoneFits = "none"

// Pick is what one judge, human or not, chose.
type Pick struct {
	Judge     string `json:"judge"`
	Candidate int    `json:"candidate"` // position in Candidates, from 0; None where nothing was chosen
	Human     bool   `json:"human,omitempty"`
	Why       string `json:"why,omitempty"` // of no choice: refused, malformed, unsure...

	Unsure  bool  `json:"unsure,omitempty"` // the judge said so: another may be asked
	Lineage *Step `json:"lineage,omitempty"`
}

// Answer is the position of the right candidate; None where there is none.
func (q *Question) Answer() int {
	for i, c := range q.Candidates {
		if c.Role == q.Scenario.Right() {
			return i
		}
	}
	return None
}
