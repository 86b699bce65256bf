package results

import "infbench/datasets"

// Asking is a way of replacing the instruction of a query.
type Asking struct {
	Name  string
	Means string // description
	Same  bool   // the meaning is the same: a model that reads instructions must not react
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

// Askings lists the ways other than the query's own instruction, those with another meaning
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

// Types of instructions by their requests. TypeOther is the type of an instruction without any
// other type.
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
