package results

import "infbench/datasets"

// Asking is a way of replacing the instruction of a query.
type Asking struct {
	Name  string
	Means string // in words
	Same  bool   // it asks for the same: a model that reads instructions must not react
}

// Names of the ways in which a query is asked.
const (
	AskedOwn           = "own" // with the query's own instruction
	AskedNone          = "none"
	AskedShuffled      = "shuffled"
	AskedChanged       = "changed"
	AskedContradiction = string(datasets.Contradiction)
	AskedParaphrase    = string(datasets.Paraphrase)
	AskedRewording     = string(datasets.Rewording)
)

// Askings lists the ways beside the query's own instruction, those of another meaning
// first.
func Askings() []Asking {
	return []Asking{
		{AskedNone, "no instruction", false},
		{AskedShuffled, "the instruction of another query of the task", false},
		{AskedChanged, "what the second instruction of a pair asks for", false},
		{AskedContradiction, "something that the instruction does not ask for", false},
		{AskedParaphrase, "the same in other words", true},
		{AskedRewording, "the same in another frame", true},
	}
}

// Types of instructions, by what they ask for. TypeOther is of those that are of no other.
const (
	TypeNegation  = "negation"
	TypeExclusion = "exclusion"
	TypeLength    = "length"
	TypeDate      = "date"
	TypeAudience  = "audience"
	TypeFormat    = "format"
	TypeOther     = "other"
)

// InstructionTypes lists the types of instructions.
func InstructionTypes() []string {
	return []string{TypeNegation, TypeExclusion, TypeLength, TypeDate, TypeAudience, TypeFormat, TypeOther}
}
