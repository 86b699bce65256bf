package reports

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
)

// ablationSections draws the losses, or the other settings in which trained systems
// differ.
func ablationSections(b *Board, o Options) ([]section.Section, error) {
	figures, intro, err := heatmaps(b.Set, b.ID, b.Numbers, b.pairs(), o)
	return []section.Section{{ID: b.ID + "-ablation", Title: "Ablation", Nav: "Ablation", Intro: intro, Figures: figures, Grid: section.Paired}}, err
}

// ablationGrid holds trained systems that differ in two axes only.
type ablationGrid struct {
	rest       string    // the part of their labels that is in neither axis
	axes       [2]string // names of the axes; the first is empty if there is only one
	rows, cols []string  // levels of the axes, in plan order
	first      *scores.System
	systems    map[[2]string]*scores.System
	name       func(row, col string) string // name of a field
}

// place puts a system into its field.
func (g *ablationGrid) place(s *scores.System, row, col string) {
	if g.first == nil {
		g.first = s
	}
	g.systems[[2]string{row, col}] = s
	g.rows, g.cols = words.AddNew(g.rows, row), words.AddNew(g.cols, col)
}

// heatmapsAtMost limits the heatmaps of a board; the last setting is always complete.
const heatmapsAtMost = 30

// heatmaps draws, for each column of the leaderboard and every setting of the other keys,
// the losses by form and terms. If fewer than two losses have that shape, it draws the
// first two axes in which trained systems differ. The intro describes a field.
func heatmaps(v *scores.Set, id string, columns []scores.Number, pairs contrast.Pairs, o Options) (figures []*chart.Figure, intro string, err error) {
	grids := lossGrids(v)
	intro = "Each field is one training loss: its form, and the terms that the positive pair is contrasted with (P passages, I instructions, IQ instruction-query pairs)."
	if len(grids) == 0 {
		grids = axisGrids(v)
		intro = "Each field is one trained configuration."
	}
	if len(grids) == 0 {
		return nil, intro, nil
	}
	found, by := contrast.NewSingly(v), coloursOf(v, grids, columns, pairs)
	for i, g := range grids {
		if len(figures) >= heatmapsAtMost {
			figures[len(figures)-1].Caption += fmt.Sprintf(" %s more are only in the tables.", words.Plural(len(grids)-i, "setting", "settings"))
			break
		}
		for _, c := range columns {
			f, err := g.figure(v, fmt.Sprintf("%s-ablation-%d", id, len(figures)+1), found, c, by, o)
			if err != nil {
				return nil, "", err
			}
			if f != nil {
				figures = append(figures, f)
			}
		}
	}
	if slices.ContainsFunc(figures, isHeatmap) {
		intro += coloursAre
	}
	return figures, intro, nil
}

// lossGrids groups the trained systems whose loss has a form and terms.
func lossGrids(v *scores.Set) []*ablationGrid {
	var grids []*ablationGrid
	for _, s := range v.Systems {
		form, terms, ok := scores.SplitLoss(s.Loss)
		if !ok {
			continue
		}
		g := gridOf(&grids, strings.TrimSpace(strings.TrimPrefix(s.Label, s.Head)))
		g.axes, g.name = [2]string{"loss form", "terms"}, func(form, terms string) string { return form + "(" + terms + ")" }
		g.place(s, form, terms)
	}
	return slices.DeleteFunc(grids, func(g *ablationGrid) bool { return len(g.systems) < 2 })
}

// levelsAtMost is the largest number of levels of a heatmap axis that can be read.
const levelsAtMost = 24

// axisGrids groups the trained systems by the first two axes in which they differ and that
// fit into a heatmap.
func axisGrids(v *scores.Set) []*ablationGrid {
	var two, others []*contrast.Factor
	for _, f := range contrast.Parted(contrast.Factors(v)) {
		if len(two) < 2 && len(f.Levels) <= levelsAtMost {
			two = append(two, f)
		} else {
			others = append(others, f)
		}
	}
	if len(two) == 0 {
		return nil
	}
	var grids []*ablationGrid
	for _, s := range v.Trained() {
		var rest []string
		for _, f := range others {
			rest = append(rest, f.Name+"="+f.Level(s))
		}
		g := gridOf(&grids, strings.Join(rest, " "))
		if len(two) == 1 {
			g.axes[1], g.name = two[0].Name, func(_, col string) string { return two[0].Name + "=" + col }
			g.place(s, "all", two[0].Level(s))
			continue
		}
		g.axes = [2]string{two[0].Name, two[1].Name}
		g.name = func(row, col string) string { return two[0].Name + "=" + row + " " + two[1].Name + "=" + col }
		g.place(s, two[0].Level(s), two[1].Level(s))
	}
	return grids
}

// gridOf returns the grid of a setting, and adds it if it is new.
func gridOf(grids *[]*ablationGrid, rest string) *ablationGrid {
	i := slices.IndexFunc(*grids, func(g *ablationGrid) bool { return g.rest == rest })
	if i < 0 {
		i = len(*grids)
		*grids = append(*grids, &ablationGrid{rest: rest, systems: map[[2]string]*scores.System{}})
	}
	return (*grids)[i]
}
