package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Verdict is the outcome of a claim.
type Verdict string

// The verdicts.
const (
	Holds    Verdict = "holds"
	Reversed Verdict = "reversed"
	NotShown Verdict = "not shown"
	NotRun   Verdict = "not run"
)

// verdicts lists all verdicts in the order of reports.
var verdicts = []Verdict{Holds, Reversed, NotShown, NotRun}

// Judgement is a claim with its deciding comparison and its verdict.
type Judgement struct {
	Claim   *Claim
	Of      string // the value of Claim.Each that is judged; "" for the claim itself
	Verdict Verdict
	Scope   string   // the limit of the verdict, such as the training run at hand
	Rival   string   // the comparison that decides among several
	Missing []string // results that were not run
	Notes   []string

	*contrast.Contrast              // nil if nothing was compared
	Sequence           *Sequence    // the sequence that decides the claim in place of a test; nil if a test does
	Exact              bool         // the numbers are counts, not samples: they were compared, not tested
	Seeds              [2]int       // fewest and most training runs of a trained system; 0 without trained systems
	rivals             []*Judgement // for the extreme tests, and for claims whose comparisons must all hold
	terms              []contrast.Term
	study              bool
	family             int                // number of claims that are tested together
	pair               *contrast.Contrast // the boards' test of the two systems; nil if more is compared or there is no board
}

// Judged is a file with its verdicts.
type Judged struct {
	File       *File
	Judgements []*Judgement
	Tested     int // number of claims that are tested together
}

// Found is the evidence on which claims are judged.
type Found struct {
	Set       *scores.Set
	Figures   []Figure
	Sequences []*results.ActiveLog // logs of sweeps that chose cells as results came in

	// Pair returns the comparison of b with a that the boards next to the claims show, or nil if
	// they show none. Pair itself is nil if there are no boards.
	Pair func(on scores.Number, a, b *scores.System) *contrast.Contrast
}

// Judge judges every claim of a file. All p-values of the file are corrected together by Holm's
// method.
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
		j.setPair(found)
	}
	out.bySequences(found)
	return out
}

// decide runs the tests of systems, for the claims and their rivals.
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

// prepare sets up the comparisons of a claim: one judgement for the claim, and one for each value
// of Claim.Each.
func (c *Claim) prepare(found Found) []*Judgement {
	if c.Study != "" {
		return []*Judgement{c.ofStudies(found.Figures)}
	}
	out := []*Judgement{c.judgement(found.Set)}
	if values := c.values(found.Set); len(values) > 1 && len(out[0].Missing) == 0 {
		for _, v := range values {
			j := c.narrowed(c.Each, v).judgement(found.Set)
			j.Claim, j.Of = c, v
			out = append(out, j)
		}
	}
	return out
}

// judgement sets up the comparisons of a claim on systems, on each of its measures.
func (c *Claim) judgement(v *scores.Set) *Judgement {
	var parts []*Judgement
	for _, one := range c.measures() {
		on, why := one.numberOf(v)
		if why != "" {
			parts = append(parts, &Judgement{Claim: c, Missing: append([]string{why}, c.needs()...)})
			continue
		}
		parts = append(parts, one.ofSystems(v, on))
	}
	return c.together(parts, c.Measures)
}

// measures returns the claim once for each of its measures.
func (c *Claim) measures() (out []*Claim) {
	for _, m := range c.Measures {
		one := *c
		one.Measure, one.Measures = m, []string{m}
		out = append(out, &one)
	}
	return out
}

// together joins the judgements of parts that must all hold; names distinguishes the parts. A
// single part is returned unchanged.
func (c *Claim) together(parts []*Judgement, names []string) *Judgement {
	if len(parts) == 1 {
		return parts[0]
	}
	j := &Judgement{Claim: c}
	for i, part := range parts {
		for _, what := range part.Missing {
			j.Missing = words.AddNew(j.Missing, what)
		}
		if len(part.rivals) == 0 {
			part.Rival = names[i]
			j.rivals = append(j.rivals, part)
		}
		for _, r := range part.rivals {
			r.Rival = names[i] + ": " + r.Rival
			j.rivals = append(j.rivals, r)
		}
	}
	if len(j.Missing) > 0 {
		j.rivals = nil
	}
	return j
}

