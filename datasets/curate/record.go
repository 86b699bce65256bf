package curate

// Record is a line of every stage but the last: a pair and what was made of it so far.
type Record struct {
	ID     string `json:"id"`
	Kind   Kind   `json:"kind"`
	Source string `json:"source"` // of the pair
	Poison Poison `json:"poison,omitempty"`

	QueryPositive       string `json:"query_positive"`
	InstructionPositive string `json:"instruction_positive,omitempty"`
	Positive            string `json:"document_positive"`
	InstructionNegative string `json:"instruction_negative,omitempty"`
	HardNegative1       string `json:"hard_negative_document_1,omitempty"` // answers I- and Q+
	QueryNegative       string `json:"query_negative,omitempty"`
	HardNegative2       string `json:"hard_negative_document_2,omitempty"` // answers I+ and Q-

	Synthetic bool   `json:"synthetic,omitempty"` // written by rules, not by a model
	Cut       []Part `json:"cut,omitempty"`       // texts that were cut at their first line's end
	Fell      string `json:"fell,omitempty"`      // why the record goes no further, at the stage of the file
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
	Verdict             Part = "verdict" // what a judge says
)

// text is the field of a part.
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
	panic("curate: no text of a record is its " + string(p))
}

// Step says where one text, or one verdict, came from. Hashes are SHA-256.
type Step struct {
	Part     Part    `json:"part"`
	By       string  `json:"by"`               // author or judge
	Model    string  `json:"model"`            // what it asked
	Prompt   string  `json:"prompt,omitempty"` // hash of the words that all its questions share
	Request  string  `json:"request"`          // hash of the question
	Response string  `json:"response"`         // hash of the answer
	Input    int     `json:"input_tokens,omitempty"`
	Output   int     `json:"output_tokens,omitempty"`
	Cost     float64 `json:"cost,omitempty"`  // in the currency of the prices
	Fault    string  `json:"fault,omitempty"` // why the answer is of no use: refused, malformed...
}
