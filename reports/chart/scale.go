package chart

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"infbench/internal/words"
)

// scale is matplotlib's viridis without its darkest end. It is perceptually uniform and
// its lightness always rises, so that colour-blind readers and grey prints can follow it.
// It is the same on light and dark pages.
var scale = []uint32{0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6dcd59, 0xb4de2c, 0xfde725}

// The colours of numbers in cells; inkOn takes the one with more contrast.
const (
	onLight = 0x000000
	onDark  = 0xffffff
)

// scaleAt returns the colour at a place of the scale, 0 to 1, mixed between stops as
// ECharts does.
func scaleAt(t float64) uint32 {
	at := min(1, max(0, t)) * float64(len(scale)-1)
	i := min(int(at), len(scale)-2)
	return blend(scale[i], scale[i+1], at-float64(i))
}

// inkOn returns the text colour for a number on a colour.
func inkOn(colour uint32) uint32 {
	if contrast(colour, onLight) >= contrast(colour, onDark) {
		return onLight
	}
	return onDark
}

// contrast returns the contrast of two colours, 1 to 21, as defined by WCAG 2.1.
func contrast(a, b uint32) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

func luminance(hex uint32) float64 {
	linear := func(shift int) float64 {
		v := float64(hex>>shift&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(16) + 0.7152*linear(8) + 0.0722*linear(0)
}

// Range is an interval of a colour scale or an axis.
type Range struct{ Low, High float64 }

// leastRange is the shortest colour range, in points: smaller differences must look small.
const leastRange = 5

// ScaleOf returns the range of the colours for some values, at least five points. It
// excludes outliers (beyond 1.5 interquartile ranges of the quartiles, Tukey's fences),
// which would leave one colour to all other values.
func ScaleOf(values []float64) Range {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return Range{0, leastRange}
	}
	q1, q3 := quantile(sorted, .25), quantile(sorted, .75)
	fence := 1.5 * (q3 - q1)
	inside := slices.DeleteFunc(slices.Clone(sorted), func(v float64) bool { return v < q1-fence || v > q3+fence })
	out := Range{inside[0], inside[len(inside)-1]}
	if lack := leastRange - (out.High - out.Low); lack > 0 {
		out.Low, out.High = out.Low-lack/2, out.High+lack/2
	}
	return out
}

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

// Holds reports whether a value is in the range, its ends included.
func (r Range) Holds(v float64) bool { return v >= r.Low && v <= r.High }

// share returns the position of a value in the range, 0 to 1.
func (r Range) share(v float64) float64 {
	if r.High <= r.Low {
		return .5
	}
	return (v - r.Low) / (r.High - r.Low)
}

// colourOf returns the background and text colour of a cell; off the scale the background
// is grey.
func (m *Mark) colourOf(d Datum) (field, ink uint32) {
	field = offScale
	if m.Scale.Holds(d.Value) {
		field = scaleAt(m.Scale.share(d.Value))
	}
	return field, inkOn(field)
}

// offScale is the grey of cells off the scale.
const offScale = 0xa9b0b8

// scaleHeight is the height reserved for the scale below cells, in CSS pixels.
const scaleHeight = 34

// Sizes of the scale in CSS pixels.
const (
	scaleLength = 160
	scaleThick  = 10
)

// css returns a colour in the format of chart options.
func css(hex uint32) string { return fmt.Sprintf("#%06x", hex) }

// visualMap returns the scale of a mark for ECharts, which draws it below the cells.
func (m *Mark) visualMap(series int) map[string]any {
	var stops []string
	for _, stop := range scale {
		stops = append(stops, css(stop))
	}
	return map[string]any{"type": "continuous", "seriesIndex": series, "dimension": 2, "min": m.Scale.Low, "max": m.Scale.High,
		"inRange": map[string]any{"color": stops}, "hoverLink": false,
		"orient": "horizontal", "left": "center", "bottom": 0, "itemWidth": scaleThick, "itemHeight": scaleLength,
		"text": []string{m.Scale.words(m.Scale.High), m.Scale.words(m.Scale.Low)}, "textStyle": map[string]any{"color": Muted.css(), "fontSize": 12}}
}

// words formats an end of the scale.
func (r Range) words(v float64) string { return words.Minus(words.Fixed(v, 1)) }

// scaleBar draws the scale of cells at the lower edge of a drawing.
func (f *Figure) scaleBar(c draw.Canvas) {
	const steps = 40
	i := slices.IndexFunc(f.Marks, func(m Mark) bool { return m.Shape == Cell })
	if i < 0 {
		return
	}
	r, left, low := f.Marks[i].Scale, c.Center().X-scaleLength/2, c.Min.Y+10
	for k := range steps {
		x0, x1 := left+scaleLength*vg.Length(k)/steps, left+scaleLength*vg.Length(k+1)/steps
		c.StrokeLine2(draw.LineStyle{Color: rgb(scaleAt((float64(k) + .5) / steps)), Width: scaleThick}, x0, low+scaleThick/2, min(x1+1, left+scaleLength), low+scaleThick/2) // overlapping, since gaps between adjacent edges would show
	}
	c.FillText(textStyle(Muted, -1, -0.5), vg.Point{X: left - 8, Y: low + scaleThick/2}, r.words(r.Low))
	c.FillText(textStyle(Muted, 0, -0.5), vg.Point{X: left + scaleLength + 8, Y: low + scaleThick/2}, r.words(r.High))
}
