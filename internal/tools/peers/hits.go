package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"infbench/metrics/trec"
)

// hit is a ranked document.
type hit struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

// hitsOf returns the first documents of each query of a run whose queries are named by their
// numbers.
func hitsOf(run trec.Run, queries, depth int) [][]hit {
	all := make([][]hit, queries)
	for i := range all {
		ranking := run[queryID(i)]
		for _, d := range ranking[:min(depth, len(ranking))] {
			all[i] = append(all[i], hit{d.Doc, d.Score})
		}
	}
	return all
}

// queryID names a query by its number.
func queryID(i int) string { return fmt.Sprint(i) }

// sameHits compares the rankings of two sides. At every rank the scores must agree within a
// share of the first score; documents may differ only if they tie, within the same share,
// with the last one in both rankings.
func sameHits(share float64) func(j *job, ours, theirs string) error {
	return func(j *job, ours, theirs string) error {
		var a, b [][]hit
		if err := readJSON(j.path(ours+".json"), &a); err != nil {
			return err
		}
		if err := readJSON(j.path(theirs+".json"), &b); err != nil {
			return err
		}
		if len(a) != len(b) || len(a) == 0 {
			return fmt.Errorf("%d queries and %d", len(a), len(b))
		}
		for i := range a {
			if err := sameRanking(a[i], b[i], share); err != nil {
				return fmt.Errorf("query %d: %w", i, err)
			}
		}
		return nil
	}
}

// sameRanking compares two rankings of a query.
func sameRanking(a, b []hit, share float64) error {
	if len(a) != len(b) || len(a) == 0 {
		return fmt.Errorf("%d documents and %d", len(a), len(b))
	}
	tolerance := share * math.Abs(a[0].Score)
	near := func(x, y float64) bool { return math.Abs(x-y) <= tolerance }
	other := map[string]float64{}
	for _, h := range b {
		other[h.ID] = h.Score
	}
	last := a[len(a)-1].Score
	for rank, h := range a {
		score, found := other[h.ID]
		switch {
		case !near(h.Score, b[rank].Score):
			return fmt.Errorf("rank %d has score %g and %g", rank+1, h.Score, b[rank].Score)
		case found && !near(h.Score, score):
			return fmt.Errorf("document %s scores %g and %g", h.ID, h.Score, score)
		case !found && !near(h.Score, last):
			return fmt.Errorf("document %s of rank %d is with one side only", h.ID, rank+1)
		}
	}
	return nil
}

// zipfTexts returns texts of words drawn by Zipf's law from 50,000; a quarter of the words
// have a plural s. (Stemmers differ on "w33ings": is 33 a double consonant?) Their numbers of words are drawn from lengths.
func zipfTexts(rng *rand.Rand, n int, lengths []int) []string {
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range lengths[rng.IntN(len(lengths))] {
			rank := int(math.Exp(rng.Float64() * math.Log(50_000)))
			fmt.Fprintf(&b, "w%s%d", strings.Repeat("ab", rank%3), rank)
			if rng.IntN(4) == 0 {
				b.WriteByte('s')
			}
			b.WriteByte(' ')
		}
		texts[i] = strings.TrimSpace(b.String())
	}
	return texts
}
