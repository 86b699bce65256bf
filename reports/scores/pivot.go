package scores

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/runners/results"
)

// Keys of a record in addition to those of the trial's configuration.
const (
	keyExperiment = "experiment"
	KeySystem     = "system" // the label of the system
	KeyKind       = "kind"   // trained, baseline, null
	KeyTrial      = "trial"
	keyRealm      = "realm" // synthetic, real
	KeyBenchmark  = "benchmark"
	KeyTask       = "task"
	KeySide       = "side" // original or changed instruction; empty if queries have no pairs
	KeyMeasure    = "measure"
	KeyNumber     = "number"   // number on leaderboards: a task, or the name of a mean over several
	KeySelected   = "selected" // data that the configuration was picked on: validation, test; empty: not picked
)

func recordKeys() []string {
	return []string{KeyBenchmark, KeyTask, KeySide, KeyMeasure, KeyNumber, keyRealm, KeySystem, KeyVariant, KeyKind, KeyTrial, KeySelected, keyExperiment}
}

// Projection assigns keys of the flat records to tables, rows and columns. A key is one of
// the trial's configuration ("loss", "train.lr") or benchmark, task, side, measure,
// number, realm, system, variant, kind, trial, experiment. If number is among them, the
// records are those of leaderboards, including means over tasks; else they are those of
// every task.
type Projection struct {
	Table, Row, Col []string
	Filters         []Filter

	Present []string `json:"-"` // leave out records without these keys
}

// Filter keeps the records whose Key has one of the Values.
type Filter struct {
	Key    string
	Values []string
}

// ParseFilter parses "task=headline,negation".
func ParseFilter(text string) (Filter, error) {
	key, values, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return Filter{}, fmt.Errorf("filter %q: want key=value[,value...]", text)
	}
	f := Filter{Key: key, Values: splitValues(values)}
	if key == KeyMeasure {
		for i, name := range f.Values {
			f.Values[i] = metrics.Canonical(name)
		}
	}
	return f, nil
}

// splitValues splits at commas outside parentheses, so that uni(P,I) is one value.
func splitValues(text string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth <= 0 {
				out = append(out, text[start:i])
				start = i + 1
			}
		}
	}
	return append(out, text[start:])
}

// Grid is one table of a projection, before any formatting.
type Grid struct {
	Keys    []string // the keys of Table, RowKeys and ColKeys
	Table   []string // values of the table keys
	RowKeys []string
	ColKeys []string
	Rows    [][]string
	Cols    [][]string
	Cells   [][]Cell // by row, then column
	Hidden  []string // keys that a mean is taken over, as text
	Numbers bool     // the cells are numbers of leaderboards
	Notes   []string // how tasks were averaged, if it is not obvious
}

