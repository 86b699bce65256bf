package strict

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/internal/words"
)

// indentOf returns the spaces and tabs that a line begins with.
func indentOf(line []byte) []byte { return line[:len(line)-len(bytes.TrimLeft(line, " \t"))] }

// advice returns what to do about a message of yaml.v3 on the last of lines; "" if unknown.
func advice(lines [][]byte, msg string) string {
	last := lines[len(lines)-1]
	text, depth := string(bytes.TrimSpace(last)), len(indentOf(last))
	above, levels := before(lines), openLevels(lines)
	switch {
	case strings.HasPrefix(msg, "found character that cannot start any token"):
		return "put a value that begins with @, `, % or a tab in quotes"
	case ofBlock(msg) && len(levels) > 0 && depth < slices.Max(levels) && !slices.Contains(levels, depth):
		var columns []string
		for _, level := range levels {
			columns = append(columns, strconv.Itoa(level))
		}
		return fmt.Sprintf("the line is indented by %s, the levels above it by %s: begin it in the column of one of them", words.Plural(depth, "space", "spaces"), words.AnyOf(columns))
	case above != nil && depth > len(indentOf(above)) && (ofBlock(msg) || strings.HasPrefix(msg, "mapping values are not allowed")):
		return fmt.Sprintf("the line is indented by %s, the one above by %d, which already has its value: begin both in the same column", words.Plural(depth, "space", "spaces"), len(indentOf(above)))
	case strings.HasPrefix(msg, "mapping values are not allowed"):
		if above != nil && !hasKey(above) {
			return "the line above is not KEY: VALUE, with a space after the colon"
		}
		return "one line holds one KEY: VALUE; put a value that contains \": \" in quotes"
	case ofBlock(msg) && strings.HasPrefix(text, "- "):
		return "an item of a list stands among keys: indent it below its key"
	case strings.HasPrefix(msg, "could not find expected ':'"):
		return "write KEY: VALUE, with a space after the colon"
	case strings.HasPrefix(msg, "did not find expected ',' or"), strings.HasPrefix(msg, "did not find expected node content"):
		if bracket, line := unclosed(lines); bracket != 0 {
			return fmt.Sprintf("close the %c of line %d", bracket, line)
		}
	}
	return ""
}

// isBlank reports whether a line has neither a key nor a value.
func isBlank(line []byte) bool {
	text := bytes.TrimSpace(line)
	return len(text) == 0 || text[0] == '#'
}

// before returns the last line with content before the last of lines; nil if there is none.
func before(lines [][]byte) []byte {
	for _, line := range slices.Backward(lines[:len(lines)-1]) {
		if !isBlank(line) {
			return line
		}
	}
	return nil
}

// ofBlock reports whether a message is about a line that does not go on with its block. Its position
// is that of the line or of the block's beginning.
func ofBlock(msg string) bool {
	return strings.HasPrefix(msg, "did not find expected key") || strings.HasPrefix(msg, "did not find expected '-' indicator")
}

// misplaced returns the number of the first wrongly indented line, searching from a line on. A line is
// wrongly indented if no block above it begins in its column, or if it is deeper than a key that has a
// value. Without such a line, misplaced returns the number of the first item of a list among keys, or 0.
func misplaced(lines [][]byte, from int) int {
	var above []byte
	var levels []int
	for i, line := range lines {
		if isBlank(line) {
			continue
		}
		if depth := len(indentOf(line)); above != nil && i+1 >= from {
			if depth < levels[len(levels)-1] && !slices.Contains(levels, depth) {
				return i + 1
			}
			if depth > len(indentOf(above)) && hasKey(line) && hasValue(above) {
				return i + 1
			}
		}
		above, levels = line, levelsAfter(levels, line)
	}
	depth := len(indentOf(lines[from-1]))
	for i := from + 1; i <= len(lines); i++ {
		if bytes.HasPrefix(bytes.TrimSpace(lines[i-1]), []byte("- ")) && len(indentOf(lines[i-1])) == depth {
			return i
		}
	}
	return 0
}

// hasKey reports whether a line looks like KEY: or KEY: VALUE.
func hasKey(line []byte) bool {
	text := bytes.TrimSpace(line)
	return bytes.Contains(text, []byte(": ")) || bytes.HasSuffix(text, []byte(":"))
}

