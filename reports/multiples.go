package reports

import (
	"fmt"

	"infbench/metrics/stats"
)

// Bounds of small multiples: more charts, or more rows in one, nobody compares.
const (
	multiplesAtMost = 24
	multipleRows    = 40
)

// multiples draws each task of a board's benchmarks by itself: the mean of every
// system with its interval over queries. What a mean over tasks hides is here.
func (v *view) multiples(id string, benchmarks []string, o Options) ([]*Figure, error) {
	var columns []column
	for _, name := range benchmarks {
		for _, c := range v.mainColumns(name)[:1] {
			if len(c.Tasks) < 2 {
				continue // shown on the leaderboard or among the slices
			}
			for _, task := range c.Tasks {
				one := c
				one.Tasks = []string{task}
				columns = append(columns, one)
			}
		}
	}
	var out []*Figure
	for _, c := range columns[:min(len(columns), multiplesAtMost)] {
		f, err := v.multiple(fmt.Sprintf("%s-task-%d", id, len(out)+1), c, o)
		if err != nil {
			return nil, err
		}
		if f != nil {
			out = append(out, f)
		}
	}
	if n := len(columns) - multiplesAtMost; n > 0 && len(out) > 0 {
		out[len(out)-1].Caption += fmt.Sprintf(" %s more are in the tables only.", plural(n, "task", "tasks"))
	}
	return out, nil
}

// multiple is the chart of one task, nil where no system has values.
func (v *view) multiple(id string, c column, o Options) (*Figure, error) {
	d := &differences{title: c.scoring() + " on " + c.test(), x: c.scoring() + " ×100"}
	t := &Table{ID: id + "-table", Title: d.title, Columns: []Column{{Name: "system"}, {Name: "n", Number: true}, {Name: c.scoring(), Number: true}, {Name: "95% interval", Number: true}}}
	systems := v.systems[:min(len(v.systems), multipleRows)]
	intervals := make([]stats.Interval, len(systems))
	err := inParallel(len(systems), func(i int) error {
		_, values := systems[i].perQuery(c.slots()[0])
		intervals[i] = stats.BootstrapMean(values, level, o.Resamples, o.Seed)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, s := range systems {
		cell := v.cell(s, c)
		low, high, ok := intervals[i].Get()
		if !cell.State.Valued() || !ok {
			continue
		}
		d.bars = append(d.bars, bar{s.label, scaled(cell.Value), scaled(low), scaled(high), s.kind == Trained,
			fmt.Sprintf("%s\n%s %s\nn = %d", s.label, percent(c.Measure, cell.Value), interval(intervals[i]), cell.Queries)})
		between := number(interval(intervals[i]), low)
		between.From = v.link(StatInterval, s.trials, c.slots())
		t.Rows = append(t.Rows, Row{Kind: s.kind, Entries: []Entry{{Text: s.label}, number(group(cell.Queries), float64(cell.Queries)), cell.entry(), between}})
	}
	if len(d.bars) == 0 {
		return nil, nil
	}
	f := &Figure{ID: id, Title: c.test(), Table: t, Height: 60 + 20*len(d.bars),
		Caption: fmt.Sprintf("%s, n = %s.", c.scoring(), group(len(askedBy(systems, c))))}
	f.Alt = fmt.Sprintf("Means of %d systems in %s with intervals; the table below holds the numbers.", len(d.bars), d.title)
	if f.Option, err = d.option(f.Alt); err != nil {
		return nil, err
	}
	f.Drawing, err = d.draw(f.Alt)
	return f, err
}

// askedBy lists the queries that any of the systems has a value for.
func askedBy(systems []*system, c column) map[string]bool {
	all := map[string]bool{}
	for _, s := range systems {
		queries, _ := s.perQuery(c.slots()[0])
		for _, q := range queries {
			all[q] = true
		}
	}
	return all
}
