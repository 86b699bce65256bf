package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Cells show how far a number is from another in coloured steps: grey for a difference that
// no test shows, orange for worse and blue for better. Colour-blind readers can distinguish
// both, and numbers on all of them have the contrast that WCAG asks of text.

// Steps is the number of steps on each side of grey.
const Steps = 3

// leastStep is the shortest step, in points: smaller differences must look small.
const leastStep = 2

// StepOf returns the length of a step for some differences, in points: 1, 2 or 5 times a power
// of ten, at least 2.
// The largest difference is in the last step. Outliers (beyond 1.5 interquartile ranges of the quartiles, Tukey's
// fences) do not count, since they would leave one colour to all others.
func StepOf(differences []float64) float64 {
	var sorted []float64
	for _, d := range differences {
		sorted = append(sorted, math.Abs(d))
	}
	if slices.Sort(sorted); len(sorted) == 0 {
		return leastStep
	}
	q1, q3 := quantile(sorted, .25), quantile(sorted, .75)
	inside := slices.DeleteFunc(sorted, func(v float64) bool { return v > q3+1.5*(q3-q1) })
	half := inside[len(inside)-1] / (Steps - 1) // the largest is in the last step
	power := math.Pow(10, math.Floor(math.Log10(half)))
	for _, round := range []float64{5, 2, 1} {
		if round*power < half {
			return max(leastStep, round*power)
		}
	}
	return max(leastStep, power/2)
}

// Step returns the step of a difference, from -Steps to Steps; the last one has no end.
func Step(difference, length float64) float64 {
	return math.Copysign(min(Steps, max(1, math.Ceil(math.Abs(difference)/length-1e-9))), difference)
}

// Range is an interval of a colour scale or an axis.
type Range struct{ Low, High float64 }

// quantile returns a quantile of sorted values, by linear interpolation.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// With returns the smallest range that contains both; an empty range contains nothing.
func (r Range) With(other Range) Range {
	if r == (Range{}) {
		return other
	}
	if other == (Range{}) {
		return r
	}
	return Range{min(r.Low, other.Low), max(r.High, other.High)}
}

// Rounded returns the shortest range with round ends, as for ticks, that contains r.
func (r Range) Rounded() Range {
	if r.High <= r.Low {
		return r
	}
	step, _ := roundStep((r.High - r.Low) / 7)
	return Range{math.Floor(r.Low/step+1e-9) * step, math.Ceil(r.High/step-1e-9) * step}
}

// Extent returns the range of a figure's data along x, including intervals and the axis's
// 0. If no point is negative it begins at 0 or above: a lower interval end comes from a
// normal approximation.
func (f *Figure) Extent() (r Range) {
	least := math.Inf(1)
	for _, m := range f.Marks {
		for _, d := range m.Data {
			least = min(least, d.X)
			low, high := d.X, d.X
			if m.Shape == Interval {
				low, high = min(low, d.Low), max(high, d.High)
			}
			r = r.With(Range{low, high})
		}
	}
	if f.X.Zero {
		r.Low, r.High = min(0, r.Low), max(0, r.High)
	}
	if least >= 0 {
		r.Low = max(0, r.Low)
	}
	return r
}

// scaleHeight is the height reserved for the scale below cells, in CSS pixels.
const scaleHeight = 34

// Sizes of the scale in CSS pixels.
const (
	scaleLength = 24 // of a step
	scaleThick  = 10
	scaleGap    = 2
)

// Ends of the scale.
const (
	worseEnd  = "worse"
	betterEnd = "better"
)

// colour returns the colour of a cell.
func (d Datum) colour() Colour { return stepColours[int(d.Value)+Steps] }

// visualMap returns the scale of a mark for ECharts, which draws it below the cells.
func (m *Mark) visualMap(series int) map[string]any {
	var pieces []any
	for i, colour := range stepColours {
		pieces = append(pieces, map[string]any{"value": i - Steps, "color": colour.css()})
	}
	return map[string]any{"type": "piecewise", "seriesIndex": series, "dimension": 2, "pieces": pieces, "hoverLink": false, "selectedMode": false, "showLabel": false,
		"orient": "horizontal", "left": "center", "bottom": 4, "itemWidth": scaleLength, "itemHeight": scaleThick, "itemGap": scaleGap, "itemSymbol": "rect",
		"text": []string{"  " + betterEnd, worseEnd + "  "}, "textStyle": map[string]any{"color": Muted.css(), "fontSize": 12}}
}

// scaleBar draws the scale of cells at the lower edge of a drawing.
func (f *Figure) scaleBar(c draw.Canvas) {
	if !f.has(Cell) {
		return
	}
	whole := vg.Length(len(stepColours)) * (scaleLength + scaleGap)
	left, y := c.Center().X-whole/2, c.Min.Y+10+scaleThick/2
	for k, colour := range stepColours {
		x := left + vg.Length(k)*(scaleLength+scaleGap)
		c.FillPolygon(colour.rgb(), []vg.Point{{X: x, Y: y - scaleThick/2}, {X: x, Y: y + scaleThick/2}, {X: x + scaleLength, Y: y + scaleThick/2}, {X: x + scaleLength, Y: y - scaleThick/2}})
	}
	c.FillText(textStyle(Muted, -1, -0.5), vg.Point{X: left - 8, Y: y}, worseEnd)
	c.FillText(textStyle(Muted, 0, -0.5), vg.Point{X: left + whole + 6, Y: y}, betterEnd)
}
