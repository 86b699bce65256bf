package published

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rounding is half a unit of the last digit in MTEB's files, which have five or six decimals.
const rounding = 5e-6

// mainMeasures are the measures that FollowIR uses as the scores of its tasks; for other tasks the
// file marks the score.
var mainMeasures = map[string]string{
	"Core17InstructionRetrieval":   "AP@1000",
	"Robust04InstructionRetrieval": "AP@1000",
	"News21InstructionRetrieval":   "nDCG@5",
}

// mainScore is the key of a file's score. It does not name the measure.
const mainScore = "main_score"

// mainName names a score that equals none of the known measures: by a key with the same value, or
// as MTEB does.
func mainName(object map[string]any, score float64) string {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if value, ok := object[key].(float64); ok && value == score && key != mainScore && !strings.HasPrefix(key, "nauc_") {
			return key
		}
	}
	return "main score"
}

// settleMain marks the number that is the score of each task. Several measures may equal it by
// chance in one file. The measure that equals it in most files of the task is chosen, then nDCG@10,
// then the first by name.
func (c *Collection) settleMain() {
	votes := map[[2]string]int{}
	type object struct{ file, split, subset, side string }
	candidates := map[object][]*Cell{}
	for i := range c.Cells {
		cell := &c.Cells[i]
		if !cell.score {
			continue
		}
		votes[[2]string{cell.Task, cell.Measure}]++
		of := object{cell.File, cell.Split, cell.Subset, cell.Side}
		candidates[of] = append(candidates[of], cell)
	}
	for _, cells := range candidates {
		slices.MinFunc(cells, func(a, b *Cell) int {
			return cmp.Or(
				votes[[2]string{b.Task, b.Measure}]-votes[[2]string{a.Task, a.Measure}],
				usualFirst(a.Measure)-usualFirst(b.Measure), cmp.Compare(a.Measure, b.Measure))
		}).Main = true
	}
}

// usualFirst sorts the usual score of tasks before others.
func usualFirst(measure string) int {
	if measure == "nDCG@10" {
		return 0
	}
	return 1
}

// nameScoreless lists the files that have numbers but not the score of their task, or of one of its
// subsets.
func (c *Collection) nameScoreless() {
	type object struct{ file, split, subset string }
	scored, any := map[object]bool{}, map[string]bool{}
	for i := range c.Cells {
		cell := &c.Cells[i]
		of := object{cell.File, cell.Split, cell.Subset}
		scored[of], any[cell.File] = scored[of] || cell.Main, any[cell.File] || cell.Main
	}
	seen := map[object]bool{}
	for i := range c.Cells {
		cell := &c.Cells[i]
		of, what := object{cell.File, cell.Split, cell.Subset}, "the file"
		if any[cell.File] {
			what = strings.TrimSpace(cell.Split + " " + cell.Subset)
		} else {
			of = object{file: cell.File}
		}
		if scored[of] || seen[of] {
			continue
		}
		seen[of] = true
		reason := what + " does not say which of its numbers is the score" //plain:ok in Collection.Hash
		if main, ok := mainMeasures[cell.Task]; ok {
			reason = what + " holds no " + main + ", only " + cell.Measure
		}
		c.Missing = append(c.Missing, Missing{cell.Model, cell.Revision, cell.Task, cell.File, reason})
	}
}

// number identifies the number of a cell.
type number struct{ model, revision, config, task, split, subset, side, measure, qrels, ties string }

func numberOf(c *Cell) number {
	return number{c.Model, c.Revision, c.Config, c.Task, c.Split, c.Subset, c.Side, c.Measure, c.Conventions.Qrels, c.Conventions.Ties}
}

// dropRepeated keeps the first of the cells with the same number and conventions, and adds a doubt
// if they are not equal. Cells must be sorted.
func (c *Collection) dropRepeated() {
	first := map[number]*Cell{}
	kept := make([]Cell, 0, len(c.Cells))
	for _, cell := range c.Cells {
		key := numberOf(&cell)
		have := first[key]
		if have == nil {
			kept = append(kept, cell)
			first[key] = &kept[len(kept)-1]
			continue
		}
		if have.Value != cell.Value {
			c.Doubts = append(c.Doubts, fmt.Sprintf("%s of %s @%s on %s is %v in %s and %v in %s: the first is shown",
				cell.Measure, cell.Model, cell.Revision, cell.Task, have.Value, have.File, cell.Value, cell.File))
		}
	}
	c.Cells = kept
	slices.Sort(c.Doubts)
}
