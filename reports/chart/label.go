package chart

import (
	"sort"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// labelWidth is the room for a name beside its row, in CSS pixels. A longer one
// takes several lines: a name that is cut names nothing.
const labelWidth = 150

// lineHeight is that of one line of a name.
const lineHeight = 14

// linesAtMost bounds a name that is a text; the table has it whole.
const linesAtMost = 6

// wrapped breaks a text into lines of a width: after a space or one of ,/=_-)
// where there is one, else anywhere.
func wrapped(text string, style draw.TextStyle, width vg.Length) string {
	var lines []string
	for rest := text; rest != ""; {
		n := fitting(rest, style, width)
		if len(lines) == linesAtMost-1 && n < len(rest) {
			lines = append(lines, cut(rest, style, width))
			break
		}
		lines, rest = append(lines, strings.TrimSuffix(rest[:n], " ")), rest[n:]
	}
	return strings.Join(lines, "\n")
}

// fitting is how many bytes of a text one line takes, at least a letter.
func fitting(text string, style draw.TextStyle, width vg.Length) int {
	var ends []int
	for at, letter := range text {
		ends = append(ends, at+len(string(letter)))
	}
	short := sort.Search(len(ends), func(i int) bool { return style.Width(strings.TrimSuffix(text[:ends[i]], " ")) > width })
	if short == len(ends) {
		return len(text)
	}
	fits := ends[max(0, short-1)]
	if joint := strings.LastIndexAny(text[:fits], " ,/=_-)"); joint >= 0 {
		return joint + 1
	}
	return fits
}

// wrappedAll breaks the names of an axis, and tells the most lines of one and the
// width of the widest.
func wrappedAll(names []string, width vg.Length) (out []string, lines int, widest vg.Length) {
	style := textStyle(Muted, 0, 0)
	lines = 1
	for _, name := range names {
		name = wrapped(name, style, width)
		out = append(out, name)
		lines = max(lines, 1+strings.Count(name, "\n"))
		for line := range strings.SplitSeq(name, "\n") {
			widest = max(widest, style.Width(line))
		}
	}
	return out, lines, widest
}
