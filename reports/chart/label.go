package chart

import (
	"sort"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// labelWidth is the width of a name next to its row, in CSS pixels. A longer name takes
// several lines: a name cut short would not identify its row.
const labelWidth = 150

// lineHeight is the height of one line of a name.
const lineHeight = 14

// linesAtMost limits a long name; the table shows it in full.
const linesAtMost = 6

// wrapped breaks a text into lines of a width: after a space or one of ,/=_-) if possible,
// else anywhere.
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

// fitting returns how many bytes of a text fit on one line, at least one letter.
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

// wrappedAll wraps the names of an axis. It returns the largest number of lines of a name
// and the width of the widest.
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
