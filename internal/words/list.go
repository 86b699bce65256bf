package words

import (
	"fmt"
	"slices"
	"strings"
)

// Listed joins the first ten names of a list and counts the rest.
func Listed(names []string) string { return First(10, names) }

// First joins the first names of a list and counts the rest.
func First(most int, names []string) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// AnyOf joins the words of a list that is not empty: "a or b", "a, b, c or d".
func AnyOf(list []string) string {
	last := len(list) - 1
	if last == 0 {
		return list[0]
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// Joined makes one map key from several tuples.
func Joined(tuples ...[]string) string {
	var b strings.Builder
	for _, t := range tuples {
		for _, s := range t {
			b.WriteString(s + "\x00")
		}
		b.WriteString("\x01")
	}
	return b.String()
}

// AppendNew appends a tuple unless the list already has it.
func AppendNew(tuples [][]string, t []string) [][]string {
	for _, have := range tuples {
		if slices.Equal(have, t) {
			return tuples
		}
	}
	return append(tuples, t)
}

// SortedKeys lists the keys of a map in order.
func SortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// AddNew appends a value unless the list already has it.
func AddNew[T comparable](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}
