package metrics

import "strings"

// Family is a measure with its options open: what infbench measures lists.
type Family struct {
	Name       string // as ir_measures has it, with k for a cutoff: "nDCG@k" is "nDCG"
	Aliases    []string
	Forms      string // how names are written: "AP, AP@k, AP(rel=2)"
	Definition string
	Range      string    // "[0,1]"
	Direction  Direction // unless the options of a measure turn it
	Count      bool      // its values count, or add up counts; those of the others are shares, of 1 at most
	Source     string    // the paper or the tool it agrees with

	make func(a *arguments) Measure
}

// called reports whether name is the family's name or alias in any case.
func (f Family) called(name string) bool {
	if strings.EqualFold(name, f.Name) {
		return true
	}
	for _, a := range f.Aliases {
		if strings.EqualFold(name, a) {
			return true
		}
	}
	return false
}

// Families lists every family of measures, in the order of the documentation.
// It is a function because some families parse the names of others.
func Families() []Family {
	all := []Family{
		apFamily, gmapFamily, ndcgFamily, precisionFamily, recallFamily, rrFamily, rprecFamily,
		successFamily, bprefFamily, gmbprefFamily, infapFamily, iprecFamily, elevenPointFamily,
		setPFamily, setRFamily, setFFamily, setAPFamily, judgedFamily, unjudgedFamily,
		rbpFamily, rbpResidualFamily, errFamily, alphaNDCGFamily, erriaFamily,
		pmrrFamily, followIRFamily(), robustnessFamily, pairedAccuracyFamily, wiseFamily, sicrFamily,
		instfolFamily, naucFamily(),
		rprecMultFamily, relativePFamily, setRelativePFamily, utilityFamily,
		binGFamily, gFamily, rndcgFamily, ndcgRelFamily,
		irsFamily, aspectNDCGFamily, aspectRecallFamily, cappedRecallFamily, holeFamily,
		deltaRecallFamily, deltaRRFamily, rightRankFamily, monotonicityFamily, wholeChainFamily, flipRateFamily,
	}
	return append(all, countFamilies()...)
}

// Names lists the names of all families, in the order of Families.
func Names() []string {
	var names []string
	for _, f := range Families() {
		names = append(names, f.Name)
	}
	return names
}