// Pivot projects all records of a view. Rows, columns and tables are in the order of the
// plan and of the first trial's values. It returns an error for unknown keys, and for
// cells that would mix measures, sides or realms.
func (v *Set) Pivot(p Projection) ([]*Grid, error) {
	if err := v.checkKeys(p); err != nil {
		return nil, err
	}
	b := &builder{apart: p.apart(), grids: map[string]*building{}}
	columns := v.recorded(p)
	axes := [3]*axis{newAxis(p.Table, len(columns)), newAxis(p.Row, len(columns)), newAxis(p.Col, len(columns))}
	for _, s := range v.Systems {
		for _, t := range s.Trials {
			for i, r := range columns {
				r.view, r.system, r.trial = v, s, t
				if t.Expects(r.slot) && r.passes(p.Filters) && r.has(p.Present) {
					if err := b.add(p, r, axes[0].of(r, i), axes[1].of(r, i), axes[2].of(r, i)); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return b.finish(), nil
}

// recorded returns the records of each trial: every slot, or the numbers of leaderboards.
func (v *Set) recorded(p Projection) []Record {
	var out []Record
	if !p.names(KeyNumber) {
		for _, at := range v.Slots {
			out = append(out, Record{slot: at})
		}
		return out
	}
	for _, name := range v.BenchmarkNames() {
		for _, c := range v.Columns(name).Main() {
			for _, at := range c.Slots() {
				out = append(out, Record{slot: at, number: &c})
			}
		}
	}
	return out
}

// names reports whether a projection has a key on an axis or in a filter.
func (p Projection) names(key string) bool {
	return slices.Contains(slices.Concat(p.Table, p.Row, p.Col), key) || slices.ContainsFunc(p.Filters, func(f Filter) bool { return f.Key == key })
}

// checkKeys rejects unknown keys and keys used twice.
func (v *Set) checkKeys(p Projection) error {
	known := v.Keys()
	axes := slices.Concat(p.Table, p.Row, p.Col)
	used := slices.Clone(axes)
	for _, f := range p.Filters {
		used = append(used, f.Key)
	}
	for _, key := range used {
		if !slices.Contains(known, key) {
			return nearest.Unknown("key", key, known)
		}
	}
	for i, key := range axes {
		if slices.Contains(axes[:i], key) {
			return fmt.Errorf("key %q is used on two axes", key)
		}
	}
	return nil
}

// Keys returns the keys for projections and filters: those of records and of all
// configurations.
func (v *Set) Keys() []string {
	configs := map[string]bool{}
	for _, k := range results.Keys() {
		configs[k.Name] = true
	}
	for _, t := range v.Trials {
		for key := range t.Config {
			configs[key] = true
		}
	}
	return append(recordKeys(), words.SortedKeys(configs)...)
}

// ValuesOf lists the records' values of a key, in the order of plan and slots.
func (v *Set) ValuesOf(key string) (values []string) {
	add := func(value string) {
		if value != "" {
			values = words.AddNew(values, value)
		}
	}
	records := v.recorded(Projection{Row: []string{key}})
	for _, s := range v.Systems {
		for _, t := range s.Trials {
			add(t.Config[key]) // also for trials without values
			for _, r := range records {
				r.view, r.system, r.trial = v, s, t
				add(r.get(key))
			}
		}
	}
	return values
}

// Record is one value of one trial and slot, seen as a set of keys.
type Record struct {
	view   *Set
	system *System
	trial  *Trial
	slot   Slot
	number *Number // the number that contains the slot; nil: the slot itself
}

// get returns the value of a key, empty if the record has none.
func (r Record) get(key string) string {
	switch key {
	case keyExperiment:
		return r.trial.Experiment
	case KeySystem:
		return r.system.Label
	case KeyKind:
		return string(r.system.Kind)
	case KeyVariant:
		return cmp.Or(r.system.Value(results.Loss), r.system.Value(results.Model), r.system.Model)
	case KeyTrial:
		return r.trial.ID
	case KeySelected:
		return r.trial.Selection.On
	case keyRealm:
		return string(r.view.Benchmarks[r.slot.Benchmark].Realm())
	case KeyBenchmark:
		return r.slot.Benchmark
	case KeyTask:
		return r.slot.Task
	case KeyNumber:
		return r.shown().Called()
	case KeySide:
		if r.number != nil {
			return r.number.Side
		}
		return r.slot.Side
	case KeyMeasure:
		if r.number != nil {
			return r.number.Measure
		}
		return r.slot.Measure
	}
	if said, ok := r.system.said[key]; ok {
		return said
	}
	return r.trial.Config[key]
}

// shown returns the number that the record belongs to.
func (r Record) shown() Number {
	if r.number != nil {
		return *r.number
	}
	return r.slot.Column()
}

func (r Record) passes(filters []Filter) bool {
	for _, f := range filters {
		if !slices.Contains(f.Values, r.get(f.Key)) && (r.system.said[f.Key] == "" || !slices.Contains(f.Values, r.trial.Config[f.Key])) {
			return false
		}
	}
	return true
}

// has reports whether the record has a value for each key.
func (r Record) has(keys []string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return r.get(key) == "" })
}

// tuple holds the values of the keys of an axis, and one text for all of them.
type tuple struct {
	values []string
	key    string
}

// axis computes the tuples of records. If its keys depend only on slots, it makes one
// tuple per slot; if they depend only on trials, one per trial. A large sweep has millions
// of records.
type axis struct {
	keys            []string
	bySlot, byTrial bool
	ofSlots         []tuple // by index; values is nil until first used
	ofTrial         tuple
	trial           *Trial
}

// newAxis returns an axis for that many slots.
func newAxis(keys []string, slots int) *axis {
	a := &axis{keys: keys, bySlot: true, byTrial: true, ofSlots: make([]tuple, slots)}
	for _, key := range keys {
		slot := slices.Contains([]string{KeyBenchmark, KeyTask, KeySide, KeyMeasure, KeyNumber, keyRealm}, key)
		a.bySlot, a.byTrial = a.bySlot && slot, a.byTrial && !slot
	}
	return a
}

// of returns the tuple of a record for the slot at index at.
func (a *axis) of(r Record, at int) tuple {
	switch {
	case a.bySlot && a.ofSlots[at].values != nil:
		return a.ofSlots[at]
	case a.byTrial && a.trial == r.trial:
		return a.ofTrial
	}
	values := make([]string, len(a.keys))
	for i, key := range a.keys {
		values[i] = r.get(key)
	}
	t := tuple{values, words.Joined(values)}
	a.ofSlots[at], a.ofTrial, a.trial = t, t, r.trial
	return t
}

// builder collects records into cells.
type builder struct {
	apart []string // keys that must have one value in a cell
	grids map[string]*building
	order []*building
}

// building is a grid under construction, with the records of its cells by row and column.
type building struct {
	*Grid
	rows, cols map[string]int
	cells      map[[2]int]*gathered
}

func (b *builder) add(p Projection, r Record, table, row, col tuple) error {
	g := b.grids[table.key]
	if g == nil {
		g = &building{&Grid{Keys: slices.Concat(p.Table, p.Row, p.Col), Table: table.values, RowKeys: p.Row, ColKeys: p.Col, Numbers: r.number != nil},
			map[string]int{}, map[string]int{}, map[[2]int]*gathered{}}
		b.grids[table.key] = g
		b.order = append(b.order, g)
	}
	place := [2]int{placed(&g.Rows, g.rows, row), placed(&g.Cols, g.cols, col)}
	cell := g.cells[place]
	if cell == nil {
		cell = &gathered{}
		g.cells[place] = cell
	}
	if len(cell.records) > 0 {
		for _, k := range b.apart {
			if one, other := cell.records[0].get(k), r.get(k); one != other {
				return fmt.Errorf("a cell would average the %ss %q and %q; put %s on an axis or filter by it", k, one, other, k)
			}
		}
	}
	cell.records = append(cell.records, r)
	return nil
}

// placed returns the index of a tuple in a list, and adds it if it is new.
func placed(list *[][]string, places map[string]int, t tuple) int {
	at, known := places[t.key]
	if !known {
		at = len(*list)
		places[t.key] = at
		*list = append(*list, t.values)
	}
	return at
}

// apart returns the keys that must have one value in a cell.
func (p Projection) apart() []string {
	keys := []string{KeyMeasure, KeySide, keyRealm}
	if p.names(KeyNumber) {
		keys = append(keys, KeyNumber)
	}
	return keys
}

func (b *builder) finish() []*Grid {
	var out []*Grid
	for _, g := range b.order {
		var inGrid []*gathered
		above := make([]*gathered, len(g.Cols)) // the last cell of each column
		for i := range g.Rows {
			cells := make([]Cell, len(g.Cols))
			for j := range g.Cols {
				in := g.cells[[2]int{i, j}]
				if in == nil {
					cells[j] = Cell{State: Unplanned}
					continue
				}
				in.project(above[j])
				cells[j], above[j] = in.cell(), in
				inGrid = append(inGrid, in)
			}
			g.Cells = append(g.Cells, cells)
		}
		g.Hidden = hidden(g.Keys, inGrid)
		for _, in := range inGrid {
			for _, note := range MeansNotes(in.records[0].view, []Number{in.on}) {
				g.Notes = words.AddNew(g.Notes, note)
			}
		}
		g.markPicked()
		out = append(out, g.Grid)
	}
	return out
}

// hidden lists the keys that the cells of a grid average over: always queries, and every
// key with more than one value within a cell.
func hidden(shown []string, cells []*gathered) []string {
	known := map[string]bool{KeyBenchmark: true, keyExperiment: true}
	for _, g := range cells {
		if g.records[0].number == nil {
			known[KeyTask] = true
		}
		for _, t := range g.trials() {
			for key := range t.Config {
				known[key] = true
			}
		}
	}
	out := []string{"queries"}
	for _, key := range words.SortedKeys(known) {
		if slices.Contains(shown, key) {
			continue
		}
		most := 0
		for _, g := range cells {
			if key != KeyTask || g.records[0].number == nil {
				most = max(most, g.distinct(key))
			}
		}
		if most > 1 {
			out = append(out, fmt.Sprintf("%s (%d values)", key, most))
		}
	}
	return out
}

// distinct counts the values of a key among the records of a cell.
func (g *gathered) distinct(key string) int {
	first, several := g.records[0].get(key), false
	for i := range g.records[1:] {
		several = several || g.records[i+1].get(key) != first
	}
	if !several {
		return 1
	}
	values := map[string]bool{}
	for _, r := range g.records {
		values[r.get(key)] = true
	}
	return len(values)
}

// KeyVariant is the treatment of a backbone: the loss it was trained with, or the name of
// an untrained model.
const KeyVariant = "variant"
