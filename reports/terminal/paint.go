package terminal

import "infbench/reports/table"

// style is a way to paint text: the parameters of an SGR sequence (ECMA-48).
type style string

// The styles. Blue and orange, also used on the page, can be distinguished by readers with
// red-green colour blindness. Both are legible on light and dark backgrounds.
const (
	plain  style = ""
	bold   style = "1"
	faint  style = "2"
	blue   style = "38;5;33"
	orange style = "38;5;208"
)

// paint colours clean text if the screen has colours.
func (s Screen) paint(as style, text string) string {
	if !s.Colour || as == plain || text == "" {
		return text
	}
	return "\x1b[" + string(as) + "m" + text + "\x1b[0m"
}

// styleOf returns the style of an entry: bold for the best of its column, blue and orange
// for test results, faint for missing values.
func styleOf(e table.Entry) style {
	as := plain
	switch e.Tone {
	case table.Better, table.BetterOnce:
		as = blue
	case table.Worse, table.WorseOnce:
		as = orange
	case table.Absent:
		as = faint
	}
	switch {
	case e.Best && as == plain:
		return bold
	case e.Best:
		return bold + ";" + as
	}
	return as
}
