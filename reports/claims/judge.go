package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Verdict is what results say of a claim.
type Verdict string

// The verdicts.
const (
	Holds    Verdict = "holds"
	Reversed Verdict = "reversed"
	NotShown Verdict = "not shown"
	NotRun   Verdict = "not run"
)

// verdicts are all of them, in the order of reports.
var verdicts = []Verdict{Holds, Reversed, NotShown, NotRun}

// Judgement is a claim with what decides it and the verdict.
type Judgement struct {
	Claim   *Claim
	Of      string // the value of Claim.Each that it is of; "" of the claim itself
	Verdict Verdict
	Scope   string   // what a verdict is limited to, such as the training run at hand
	Rival   string   // what decides whether something is the best
	Missing []string // what was not run
	Notes   []string

	*contrast.Contrast              // nil where nothing was compared
	Sequence           *Sequence    // what decides the claim in place of a test; nil where one does
	Exact              bool         // numbers that are no sample: they were compared, not tested
	Seeds              [2]int       // fewest and most training runs of a trained system; 0 where none was trained
	rivals             []*Judgement // of the extreme tests, and of claims of which every comparison must hold
	terms              []contrast.Term
	study              bool
	family             int // claims that are tested together
}

// Judged is a file with its verdicts.
type Judged struct {
	File       *File
	Judgements []*Judgement
	Tested     int // claims that are tested together
}

// Found is what claims are judged on.
type Found struct {
	Set       *scores.Set
	Figures   []Figure
	Sequences []*results.ActiveLog // of sweeps whose cells were chosen as results came in
}

// Judge holds every claim of a file to results. p-values are corrected by Holm over
// all that is tested of the file.
func Judge(f *File, found Found) *Judged {
	out := &Judged{File: f}
	for _, c := range f.Claims {
		out.Judgements = append(out.Judgements, c.prepare(found)...)
	}
	decide(out.Judgements, found.Set)
	var family contrast.Family
	for _, j := range out.Judgements {
		if j.decide(); j.Contrast != nil && !j.Exact {
			family.Contrasts = append(family.Contrasts, j.Contrast)
		}
	}
	family.Correct() // all claims together
	out.Tested = family.Tested()
	for _, j := range out.Judgements {
		j.judge(out.Tested)
	}
	out.bySequences(found)
	return out
}

// decide runs the tests on systems, of claims and of the rivals of each.
func decide(all []*Judgement, v *scores.Set) {
	var f contrast.Family
	for _, j := range all {
		for _, one := range append(slices.Clone(j.rivals), j) {
			if one.Contrast != nil && !one.study {
				f.Contrasts = append(f.Contrasts, one.Contrast)
			}
		}
	}
	f.Test(v)
}

// prepare sets up what decides a claim: one judgement, and one for each value of the
// setting that it asks for.
func (c *Claim) prepare(found Found) []*Judgement {
	if c.Study != "" {
		return []*Judgement{c.ofStudies(found.Figures)}
	}
	on, why := c.numberOf(found.Set)
	if why != "" {
		return []*Judgement{{Claim: c, Missing: append([]string{why}, c.needs()...)}}
	}
	out := []*Judgement{c.ofSystems(found.Set, on)}
	if values := c.values(found.Set, on); len(values) > 1 && len(out[0].Missing) == 0 {
		for _, v := range values {
			j := c.narrowed(v).ofSystems(found.Set, on)
			j.Claim, j.Of = c, v
			out = append(out, j)
		}
	}
	return out
}

// needs words the systems of a claim.
func (c *Claim) needs() (out []string) {
	for _, s := range c.Pairs {
		text := s.System.Words()
		if s.Against != nil {
			text = s.Words()
		}
		out = append(out, text)
	}
	return out
}

// values lists what the systems of a claim have at the setting that it is judged by.
func (c *Claim) values(v *scores.Set, on scores.Number) (out []string) {
	if c.Each == "" {
		return nil
	}
	for _, sides := range c.Pairs {
		for _, s := range chosen(planned(v, on), sides.System) {
			out = words.AddNew(out, valueOf(s, c.Each))
		}
	}
	return out
}

// narrowed is a claim on the systems that have one value.
func (c *Claim) narrowed(value string) *Claim {
	one := *c
	one.Pairs = nil
	only := Query{{c.Each, []string{value}}}
	for _, s := range c.Pairs {
		one.Pairs = append(one.Pairs, Sides{only.with(s.System), only.with(s.Against)})
	}
	return &one
}

