package training

import (
	"fmt"
	"math"

	"infbench/internal/nearest"
)

// Duplicates selects how a joint softmax counts the positive pair, which is among the candidates
// of each of its terms.
type Duplicates string

// Mask counts the positive once, as the reference code does. Keep counts it once per term, as
// printed in eqs. 18-21; then the loss cannot fall below the logarithm of the number of terms.
const (
	Mask Duplicates = "mask"
	Keep Duplicates = "keep"
)

// Scope is the set of rows from which the I term draws instructions.
type Scope string

// Local draws within the row's group (a device of the reference code), Global from the entire
// batch (the paper's sum over j in B).
const (
	Local  Scope = "local"
	Global Scope = "global"
)

// OwnHard selects how the hard negative instruction of a row's own record becomes one of its
// instruction negatives.
type OwnHard string

// Always puts it first. Chance draws it like any other row of the group, as the reference code
// does.
const (
	Always OwnHard = "always"
	Chance OwnHard = "chance"
)

// IQTerm selects what the IQ term varies.
type IQTerm string

// Pair varies instruction and query together, iq_kk (appendix eqs. 10, 17 and
// the reference code); QueryOnly varies the query alone, iq_ik (eqs. 6, 7).
const (
	Pair      IQTerm = "pair"
	QueryOnly IQTerm = "query_only"
)

// Negatives selects the instructions that the I term contrasts the positive with.
type Negatives struct {
	Scope   Scope
	Divisor int     // candidates per row = rows in scope / Divisor, the positive among them
	OwnHard OwnHard // how the record's own hard negative becomes a candidate
}

// Objective holds the choices in computing a Loss on which paper, reference code and our
// recommendation differ. Scores are those of Score / (Temperature + Epsilon).
type Objective struct {
	Score       Score // "": cosine
	Temperature float64
	Epsilon     float64
	Duplicates  Duplicates
	Negatives   Negatives
	Candidates  Within
	IQ          IQTerm
	Bias        float64 // added to the scores of the form Sig
	Couples     Couples // weights of the form Pairwise
	Modifiers
}

// fidelities are the names of the presets.
var fidelities = []string{"recommended", "paper", "reference"}

// Fidelity returns the preset of that name.
//
//   - recommended: the reference code without its false negatives: equal
//     texts masked, the row's own hard negative always present.
//   - paper: the equations as printed in appendix C. They have no temperature,
//     so it is 1.
//   - reference: the formulas that the reference code computes.
func Fidelity(name string) (Objective, error) {
	o := Objective{
		Temperature: 0.05, // reference code
		Duplicates:  Mask,
		Negatives:   Negatives{Scope: Local, Divisor: 2, OwnHard: Always},
		IQ:          Pair,
	}
	o.False.Equal = name == "recommended"
	switch name {
	case "recommended":
	case "paper":
		o.Temperature = 1
		o.Duplicates = Keep
		o.Negatives = Negatives{Scope: Global, Divisor: 1, OwnHard: Chance}
	case "reference":
		o.Epsilon = 1e-4
		o.Negatives.OwnHard = Chance
	default:
		return Objective{}, nearest.Unknown("fidelity", name, fidelities)
	}
	return o, nil
}

// Scale is the factor that scores are multiplied by.
func (o Objective) Scale() float64 { return 1 / (o.Temperature + o.Epsilon) }

// Check returns the first value that is out of range.
func (o Objective) Check() error {
	if !(o.Temperature > 0) || math.IsInf(o.Temperature, 0) {
		return fmt.Errorf("temperature %v: want a number above 0", o.Temperature)
	}
	if o.Negatives.Divisor < 1 {
		return fmt.Errorf("instruction negatives: divisor %d, want at least 1", o.Negatives.Divisor)
	}
	for _, c := range []struct {
		kind, value string
		known       []string
	}{
		{"duplicates", string(o.Duplicates), []string{string(Mask), string(Keep)}},
		{"scope of instruction negatives", string(o.Negatives.Scope), []string{string(Local), string(Global)}},
		{"own hard negative", string(o.Negatives.OwnHard), []string{string(Always), string(Chance)}},
		{"iq term", string(o.IQ), []string{string(Pair), string(QueryOnly)}},
	} {
		if c.value != c.known[0] && c.value != c.known[1] {
			return nearest.Unknown(c.kind, c.value, c.known)
		}
	}
	return nil
}
