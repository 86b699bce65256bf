package words

import (
	"slices"
)

// ShortIDs shortens trial IDs for notes.
func ShortIDs(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = Shorten(id)
	}
	return out
}

// Unrecorded is shown where nothing was recorded.
const Unrecorded = "not recorded"

// Shorten cuts a commit or hash to 12 characters, which a reader can compare.
func Shorten(revision string) string { return Prefix(revision, 12) }

// ShortenApart shortens revisions that all differ, to the least length (12 or more) at which they
// still differ.
func ShortenApart(revisions []string) []string {
	for length := 12; ; length++ {
		short := make([]string, len(revisions))
		seen := map[string]bool{}
		for i, r := range revisions {
			short[i] = Prefix(r, length)
			seen[short[i]] = true
		}
		if len(seen) == len(revisions) || slices.Equal(short, revisions) {
			return short
		}
	}
}

// Prefix returns the first n characters of s, or all of s if it is shorter.
func Prefix(s string, n int) string {
	runes := []rune(s)
	return string(runes[:min(n, len(runes))])
}