// needs names the systems of a claim.
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

// values lists the values of Claim.Each among the systems of a claim.
func (c *Claim) values(v *scores.Set) (out []string) {
	for _, one := range c.measures() {
		if on, why := one.numberOf(v); why == "" {
			for _, value := range c.valuesOf(c.Each, planned(v, on)) {
				out = words.AddNew(out, value)
			}
		}
	}
	return out
}

// valuesOf lists the values of a key among the systems of a claim; nil for the key "".
func (c *Claim) valuesOf(key string, all []*scores.System) (out []string) {
	if key == "" {
		return nil
	}
	for _, sides := range c.Pairs {
		for _, s := range chosen(all, sides.System) {
			out = words.AddNew(out, valueOf(s, key))
		}
	}
	return out
}

// narrowed restricts a claim to the systems with one value of a key: on both sides, unless the
// sides differ in that key.
func (c *Claim) narrowed(key, value string) *Claim {
	one := *c
	one.Pairs, one.EveryOf = nil, ""
	only := Query{{key, []string{value}}}
	for _, s := range c.Pairs {
		narrow := Sides{only.with(s.System), s.Against}
		if !slices.Contains(s.System.varied(s.Against), key) {
			narrow.Against = only.with(s.Against)
		}
		one.Pairs = append(one.Pairs, narrow)
	}
	return &one
}

// ofSystems sets up the comparisons of a claim on one number of the systems.
func (c *Claim) ofSystems(v *scores.Set, on scores.Number) *Judgement {
	all := planned(v, on)
	if parts, names := c.split(all); len(parts) > 0 {
		var found []*Judgement
		for _, one := range parts {
			found = append(found, one.ofSystems(v, on))
		}
		return c.together(found, names)
	}
	j := &Judgement{Claim: c}
	switch {
	case c.Test.extreme():
		j.setRivals(v, all, on)
	case c.Than != nil:
		j.setMean(v, all, on)
	default:
		groups, missing := c.allGroups(all)
		j.Missing = missing
		for i, sides := range c.Pairs {
			j.noteBeside(sides, groups[i])
		}
		j.compare(v, on, terms(slices.Concat(groups...)))
	}
	return j
}

// split lists the parts of a claim that must all hold, with their names: one for each pair of
// sides, or for each value of a setting. It returns nil if there is only one, or if systems that
// the claim asks for are missing.
func (c *Claim) split(all []*scores.System) (parts []*Claim, names []string) {
	if c.Every && len(c.Pairs) > 1 {
		for _, sides := range c.Pairs {
			one := *c
			one.Pairs = []Sides{sides}
			system, against := c.apart(sides)
			parts, names = append(parts, &one), append(names, Sides{system, against}.Words())
		}
		return parts, names
	}
	if values := c.valuesOf(c.EveryOf, all); len(values) > 1 && len(c.lacking(all)) == 0 {
		for _, value := range values {
			parts, names = append(parts, c.narrowed(c.EveryOf, value)), append(names, c.EveryOf+"="+value)
		}
	}
	return parts, names
}

// lacking lists the systems that a claim asks for and that are not among all.
func (c *Claim) lacking(all []*scores.System) (missing []string) {
	switch {
	case c.Test.extreme():
		_, _, missing = c.rivals(all)
	case c.Than == nil:
		_, missing = c.allGroups(all)
	default:
		for _, sides := range c.Pairs {
			missing = append(missing, sides.System.missing(chosen(all, sides.System), all)...)
		}
	}
	return missing
}

