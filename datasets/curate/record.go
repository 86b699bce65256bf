package curate

// Record is a line of every stage except the last: a pair with the texts written for it so far.
type Record struct {
	ID     string `json:"id"`
	Kind   Kind   `json:"kind"`
	Source string `json:"source"` // collection of the pair
	Poison Poison `json:"poison,omitempty"`

	QueryPositive       string `json:"query_positive"`
	InstructionPositive string `json:"instruction_positive,omitempty"`
	Positive            string `json:"document_positive"`
	InstructionNegative string `json:"instruction_negative,omitempty"`
	HardNegative1       string `json:"hard_negative_document_1,omitempty"` // answers I- and Q+
	QueryNegative       string `json:"query_negative,omitempty"`
	HardNegative2       string `json:"hard_negative_document_2,omitempty"` // answers I+ and Q-

	Synthetic bool   `json:"synthetic,omitempty"` // written by rules, not by a model
	Cut       []Part `json:"cut,omitempty"`       // texts truncated after their first line
	Fell      string `json:"fell,omitempty"`      // reason for dropping the record at this stage
	Lineage   []Step `json:"lineage,omitempty"`
}

// Part is a text of a record that an author writes.
type Part string

// The parts, in the order in which they are written.
const (
	Instruction         Part = "instruction"
	NegativeInstruction Part = "poisoned instruction"
	NegativeQuery       Part = "poisoned query"
	Passage1            Part = "passage of the poisoned instruction"
	Passage2            Part = "passage of the poisoned query"
	Verdict             Part = "verdict" // the answer of a judge
)

// text returns the field of a part.
func (r *Record) text(p Part) *string {
	switch p {
	case Instruction:
		return &r.InstructionPositive
	case NegativeInstruction:
		return &r.InstructionNegative
	case NegativeQuery:
		return &r.QueryNegative
	case Passage1:
		return &r.HardNegative1
	case Passage2:
		return &r.HardNegative2
	}
	panic("curate: a record has no text for " + string(p))
}

// Step is the origin of one text or one verdict. Hashes are SHA-256.
type Step struct {
	Part     Part    `json:"part"`
	By       string  `json:"by"`               // author or judge
	Model    string  `json:"model"`            // the model asked
	Prompt   string  `json:"prompt,omitempty"` // hash of the text that all its questions share
	Request  string  `json:"request"`          // hash of the question
	Response string  `json:"response"`         // hash of the answer
	Input    int     `json:"input_tokens,omitempty"`
	Output   int     `json:"output_tokens,omitempty"`
	Cost     float64 `json:"cost,omitempty"`  // in the currency of the prices
	Fault    string  `json:"fault,omitempty"` // reason why the answer is unusable: refused, malformed...
}
