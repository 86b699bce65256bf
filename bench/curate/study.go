package curate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infbench/bench/runs"
	"infbench/bench/sheet"
	"infbench/datasets/curate"
	"infbench/metrics/agreement"
	"infbench/metrics/stats"
	"infbench/reports"
)

// level and resamples are those of the intervals of agreement.
var boot = stats.Bootstrap{Level: 0.95, Resamples: 1000, Seed: 1}

// ratings are the picks of the judges as positions, which shuffling made independent of
// roles. models are the columns of those that stand for no person.
func ratings(questions []curate.Question) (r *agreement.Ratings, models []int) {
	r = &agreement.Ratings{}
	most := 0
	for i := range questions {
		q := &questions[i]
		most = max(most, len(q.Candidates))
		for _, p := range q.Picks {
			if !slices.Contains(r.Raters, p.Judge) {
				if !p.Human {
					models = append(models, len(r.Raters))
				}
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
	return r, models
}

// agreementSheet says how far the judges agree beyond chance; without rows where there
// is only one.
func agreementSheet(r *agreement.Ratings) sheet.Sheet {
	s := sheet.Sheet{Title: "Agreement of the judges (Cohen's kappa of positions)", Left: 1, Head: []string{"judges", "n", "observed", "expected", "kappa", "95% interval"}}
	for _, p := range agreement.Pairwise(r, agreement.Unweighted, boot.Level) {
		s.Rows = append(s.Rows, []string{r.Raters[p.A] + " | " + r.Raters[p.B], strconv.Itoa(p.N), p.Observed.Format(3), p.Expected.Format(3), p.Value.Format(3), p.Interval.Format(3)})
	}
	return s
}

// keepStudies keeps the funnel, and how far the judges agree, under a name.
func keepStudies(name string, c *curate.Corpus, funnel *curate.Funnel, questions []curate.Question) error {
	if err := runs.KeepStudy(funnelStudy(name, funnel), filepath.Join(c.Dir, curate.FunnelFile)); err != nil {
		return err
	}
	r, models := ratings(questions)
	if len(r.Raters) < 2 {
		return nil
	}
	report, err := agreement.Measure(r, models, agreement.Unweighted, agreement.Nominal, boot)
	if err != nil {
		return fmt.Errorf("agreement of the judges: %w", err)
	}
	s := &reports.Study{Kind: "agreement", Name: name, Level: boot.Level, Facts: []string{
		fmt.Sprintf("%d questions; a label is the position of the candidate", report.Items), "judges: " + strings.Join(report.Models, ", ")}}
	if len(report.Humans) > 0 {
		s.Facts = append(s.Facts, "rules that stand for people: "+strings.Join(report.Humans, ", "))
	}
	for _, coefficient := range slices.Concat(report.Pairs, report.Means, report.Panels) {
		v := reports.StudyValue{Measure: coefficient.Name, Of: strings.Join(coefficient.Raters, " | "), N: coefficient.N,
			Observed: coefficient.Observed.Pointer(), Expected: coefficient.Expected.Pointer(), Value: coefficient.Value.Pointer()}
		v.Low, v.High = coefficient.Interval.Ends()
		s.Values = append(s.Values, v)
	}
	return runs.KeepStudy(s, filepath.Join(c.Dir, curate.JudgedFile))
}

// funnelStudy is a funnel as views show it.
func funnelStudy(name string, funnel *curate.Funnel) *reports.Study {
	s := &reports.Study{Kind: "funnel", Name: name, Facts: []string{fmt.Sprintf("%d records kept", funnel.Kept)}}
	if funnel.Synthetic {
		s.Facts = append(s.Facts, "synthetic: rules wrote the texts, not a model")
	}
	count := func(measure, of string, n, in int) {
		value := float64(n)
		s.Values = append(s.Values, reports.StudyValue{Measure: measure, Of: of, N: in, Value: &value})
	}
	for _, l := range funnel.Stages {
		count(reports.FunnelLeft+string(l.Stage), "", l.Out, l.In)
		for _, fell := range l.Fell {
			count(reports.FunnelFell+string(l.Stage), fmt.Sprintf("%s (%s)", fell.Why, fell.Kind), fell.Records, l.In)
		}
	}
	for _, p := range funnel.ByPoison {
		count("kept of those judged", string(p.Poison), p.Kept, p.Judged)
	}
	return s
}