// allGroups returns the groups of each pair of sides.
func (c *Claim) allGroups(all []*scores.System) (out [][]group, missing []string) {
	for _, sides := range c.Pairs {
		groups, lacking := c.groups(sides, all)
		out, missing = append(out, groups), append(missing, lacking...)
	}
	return out, missing
}

// noteBeside notes the settings in which the sides differ although the claim does not name them.
func (j *Judgement) noteBeside(sides Sides, groups []group) {
	if j.Claim.Pair != nil {
		return
	}
	var keys []string
	for _, g := range groups {
		for _, key := range g.oneSided(append(sides.System.varied(sides.Against), sides.Against.varied(sides.System)...)) {
			keys = words.AddNew(keys, key)
		}
	}
	if len(keys) > 0 {
		j.Notes = append(j.Notes, "only one side sets "+words.Listed(keys)+", as the compared settings require")
	}
}

// compare sets up a comparison, unless one of its systems has no value.
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
			j.Notes = words.AddNew(j.Notes, "configurations were selected on the test data, so the value is too good and p too low")
		}
	}
	if len(j.Missing) > 0 || len(terms) == 0 {
		return
	}
	j.terms, j.Contrast = terms, contrast.Sum(on, terms...)
	j.Zero = j.Claim.zero(on.Direction())
	if j.Claim.Test == Equal {
		j.Band = j.Claim.Margin
	}
}

// zero returns the value with which a difference, or a mean, is compared.
func (c *Claim) zero(d metrics.Direction) (zero float64) {
	if c.Than != nil {
		zero = *c.Than
	}
	if c.Test == NoWorse {
		zero -= d.Oriented(c.Margin)
	}
	return zero
}

