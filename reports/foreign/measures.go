package foreign

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infbench/metrics"
)

// known returns the name of a measure in package metrics. ok is false if there is none, and for
// measures that are not means over queries or groups of queries, such as counts.
func known(name string) (spelt string, ok bool) {
	m, err := metrics.Parse(name)
	if err != nil {
		return "", false
	}
	_, summarized := m.(metrics.Summarizer)
	_, grouped := m.(metrics.Grouped)
	return m.String(), grouped || !summarized
}

// leftOut warns of measures of a file that have no counterpart in infbench.
func leftOut(path string, unknown map[string]bool) []string {
	if len(unknown) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: left out, not a mean of a known measure over queries: %s", path, strings.Join(slices.Sorted(maps.Keys(unknown)), ", "))}
}

// isNumber reports whether a text is a number.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}
