package terminal

import (
	"io"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"infbench/internal/words"
)

// Width returns how many columns a text takes: two for each wide character (Chinese,
// Japanese, Korean, emoji), none for a combining mark.
func Width(text string) int { return displaywidth.String(text) }

// Wrap breaks clean text into lines of at most width columns, between words where
// possible. A longer word is broken between characters. 0 means no limit.
func Wrap(text string, width int) []string {
	if width <= 0 || Width(text) <= width {
		return []string{text}
	}
	var lines []string
	line, used := "", 0
	for word := range strings.FieldsSeq(text) {
		w := Width(word)
		if used > 0 && used+1+w <= width {
			line, used = line+" "+word, used+1+w
			continue
		}
		if used > 0 {
			lines = append(lines, line)
		}
		for line, used = word, w; used > width; line, used = word, w {
			head := beginning(word, width)
			lines, word = append(lines, head), word[len(head):]
			w = Width(word)
		}
	}
	if used == 0 && len(lines) > 0 {
		return lines
	}
	return append(lines, line)
}

// beginning returns the part of a long word that fits width. It ends after the last slash,
// hyphen or similar in the second half, else after any character.
func beginning(word string, width int) string {
	used, end, good := 0, 0, 0
	g := displaywidth.StringGraphemes(word)
	for g.Next() {
		if used += g.Width(); used > width {
			break
		}
		end += len(g.Value())
		if used > width/2 && strings.ContainsAny(g.Value(), "/-_,.;:)=") {
			good = end
		}
	}
	switch {
	case good > 0:
		return word[:good]
	case end > 0:
		return word[:end]
	}
	return word[:len(g.Value())] // one character wider than the line
}

// Cut shortens a clean text to width, with an ellipsis if some is left out.
func Cut(text string, width int) string {
	if width < 1 {
		return ""
	}
	return displaywidth.TruncateString(text, width, "…")
}

// Print writes a paragraph formatted by Lines.
func (s Screen) Print(lead, text string) error { return s.Put(s.Lines(lead, text)) }

// Put writes all lines in one call, so that it fails once.
func (s Screen) Put(lines ...[]string) error {
	_, err := io.WriteString(s.W, strings.Join(slices.Concat(lines...), "\n")+"\n")
	return err
}

// Lines cleans and wraps a paragraph. The lines after the first are indented by the width
// of lead.
func (s Screen) Lines(lead, text string) []string {
	room := 0
	if s.Width > 0 {
		room = max(1, s.Width-Width(lead))
	}
	lines := Wrap(words.Clean(text), room)
	for i := range lines {
		if i == 0 {
			lines[i] = lead + lines[i]
		} else {
			lines[i] = strings.Repeat(" ", Width(lead)) + lines[i]
		}
	}
	return lines
}
