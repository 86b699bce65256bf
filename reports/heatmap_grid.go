package reports

import (
	"fmt"
	"slices"
	"strings"
)

// ablationGrid holds trained systems that differ in two axes only.
type ablationGrid struct {
	rest       string    // what of their labels is neither axis
	axes       [2]string // their names; the first is empty where there is one
	rows, cols []string  // levels of the axes, in plan order
	first      *system
	systems    map[[2]string]*system
	name       func(row, col string) string // of a field
}

// place puts a system into its field.
func (g *ablationGrid) place(s *system, row, col string) {
	if g.first == nil {
		g.first = s
	}
	g.systems[[2]string{row, col}] = s
	g.rows, g.cols = addNew(g.rows, row), addNew(g.cols, col)
}

// heatmapsAtMost bounds the heatmaps of a board; its last setting is whole.
const heatmapsAtMost = 30

// ablation draws, for each column of the leaderboard, the losses by form and
// terms or, where fewer than two losses have that shape, the first two axes that
// trained systems differ in; once for every setting of the other keys. The intro
// says what a field is.
func (v *view) ablation(id string, columns []column, o Options) (figures []*Figure, intro string, err error) {
	grids := v.lossGrids()
	intro = "Each field is one training loss: its form, and the terms that the positive pair is contrasted with (P passages, I instructions, IQ instruction-query pairs)."
	if len(grids) == 0 {
		grids = v.axisGrids()
		intro = "Each field is one trained configuration."
	}
	for i, g := range grids {
		if len(figures) >= heatmapsAtMost {
			figures[len(figures)-1].Caption += fmt.Sprintf(" Those of %s more are in the tables only.", plural(len(grids)-i, "setting", "settings"))
			break
		}
		for _, c := range columns {
			h := g.heatmap(v, c, o)
			if h == nil {
				continue
			}
			f, err := h.figure(fmt.Sprintf("%s-ablation-%d", id, len(figures)+1))
			if err != nil {
				return nil, "", err
			}
			figures = append(figures, f)
		}
	}
	return figures, intro, nil
}

// lossGrids groups the trained systems whose loss has a form and terms.
func (v *view) lossGrids() []*ablationGrid {
	var grids []*ablationGrid
	for _, s := range v.systems {
		form, terms, ok := splitLoss(s.loss)
		if !ok {
			continue
		}
		g := gridOf(&grids, strings.TrimSpace(strings.TrimPrefix(s.label, s.loss)))
		g.axes, g.name = [2]string{"loss form", "terms"}, func(form, terms string) string { return form + "(" + terms + ")" }
		g.place(s, form, terms)
	}
	return slices.DeleteFunc(grids, func(g *ablationGrid) bool { return len(g.systems) < 2 })
}

// levelsAtMost is how many levels an axis of a heatmap can have and be read.
const levelsAtMost = 24

// axisGrids groups the trained systems by the first two axes they differ in that
// a heatmap has room for.
func (v *view) axisGrids() []*ablationGrid {
	var two, others []*factor
	for _, f := range v.factors() {
		if len(two) < 2 && len(f.levels) <= levelsAtMost {
			two = append(two, f)
		} else {
			others = append(others, f)
		}
	}
	if len(two) == 0 {
		return nil
	}
	var grids []*ablationGrid
	for _, s := range v.trained() {
		var rest []string
		for _, f := range others {
			rest = append(rest, f.name+"="+f.level(s))
		}
		g := gridOf(&grids, strings.Join(rest, " "))
		if len(two) == 1 {
			g.axes[1], g.name = two[0].name, func(_, col string) string { return two[0].name + "=" + col }
			g.place(s, "all", two[0].level(s))
			continue
		}
		g.axes = [2]string{two[0].name, two[1].name}
		g.name = func(row, col string) string { return two[0].name + "=" + row + " " + two[1].name + "=" + col }
		g.place(s, two[0].level(s), two[1].level(s))
	}
	return grids
}

// gridOf finds the grid of a setting, or starts it.
func gridOf(grids *[]*ablationGrid, rest string) *ablationGrid {
	i := slices.IndexFunc(*grids, func(g *ablationGrid) bool { return g.rest == rest })
	if i < 0 {
		i = len(*grids)
		*grids = append(*grids, &ablationGrid{rest: rest, systems: map[[2]string]*system{}})
	}
	return (*grids)[i]
}

// heatmap lays a grid out on one column, nil where no system has a value there.
func (g *ablationGrid) heatmap(v *view, c column, o Options) *heatmap {
	h := &heatmap{title: strings.TrimSpace(c.scoring() + " on " + c.test() + " " + g.rest), axes: g.axes, rows: g.rows, cols: g.cols}
	any := false
	for _, row := range g.rows {
		cells := make([]heatCell, len(g.cols))
		for j, col := range g.cols {
			cells[j] = v.heatCell(g.systems[[2]string{row, col}], g.name(row, col), c)
			any = any || !cells[j].absent
		}
		h.cells = append(h.cells, cells)
	}
	if !any {
		return nil
	}
	v.setBase(h, v.reference(g.first, o.Reference), c)
	return h
}
