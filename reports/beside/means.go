package beside

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/published"
	"infbench/reports/table"
)

// publishedMean is a mean over columns of one convention, as in the benchmarks' own
// tables.
type publishedMean struct {
	group, name string
	parts       []publishedColumn
}

func (m publishedMean) heading() table.Column {
	return table.Column{Group: m.group, Name: m.name, Number: true, Best: Best(m.parts[0].measure)}
}

// entry returns the mean if all parts have a value. A mean over fewer tasks is a different
// number, so it is shown as missing. There is no entry if no part has a value.
func (m publishedMean) entry(values map[publishedColumn]*published.Cell) table.Entry {
	sum, have := 0.0, 0
	for _, part := range m.parts {
		if cell := values[part]; cell != nil {
			sum += cell.Value
			have++
		}
	}
	switch have {
	case 0:
		return table.Entry{}
	case len(m.parts):
	default:
		return table.Entry{Text: words.MissingMark, Tone: table.Absent}
	}
	mean := sum / float64(len(m.parts))
	return table.Number(metrics.Percent(m.parts[0].measure, mean), mean)
}

// publishedMeans lists the means of these columns. It uses the same definitions as the
// means of measured numbers.
func publishedMeans(order []publishedColumn) []publishedMean {
	means := followIRMeans()
	for _, benchmark := range []string{"mair", "bright"} {
		for _, c := range published.Combinations(benchmark) {
			means = append(means, namedMeans(benchmark, c)...)
		}
	}
	return slices.DeleteFunc(means, func(m publishedMean) bool {
		return slices.ContainsFunc(m.parts, func(c publishedColumn) bool { return !slices.Contains(order, c) })
	})
}

// followIRMeans returns the score and p-MRR under each convention.
func followIRMeans() []publishedMean {
	var means []publishedMean
	add := func(c published.Combination, name string, convention publishedColumn) {
		m := publishedMean{group: followIRGroup, name: c.Measure + ", " + name}
		for _, p := range c.Parts {
			col := convention
			col.task, col.measure = published.Names("followir", p.Task)[0].Task, p.Measure
			m.parts = append(m.parts, col)
		}
		means = append(means, m)
	}
	combinations := published.Combinations("followir")
	slices.SortStableFunc(combinations, func(a, b published.Combination) int { return shiftFirst(a.Measure) - shiftFirst(b.Measure) })
	for _, c := range combinations {
		if metrics.IsShift(c.Measure) {
			for _, ties := range []string{published.TiesByID, published.TiesByInsertion} {
				add(c, "ties by "+ties, publishedColumn{ties: ties})
			}
			continue
		}
		for _, qrels := range []string{"original", "changed"} {
			add(c, qrels+" judgments", publishedColumn{qrels: qrels})
		}
	}
	return means
}

// shiftFirst orders p-MRR before scores.
func shiftFirst(measure string) int {
	if metrics.IsShift(measure) {
		return 0
	}
	return 1
}

// namedMeans returns a mean for each set of names under which its tasks are published. For
// BRIGHT these are mteb's tasks by domain and the subsets of its BrightRetrieval, which
// ranks other documents.
func namedMeans(benchmark string, c published.Combination) []publishedMean {
	var means []publishedMean
	for _, p := range c.Parts {
		for i, n := range published.Names(benchmark, p.Task) {
			if i == len(means) {
				means = append(means, publishedMean{group: strings.ToUpper(benchmark), name: strings.TrimSpace(fmt.Sprintf("%s, %s %s", c.Title, c.Measure, n.Split))})
			}
			means[i].parts = append(means[i].parts, columnOf(&published.Cell{Task: n.Task, Split: n.Split, Subset: n.Subset, Measure: c.Measure}))
		}
	}
	return means
}
