package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Arithmetic is the verdict of a paper's printed numbers on one of its claims. It consists of sums
// and differences without a test, since a printed mean has neither queries nor runs.
type Arithmetic struct {
	Claim      *Claim   `json:"-"`
	ID         string   `json:"id"`
	Says       string   `json:"says"`
	Verdict    Verdict  `json:"printed_numbers_say"` // NotPrinted if the paper does not print the numbers it needs
	Difference *float64 `json:"difference"`
	Decided    string   `json:"decided_by,omitempty"` // the least favourable of several comparisons
	Size       string   `json:"size,omitempty"`       // whether the printed size equals that of the numbers
	Notes      []string `json:"notes"`
}

// Verdicts on claims that printed numbers do not decide: the paper does not print the needed
// numbers, or prints only the number that the claim itself states.
const (
	NotPrinted Verdict = "not printed"
	Stated     Verdict = "stated"
)

// OnPrinted checks the claims of a file against the printed numbers of a collection.
func OnPrinted(f *File, c *published.Collection) ([]*Arithmetic, error) {
	var out []*Arithmetic
	for _, claim := range f.Claims {
		a := &Arithmetic{Claim: claim, ID: claim.ID, Says: claim.Says, Verdict: NotPrinted, Notes: []string{}}
		if out = append(out, a); claim.Study != "" {
			a.onData(c.DataNumbers())
			continue
		}
		if err := a.onSystems(c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// onData checks a claim on data against a number that the paper prints in another place than the
// claim: a number is not evidence for itself.
func (a *Arithmetic) onData(all []published.DataNumber) {
	c := a.Claim
	all = slices.DeleteFunc(all, func(n published.DataNumber) bool {
		f := Figure{Kind: "data", Name: n.Name, File: n.Name}
		return c.Study != f.Kind || c.Than == nil || n.Measure != c.Measure || slices.ContainsFunc(c.Pairs[0].System, func(k Key) bool { return !f.has(k) })
	})
	i := slices.IndexFunc(all, func(n published.DataNumber) bool { return !strings.Contains(c.Where, n.Where) })
	switch {
	case len(all) == 0:
		a.Notes = append(a.Notes, "the paper prints no number for it")
	case i < 0:
		a.Verdict = Stated
		a.Notes = append(a.Notes, "no other printed number bears on it")
	default:
		n := all[i]
		a.Notes = append(a.Notes, "by "+n.From)
		j := &Judgement{Claim: c, study: true, Contrast: &contrast.Contrast{Zero: *c.Than}}
		half := n.Half
		if c.Test == Equal {
			j.Band, half = c.Margin+n.Half, 0 // equal to the last digit that is printed
		}
		a.judge(printedSum{of: j, value: n.Value, half: half})
	}
}

// onSystems checks a claim on systems against the rows of a collection.
func (a *Arithmetic) onSystems(c *published.Collection) error {
	var parts []*Judgement
	found := map[*Judgement]printedSum{}
	for _, one := range a.Claim.measures() {
		p := printedRows(one, c)
		set, err := scores.New([]*results.Experiment{p.experiment})
		if err != nil {
			return err
		}
		on := p.on.Column()
		j := one.ofSystems(set, on)
		for _, r := range append(slices.Clone(j.rivals), j) {
			if len(r.terms) > 0 {
				found[r] = p.sum(set, on, r)
			}
		}
		parts = append(parts, j)
	}
	a.hold(a.Claim.together(parts, a.Claim.Measures), found)
	return nil
}

// printedNumbers are the rows of a collection that have the number of a claim, as trials.
type printedNumbers struct {
	experiment *results.Experiment
	on         scores.Slot
	half       map[string]float64  // by trial: half a unit of the last printed digit
	doubts     map[string][]string // by trial
}

// printedSlot returns the slot of a claim's printed numbers: its measure, or the first measure of a
// mean over several.
func (c *Claim) printedSlot() scores.Slot {
	at := scores.Slot{Benchmark: "printed", Task: scores.HeadlineTask, Measure: c.Measure}
	if m := c.mean(); m != nil {
		at.Measure = m.Parts[0].Measure
	}
	return at
}

// printedRows gathers the rows. If two tables print the same row, the first is used; if the rows
// are of two revisions of a model, a note names the used one.
func printedRows(claim *Claim, c *published.Collection) printedNumbers {
	out := printedNumbers{&results.Experiment{Name: "printed"}, claim.printedSlot(), map[string]float64{}, map[string][]string{}}
	rows, order := map[string][]*published.Cell{}, []string(nil)
	for i := range c.Cells {
		cell := &c.Cells[i]
		key := words.Joined([]string{cell.Source, cell.Model, cell.Revision, cell.Config})
		order = words.AddNew(order, key)
		rows[key] = append(rows[key], cell)
	}
	seen := map[string]string{}     // trial by configuration
	revision := map[string]string{} // revision of the model, by trial
	for _, key := range order {
		value, half, doubts, ok := claim.printedIn(rows[key])
		config, best := rows[key][0].Settings()
		var parts []string
		for _, k := range words.SortedKeys(config) {
			parts = append(parts, k, config[k])
		}
		id := words.Joined(parts)
		switch first := seen[id]; {
		case first != "" && ok && revision[first] != rows[key][0].Revision:
			out.doubts[first] = words.AddNew(out.doubts[first], fmt.Sprintf("%s is published at several revisions; %s is used", rows[key][0].Model, words.Shorten(revision[first])))
		case first != "":
			out.doubts[first] = append(out.doubts[first], doubts...)
		case ok:
			t := results.Trial{ID: fmt.Sprint("row ", len(out.experiment.Trials)+1), State: results.Done, Config: config,
				Results: []results.Result{{Benchmark: out.on.Benchmark, Task: out.on.Task, Measure: out.on.Measure, Value: &value, Aggregate: true}}}
			if best {
				t.Selection.On = "validation" // the paper's choice counts as one that was not made on the test data
			}
			out.experiment.Trials = append(out.experiment.Trials, t)
			seen[id], revision[t.ID], out.half[t.ID], out.doubts[t.ID] = t.ID, rows[key][0].Revision, half, doubts
		}
	}
	return out
}

// printedIn finds the number of a claim in a row of a table: a printed mean, or the mean of its
// parts.
func (c *Claim) printedIn(row []*published.Cell) (value, half float64, doubts []string, ok bool) {
	benchmark, called, _ := strings.Cut(c.On, "/")
	if m := c.mean(); m != nil && (called == "" || called == m.Title) && (c.Side == "" || c.Side == m.Side) {
		if found := cellOf(row, benchmark, []published.Name{m.Name}, m.Side, m.Measure); found != nil {
			return found.Value, found.Tolerance, found.Footnotes, true
		}
		for _, p := range m.Parts {
			found := cellOf(row, benchmark, published.Names(benchmark, p.Task), p.Side, p.Measure)
			if found == nil {
				return 0, 0, nil, false
			}
			value += found.Value / float64(len(m.Parts))
			half = max(half, found.Tolerance)
			doubts = append(doubts, found.Footnotes...)
		}
		return value, half, doubts, true
	}
	if found := cellOf(row, benchmark, published.Names(benchmark, called), c.Side, c.Measure); found != nil {
		return found.Value, found.Tolerance, found.Footnotes, true
	}
	return 0, 0, nil, false
}

// cellOf finds a number of a row that stands for a number of a benchmark: same judgments, measure
// and side.
func cellOf(row []*published.Cell, benchmark string, names []published.Name, side, measure string) *published.Cell {
	for _, cell := range row {
		for _, n := range names {
			if n.Covers(cell) && cell.Measure == measure && cell.Side == side && cell.Conventions.Qrels == published.Ours(benchmark, n, side).Qrels {
				return cell
			}
		}
	}
	return nil
}

// hold sets the verdict of a claim from its least favourable comparison.
func (a *Arithmetic) hold(j *Judgement, found map[*Judgement]printedSum) {
	if len(j.Missing) > 0 {
		for _, m := range j.Missing {
			a.Notes = words.AddNew(a.Notes, "not printed: "+m)
		}
		return
	}
	all := j.rivals
	if len(all) == 0 {
		all = []*Judgement{j}
	}
	worst := all[0]
	for _, one := range all {
		if found[one].lead() < found[worst].lead() {
			worst = one
		}
		for _, d := range found[one].doubts {
			a.Notes = words.AddNew(a.Notes, d)
		}
	}
	a.Decided = worst.Rival
	a.Notes = append(noteParts(all, func(r *Judgement) float64 { return found[r].lead() }), a.Notes...)
	a.judge(found[worst])
}

// judge sets the verdict, and reports whether a printed size equals that of the numbers.
func (a *Arithmetic) judge(s printedSum) {
	a.Difference = &s.value
	const exact = 1e-12 // for numbers whose digits are all known
	switch lead := s.lead(); {
	case lead > s.half+exact, a.Claim.Test == Equal && lead > s.half-exact:
		a.Verdict = Holds
	case lead < -s.half-exact:
		a.Verdict = Reversed
	default:
		a.Verdict = NotShown
		a.Notes = append(a.Notes, "the printed digits leave it undecided")
	}
	if printed := a.Claim.Printed; printed != nil {
		a.Size = "reproduces " + printed.Text
		if math.Abs(s.value-printed.Value) > s.half+printed.Half+1e-12 {
			a.Size = "is not " + printed.Text
		}
	}
}

// printedSum is the difference of a comparison as printed.
type printedSum struct {
	of     *Judgement
	value  float64
	half   float64 // how far rounding may shift the value
	doubts []string
}

// sum adds up a comparison.
func (p printedNumbers) sum(set *scores.Set, on scores.Number, j *Judgement) printedSum {
	s := printedSum{of: j}
	for _, t := range j.terms {
		s.value += t.Coefficient * set.Cell(t.System, on).Value
		id := t.System.Trials[0].ID
		s.half += math.Abs(t.Coefficient) * p.half[id]
		s.doubts = append(s.doubts, p.doubts[id]...)
	}
	return s
}

// lead returns the difference with the sign that makes it positive where the claim holds.
func (s printedSum) lead() float64 {
	s.of.Difference = s.value
	return s.of.lead()
}

// Words returns the verdict with the comparison that decides it.
func (a *Arithmetic) Words() string {
	if a.Decided == "" {
		return string(a.Verdict)
	}
	return fmt.Sprintf("%s (%s)", a.Verdict, a.Decided)
}

// Number prints the difference: points of a measure, or counts of data; "" if there is none.
func (a *Arithmetic) Number() string {
	if a.Difference == nil {
		return ""
	}
	if a.Claim.Study != "" {
		return words.Group(int(*a.Difference))
	}
	return words.Minus(words.Fixed(*a.Difference*a.Claim.scale(), 2))
}

// PrintedSection shows the verdicts of printed numbers on the claims of a file.
func PrintedSection(f *File, all []*Arithmetic, source string) section.Section {
	t := &table.Table{ID: "claims-printed", Title: "Verdicts of printed numbers",
		Caption: "Sums and differences ×100 of the means that " + source + " prints (for data: as printed), without a test: a printed mean has neither queries nor training runs. " +
			"If a claim has several comparisons, the least favourable one is shown and decides. A difference that rounding of the last digits could reverse is \"not shown\". " +
			"A printed size reproduces if it equals that of the printed numbers within their last digits. \"Stated\": no other printed number bears on the claimed one.",
		Columns: []table.Column{{Name: "claim"}, {Name: "where"}, {Name: "verdict"}, {Name: "difference", Number: true, Best: table.NoBest}, {Name: "size"}, {Name: "remarks"}}}
	for _, a := range all {
		row := []table.Entry{{Text: a.ID}, {Text: a.Claim.Where}, {Text: a.Words()}, {}, {Text: a.Size}, {Text: strings.Join(a.Notes, "; ")}}
		if a.Difference != nil {
			row[3] = table.Number(a.Number(), *a.Difference)
		}
		t.Rows = append(t.Rows, table.Row{Entries: row})
	}
	return section.Section{ID: "claims-on-print", Title: "Claims of " + f.Title, Tables: section.Listed(t)}
}
