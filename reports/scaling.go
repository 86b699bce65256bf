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

// The view, and the title of its table.
const (
	scalingName  = "scaling"
	scalingTitle = "Quality by records trained on"
)

// leastSizes is how many sizes tell the shape of a line from a straight one.
const leastSizes = 3

// sizeCurve is one way to train on several sizes of its data, by ascending size.
type sizeCurve struct {
	label  string
	points []sizePoint
}

// sizePoint is a system that was trained on a number of records.
type sizePoint struct {
	records, steps int // steps 0: not recorded
	system         *scores.System
}

// scalingSections show how quality grows with the training data: a table and a chart for
// each number of the leaderboards, with a line for each way to train and a point for each
// number of records. They fit nothing and test nothing; notes list what cannot be shown.
func scalingSections(set *scores.Set) ([]section.Section, error) {
	curves, notes := curvesOf(set)
	if !slices.ContainsFunc(curves, func(c sizeCurve) bool { return len(c.points) > 1 }) {
		return []section.Section{section.Missing(scalingName, "What this view needs and the runs do not have.",
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

// curvesOf groups what was trained by everything but how much of its data was taken.
func curvesOf(set *scores.Set) (curves []sizeCurve, notes []string) {
	of := map[string]int{}
	for _, s := range set.Trained() {
		p, ok := pointOf(s)
		if !ok {
			notes = append(notes, fmt.Sprintf("%s is left out: on how many records it was trained is not recorded.", s.Label))
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

// addWhole adds what was trained on the whole data to a line on which shares of it are
// trained for as many steps: it takes that many anyway, and no setting says so.
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

// pointOf is on how much a system was trained, as the first of its runs that says so did.
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

// curveSettings are the settings that tell lines apart.
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

// labelCurves names each line by its loss and those of its settings in which lines differ.
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
		curves[i].label = words.Clean(strings.Join(append(text, c.points[0].system.Loss), ", ")) // names are cut where they end
	}
}

// numbersOf are those of the leaderboards that something on a curve has.
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

// shortNotes say of which lines there are too few sizes to see a shape.
func shortNotes(curves []sizeCurve) (notes []string) {
	for _, c := range curves {
		sizes := map[int]bool{}
		for _, p := range c.points {
			sizes[p.records] = true
		}
		if n := len(sizes); n < leastSizes {
			notes = append(notes, fmt.Sprintf("%s has %s: fewer than %d do not tell how it goes on.", c.label, words.Plural(n, "size", "sizes"), leastSizes))
		}
	}
	return notes
}
