package datasets

import "strings"

// fillSlots replaces the {slots} of a template, left to right, and capitalizes each sentence.
func fillSlots(template string, slot func(name string) string) string {
	text := []byte(fillPlainSlots(template, slot))
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

// fillPlainSlots replaces the {slots} of a template, left to right.
func fillPlainSlots(template string, slot func(name string) string) string {
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
