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

// nameWidth is the width of a name, in CSS pixels, beyond which it is shortened: that of two lines
// next to a row.
const nameWidth = 2*labelWidth - 30

// titleWidth is the width of the title below a chart of rows with long names.
const titleWidth = 130

// shortestWord is the number of letters that a shortened word keeps.
const shortestWord = 12

// shortened shortens names that are wider than two lines in the middle of their longest words. Names
// that differ stay unlike each other.
func shortened(names []string, style draw.TextStyle, width vg.Length) []string {
	out := make([]string, len(names))
	room := make([]vg.Length, len(names))
	for i := range room {
		room[i] = width
	}
	for again := true; again; {
		of := map[string]string{}
		clash := map[string]bool{}
		for i, name := range names {
			out[i] = fitted(name, style, room[i])
			if other, taken := of[out[i]]; taken && other != name {
				clash[out[i]] = true
			}
			of[out[i]] = name
		}
		again = false
		for i, name := range names {
			if clash[out[i]] && out[i] != name {
				room[i] += width / 2
				again = true
			}
		}
	}
	return out
}

// fitted shortens a name to a width: its longest words first, then the middle of the name.
func fitted(name string, style draw.TextStyle, width vg.Length) string {
	if style.Width(name) <= width {
		return name
	}
	parts, longest := strings.Split(name, " "), 0
	for _, word := range parts {
		longest = max(longest, len([]rune(word)))
	}
	for most := longest - 1; most >= shortestWord; most-- {
		short := make([]string, len(parts))
		for i, word := range parts {
			short[i] = inMiddle(word, most)
		}
		if text := strings.Join(short, " "); style.Width(text) <= width {
			return text
		}
	}
	letters := len([]rune(name))
	short := sort.Search(letters, func(most int) bool { return style.Width(inMiddle(name, most+1)) > width })
	return inMiddle(name, max(short, shortestWord))
}

// inMiddle leaves out letters of a word so that it has at most some. It keeps its key, as in
// backbone=..., and more of its beginning than of its end.
func inMiddle(word string, most int) string {
	letters := []rune(word)
	if len(letters) <= most {
		return word
	}
	most = max(most-1, 4)
	start := (most + 1) * 3 / 5
	if key := strings.IndexByte(word, '=') + 1; key > 0 && !strings.Contains(word, " ") {
		at := len([]rune(word[:key]))
		start = max(start, min(at+4, most-3))
	}
	return string(letters[:start]) + "…" + string(letters[len(letters)-(most-start):])
}
