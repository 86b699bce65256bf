package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports/contrast"
)

// Figure is a number about data rather than about systems, as a study records it.
type Figure struct {
	Kind, Name, File string // kind, name and file of the study
	Measure, Of      string // raters, separated by " | "
	N                int
	Value            *float64 // nil: undefined
	Interval         stats.Interval
}

// StudyKinds are the kinds of studies that claims may use.
var StudyKinds = []string{"agreement", "data", "diversity", "overlap"}

// Keys of figures.
const (
	nameKey = "name"
	ofKey   = "of"
	fileKey = "file"
)

// has reports whether a figure has one of the values of a key; one of several raters is enough.
func (f Figure) has(k Key) bool {
	switch k.Key {
	case nameKey:
		return slices.Contains(k.Values, f.Name)
	case fileKey:
		return slices.Contains(k.Values, f.File)
	}
	return slices.ContainsFunc(append(strings.Split(f.Of, " | "), f.Of), func(part string) bool { return slices.Contains(k.Values, part) })
}

// figures lists the figures that a query selects, and the values for which there is none.
func (q Query) figures(all []Figure) (out []Figure, missing []string) {
	out = slices.DeleteFunc(slices.Clone(all), func(f Figure) bool {
		return slices.ContainsFunc(q, func(k Key) bool { return !f.has(k) })
	})
	for _, k := range q {
		for _, v := range k.Values {
			if one := (Key{k.Key, []string{v}}); !slices.ContainsFunc(out, func(f Figure) bool { return f.has(one) }) {
				missing = append(missing, one.words())
			}
		}
	}
	if len(out) == 0 && len(missing) == 0 {
		missing = []string{q.Words()}
	}
	return out, missing
}

// ofStudies sets up the comparison of a claim on data.
func (c *Claim) ofStudies(all []Figure) *Judgement {
	if parts, names := c.split(nil); len(parts) > 0 {
		var found []*Judgement
		for _, one := range parts {
			found = append(found, one.ofStudies(all))
		}
		return c.together(found, names)
	}
	j := &Judgement{Claim: c, study: true}
	all = slices.DeleteFunc(slices.Clone(all), func(f Figure) bool { return f.Kind != c.Study || f.Measure != c.Measure || f.Value == nil })
	if len(all) == 0 {
		j.Missing = []string{fmt.Sprintf("no study of %s has %s", c.Study, c.Measure)}
		return j
	}
	var sum figureSum
	for _, sides := range c.Pairs {
		system, missing := sides.System.figures(all)
		j.Missing = append(j.Missing, missing...)
		sum.add(system, 1/float64(len(c.Pairs)))
		if c.Than != nil {
			continue
		}
		against, missing := sides.Against.figures(all)
		j.Missing = append(j.Missing, missing...)
		if c.Test.extreme() {
			j.setFigures(system, against)
			return j
		}
		sum.add(against, -1/float64(len(c.Pairs)))
	}
	j.given(sum)
	return j
}

// setFigures sets up the comparison of one figure with each of the others.
func (j *Judgement) setFigures(system, against []Figure) {
	if len(j.Missing) > 0 {
		return
	}
	for _, f := range against {
		if slices.Contains(system, f) {
			continue
		}
		var sum figureSum
		sum.add(system, 1)
		sum.add([]Figure{f}, -1)
		one := &Judgement{Claim: j.Claim, study: true, Rival: strings.TrimSpace(f.Name + " " + f.Of)}
		one.given(sum)
		j.Missing = append(j.Missing, one.Missing...)
		j.rivals = append(j.rivals, one)
	}
	if len(j.rivals) == 0 {
		j.Missing = append(j.Missing, "anything to compare with "+j.Claim.Pairs[0].System.Words())
	}
	if len(j.Missing) > 0 {
		j.rivals = nil
	}
}

// figureSum is a weighted sum of figures.
type figureSum struct {
	figures  []Figure
	value    float64
	variance float64
	sampled  int // figures with an interval
}

// many is a number of degrees of freedom at which t is practically normal.
const many = 1e6

// add adds the weighted mean of some figures.
func (s *figureSum) add(figures []Figure, weight float64) {
	for _, f := range figures {
		w := weight / float64(len(figures))
		s.figures = append(s.figures, f)
		s.value += w * *f.Value
		if low, high, ok := f.Interval.Get(); ok {
			one := stats.Estimate{StandardError: 1, Freedom: many}.Interval(f.Interval.Level)
			error := (high - low) / (one.High - one.Low)
			s.variance += w * w * error * error
			s.sampled++
		}
	}
}

// given sets up a test of a sum of figures: with the intervals of the figures, taken as
// independent, or as exact counts if no figure has an interval. Figures over different numbers of
// texts are not compared.
func (j *Judgement) given(s figureSum) {
	if len(j.Missing) > 0 {
		return
	}
	for _, f := range s.figures {
		if f.Of == "texts" && s.figures[0].Of == "texts" && f.N != s.figures[0].N {
			j.Missing = append(j.Missing, fmt.Sprintf("figures of equally many texts: there are %s of %s and %s of %s", words.Group(s.figures[0].N), s.figures[0].Name, words.Group(f.N), f.Name))
			return
		}
	}
	e := stats.Estimate{Value: s.value, StandardError: math.Sqrt(s.variance), Freedom: many}
	if j.Exact = s.sampled == 0; !j.Exact {
		j.Notes = append(j.Notes, "the test uses the intervals of the figures, taken as independent")
	}
	if s.sampled > 0 && s.sampled < len(s.figures) {
		j.Notes = append(j.Notes, "figures without an interval are taken as exact")
	}
	j.Contrast = contrast.Given(e, j.Claim.zero(metrics.Neither), j.Claim.Margin)
	for _, f := range s.figures {
		j.N = cmp.Or(min(j.N, f.N), f.N)
	}
}
