// Package nearest formats the error for an unknown name, so that all such errors read
// alike: it lists the known names and suggests the one closest by edit distance. It knows
// no names itself but those that other tools use (elsewhere.go).
package nearest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// UnknownError says that Name is not among Known names of a Kind.
type UnknownError struct {
	Kind  string // what was looked for: "loss", "measure", "verb"
	Name  string
	Known []string
}

// Unknown returns an *UnknownError for name among the known names of a kind.
func Unknown(kind, name string, known []string) error {
	return &UnknownError{Kind: kind, Name: name, Known: known}
}

// OneOf refuses a value of a kind that is none of the known ones; an empty value leaves
// the choice open.
func OneOf[T ~string](kind string, value T, known ...T) error {
	if value == "" || slices.Contains(known, value) {
		return nil
	}
	var names []string
	for _, k := range known {
		names = append(names, string(k))
	}
	return Unknown(kind, string(value), names)
}

func (e *UnknownError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "unknown %s %q", e.Kind, e.Name)
	if here := e.here(); here != "" {
		fmt.Fprintf(&b, "; here that is %s", here)
	} else if near, ok := Of(e.Name, e.Known); ok {
		fmt.Fprintf(&b, "; did you mean %q?", near)
	}
	if len(e.Known) > 0 {
		fmt.Fprintf(&b, " (known: %s)", strings.Join(e.Known, ", "))
	}
	return b.String()
}

// Of returns the known name closest to name: the shortest that is name behind a prefix, as
// beir-scifact for SciFact, else the closest by case-insensitive edit distance, the first in
// order among equals; ok is false where none is close enough to be a likely slip (more than
// a third of the longer name's length, at least 2).
func Of(name string, known []string) (near string, ok bool) {
	if near := prefixed(name, known); near != "" {
		return near, true
	}
	best := -1
	for _, k := range known {
		x, y := utf8.RuneCountInString(name), utf8.RuneCountInString(k)
		limit := max(2, max(x, y)/3)
		if max(x-y, y-x) > limit {
			continue // the distance is at least that: a name of a megabyte costs nothing
		}
		d := distance(strings.ToLower(name), strings.ToLower(k))
		if d > limit {
			continue
		}
		if best < 0 || d < best {
			near, best = k, d
		}
	}
	return near, best >= 0
}

// prefixed is the shortest known name that is name, or name behind a prefix that ends in a
// hyphen or a slash; hyphens, underlines and case do not count. "" where there is none.
func prefixed(name string, known []string) (near string) {
	want := plain(name)
	if len(want) < 3 || len(want) > 256 {
		return ""
	}
	for _, k := range known {
		if len(k) < len(want) || near != "" && len(k) >= len(near) {
			continue
		}
		for i := range len(k) {
			if (i == 0 || k[i-1] == '-' || k[i-1] == '/') && plain(k[i:]) == want {
				near = k
				break
			}
		}
	}
	return near
}

// distance is the Levenshtein distance between the runes of a and b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		prev := slices.Clone(row)
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(prev[j+1]+1, row[j]+1, prev[j]+cost)
		}
	}
	return row[len(y)]
}
