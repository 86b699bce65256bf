package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// The name of the view, and its title.
const (
	scalingName  = "scaling"
	scalingTitle = "Quality by records trained on"
)

// leastSizes is the smallest number of sizes that shows the shape of a line.
const leastSizes = 3

// sizeCurve is one training method on several sizes of its data, by ascending size.
type sizeCurve struct {
	label  string
	points []sizePoint
}

// sizePoint is a system that was trained on a number of records.
type sizePoint struct {
	records, steps int // steps 0: not recorded
	system         *scores.System
}

// scalingSections shows how quality grows with the training data: a table and a chart for
// each number of the leaderboards, with a line for each training method and a point for
// each number of records. They fit and test nothing; notes list what cannot be shown.
func scalingSections(set *scores.Set) ([]section.Section, error) {
	curves, notes := curvesOf(set)
	if !slices.ContainsFunc(curves, func(c sizeCurve) bool { return len(c.points) > 1 }) {
		return []section.Section{section.Missing(scalingName, "This view needs data that the runs do not have.",
			"no system trained on two sizes of its data (share)", "infbench sweep bench/experiments/mini-ablation.yaml", notes...)}, nil
	}
	numbers := numbersOf(set, curves)
	s := section.Section{ID: "view-1", Title: "By loss and settings", Tables: []*table.Table{curveTable(set, curves, numbers)}, Notes: append(shortNotes(curves), notes...)}
	for i, n := range numbers {
		drawn, err := scalingFigure(set, fmt.Sprintf("view-scaling-%d", i+1), curves, n)
		if err != nil {
			return nil, fmt.Errorf("view %s: %w", scalingName, err)
		}
		s.Figures = append(s.Figures, drawn)
	}
	return []section.Section{s}, nil
}

// curvesOf groups trained systems by all settings except the share of the data.
func curvesOf(set *scores.Set) (curves []sizeCurve, notes []string) {
	of := map[string]int{}
	for _, s := range set.Trained() {
		p, ok := pointOf(s)
		if !ok {
			notes = append(notes, fmt.Sprintf("%s is left out: its number of training records is not recorded.", s.Label))
			continue
		}
		key := curveIdentity(s)
		i, known := of[key]
		if !known {
			i = len(curves)
			of[key] = i
			curves = append(curves, sizeCurve{})
		}
		curves[i].points = append(curves[i].points, p)
	}
	for i := range curves {
		curves[i].addWhole(curves)
		slices.SortStableFunc(curves[i].points, func(a, b sizePoint) int { return cmp.Compare(a.records, b.records) })
	}
	labelCurves(curves)
	return curves, notes
}

// addWhole adds the system trained on all data to a line whose shares are trained for the
// same number of steps. Its number of steps is the same anyway, and no setting records it.
func (c *sizeCurve) addWhole(all []sizeCurve) {
	mine := curveSettings(c.points[0].system)
	if mine[results.StepsOf] == "" || mine[results.StepsOf] != mine[results.Data] {
		return
	}
	delete(mine, results.StepsOf)
	for _, other := range all {
		for _, p := range other.points {
			if p.system.Config()[results.Share] == "" && maps.Equal(curveSettings(p.system), mine) {
				c.points = append(c.points, p)
				return
			}
		}
	}
}

// pointOf returns the amount of training of a system, from its first run that recorded it.
func pointOf(s *scores.System) (sizePoint, bool) {
	for _, t := range s.Trials {
		if r := t.Provenance.Trained; r != nil {
			return sizePoint{r.Records, r.Steps, s}, true
		}
	}
	var share float64
	if _, err := fmt.Sscan(s.Config()[results.Share], &share); err == nil && share > 1 {
		return sizePoint{int(share), 0, s}, true // not run yet
	}
	return sizePoint{}, false
}

// curveSettings returns the settings that identify a line.
func curveSettings(s *scores.System) map[string]string {
	out := maps.Clone(s.Config())
	for _, key := range []string{results.Share, results.Seed} {
		delete(out, key)
	}
	return out
}

func curveIdentity(s *scores.System) string {
	all := curveSettings(s)
	var parts []string
	for _, key := range words.SortedKeys(all) {
		parts = append(parts, key, all[key])
	}
	return words.Joined(parts)
}

// labelCurves names each line by its loss and the settings in which lines differ.
func labelCurves(curves []sizeCurve) {
	first := func(c sizeCurve) map[string]string { return curveSettings(c.points[0].system) }
	keys := map[string]string{}
	for _, c := range curves {
		maps.Copy(keys, first(c))
	}
	for i, c := range curves {
		var text []string
		for _, key := range words.SortedKeys(keys) {
			value := first(c)[key]
			if key != results.Loss && value != "" && slices.ContainsFunc(curves, func(o sizeCurve) bool { return first(o)[key] != value }) {
				text = append(text, key+"="+value)
			}
		}
		curves[i].label = words.Clean(strings.Join(append(text, c.points[0].system.Loss), ", ")) // long names are cut at the end
	}
}

// numbersOf returns the leaderboards' numbers for which a point has a value.
func numbersOf(set *scores.Set, curves []sizeCurve) (out []scores.Number) {
	for _, name := range set.BenchmarkNames() {
		for _, n := range set.Columns(name).Main() {
			if slices.ContainsFunc(curves, func(c sizeCurve) bool {
				return slices.ContainsFunc(c.points, func(p sizePoint) bool { return set.Cell(p.system, n).State.Valued() })
			}) {
				out = append(out, n)
			}
		}
	}
	return out
}

// shortNotes names the lines with too few sizes to show a shape.
func shortNotes(curves []sizeCurve) (notes []string) {
	for _, c := range curves {
		sizes := map[int]bool{}
		for _, p := range c.points {
			sizes[p.records] = true
		}
		if n := len(sizes); n < leastSizes {
			notes = append(notes, fmt.Sprintf("%s has %s: fewer than %d do not show a trend.", c.label, words.Plural(n, "size", "sizes"), leastSizes))
		}
	}
	return notes
}
