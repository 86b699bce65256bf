package words

import (
	"slices"
)

// ShortIDs cuts trial IDs to what tells them apart in a note.
func ShortIDs(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = Shorten(id)
	}
	return out
}

// Unrecorded stands where nothing was recorded.
const Unrecorded = "not recorded"

// Shorten cuts a commit or hash to what a reader can compare.
func Shorten(revision string) string { return Prefix(revision, 12) }

// ShortenApart shortens revisions, all different, by as little as it takes to
// tell them apart.
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

// Prefix is the first n characters of s, or all of it.
func Prefix(s string, n int) string {
	runes := []rune(s)
	return string(runes[:min(n, len(runes))])
}
