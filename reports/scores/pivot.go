package scores

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/metrics/nearest"
	"infbench/reports/words"
)

// Keys of a record beside those of the trial's configuration.
const (
	keyExperiment = "experiment"
	KeySystem     = "system" // the label that tells a system from its neighbours
	KeyKind       = "kind"   // trained, baseline, null
	KeyTrial      = "trial"
	keyRealm      = "realm" // synthetic, real
	KeyBenchmark  = "benchmark"
	KeyTask       = "task"
	KeySide       = "side" // original or changed instruction, empty outside pairs
	KeyMeasure    = "measure"
	KeyNumber     = "number"   // what leaderboards show: a task, or the name of a mean over several
	KeySelected   = "selected" // on what the configuration was picked: validation, test; empty: it was not
)

func recordKeys() []string {
	return []string{KeyBenchmark, KeyTask, KeySide, KeyMeasure, KeyNumber, keyRealm, KeySystem, KeyVariant, KeyKind, KeyTrial, KeySelected, keyExperiment}
}

// Projection says which keys of the flat records become tables, rows and
// columns. A key is one of the trial's configuration ("loss", "train.lr") or
// benchmark, task, side, measure, number, realm, system, variant, kind, trial,
// experiment. Where one of them is number the records are of what leaderboards show,
// means over tasks among it, else of every task.
type Projection struct {
	Table, Row, Col []string
	Filters         []Filter

	Present []string `json:"-"` // keys without which a record is left out
}

// Filter keeps the records whose Key has one of the Values.
type Filter struct {
	Key    string
	Values []string
}

// ParseFilter reads "task=headline,negation".
func ParseFilter(text string) (Filter, error) {
	key, values, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return Filter{}, fmt.Errorf("filter %q: want key=value[,value...]", text)
	}
	return Filter{Key: key, Values: splitValues(values)}, nil
}

// splitValues cuts at commas outside parentheses, so that uni(P,I) is one value.
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
	Keys    []string // what Table, RowKeys and ColKeys name
	Table   []string // values of the table keys
	RowKeys []string
	ColKeys []string
	Rows    [][]string
	Cols    [][]string
	Cells   [][]Cell // by row, then column
	Hidden  []string // what a mean is taken over, in words
	Numbers bool     // cells are what leaderboards show
	Notes   []string // how tasks were averaged, where that is not plain
}

