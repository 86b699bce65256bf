// Package slots fills the templates of generated texts.

package datasets

import "strings"

// Fill replaces the {slots} of a template, left to right, and begins each
// sentence with a capital.
func FillSlots(template string, slot func(name string) string) string {
	text := []byte(FillPlainSlots(template, slot))
	start := true
	for i, c := range text {
		switch {
		case c == '.' || c == '?':
			start = true
		case c != ' ':
			if start && 'a' <= c && c <= 'z' {
				text[i] = c - 'a' + 'A'
			}
			start = false
		}
	}
	return string(text)
}

// FillPlain replaces the {slots} of a template, left to right.
func FillPlainSlots(template string, slot func(name string) string) string {
	var b strings.Builder
	b.Grow(256)
	for {
		before, rest, found := strings.Cut(template, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		b.WriteString(slot(name))
		template = after
	}
}

// AnyOf lists words: "a or b", "a, b, c or d".
func AnyOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
