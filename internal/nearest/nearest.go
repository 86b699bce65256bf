// Package nearest formats the error for an unknown name, so that all such errors look alike: it
// lists the known names and suggests the closest by edit distance. It contains no names itself,
// except those of other tools (elsewhere.go).
package nearest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// UnknownError means that Name is not one of the Known names of a Kind.
type UnknownError struct {
	Kind  string // kind of the name: "loss", "measure", "verb"
	Name  string
	Known []string
}

// Unknown returns an *UnknownError for name among the known names of a kind.
func Unknown(kind, name string, known []string) error {
	return &UnknownError{Kind: kind, Name: name, Known: known}
}

// OneOf rejects a value of a kind that is not a known one; an empty value is accepted.
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

// Of returns the known name closest to name. This is the shortest known name that equals name after
// a prefix, such as beir-scifact for SciFact; else the closest by case-insensitive edit distance,
// the first in order among equals. ok is false if none is close enough to be a likely slip (more
// than a third of the longer name's length, at least 2).
//
//plain:ok
func Of(name string, known []string) (near string, ok bool) {
	if near := prefixed(name, known); near != "" {
		return near, true
	}
	best := -1
	for _, k := range known {
		x, y := utf8.RuneCountInString(name), utf8.RuneCountInString(k)
		limit := max(2, max(x, y)/3)
		if max(x-y, y-x) > limit {
			continue // a lower bound of the distance: comparing a name of a megabyte costs nothing
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

// prefixed returns the shortest known name that is name, or name after a prefix that ends in a
// hyphen or a slash; hyphens, underscores and case do not count. It returns "" if there is none.
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

// distance returns the Levenshtein distance between the runes of a and b.
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