// Pivot projects all records of a view. Rows, columns and tables come in the
// order of the plan and of the first trial's values. It fails on unknown keys
// and where a cell would mix measures, sides or realms.
func (v *Set) Pivot(p Projection) ([]*Grid, error) {
	if err := v.checkKeys(p); err != nil {
		return nil, err
	}
	b := &builder{projection: p, grids: map[string]*Grid{}, cells: map[string]*gathered{}, seen: map[string]bool{}}
	columns := v.recorded(p)
	for _, s := range v.Systems {
		for _, t := range s.Trials {
			for _, r := range columns {
				r.view, r.system, r.trial = v, s, t
				if v.Expects(t, r.slot) && r.passes(p.Filters) && r.has(p.Present) {
					if err := b.add(r); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return b.finish(), nil
}

// recorded lists what there are records of for each trial: every slot, or those of
// what leaderboards show.
func (v *Set) recorded(p Projection) []Record {
	var out []Record
	if !p.names(KeyNumber) {
		for _, at := range v.Slots {
			out = append(out, Record{slot: at})
		}
		return out
	}
	for _, name := range v.BenchmarkNames() {
		for _, c := range v.MainColumns(name) {
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

// checkKeys refuses keys that neither a record has nor a setting is called by, and
// keys used twice.
func (v *Set) checkKeys(p Projection) error {
	known := recordKeys()
	configs := map[string]bool{}
	for _, k := range results.Keys() {
		configs[k.Name] = true
	}
	for _, t := range v.Trials {
		for key := range t.Config {
			configs[key] = true
		}
	}
	known = append(known, words.SortedKeys(configs)...)
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

// Record is one value of one trial and slot, seen as a set of keys.
type Record struct {
	view   *Set
	system *System
	trial  *Trial
	slot   Slot
	number *Number // that the slot is a part of; nil: the slot itself
}

// get returns the value of a key, empty where the record has none.
func (r Record) get(key string) string {
	switch key {
	case keyExperiment:
		return r.trial.Experiment
	case KeySystem:
		return r.system.Label
	case KeyKind:
		return string(r.system.Kind)
	case KeyVariant:
		return cmp.Or(r.system.Loss, r.system.Model)
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
	return r.trial.Config[key]
}

// shown is the number that a record is of.
func (r Record) shown() Number {
	if r.number != nil {
		return *r.number
	}
	return r.slot.Column()
}

func (r Record) tuple(keys []string) []string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = r.get(key)
	}
	return out
}

func (r Record) passes(filters []Filter) bool {
	for _, f := range filters {
		if !slices.Contains(f.Values, r.get(f.Key)) {
			return false
		}
	}
	return true
}

// has reports whether the record has a value of each key.
func (r Record) has(keys []string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return r.get(key) == "" })
}

// builder collects records into cells.
type builder struct {
	projection Projection
	grids      map[string]*Grid
	order      []*Grid
	cells      map[string]*gathered
	seen       map[string]bool // rows and columns of each grid
}

func (b *builder) add(r Record) error {
	p := b.projection
	table, row, col := r.tuple(p.Table), r.tuple(p.Row), r.tuple(p.Col)
	g := b.grids[words.Joined(table)]
	if g == nil {
		g = &Grid{Keys: slices.Concat(p.Table, p.Row, p.Col), Table: table, RowKeys: p.Row, ColKeys: p.Col, Numbers: r.number != nil}
		b.grids[words.Joined(table)] = g
		b.order = append(b.order, g)
	}
	if key := words.Joined(table, row) + "row"; !b.seen[key] {
		b.seen[key] = true
		g.Rows = append(g.Rows, row)
	}
	if key := words.Joined(table, col) + "column"; !b.seen[key] {
		b.seen[key] = true
		g.Cols = append(g.Cols, col)
	}
	key := words.Joined(table, row, col)
	cell := b.cells[key]
	if cell == nil {
		cell = &gathered{}
		b.cells[key] = cell
	}
	if len(cell.records) > 0 {
		for _, k := range b.apart() {
			if one, other := cell.records[0].get(k), r.get(k); one != other {
				return fmt.Errorf("a cell would average the %ss %q and %q; put %s on an axis or filter by it", k, one, other, k)
			}
		}
	}
	cell.records = append(cell.records, r)
	return nil
}

// apart are the keys of which a cell never holds two values.
func (b *builder) apart() []string {
	keys := []string{KeyMeasure, KeySide, keyRealm}
	if b.projection.names(KeyNumber) {
		keys = append(keys, KeyNumber)
	}
	return keys
}

func (b *builder) finish() []*Grid {
	for _, g := range b.order {
		var inGrid []*gathered
		for _, row := range g.Rows {
			cells := make([]Cell, len(g.Cols))
			for j, col := range g.Cols {
				in := b.cells[words.Joined(g.Table, row, col)]
				if in == nil {
					cells[j] = Cell{State: Unplanned}
					continue
				}
				in.project()
				cells[j] = in.cell()
				inGrid = append(inGrid, in)
			}
			g.Cells = append(g.Cells, cells)
		}
		g.Hidden = hidden(g.Keys, inGrid)
		for _, in := range inGrid {
			for _, note := range in.records[0].view.MeansNotes([]Number{in.on}) {
				g.Notes = words.AddNew(g.Notes, note)
			}
		}
		b.markPicked(g)
	}
	return b.order
}

// hidden names what the cells of a grid average over: always queries, and every
// key with more than one value inside a single cell.
func hidden(shown []string, cells []*gathered) []string {
	most := map[string]int{}
	for _, g := range cells {
		keys := []string{KeyBenchmark, keyExperiment}
		if g.records[0].number == nil {
			keys = append(keys, KeyTask)
		}
		for _, r := range g.records {
			keys = append(keys, words.SortedKeys(r.trial.Config)...)
		}
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			if slices.Contains(shown, key) {
				continue
			}
			distinct := map[string]bool{}
			for _, r := range g.records {
				distinct[r.get(key)] = true
			}
			most[key] = max(most[key], len(distinct))
		}
	}
	out := []string{"queries"}
	for _, key := range words.SortedKeys(most) {
		if most[key] > 1 {
			out = append(out, fmt.Sprintf("%s (%d values)", key, most[key]))
		}
	}
	return out
}

// KeyVariant is what was done to a backbone: the loss it was trained with, or the
// name of a model that was not.
const KeyVariant = "variant"