// setMean sets up the mean of the systems of a claim.
func (j *Judgement) setMean(v *scores.Set, all []*scores.System, on scores.Number) {
	var terms []contrast.Term
	j.Missing = j.Claim.lacking(all)
	for _, sides := range j.Claim.Pairs {
		found := chosen(all, sides.System)
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

// lead returns the difference with the sign that makes it positive where the claim holds.
func (j *Judgement) lead() float64 {
	if j.Claim.Test == Equal {
		return j.Band - math.Abs(j.Difference-j.Zero)
	}
	return j.Claim.Test.lead(j.On.Direction(), j.Difference-j.Zero)
}

// decide chooses the comparison that decides the claim: the strongest rival, or the weakest of the
// comparisons that must all hold.
func (j *Judgement) decide() {
	var all []*contrast.Contrast
	of := map[*contrast.Contrast]*Judgement{}
	for _, r := range j.rivals {
		if r.Why != "" {
			j.Missing = append(j.Missing, r.Rival+": "+r.Why)
		}
		all, of[r.Contrast] = append(all, r.Contrast), r
	}
	if len(all) == 0 || len(j.Missing) > 0 {
		return
	}
	r := j.rivals[contrast.Best(all, func(c *contrast.Contrast) float64 { return of[c].lead() })]
	j.Contrast, j.Rival, j.Seeds, j.study, j.Exact = r.Contrast, r.Rival, r.Seeds, r.study, r.Exact
	j.Notes = append(noteParts(j.rivals, (*Judgement).lead), r.Notes...)
}

// noteParts counts the comparisons that agree with the claim and names the others; nil if all
// agree.
func noteParts(all []*Judgement, lead func(*Judgement) float64) []string {
	var others []string
	for _, r := range all {
		if r.Rival != "" && lead(r) <= 0 {
			others = append(others, r.Rival)
		}
	}
	if len(others) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d comparisons agree with the claim, not those with %s", len(all)-len(others), len(all), words.Listed(others))}
}

// setPair finds the boards' test of the two systems that a judgement compares.
func (j *Judgement) setPair(found Found) {
	if found.Pair == nil || j.Contrast == nil || j.Verdict == NotRun || j.Exact || j.study {
		return
	}
	if a, b, ok := j.Contrast.Pair(); ok {
		if c := found.Pair(j.On, a, b); c != nil && c.Why == "" {
			j.pair = c
		}
	}
}

// shown returns the test whose interval is shown.
func (j *Judgement) shown() *contrast.Contrast {
	if j.pair != nil {
		return j.pair
	}
	return j.Contrast
}

// shownP returns the p-value that is shown: that of the boards' pair, unless the claim has a margin
// and so asks another question.
func (j *Judgement) shownP() float64 {
	if j.pair != nil && j.Zero == 0 && j.Band == 0 {
		return j.pair.Adjusted
	}
	return j.Adjusted
}

// powered is the power for which the smallest difference is stated.
const powered = 0.8

// judge sets the verdict that the corrected test allows; family is the number of tested claims.
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

// Smallest returns the smallest true difference that would be found in 80 % of cases, at the level
// of the first of Holm's steps. It is defined only for claims that are not shown.
func (j *Judgement) Smallest() stats.Number {
	if j.Verdict != NotShown || j.Sequence != nil {
		return stats.Number{}
	}
	return j.Estimate.Smallest(powered, contrast.Significant/float64(max(1, j.family)))
}

// side returns the verdict to which the estimate leans.
func (j *Judgement) side() Verdict {
	lead := j.lead()
	if lead > 0 || lead == 0 && j.Claim.Test == Equal {
		return Holds
	}
	return Reversed
}

// checkPrinted compares a difference that holds with the printed size, which is that of one run.
// The printed size must be within the interval for one further run, or within its last digit of it.
func (j *Judgement) checkPrinted() {
	p := j.Claim.Printed
	if p == nil || j.Verdict != Holds {
		return
	}
	direction := "the direction " + j.Words()
	low, high, ok := j.Further.Get() // for systems not trained here: the value itself
	switch {
	case !ok:
		j.Verdict, j.Scope = NotShown, ""
		j.Notes = append(j.Notes, fmt.Sprintf("%s; checking the printed %s takes %d training runs of each system", direction, p.Text, contrast.LeastRuns))
	case p.Value+p.Half < low || p.Value-p.Half > high:
		j.Verdict, j.Scope = NotShown, ""
		j.Notes = append(j.Notes, fmt.Sprintf("%s, not the size: a further run is expected at %s, but %s is printed", direction, words.Interval(j.Further.Get()), p.Text))
	default:
		j.Notes = append(j.Notes, fmt.Sprintf("the printed %s is within the range expected of a further run: %s", p.Text, words.Interval(j.Further.Get())))
	}
}

// noteRuns adds notes on too few training runs and on dropped values.
func (j *Judgement) noteRuns() {
	if j.Seeds[0] > 0 && j.Seeds[0] < contrast.LeastRuns {
		j.Notes = append(j.Notes, fmt.Sprintf("%s of a system: a claim on training needs %d seeds", words.Plural(j.Seeds[0], "training run", "training runs"), contrast.LeastRuns))
	}
	if j.Dropped > 0 {
		j.Notes = append(j.Notes, fmt.Sprintf("%s left out because not all systems have them", words.Plural(j.Dropped, "value", "values")))
	}
}

// Words returns the verdict with its limit: "holds, this run".
func (j *Judgement) Words() string {
	text := strings.TrimSuffix(string(j.Verdict)+", "+j.Scope, ", ")
	decided := j.Verdict == Holds || j.Verdict == Reversed
	switch {
	case j.Contrast == nil || j.Exact || j.Sequence != nil:
	case j.pair != nil && j.Zero == 0 && j.Band == 0 && j.pair.Shown() != decided:
		text += ", " + overFile
	case decided && j.shown().ByHolmAlone():
		text += ", " + contrast.HolmAlone
	}
	return text
}

// overFile marks a verdict that differs from that of the two systems' test on their board, which is
// corrected over other comparisons.
const overFile = "over the claims of the file"
