package agreement

import (
	"slices"

	"infbench/metrics/stats"
)

// Coefficient is one measure of agreement.
type Coefficient struct {
	Name   string   `json:"coefficient"`
	Raters []string `json:"raters"`
	Pairs  int      `json:"pairs"` // pairs of raters averaged
	Agreement
}

// Report holds all measures of agreement of the ratings.
type Report struct {
	Items  int           `json:"items"`
	Labels []string      `json:"labels"`
	Humans []string      `json:"humans"`
	Models []string      `json:"models"`
	Pairs  []Coefficient `json:"pairwise"`
	Means  []Coefficient `json:"means"`
	Panels []Coefficient `json:"panels"`
}

// Measure computes all coefficients; models are the raters that are not human.
func Measure(r *Ratings, models []int, w Weights, s Scale, boot stats.Bootstrap) (*Report, error) {
	report := &Report{Items: len(r.Items), Labels: r.Labels, Humans: []string{}, Models: []string{}}
	var humans []int
	for i, name := range r.Raters {
		if slices.Contains(models, i) {
			report.Models = append(report.Models, name)
		} else {
			report.Humans = append(report.Humans, name)
			humans = append(humans, i)
		}
	}
	kappa := "Cohen's kappa"
	if w != Unweighted {
		kappa += ", " + w.String() + " weights"
	}
	for _, p := range Pairwise(r, w, boot.Level) {
		report.Pairs = append(report.Pairs, Coefficient{
			Name: kappa, Raters: []string{r.Raters[p.A], r.Raters[p.B]}, Pairs: 1, Agreement: p.Agreement,
		})
	}
	for _, m := range AgainstHumans(r, models, w, boot) {
		c := Coefficient{Name: "mean of " + kappa, Raters: []string{"humans"}, Pairs: m.Pairs, Agreement: m.Agreement}
		if m.Rater != HumanPairs {
			c.Raters = []string{r.Raters[m.Rater], "humans"}
		}
		report.Means = append(report.Means, c)
	}
	panels := map[string]*Ratings{"humans": r.Select(humans)}
	if len(models) > 0 {
		panels["all"] = r
	}
	for _, name := range []string{"humans", "all"} {
		part, there := panels[name]
		if !there || len(part.Raters) < 2 {
			continue
		}
		alpha, err := Krippendorff(part, s, boot)
		if err != nil {
			return nil, err
		}
		pairs := len(part.Raters) * (len(part.Raters) - 1) / 2
		report.Panels = append(report.Panels,
			Coefficient{Name: "Fleiss' kappa", Raters: []string{name}, Pairs: pairs, Agreement: Fleiss(part, boot)},
			Coefficient{Name: "Krippendorff's alpha, " + s.String(), Raters: []string{name}, Pairs: pairs, Agreement: alpha})
	}
	return report, nil
}
