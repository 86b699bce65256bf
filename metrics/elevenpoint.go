package metrics

import (
	"fmt"
	"strconv"
	"strings"
)

// ElevenPoint is the mean of interpolated precision at several recall levels: At, or 0, 0.1, ..., 1
// by default. trec_eval's 11pt_avg.
type ElevenPoint struct {
	At  string // recall levels: "0.25,0.5,0.75"; "": the eleven standard levels
	Rel int
}

// elevenPoints are the recall levels of the standard recall-precision graph.
const elevenPoints = "0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"

var elevenPointFamily = Family{
	Name: "11-pt", Aliases: []string{"11pt", "11pt_avg"}, Forms: "11-pt, 11-pt(rel=2), 11-pt(at='0.25,0.5,0.75')",
	Definition: "mean of interpolated precision at the recall levels 0, 0.1, ..., 1, or those given",
	Range:      "[0,1]", Direction: Higher, Source: "trec_eval 10 11pt_avg", Address: trecEval,
	make: func(a *arguments) Measure {
		text, given := a.take("at")
		if !given {
			text = elevenPoints
		}
		levels, err := parseLevels(text)
		if err != nil {
			a.errs = append(a.errs, err)
		}
		return newElevenPoint(levels, a.rel())
	},
}

// newElevenPoint returns the measure for these recall levels.
func newElevenPoint(levels []float64, rel int) ElevenPoint {
	var texts []string
	for _, v := range levels {
		texts = append(texts, strconv.FormatFloat(v, 'g', -1, 64))
	}
	at := strings.Join(texts, ",")
	if at == elevenPoints {
		at = ""
	}
	return ElevenPoint{At: at, Rel: rel}
}

func (m ElevenPoint) String() string {
	return spell("11-pt", 0, wordOption("at", m.At, ""), relOption(m.Rel))
}

// Score implements Measure.
func (m ElevenPoint) Score(c *Case) (float64, bool) {
	r, ok := c.relevance()
	if !ok {
		return 0, false
	}
	at := m.At
	if at == "" {
		at = elevenPoints
	}
	levels, err := parseLevels(at)
	if err != nil {
		return 0, false
	}
	level := c.level(m.Rel)
	best, sum := r.interpolated(level), 0.0
	for _, recall := range levels {
		sum += atRecall(best, recall, r.relevant(level))
	}
	return sum / float64(len(levels)), true
}

// parseLevels reads recall levels between 0 and 1, separated by commas.
func parseLevels(text string) ([]float64, error) {
	var levels []float64
	for _, part := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("%q is not a recall level from 0 to 1", part)
		}
		levels = append(levels, v+0) // no -0 in a name
	}
	return levels, nil
}
