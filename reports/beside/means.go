package beside

import (
	"fmt"
	"slices"
	"strings"

	"infbench/reports/published"
	"infbench/reports/table"
	"infbench/reports/words"
)

// publishedMean is a mean over columns of one convention, as benchmarks have it in
// their own tables.
type publishedMean struct {
	group, name string
	parts       []publishedColumn
}

func (m publishedMean) heading() table.Column {
	return table.Column{Group: m.group, Name: m.name, Number: true, Best: Best(m.parts[0].measure)}
}

// entry is the mean where all parts are there: a mean over fewer tasks is
// another number.
func (m publishedMean) entry(values map[publishedColumn]*published.Cell) table.Entry {
	sum := 0.0
	for _, part := range m.parts {
		cell := values[part]
		if cell == nil {
			return table.Entry{}
		}
		sum += cell.Value
	}
	mean := sum / float64(len(m.parts))
	return table.Number(words.Percent(m.parts[0].measure, mean), mean)
}

// publishedMeans lists the means that columns allow.
func publishedMeans(order []publishedColumn) []publishedMean {
	return slices.DeleteFunc(append(followIRMeans(), brightMeans()...), func(m publishedMean) bool {
		return slices.ContainsFunc(m.parts, func(c publishedColumn) bool { return !slices.Contains(order, c) })
	})
}

// FollowIRTasks in the order of the benchmark's tables.
var FollowIRTasks = []struct{ Task, Measure string }{
	{"Robust04InstructionRetrieval", "AP@1000"}, {"News21InstructionRetrieval", "nDCG@5"}, {"Core17InstructionRetrieval", "AP@1000"},
}

// followIRMeans are the score under each convention, and p-MRR under each.
func followIRMeans() []publishedMean {
	var means []publishedMean
	for _, qrels := range []string{"original", "changed"} {
		m := publishedMean{group: followIRGroup, name: "score, " + qrels + " judgments"}
		for _, t := range FollowIRTasks {
			m.parts = append(m.parts, publishedColumn{task: t.Task, measure: t.Measure, qrels: qrels})
		}
		means = append(means, m)
	}
	for _, ties := range []string{published.TiesByID, published.TiesByInsertion} {
		m := publishedMean{group: followIRGroup, name: "p-MRR, ties by " + ties}
		for _, t := range FollowIRTasks {
			m.parts = append(m.parts, publishedColumn{task: t.Task, measure: "p-MRR", ties: ties})
		}
		means = append(means, m)
	}
	return means
}

// brightMeans are the means over BRIGHT's domains: of mteb's tasks by domain, and
// of the subsets of its BrightRetrieval, which ranks other documents.
func brightMeans() []publishedMean {
	var means []publishedMean
	for _, combination := range published.Combinations("bright") {
		first := len(means)
		for _, p := range combination.Parts {
			for i, n := range published.Names("bright", p.Task) {
				if first+i == len(means) {
					means = append(means, publishedMean{group: "BRIGHT", name: strings.TrimSpace(fmt.Sprintf("mean of %d domains, %s %s", len(combination.Parts), combination.Measure, n.Split))})
				}
				col := columnOf(&published.Cell{Task: n.Task, Split: n.Split, Subset: n.Subset, Measure: combination.Measure})
				means[first+i].parts = append(means[first+i].parts, col)
			}
		}
	}
	return means
}
