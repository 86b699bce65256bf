package site

import (
	"bytes"
	"fmt"
	"html/template"

	"infbench/internal/words"
)

// badgeSVG consists only of text and the widths below.
var badgeSVG = template.Must(template.New("badge").Parse(
	`<svg xmlns="http://www.w3.org/2000/svg" width="{{.Width}}" height="20" role="img" aria-label="{{.Label}}: {{.Value}}">` +
		`<title>{{.Label}}: {{.Value}}</title>` +
		`<rect width="{{.Split}}" height="20" fill="#4a4a4a"/><rect x="{{.Split}}" width="{{.Rest}}" height="20" fill="{{.Colour}}"/>` +
		`<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">` +
		`<text x="{{.LabelAt}}" y="14" textLength="{{.LabelWidth}}">{{.Label}}</text>` +
		`<text x="{{.ValueAt}}" y="14" textLength="{{.ValueWidth}}">{{.Value}}</text></g></svg>` + "\n"))

// Colours of badges: white text on them has a contrast of at least 4.5.
const (
	badgeGood  = "#2f6f3e"
	badgeBad   = "#b3261e"
	badgePlain = "#2a5d8f"
)

// badgeText limits the text of each half.
const badgeText = 60

// Badge draws a small SVG with a label and a value. It loads nothing, and text cannot become
// markup.
func Badge(label, value, colour string) ([]byte, error) {
	label, value = words.Prefix(words.Clean(label), badgeText), words.Prefix(words.Clean(value), badgeText)
	a, b := textWidth(label), textWidth(value)
	var out bytes.Buffer
	err := badgeSVG.Execute(&out, map[string]any{
		"Label": label, "Value": value, "Colour": colour,
		"LabelWidth": a, "ValueWidth": b, "Split": a + 12, "Rest": b + 12, "Width": a + b + 24,
		"LabelAt": halves(a + 12), "ValueAt": halves(2*(a+12) + b + 12),
	})
	return out.Bytes(), err
}

// halves prints n/2.
func halves(n int) string { return fmt.Sprintf("%g", float64(n)/2) }

// textWidth estimates the width of a text in Verdana of 11 pixels; textLength makes other fonts
// fit.
func textWidth(s string) int {
	width := 0.0
	for _, r := range s {
		switch {
		case r == ' ' || r == '.' || r == ',' || r == 'i' || r == 'l' || r == '(' || r == ')' || r == '|':
			width += 4.5
		case r > 0x2e80:
			width += 11
		default:
			width += 7.2
		}
	}
	return int(width + 0.5)
}
