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

// Arithmetic is what the numbers that a paper prints say of one of its claims: sums and
// differences, and no test, since a printed mean has neither queries nor runs.
type Arithmetic struct {
	Claim      *Claim   `json:"-"`
	ID         string   `json:"id"`
	Says       string   `json:"says"`
	Verdict    Verdict  `json:"printed_numbers_say"` // NotPrinted where the paper does not print what it takes
	Difference *float64 `json:"difference"`
	Decided    string   `json:"decided_by,omitempty"` // the least favourable of several comparisons
	Size       string   `json:"size,omitempty"`       // whether a printed size is that of the numbers
	Notes      []string `json:"notes"`
}

// Verdicts on claims of which printed numbers decide nothing: the paper does not print what
// it takes, or nothing but the number that the claim states.
const (
	NotPrinted Verdict = "not printed"
	Stated     Verdict = "stated"
)

// OnPrinted holds the claims of a file to the numbers that a collection prints.
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

// onData holds a claim on data to what is printed of it elsewhere than where the claim
// stands: a number is no evidence for itself.
func (a *Arithmetic) onData(all []published.DataNumber) {
	c := a.Claim
	all = slices.DeleteFunc(all, func(n published.DataNumber) bool {
		f := Figure{Kind: "data", Name: n.Name, File: n.Name}
		return c.Study != f.Kind || c.Than == nil || n.Measure != c.Measure || slices.ContainsFunc(c.Pairs[0].System, func(k Key) bool { return !f.has(k) })
	})
	i := slices.IndexFunc(all, func(n published.DataNumber) bool { return !strings.Contains(c.Where, n.Where) })
	switch {
	case len(all) == 0:
		a.Notes = append(a.Notes, "no number is printed")
	case i < 0:
		a.Verdict = Stated
		a.Notes = append(a.Notes, "nothing else that is printed follows from it, or gives it")
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

// onSystems holds a claim on systems to the rows of a collection.
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
	half       map[string]float64  // by trial, of the last digit printed
	doubts     map[string][]string // by trial
}

// printedSlot is where the printed numbers of a claim stand: under its measure, or one
// that a mean over several measures is of.
func (c *Claim) printedSlot() scores.Slot {
	at := scores.Slot{Benchmark: "printed", Task: scores.HeadlineTask, Measure: c.Measure}
	if m := c.mean(); m != nil {
		at.Measure = m.Parts[0].Measure
	}
	return at
}

// printedRows gathers them. Of two tables that print one row the first stands, and of two
// revisions of a model with a note.
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
	revision := map[string]string{} // of the model, by trial
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
			out.doubts[first] = words.AddNew(out.doubts[first], fmt.Sprintf("%s is published at several revisions, and %s is taken", rows[key][0].Model, words.Shorten(revision[first])))
		case first != "":
			out.doubts[first] = append(out.doubts[first], doubts...)
		case ok:
			t := results.Trial{ID: fmt.Sprint("row ", len(out.experiment.Trials)+1), State: results.Done, Config: config,
				Results: []results.Result{{Benchmark: out.on.Benchmark, Task: out.on.Task, Measure: out.on.Measure, Value: &value, Aggregate: true}}}
			if best {
				t.Selection.On = "validation" // the paper's pick stands for one that is none of the test
			}
			out.experiment.Trials = append(out.experiment.Trials, t)
			seen[id], revision[t.ID], out.half[t.ID], out.doubts[t.ID] = t.ID, rows[key][0].Revision, half, doubts
		}
	}
	return out
}

// printedIn finds the number of a claim in a row of a table: a mean that is printed, or
// that of its parts.
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

// cellOf finds a number of a row that means that of a benchmark: of the same judgments.
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

// hold works out what the rows say of a claim: what they say of the comparison in which it
// stands worst.
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

// judge says on which side the numbers lie, and whether a printed size is theirs.
func (a *Arithmetic) judge(s printedSum) {
	a.Difference = &s.value
	const exact = 1e-12 // of numbers that all digits are there of
	switch lead := s.lead(); {
	case lead > s.half+exact, a.Claim.Test == Equal && lead > s.half-exact:
		a.Verdict = Holds
	case lead < -s.half-exact:
		a.Verdict = Reversed
	default:
		a.Verdict = NotShown
		a.Notes = append(a.Notes, "the digits that are printed leave it open")
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
	half   float64 // how far rounding may move it
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

// lead is how far it lies to the side that the claim says.
func (s printedSum) lead() float64 {
	s.of.Difference = s.value
	return s.of.lead()
}

// Words is the verdict with the comparison that decides it.
func (a *Arithmetic) Words() string {
	if a.Decided == "" {
		return string(a.Verdict)
	}
	return fmt.Sprintf("%s (%s)", a.Verdict, a.Decided)
}

// Number prints what the numbers give: points of systems, counts of data; "" where they
// give nothing.
func (a *Arithmetic) Number() string {
	if a.Difference == nil {
		return ""
	}
	if a.Claim.Study != "" {
		return words.Group(int(*a.Difference))
	}
	return words.Minus(words.Fixed(*a.Difference*a.Claim.scale(), 2))
}

// PrintedSection shows what printed numbers say of the claims of a file.
func PrintedSection(f *File, all []*Arithmetic, source string) section.Section {
	t := &table.Table{ID: "claims-printed", Title: "What printed numbers say",
		Caption: "Sums and differences ×100 of the means that " + source + " prints (of data: numbers as they are), and no test: of a printed mean neither queries nor training runs are known. " +
			"Where a claim is of several comparisons the least favourable one is shown and decides. What rounding of the last digits could turn round is not shown. " +
			"A printed size reproduces where it is that of the printed numbers within their last digits. Stated is a number that nothing else printed bears on.",
		Columns: []table.Column{{Name: "claim"}, {Name: "where"}, {Name: "printed numbers say"}, {Name: "difference", Number: true, Best: table.NoBest}, {Name: "size"}, {Name: "to know"}}}
	for _, a := range all {
		row := []table.Entry{{Text: a.ID}, {Text: a.Claim.Where}, {Text: a.Words()}, {}, {Text: a.Size}, {Text: strings.Join(a.Notes, "; ")}}
		if a.Difference != nil {
			row[3] = table.Number(a.Number(), *a.Difference)
		}
		t.Rows = append(t.Rows, table.Row{Entries: row})
	}
	return section.Section{ID: "claims-on-print", Title: "Claims of " + f.Title, Tables: section.Listed(t)}
}
