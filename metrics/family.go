package metrics

import (
	"fmt"
	"strings"
	"sync"

	"infbench/internal/nearest"
)

// Family is a measure with its options open, as infbench list measures describes it.
type Family struct {
	Name       string // as in ir_measures, without the cutoff: "nDCG@k" is "nDCG"
	Aliases    []string
	Forms      string // how names are written: "AP, AP@k, AP(rel=2)"
	Definition string
	Range      string    // "[0,1]"
	Direction  Direction // the default; options of a measure can reverse it
	Count      bool      // values are counts or weighted sums of counts; those of other families are shares, at most 1
	Pairs      bool      // it reads rankings under two instructions or more
	Shift      bool      // the value is the size and direction of a pair's shift; 0: no movement
	Unranked   bool      // it reads no ranking
	Source     string    // the paper or the tool it agrees with
	Address    string    // of the paper, or else of the tool; "" if unknown

	make func(a *arguments) Measure
}

// trecEval is the address of trec_eval, for measures whose paper has none.
const trecEval = "https://github.com/usnistgov/trec_eval"

// called reports whether name is the family's name or an alias, ignoring case.
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

// familyNamed returns the family of a measure by the measure's name as results carry it, or nil for
// a name that is not one of our measures. It caches results, since every cell of a table calls it.
func familyNamed(name string) *Family {
	if known, ok := named.Load(name); ok {
		return known.(*Family)
	}
	base := name
	if end := strings.IndexAny(name, "(@"); end >= 0 {
		base = name[:end]
	}
	var found *Family
	if f, err := familyCalled(base); err == nil {
		found = &f
	}
	named.Store(name, found)
	return found
}

var named sync.Map // name -> *Family

// NeedsPairs reports whether a measure reads rankings under two instructions or more.
func NeedsPairs(m Measure) bool { return m != nil && IsOfPairs(m.String()) }

// NeedsRun reports whether a measure reads a ranking at all.
func NeedsRun(m Measure) bool {
	f := familyNamed(m.String())
	return f == nil || !f.Unranked
}

// IsOfPairs is NeedsPairs for a measure's name as results carry it.
func IsOfPairs(name string) bool {
	f := familyNamed(name)
	return f != nil && f.Pairs
}

// IsShift reports whether a measure, by its name as results carry it, is the size and direction of
// a pair's shift, such as p-MRR: its sign is always shown.
func IsShift(name string) bool {
	f := familyNamed(name)
	return f != nil && f.Shift
}

// FamilyOf returns the family of a measure by the family's name, such as nDCG, or by a name with
// options, such as nDCG@10. An unknown name is a *nearest.UnknownError.
func FamilyOf(name string) (Family, error) {
	base, _, err := cutName(strings.TrimSpace(name))
	if err != nil {
		return Family{}, fmt.Errorf("measure %q: %w", name, err)
	}
	return familyCalled(base)
}

// familyCalled finds a family by its name or an alias.
func familyCalled(base string) (Family, error) {
	for _, f := range Families() {
		if f.called(base) {
			return f, nil
		}
	}
	return Family{}, nearest.Unknown("measure", base, Names())
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