// ofSystems sets up what decides a claim on a number of systems.
func (c *Claim) ofSystems(v *scores.Set, on scores.Number) *Judgement {
	j := &Judgement{Claim: c}
	all := planned(v, on)
	switch {
	case c.Test.extreme():
		j.setRivals(v, all, on)
	case c.Every:
		j.setParts(v, all, on)
	case c.Than != nil:
		j.setMean(v, all, on)
	default:
		var found []group
		for _, sides := range c.Pairs {
			groups, missing := c.groups(sides, all)
			found, j.Missing = append(found, groups...), append(j.Missing, missing...)
			j.noteBeside(sides, groups)
		}
		j.compare(v, on, terms(found))
	}
	return j
}

// noteBeside says what sides differ in beside what the claim is about.
func (j *Judgement) noteBeside(sides Sides, groups []group) {
	if j.Claim.Pair != nil {
		return
	}
	var keys []string
	for _, g := range groups {
		for _, key := range g.beside(append(sides.System.varied(sides.Against), sides.Against.varied(sides.System)...)) {
			keys = words.AddNew(keys, key)
		}
	}
	if len(keys) > 0 {
		j.Notes = append(j.Notes, "only one side sets "+words.Listed(keys)+", which follows from what is compared")
	}
}

// compare sets up a comparison, unless something of it was not run.
func (j *Judgement) compare(v *scores.Set, on scores.Number, terms []contrast.Term) {
	trained := false
	for _, t := range terms {
		cell := v.Cell(t.System, on)
		switch {
		case !cell.State.Valued():
			j.Missing = words.AddNew(j.Missing, t.System.Label+" (planned, no value yet)")
		case t.System.Kind == table.Trained && !trained:
			j.Seeds, trained = [2]int{cell.Trials, cell.Trials}, true
		case t.System.Kind == table.Trained:
			j.Seeds = [2]int{min(j.Seeds[0], cell.Trials), max(j.Seeds[1], cell.Trials)}
		}
		if cell.State == scores.Partial {
			j.Notes = words.AddNew(j.Notes, t.System.Label+": "+cell.Remark())
		}
		if on := t.System.Picked().On; on == scores.OnTest {
			j.Notes = words.AddNew(j.Notes, "configurations were selected on the test: too good, and p too low")
		}
	}
	if len(j.Missing) > 0 || len(terms) == 0 {
		return
	}
	j.terms, j.Contrast = terms, contrast.Sum(on, terms...)
	j.Zero, j.Band = j.Claim.zero(), j.Claim.Margin
}

// zero is what a difference, or a mean, is held against.
func (c *Claim) zero() float64 {
	if c.Than != nil {
		return *c.Than
	}
	return 0
}

// setMean sets up the mean of the systems of a claim.
func (j *Judgement) setMean(v *scores.Set, all []*scores.System, on scores.Number) {
	var terms []contrast.Term
	for _, sides := range j.Claim.Pairs {
		found := chosen(all, sides.System)
		j.Missing = append(j.Missing, sides.System.lacking(found, all)...)
		if len(found) == 0 && len(j.Missing) == 0 {
			j.Missing = []string{sides.System.Words()}
		}
		for _, s := range found {
			terms = append(terms, contrast.Term{System: s, Coefficient: 1 / float64(len(found)*len(j.Claim.Pairs))})
		}
	}
	j.compare(v, on, terms)
}

// setRivals sets up the comparison of a system with each of the others.
func (j *Judgement) setRivals(v *scores.Set, all []*scores.System, on scores.Number) {
	names, of, missing := j.Claim.rivals(all)
	j.Missing = missing
	sides := j.Claim.Pairs[0]
	for _, name := range names {
		groups := j.Claim.paired(sides, chosen(all, sides.System), of[name])
		if len(groups) == 0 {
			j.Missing = append(j.Missing, fmt.Sprintf("%s and %s that are otherwise alike", sides.System.Words(), name))
			continue
		}
		one := &Judgement{Claim: j.Claim, Rival: name}
		one.noteBeside(sides, groups)
		one.compare(v, on, terms(groups))
		j.Missing = append(j.Missing, one.Missing...)
		j.rivals = append(j.rivals, one)
	}
	if len(j.Missing) > 0 {
		j.rivals = nil
	}
}

// setParts sets up comparisons that must each hold.
func (j *Judgement) setParts(v *scores.Set, all []*scores.System, on scores.Number) {
	for _, sides := range j.Claim.Pairs {
		groups, missing := j.Claim.groups(sides, all)
		one := &Judgement{Claim: j.Claim, Rival: sides.Words(), Missing: missing}
		one.noteBeside(sides, groups)
		one.compare(v, on, terms(groups))
		for _, what := range one.Missing {
			j.Missing = words.AddNew(j.Missing, what)
		}
		j.rivals = append(j.rivals, one)
	}
	if len(j.Missing) > 0 {
		j.rivals = nil
	}
}

