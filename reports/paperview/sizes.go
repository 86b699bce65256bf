package paperview

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/beside"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// sizeGroups are the headings of the paper's Table 5, with the number of parameters below
// which a model that is not in the table belongs to the group.
var sizeGroups = []struct {
	heading string
	below   int64
}{
	{"Base Size: < 1B parameters", 1e9},
	{"Large Size: 1-5B parameters", 5e9},
	{"XL Size and Proprietary LLMs: >5B parameters (for reference)", math.MaxInt64},
}

// wholeBenchmarks are the columns of Table 5 by which a model is ranked; those of single
// tasks are not used.
var wholeBenchmarks = []string{"FollowIR", "MAIR-5"}

// sizes is the paper's Figure 5: the rank of each model among those of its size. Sizes are
// from Table 5, for other models from the weights or MTEB's descriptions. A trained model
// is the pick of its backbone or, if nothing was picked, every system trained from it.
func (b *builder) sizes() ([]section.Section, error) {
	places := b.otherBaselines(b.ofBaselines())
	picks := map[string]bool{}
	for _, s := range b.set.Trained() {
		picks[backbone(s)] = picks[backbone(s)] || s.Picked().On != ""
	}
	shown := systemsOf(places)
	for _, s := range b.set.Trained() {
		if !slices.Contains(shown, s) && (s.Picked().On != "" || !picks[backbone(s)]) {
			places = placed(places, place{group: otherGroup, labels: []string{words.Clean(s.Label)}}, "", s)
		}
	}
	b.noteLeftOut(systemsOf(places))
	parameters := b.set.Parameters()
	for i := range places {
		if p := &places[i]; p.group == otherGroup {
			for _, s := range p.of[""] {
				if group := b.sizeGroup(s, parameters[s]); group != "" {
					p.group, p.class = group, group
				}
			}
		}
	}
	slices.SortStableFunc(places, func(x, y place) int { return groupAt(x.group) - groupAt(y.group) })
	return b.ownSections(places, nil)
}

// sizeGroup returns the heading for a system with that many parameters; "" if its size is
// not known. A service with unknown size belongs to the proprietary models.
func (b *builder) sizeGroup(s *scores.System, parameters int64) string {
	closed := false
	if s.Kind != table.Trained && s.Model != contrast.DefaultReference || parameters == 0 {
		for _, name := range beside.Identities(s, b.Repositories) {
			if f, ok := published.FactsOf(name); ok && parameters == 0 {
				parameters, closed = f.Parameters, f.Closed
			}
		}
	}
	for _, g := range sizeGroups {
		if parameters > 0 && parameters < g.below {
			return g.heading
		}
	}
	if closed {
		return sizeGroups[len(sizeGroups)-1].heading
	}
	return ""
}

// groupAt returns the index of a group among the sizes, -1 if it is not one of them.
func groupAt(group string) int {
	for i, g := range sizeGroups {
		if g.heading == group {
			return i
		}
	}
	return -1
}

// ranked keeps the columns of complete benchmarks and adds the rank after each number: 1 +
// the number of better models of the same size, with = if another model has the same
// number. Lines are sorted by their rank in p-MRR or, without it, in the first column.
// Lines without a size or a number are left out.
func (g grid) ranked() grid {
	out := g
	out.columns, out.lines, out.notes = nil, nil, slices.Clone(g.notes)
	by := column{}
	for _, c := range g.columns {
		if !c.own && !slices.Contains(wholeBenchmarks, c.dataset) {
			continue
		}
		rank := c
		rank.rank = true
		if out.columns = append(out.columns, c, rank); !by.rank || metrics.IsShift(c.metric) && !metrics.IsShift(by.metric) {
			by = rank
		}
	}
	var unsized []string
	for _, l := range g.lines {
		switch l.entries = maps.Clone(l.entries); {
		case !slices.ContainsFunc(out.columns, func(c column) bool { return l.entries[c].Sort != nil }):
		case groupAt(l.group) < 0:
			unsized = words.AddNew(unsized, l.labels[0])
		default:
			out.lines = append(out.lines, l)
		}
	}
	for _, c := range out.columns {
		if c.rank {
			out.rank(c)
		}
	}
	place := func(l line) float64 {
		if e := l.entries[by]; e.Sort != nil {
			return *e.Sort
		}
		return math.Inf(1)
	}
	slices.SortStableFunc(out.lines, func(x, y line) int {
		if d := groupAt(x.group) - groupAt(y.group); d != 0 {
			return d
		}
		return stats.Compare(min(place(x), math.MaxInt32), min(place(y), math.MaxInt32))
	})
	out.notes = append(out.notes, "A rank is 1 + the number of models of the same size with a better number; = if another has the same. Sizes are those of the paper's Table 5. Nothing is tested.")
	if len(unsized) > 0 {
		out.notes = append(out.notes, "Not ranked, because no size is known: "+words.Listed(unsized)+".")
	}
	return out
}