// hasValue reports whether a line looks like KEY: VALUE, with a value that ends in it.
func hasValue(line []byte) bool {
	_, value, ok := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
	value = bytes.TrimSpace(value)
	return ok && len(value) > 0 && !bytes.ContainsAny(value[:1], "|>&#[{") && !bytes.HasPrefix(bytes.TrimSpace(line), []byte("- "))
}

// tabAfter finds a line with a tab in its indentation at the line of a message about tabs, or in the
// next one; 0 if there is none.
func tabAfter(lines [][]byte, from int, msg string) int {
	if !strings.Contains(msg, "tab character") && !strings.HasPrefix(msg, "found character that cannot start any token") {
		return 0
	}
	for i := from; i <= min(from+1, len(lines)); i++ {
		if bytes.IndexByte(indentOf(lines[i-1]), '\t') >= 0 {
			return i
		}
	}
	return 0
}

// openLevels lists the indentations of the blocks that the last of lines may continue or end.
func openLevels(lines [][]byte) (levels []int) {
	for _, line := range lines[:len(lines)-1] {
		levels = levelsAfter(levels, line)
	}
	return levels
}

// levelsAfter returns the indentations of the open blocks after a line, given those before it.
func levelsAfter(levels []int, line []byte) []int {
	if isBlank(line) {
		return levels
	}
	depth := len(indentOf(line))
	for len(levels) > 0 && levels[len(levels)-1] > depth {
		levels = levels[:len(levels)-1]
	}
	if len(levels) == 0 || levels[len(levels)-1] < depth {
		levels = append(levels, depth)
	}
	if item := bytes.TrimLeft(line[depth:], "- "); bytes.HasPrefix(line[depth:], []byte("- ")) && hasKey(item) {
		levels = append(levels, len(line)-len(item)) // the keys of an item
	}
	return levels
}

// unclosed returns the last open bracket that is not closed, and the number of its line; 0 if all are
// closed. Brackets in quotes and comments do not count.
func unclosed(lines [][]byte) (bracket rune, line int) {
	type open struct {
		bracket rune
		line    int
	}
	var all []open
	quote := rune(0)
	for i, text := range lines {
		space := true
		for _, r := range string(text) {
			switch {
			case quote != 0:
				if r == quote {
					quote = 0
				}
			case r == '#' && space:
				r = '\n'
			case r == '"' || r == '\'':
				if space || len(all) > 0 {
					quote = r
				}
			case r == '[' || r == '{':
				all = append(all, open{r, i + 1})
			case (r == ']' || r == '}') && len(all) > 0:
				all = all[:len(all)-1]
			}
			if r == '\n' {
				break
			}
			space = r == ' ' || r == '\t'
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	return all[len(all)-1].bracket, all[len(all)-1].line
}

// checkFolds rejects a plain text that goes on in a line that begins like an item of a list: the line
// is indented deeper than its list.
func (d *Decoder) checkFolds(lines [][]byte, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Style == 0 && strings.Contains(n.Value, " - ") {
		if i := foldedItem(lines, n); i > 0 {
			d.Fail(&yaml.Node{Line: i + 1, Column: len(indentOf(lines[i])) + 1}, "the line begins with \"- \" but is indented deeper than the list, so that it continues the text of line %d: begin both in the same column", n.Line)
		}
	}
	for _, c := range n.Content {
		d.checkFolds(lines, c)
	}
}

// foldedItem returns the index of the first line that continues a plain text and begins like an item
// of a list; 0 if there is none. yaml.v3 has no end of a text. The text ends at the line up to which
// the lines, joined by spaces, are the value.
func foldedItem(lines [][]byte, n *yaml.Node) (item int) {
	if n.Line > len(lines) { // YAML has more line breaks than this package
		return 0
	}
	first, tail := lines[n.Line-1], ""
	for i := n.Line; i < len(lines) && !isBlank(lines[i]) && len(tail) < len(n.Value); i++ {
		text := bytes.TrimSpace(lines[i])
		text, _, _ = bytes.Cut(text[:min(len(text), len(n.Value)+1)], []byte(" #"))
		if item == 0 && bytes.HasPrefix(text, []byte("- ")) {
			item = i
		}
		tail += " " + string(bytes.TrimSpace(text))
		head, ok := strings.CutSuffix(n.Value, tail)
		if ok && bytes.HasSuffix(bytes.TrimSpace(first), []byte(head)) && !bytes.Contains(first[min(n.Column-1, len(first)):], []byte(n.Value)) {
			return item
		}
	}
	return 0
}
