package claims

import (
	"fmt"
	"math"
	"strings"

	"infbench/internal/words"
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
	Size       string   `json:"size,omitempty"` // whether a printed size is that of the numbers
	Notes      []string `json:"notes"`
}

// NotPrinted is the verdict on a claim whose numbers the paper does not print.
const NotPrinted Verdict = "not printed"

// OnPrinted holds the claims of a file to the numbers that a collection prints.
func OnPrinted(f *File, c *published.Collection) ([]*Arithmetic, error) {
	var out []*Arithmetic
	for _, claim := range f.Claims {
		a := &Arithmetic{Claim: claim, ID: claim.ID, Says: claim.Says, Verdict: NotPrinted, Notes: []string{}}
		if out = append(out, a); claim.Study != "" {
			continue
		}
		p := printedRows(claim, c)
		set, err := scores.New([]*results.Experiment{p.experiment})
		if err != nil {
			return nil, err
		}
		a.hold(set, p)
	}
	return out, nil
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

// printedRows gathers them. Of two tables that print one row the first stands.
func printedRows(claim *Claim, c *published.Collection) printedNumbers {
	out := printedNumbers{&results.Experiment{Name: "printed"}, claim.printedSlot(), map[string]float64{}, map[string][]string{}}
	rows, order := map[string][]*published.Cell{}, []string(nil)
	for i := range c.Cells {
		cell := &c.Cells[i]
		key := words.Joined([]string{cell.Source, cell.Model, cell.Config})
		order = words.AddNew(order, key)
		rows[key] = append(rows[key], cell)
	}
	seen := map[string]string{} // trial by configuration
	for _, key := range order {
		value, half, doubts, ok := claim.printedIn(rows[key])
		config, best := rows[key][0].Settings()
		var parts []string
		for _, k := range words.SortedKeys(config) {
			parts = append(parts, k, config[k])
		}
		id := words.Joined(parts)
		switch first := seen[id]; {
		case first != "":
			out.doubts[first] = append(out.doubts[first], doubts...)
		case ok:
			t := results.Trial{ID: fmt.Sprint("row ", len(out.experiment.Trials)+1), State: results.Done, Config: config,
				Results: []results.Result{{Benchmark: out.on.Benchmark, Task: out.on.Task, Measure: out.on.Measure, Value: &value, Aggregate: true}}}
			if best {
				t.Selection.On = "validation" // the paper's pick stands for one that is none of the test
			}
			out.experiment.Trials = append(out.experiment.Trials, t)
			seen[id], out.half[t.ID], out.doubts[t.ID] = t.ID, half, doubts
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

// hold works out what the rows say of a claim.
func (a *Arithmetic) hold(set *scores.Set, p printedNumbers) {
	on := p.on.Column()
	j := a.Claim.ofSystems(set, on)
	decisive, half := j, 0.0
	var value float64
	all := j.rivals
	if len(all) == 0 {
		all = []*Judgement{j}
	}
	for i, one := range all {
		sum, error, doubts := p.sum(set, on, one)
		for _, d := range doubts {
			a.Notes = words.AddNew(a.Notes, d)
		}
		if i == 0 || one.lead(sum) < one.lead(value) {
			decisive, value, half = one, sum, error
		}
	}
	if len(j.Missing) > 0 || len(decisive.terms) == 0 {
		a.Notes = nil
		for _, m := range j.Missing {
			a.Notes = words.AddNew(a.Notes, "not printed: "+m)
		}
		return
	}
	a.judge(decisive, value, half)
}

// judge says on which side the numbers lie, and whether a printed size is theirs.
func (a *Arithmetic) judge(j *Judgement, value, half float64) {
	a.Difference, a.Verdict = &value, Reversed
	away := value - a.Claim.zero()
	switch {
	case a.Claim.Test == Equal && math.Abs(away) <= a.Claim.Margin, a.Claim.Test != Equal && j.lead(away) > 0:
		a.Verdict = Holds
	}
	if j.Rival != "" && a.Verdict == Reversed {
		a.Notes = append(a.Notes, "printed as better: "+j.Rival)
	}
	if printed := a.Claim.Printed; printed != nil {
		a.Size = "reproduces " + printed.Text
		if math.Abs(value-printed.Value) > half+printed.Half+1e-12 {
			a.Size = "is not " + printed.Text
		}
	}
}

// sum is the difference of a comparison as printed, with how far rounding may move it.
func (p printedNumbers) sum(set *scores.Set, on scores.Number, j *Judgement) (value, half float64, doubts []string) {
	for _, t := range j.terms {
		value += t.Coefficient * set.Cell(t.System, on).Value
		id := t.System.Trials[0].ID
		half += math.Abs(t.Coefficient) * p.half[id]
		doubts = append(doubts, p.doubts[id]...)
	}
	return value, half, doubts
}

// PrintedSection shows what printed numbers say of the claims of a file.
func PrintedSection(f *File, all []*Arithmetic, source string) section.Section {
	t := &table.Table{ID: "claims-printed", Title: "What printed numbers say",
		Caption: "Sums and differences ×100 of the means that " + source + " prints, and no test: of a printed mean neither queries nor training runs are known. " +
			"A printed size reproduces where it is that of the printed numbers within their last digits.",
		Columns: []table.Column{{Name: "claim"}, {Name: "where"}, {Name: "printed numbers say"}, {Name: "difference", Number: true, Best: table.NoBest}, {Name: "size"}, {Name: "to know"}}}
	for _, a := range all {
		row := []table.Entry{{Text: a.ID}, {Text: a.Claim.Where}, {Text: string(a.Verdict)}, {}, {Text: a.Size}, {Text: strings.Join(a.Notes, "; ")}}
		if a.Difference != nil {
			row[3] = table.Number(words.Minus(words.Fixed(100**a.Difference, 2)), *a.Difference)
		}
		t.Rows = append(t.Rows, table.Row{Entries: row})
	}
	return section.Section{ID: "claims-on-print", Title: "Claims of " + f.Title, Tables: section.Listed(t)}
}
