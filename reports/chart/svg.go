package chart

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"infbench/internal/words"
)

// svgFont is metric-compatible with Helvetica and Arial, so widths computed with it hold
// in a browser.
var svgFont = font.Font{Typeface: "Liberation", Variant: "Sans", Size: 11}

// newPlot returns a plot in the page's colours, without a background.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = svgFont
		a.Label.TextStyle.Color = Muted.rgb()
		a.Tick.Label.Font = svgFont
		a.Tick.Label.Color = Muted.rgb()
		a.Tick.LineStyle.Color = rule.rgb()
		a.LineStyle.Color = rule.rgb()
		a.Padding = 0
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	return p
}

// textStyle returns the style of texts. x and y align the text at its place: at 0 the
// place is on its left or lower edge, at -0.5 in the middle.
func textStyle(c Colour, x, y float64) draw.TextStyle {
	return draw.TextStyle{Color: c.rgb(), Font: svgFont, XAlign: draw.XAlignment(x), YAlign: draw.YAlignment(y), Handler: plot.DefaultTextHandler}
}

// Drawing is a standalone SVG with its size in CSS pixels.
type Drawing struct {
	SVG           []byte
	Width, Height int
}

// finish adds to a drawing a title for screen readers, the page's font, the dark colours
// for readers who prefer them, and the extra CSS.
func finish(canvas *vgsvg.Canvas, width, height int, title, css string) (*Drawing, error) {
	var raw bytes.Buffer
	if _, err := canvas.WriteTo(&raw); err != nil {
		return nil, fmt.Errorf("draw %s: %w", title, err)
	}
	_, body, ok := strings.Cut(raw.String(), "<svg ")
	_, rest, closed := strings.Cut(body, ">")
	if !ok || !closed {
		return nil, fmt.Errorf("draw %s: no <svg> in the drawing", title)
	}
	svg := svgStart(width, height, title) + "<style>" + svgCSS() + css + "</style>" + strings.TrimSpace(rest) + "\n"
	return &Drawing{[]byte(svg), width, height}, nil
}

func svgStart(width, height int, title string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img"><title>%s</title>`,
		width, height, width, height, html.EscapeString(words.Clean(title)))
}

// svgCSS sets the text font of a drawing. It maps each light colour of the palette to its
// dark one by the style that vgsvg writes on every element.
func svgCSS() string {
	var b strings.Builder
	b.WriteString("text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif!important}")
	b.WriteString("@media (prefers-color-scheme:dark){")
	for _, s := range palette() {
		darken(&b, s.light, s.dark)
	}
	b.WriteString("}")
	return b.String()
}

func darken(b *strings.Builder, light, dark uint32) {
	for _, property := range []string{"fill", "stroke"} {
		fmt.Fprintf(b, `[style*="%s:#%06X"]{%s:#%06x!important}`, property, light, property, dark)
	}
}

// plainTicks puts four to seven round values on an axis, without superfluous decimals;
// gonum's own ticks are about three.
type plainTicks struct{}

// Ticks implements plot.Ticker.
func (plainTicks) Ticks(low, high float64) []plot.Tick {
	step, decimals := roundStep((high - low) / 7)
	var out []plot.Tick
	for i := math.Ceil(low / step); i*step <= high; i++ {
		label := words.Fixed(i*step, decimals)
		if len(label) > 20 { // a loss that diverged
			label = strconv.FormatFloat(i*step, 'g', 3, 64)
		}
		out = append(out, plot.Tick{Value: i * step, Label: words.Minus(label)})
	}
	return out
}

// logTicks puts 1, 2 and 5 times powers of ten on an axis, or only the powers if those are
// many.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(low, high float64) []plot.Tick {
	rounds := []float64{1, 2, 5}
	if high/low > 1e3 {
		rounds = rounds[:1]
	}
	var out []plot.Tick
	for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
		for _, round := range rounds {
			if v := round * math.Pow(10, power); v >= low && v <= high {
				out = append(out, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', max(0, -int(power)), 64)})
			}
		}
	}
	return out
}

// roundStep returns the smallest 1, 2 or 5 times a power of ten that is at least length,
// up to rounding, and the number of decimals of its multiples.
func roundStep(length float64) (step float64, decimals int) {
	power := math.Pow(10, math.Floor(math.Log10(length)))
	for _, round := range []float64{1, 2, 5, 10} {
		if step = round * power; step >= length*0.999 {
			break
		}
	}
	return step, max(0, -int(math.Floor(math.Log10(step)+1e-9)))
}
