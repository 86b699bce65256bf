package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/nearest"
)

// Link names the source of a shown number: a statistic and the places of trials and slots
// in Data. It prints as "difference 0-2 3 15", which ParseLink reads.
type Link struct {
	Stat    string
	Trials  []int // trials of the system
	Slots   []int
	Against []int // trials of the system it is compared with; nil for one system
	ByQuery bool  // queries of several slots are weighted equally
}

// byQueries is the suffix of a statistic that weights all queries equally.
const byQueries = "-by-queries"

// Statistics that links name. All start from the mean over a system's trials for each
// query. Slots that are splits of one task, by the benchmark's groups, are averaged
// together with equal weight for each query. The results are averaged without weights,
// unless the statistic ends in "-by-queries".
const (
	StatMean       = "mean"         // over queries, then slots, then trials
	StatRuns       = "runs"         // over trials: mean, half of its interval over training runs with the variance that the tests use, number
	StatInterval   = "t-interval"   // interval of the mean over queries and trials
	StatRank       = "ranks"        // ranks that tests leave possible, and groups, among the systems of the table
	StatCount      = "n"            // queries for which both have values
	StatDifference = "difference"   // mean difference from the reference
	StatBetween    = "simultaneous" // t interval of the mean difference, simultaneous over the family
	StatEffect     = "d"            // Cohen's d_z
	StatHolm       = "adjusted"     // p value of the t test, adjusted by Holm over the family of the benchmark
	StatEffects    = "effects"      // main effect or interaction of the axes of an ablation
)

// Statistics lists the statistics of links.
func Statistics() []string {
	return []string{StatMean, StatRuns, StatInterval, StatRank, StatCount, StatDifference, StatBetween, StatEffect, StatHolm, StatEffects}
}

// String implements fmt.Stringer.
func (l Link) String() string {
	stat := l.Stat
	if l.ByQuery {
		stat += byQueries
	}
	words := []string{stat, ranges(l.Trials), ranges(l.Slots)}
	if l.Against != nil {
		words = append(words, ranges(l.Against))
	}
	return strings.Join(words, " ")
}

// ParseLink parses the output of String.
func ParseLink(text string) (Link, error) {
	words := strings.Split(text, " ")
	if len(words) < 3 || len(words) > 4 {
		return Link{}, fmt.Errorf("link %q: want STATISTIC TRIALS SLOTS [TRIALS]", text)
	}
	var l Link
	l.Stat, l.ByQuery = strings.CutSuffix(words[0], byQueries)
	if !slices.Contains(Statistics(), l.Stat) {
		return Link{}, fmt.Errorf("link %q: %w", text, nearest.Unknown("statistic", l.Stat, Statistics()))
	}
	for i, into := range []*[]int{&l.Trials, &l.Slots, &l.Against}[:len(words)-1] {
		var err error
		if *into, err = parseRanges(words[i+1]); err != nil {
			return Link{}, fmt.Errorf("link %q: %w", text, err)
		}
	}
	return l, nil
}

// ranges formats ascending numbers: "0-2,5".
func ranges(numbers []int) string {
	if !slices.IsSorted(numbers) {
		numbers = slices.Sorted(slices.Values(numbers))
	}
	var out []byte
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, int64(numbers[i]), 10)
		if end > i {
			out = strconv.AppendInt(append(out, '-'), int64(numbers[end]), 10)
		}
		i = end + 1
	}
	return string(out)
}

// rangesAtMost limits the size of a range, so that a page cannot make the reader allocate
// all memory.
const rangesAtMost = 1 << 20

func parseRanges(text string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		from, to, several := strings.Cut(part, "-")
		low, err := strconv.Atoi(from)
		high := low
		if err == nil && several {
			high, err = strconv.Atoi(to)
		}
		if err != nil || low < 0 || high < low || high-low+len(out) >= rangesAtMost {
			return nil, fmt.Errorf("%q is not a range of places", part)
		}
		for i := low; i <= high; i++ {
			out = append(out, i)
		}
	}
	return out, nil
}

// As returns the same link with another statistic, or nil for nil.
func (l *Link) As(stat string) *Link {
	if l == nil {
		return nil
	}
	other := *l
	other.Stat = stat
	return &other
}
