package terminal

import "infbench/reports/table"

// style is a way to paint text: the parameters of an SGR sequence (ECMA-48).
type style string

// The styles. Blue and orange, which the page has too, are told apart by those who do
// not tell red from green; both are read on light and on dark.
const (
	plain  style = ""
	bold   style = "1"
	faint  style = "2"
	blue   style = "38;5;33"
	orange style = "38;5;208"
)

// paint colours clean text where the screen has colours.
func (s Screen) paint(as style, text string) string {
	if !s.Colour || as == plain || text == "" {
		return text
	}
	return "\x1b[" + string(as) + "m" + text + "\x1b[0m"
}

// styleOf says what the look of an entry means: bold is the best of its column, blue
// and orange are what a test says, faint is not there.
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