// rank fills in a column of ranks.
func (g grid) rank(c column) {
	of := c
	of.rank = false
	better := of.head(false).Best
	rankable := func(e table.Entry) bool {
		return e.Sort != nil && !e.Claimed && !strings.ContainsAny(e.Text, words.PartialMark+words.AggregateMark)
	}
	for _, l := range g.lines {
		e := l.entries[of]
		if l.entries[c] = lacking(); !rankable(e) {
			continue
		}
		rank, all, same := 1, 0, 0
		for _, other := range g.lines {
			o := other.entries[of]
			if other.group != l.group || !rankable(o) {
				continue
			}
			all++
			switch stats.Compare(*o.Sort, *e.Sort) {
			case 0:
				same++
			default:
				if better.Better(*o.Sort, *e.Sort) {
					rank++
				}
			}
		}
		text := fmt.Sprint(rank)
		if same > 1 {
			text += "="
		}
		l.entries[c] = table.Number(fmt.Sprintf("%s of %d", text, all), float64(rank))
	}
}

// gridOf arranges figures side by side if there are any.
func gridOf(figures []*chart.Figure) section.Grid {
	if len(figures) == 0 {
		return section.Grid("")
	}
	return section.Paired
}

// rankFigures draws the ranks for each size: a row for each model, a mark for each number.
func (g grid) rankFigures(id string) ([]*chart.Figure, error) {
	if !g.ranks {
		return nil, nil
	}
	shapes := []chart.Shape{chart.Circle, chart.Diamond, chart.Triangle}
	var figures []*chart.Figure
	for i, size := range sizeGroups {
		f := &chart.Figure{ID: fmt.Sprintf("%s-ranks-%d", id, i+1), Title: "Ranks, " + words.Clean(size.heading), Caption: "The rank of each model among those of its size; 1 is the best.",
			X: chart.Axis{Title: "rank"}, Table: &table.Table{Title: "Ranks, " + words.Clean(size.heading), Columns: slices.Clone(g.labels)}}
		f.Table.ID = f.ID + "-table"
		for _, c := range g.columns {
			if !c.rank {
				continue
			}
			k := len(f.Marks)
			c.rank = false
			name := c.head(false).Flat()
			f.Marks = append(f.Marks, chart.Mark{Shape: shapes[k%len(shapes)], Name: name, Colour: chart.Series[k%len(chart.Series)]})
			f.Table.Columns = append(f.Table.Columns, table.Column{Name: name, Number: true, Best: table.NoBest})
		}
		for _, l := range g.lines {
			if l.group != size.heading {
				continue
			}
			row := table.Row{Entries: []table.Entry{{Text: l.labels[0]}}}
			k := 0
			for _, c := range g.columns {
				if !c.rank {
					continue
				}
				e := l.entries[c]
				if row.Entries = append(row.Entries, e); e.Sort != nil {
					f.Marks[k].Data = append(f.Marks[k].Data, chart.Datum{X: *e.Sort, Y: float64(len(f.Y.Names)), Tip: l.labels[0] + "\n" + f.Marks[k].Name + ": " + e.Text})
				}
				k++
			}
			f.Y.Names, f.Table.Rows = append(f.Y.Names, l.labels[0]), append(f.Table.Rows, row)
		}
		if len(f.Y.Names) < 2 {
			continue
		}
		f.Height = 70 + 26*len(f.Y.Names)
		f.Alt = fmt.Sprintf("Ranks of %d models of one size; the table below holds them.", len(f.Y.Names))
		drawn, err := f.Drawn()
		if err != nil {
			return nil, err
		}
		figures = append(figures, drawn)
	}
	return figures, nil
}
