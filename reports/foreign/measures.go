package foreign

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infbench/metrics"
)

// known spells a measure as package metrics does; ok is false where it has none,
// and for those that are no mean over queries or groups of them, such as counts.
func known(name string) (spelt string, ok bool) {
	m, err := metrics.Parse(name)
	if err != nil {
		return "", false
	}
	_, summarized := m.(metrics.Summarizer)
	_, grouped := m.(metrics.Grouped)
	return m.String(), grouped || !summarized
}

// leftOut says which measures of a file have no counterpart here.
func leftOut(path string, unknown map[string]bool) []string {
	if len(unknown) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: left out what is no mean here of a measure over queries: %s", path, strings.Join(slices.Sorted(maps.Keys(unknown)), ", "))}
}

// isNumber reports whether a text is a number.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
