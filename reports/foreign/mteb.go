package foreign

import (
	"fmt"
	"slices"
	"strings"

	"infbench/reports/published"
)

// mtebResults are result files of MTEB: one file, or a folder or archive of them. They have means
// only.
type mtebResults struct{}

// Name implements reader.
func (mtebResults) Name() string { return "mteb" }

// Recognises implements reader.
func (mtebResults) Recognises(head []byte) bool {
	keys, _ := outline(head)
	has := func(key string) bool { return slices.Contains(keys, key) }
	return has("mteb_dataset_name") || has("task_name") || has("mteb_version") || has("dataset_revision") && has("scores")
}

// pairMeasure compares the two instructions.
const pairMeasure = "p-MRR"

// Read implements reader. For each task it keeps the score, p-MRR, the score of the changed
// instructions, and the measures of the options.
func (mtebResults) Read(path string, o Options) ([]System, []string, error) {
	c, err := published.ReadMTEB(path)
	if err != nil {
		return nil, nil, err
	}
	main := map[string]string{}
	for i := range c.Cells {
		if c.Cells[i].Main {
			main[c.Cells[i].Task] = c.Cells[i].Measure
		}
	}
	b := mtebBuilder{systems: map[[2]string]*System{}}
	for i := range c.Cells {
		cell := &c.Cells[i]
		if cell.Main || cell.Measure == pairMeasure || cell.Side == "changed" && cell.Measure == main[cell.Task] || slices.Contains(o.Measures, cell.Measure) {
			b.add(cell)
		}
	}
	warnings := slices.Clone(c.Doubts)
	for _, m := range c.Missing {
		warnings = append(warnings, fmt.Sprintf("%s: %s", m.File, m.Reason))
	}
	var systems []System
	for _, s := range b.order {
		others := slices.Clone(s.Tasks) // splits that do not count come last on boards
		s.Tasks = slices.DeleteFunc(s.Tasks, func(t Task) bool { return !published.Evaluates(t.Name, t.Split) })
		s.Tasks = append(s.Tasks, slices.DeleteFunc(others, func(t Task) bool { return published.Evaluates(t.Name, t.Split) })...)
		systems = append(systems, *s)
	}
	return systems, append(warnings, b.warnings...), nil
}

// mtebBuilder groups cells by system and task.
type mtebBuilder struct {
	systems  map[[2]string]*System
	order    []*System
	warnings []string
}

// add adds a cell.
func (b *mtebBuilder) add(c *published.Cell) {
	value := Value{Measure: c.Measure, Side: c.Side, Mean: true, Value: c.Value}
	if c.Measure == pairMeasure {
		switch c.Conventions.Ties {
		case published.TiesByInsertion:
			value.Measure = "p-MRR(ties='insertion')"
		case published.TiesByID:
		default:
			b.warnings = append(b.warnings, c.File+": left out p-MRR: the file does not state the version of mteb, and so not how ties were ranked")
			return
		}
	}
	key := [2]string{c.Model, c.Revision}
	s := b.systems[key]
	if s == nil {
		s = &System{Model: c.Model, Revision: c.Revision}
		b.systems[key] = s
		b.order = append(b.order, s)
	}
	part := partOf(c.Split, c.Subset)
	swapped := c.Side != "" && c.Conventions.Qrels != c.Side
	i := slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Name == c.Task && t.Part == part })
	if i < 0 {
		i = len(s.Tasks)
		s.Tasks = append(s.Tasks, Task{Name: c.Task, Part: part, Split: c.Split, Revision: c.Data, Swapped: oldPairs(c)})
	}
	s.Tasks[i].Swapped = s.Tasks[i].Swapped || swapped
	s.Tasks[i].Values = append(s.Tasks[i].Values, value)
}

// oldPairs reports whether a p-MRR without scores of its task comes from a version that exchanged
// the judgments, so that it belongs to the swapped data.
func oldPairs(c *published.Cell) bool {
	return c.Measure == pairMeasure && strings.HasPrefix(c.Conventions.Version, "mteb 1.")
}
