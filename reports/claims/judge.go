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
	family             int                // claims that are tested together
	pair               *contrast.Contrast // the test that a board shows of the two systems; nil where more is compared, or there is no board
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

	// Pair is the comparison of b with a that the boards beside the claims show; nil where they
	// show none. Pair itself is nil where there are no boards.
	Pair func(on scores.Number, a, b *scores.System) *contrast.Contrast
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
		j.setPair(found)
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
	out := []*Judgement{c.of(found.Set)}
	if values := c.values(found.Set); len(values) > 1 && len(out[0].Missing) == 0 {
		for _, v := range values {
			j := c.narrowed(c.Each, v).of(found.Set)
			j.Claim, j.Of = c, v
			out = append(out, j)
		}
	}
	return out
}

// of sets up what decides a claim on systems, on each of its measures.
func (c *Claim) of(v *scores.Set) *Judgement {
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

// measures are the claim on each of its measures.
func (c *Claim) measures() (out []*Claim) {
	for _, m := range c.Measures {
		one := *c
		one.Measure, one.Measures = m, []string{m}
		out = append(out, &one)
	}
	return out
}

// together is the judgement on what must all hold, which names tell apart; of one part
// that part itself.
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

// valuesOf lists what the systems of a claim have at a key; none of no key.
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

// narrowed is a claim on the systems that have one value at a key: on both sides, unless
// the key is what tells them apart.
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

// ofSystems sets up what decides a claim on a number of systems.
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

// split lists the claims that must all hold, with what tells them apart: for each pair of
// sides, or for each value of a setting. None where there is one only, or where systems
// that the claim asks for are missing.
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

// lacking lists what a claim asks for that none of some systems has.
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

// allGroups are the groups of each pair of sides.
func (c *Claim) allGroups(all []*scores.System) (out [][]group, missing []string) {
	for _, sides := range c.Pairs {
		groups, lacking := c.groups(sides, all)
		out, missing = append(out, groups), append(missing, lacking...)
	}
	return out, missing
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
	j.Zero = j.Claim.zero(on.Direction())
	if j.Claim.Test == Equal {
		j.Band = j.Claim.Margin
	}
}

// zero is what a difference, or a mean, is held against.
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

// lead is how far the difference lies to the side that the claim says.
func (j *Judgement) lead() float64 {
	if j.Claim.Test == Equal {
		return j.Band - math.Abs(j.Difference-j.Zero)
	}
	return j.Claim.Test.lead(j.On.Direction(), j.Difference-j.Zero)
}

// decide chooses the rival that decides whether something is the best, or the comparison
// that decides whether every one holds.
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

// noteParts counts the comparisons that lie to the side that a claim says, of those that
// must all, and names the others; nothing where all do.
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
	return []string{fmt.Sprintf("%d of %d comparisons lie to the side that the claim says, not those with %s", len(all)-len(others), len(all), words.Listed(others))}
}

// setPair finds what the boards show of the two systems that a judgement compares.
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

// shown is the test whose interval is shown.
func (j *Judgement) shown() *contrast.Contrast {
	if j.pair != nil {
		return j.pair
	}
	return j.Contrast
}

// shownP is the p-value that is shown: that of the pair if it is of the same question, which
// it is not where the claim has a margin.
func (j *Judgement) shownP() float64 {
	if j.pair != nil && j.Zero == 0 && j.Band == 0 {
		return j.pair.Adjusted
	}
	return j.Adjusted
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
	lead := j.lead()
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

// overFile is said of a verdict that the test of the two systems on their board does not
// share, which is corrected over other comparisons.
const overFile = "over the claims of the file"
