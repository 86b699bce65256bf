// Package probe asks the queries of a task again with other instructions, or none, and
// says how well each is answered and how far its ranking moves. What that shows is for
// package reports/probe to say; nothing here ranks or encodes.
package probe

import "infbench/datasets"

// Kind is a way of replacing the instruction of a query.
type Kind struct {
	Name  string
	Means string // in words
	Same  bool   // it asks for the same: a model that reads instructions must not react
}

// Names of kinds.
const (
	Own           = "own"
	None          = "none"
	Shuffled      = "shuffled"
	Changed       = "changed"
	Contradiction = string(datasets.Contradiction)
	Paraphrase    = string(datasets.Paraphrase)
	Rewording     = string(datasets.Rewording)
)

// Kinds lists the kinds beside the query's own instruction, those of another meaning
// first.
func Kinds() []Kind {
	return []Kind{
		{None, "no instruction", false},
		{Shuffled, "the instruction of another query of the task", false},
		{Changed, "what the second instruction of a pair asks for", false},
		{Contradiction, "something that the instruction does not ask for", false},
		{Paraphrase, "the same in other words", true},
		{Rewording, "the same in another frame", true},
	}
}