// lead is how far a difference lies to the side that the claim says.
func (j *Judgement) lead(difference float64) float64 {
	return j.Claim.Test.lead(j.On.Direction(), difference)
}

// decide chooses the rival that decides whether something is the best, or the comparison
// that decides whether every one holds.
func (j *Judgement) decide() {
	var all []*contrast.Contrast
	for _, r := range j.rivals {
		if r.Why != "" {
			j.Missing = append(j.Missing, r.Rival+": "+r.Why)
		}
		all = append(all, r.Contrast)
	}
	if len(all) == 0 || len(j.Missing) > 0 {
		return
	}
	r := j.rivals[contrast.Best(all, j.rivals[0].lead)]
	j.Contrast, j.Rival, j.Seeds, j.Notes, j.study, j.Exact = r.Contrast, r.Rival, r.Seeds, r.Notes, r.study, r.Exact
}

// powered is the share of cases in which the smallest difference is found.
const powered = 0.8

// judge says what the corrected test allows to say, of a family of so many.
func (j *Judgement) judge(family int) {
	switch {
	case j.Contrast == nil || j.Why != "":
		j.Verdict, j.Notes = NotRun, nil
		if j.Contrast != nil {
			j.Missing = append(j.Missing, j.Why)
		}
		return
	case j.Exact:
		j.Verdict, j.Scope = j.side(), "as counted"
		return
	}
	j.family, j.Verdict = family, NotShown
	switch {
	case j.Adjusted <= contrast.Significant:
		j.Verdict = j.side()
		if j.OneRun {
			j.Scope = contrast.ThisRun
		}
	case j.TheseSeedsToo:
		j.Scope = string(j.side()) + " " + contrast.TheseSeeds
	}
	j.checkPrinted()
	j.noteRuns()
}

// Smallest is the smallest true difference that is found in 4 of 5 cases of a claim
// that is not shown, at the level of the first of Holm's steps; undefined of others.
func (j *Judgement) Smallest() stats.Number {
	if j.Verdict != NotShown || j.Sequence != nil {
		return stats.Number{}
	}
	return j.Estimate.Smallest(powered, contrast.Significant/float64(max(1, j.family)))
}

// side is the verdict that the estimate leans to.
func (j *Judgement) side() Verdict {
	lead := j.lead(j.Difference - j.Zero)
	if j.Claim.Test == Equal {
		lead = j.Band - math.Abs(j.Difference-j.Zero)
	}
	if lead > 0 || lead == 0 && j.Claim.Test == Equal {
		return Holds
	}
	return Reversed
}

// checkPrinted holds a difference that holds to the size that is printed, which is of
// one run: it must lie where one further run is expected, or within its last digit.
func (j *Judgement) checkPrinted() {
	p := j.Claim.Printed
	if p == nil || j.Verdict != Holds {
		return
	}
	direction := "the direction " + j.Words()
	low, high, ok := j.Further.Get() // of what is trained by nobody here the value itself
	switch {
	case !ok:
		j.Verdict, j.Scope = NotShown, ""
		j.Notes = append(j.Notes, fmt.Sprintf("%s; whether the printed %s does takes %d training runs of each", direction, p.Text, contrast.LeastRuns))
	case p.Value+p.Half < low || p.Value-p.Half > high:
		j.Verdict, j.Scope = NotShown, ""
		j.Notes = append(j.Notes, fmt.Sprintf("%s, not the size: a further run is expected at %s, and %s is printed", direction, words.Interval(j.Further.Get()), p.Text))
	default:
		j.Notes = append(j.Notes, fmt.Sprintf("the printed %s lies where a further run is expected: %s", p.Text, words.Interval(j.Further.Get())))
	}
}

// noteRuns says where training runs are too few for a claim on training.
func (j *Judgement) noteRuns() {
	if j.Seeds[0] > 0 && j.Seeds[0] < contrast.LeastRuns {
		j.Notes = append(j.Notes, fmt.Sprintf("%s of a system: a claim on training wants %d seeds", words.Plural(j.Seeds[0], "training run", "training runs"), contrast.LeastRuns))
	}
	if j.Dropped > 0 {
		j.Notes = append(j.Notes, fmt.Sprintf("%s left out that not all have a value for", words.Plural(j.Dropped, "value", "values")))
	}
}

// Words is the verdict with what it is limited to: "holds, this run".
func (j *Judgement) Words() string {
	return strings.TrimSuffix(string(j.Verdict)+", "+j.Scope, ", ")
}
