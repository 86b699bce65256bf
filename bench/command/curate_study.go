package command

import (
	"fmt"
	"slices"
	"strconv"

	"infbench/bench/output"
	"infbench/datasets/curate"
	"infbench/metrics/agreement"
	"infbench/runners/results"
)

// curateLevel is the level of all intervals of a study.
const curateLevel = 0.95

// judgeRatings are the judges' picks as positions, which shuffling made independent of roles.
func judgeRatings(questions []curate.Question) *agreement.Ratings {
	r := &agreement.Ratings{}
	most := 0
	for i := range questions {
		q := &questions[i]
		most = max(most, len(q.Candidates))
		for _, p := range q.Picks {
			if !slices.Contains(r.Raters, p.Judge) {
				r.Raters = append(r.Raters, p.Judge)
			}
		}
	}
	r.Labels = []string{"none"}
	for i := range most {
		r.Labels = append(r.Labels, strconv.Itoa(i+1))
	}
	for i := range questions {
		item := slices.Repeat([]int{agreement.Missing}, len(r.Raters))
		for _, p := range questions[i].Picks {
			item[slices.Index(r.Raters, p.Judge)] = p.Candidate - curate.None
		}
		r.Items = append(r.Items, item)
	}
	return r
}

// agreementSheet shows how far the judges agree beyond chance; it has no rows for a single
// judge. For agreement with people, and by role, there is annotate.
func agreementSheet(r *agreement.Ratings) output.Sheet {
	s := output.Sheet{Title: "Agreement of the judges (Cohen's kappa of positions)", Left: 1, Head: []string{"judges", "n", "observed", "expected", "kappa", "95% interval"}}
	for _, p := range agreement.Pairwise(r, agreement.Unweighted, curateLevel) {
		s.Rows = append(s.Rows, []string{r.Raters[p.A] + " | " + r.Raters[p.B], strconv.Itoa(p.N), p.Observed.Format(3), p.Expected.Format(3), p.Value.Format(3), p.Interval.Format(3)})
	}
	return s
}

// funnelStudy is a funnel as views show it.
func funnelStudy(name string, funnel *curate.Funnel) *results.Study {
	s := &results.Study{Kind: "funnel", Name: name, Facts: []string{fmt.Sprintf("%d records kept", funnel.Kept)}}
	if funnel.Synthetic {
		s.Facts = append(s.Facts, "synthetic: rules wrote the texts, not a model")
	}
	count := func(measure, of string, n, in int) {
		value := float64(n)
		s.Values = append(s.Values, results.StudyValue{Measure: measure, Of: of, N: in, Value: &value})
	}
	for _, l := range funnel.Stages {
		count(results.FunnelLeft+string(l.Stage), "", l.Out, l.In)
		for _, fell := range l.Fell {
			count(results.FunnelFell+string(l.Stage), fmt.Sprintf("%s (%s)", fell.Why, fell.Kind), fell.Records, l.In)
		}
	}
	for _, p := range funnel.ByPoison {
		count("kept of those judged", p.Poison.Title(), p.Kept, p.Judged)
	}
	return s
}
