package suites

import (
	"maps"
	"math"
	"slices"

	"infbench/metrics/stats"
)

// Responsiveness is FollowTable's Instruction Responsiveness Score (IRS) of one instruction:
// how far the instruction moved the wanted documents up and the unwanted ones down from their
// ranks for the bare query, relative to the most (or, below 0, the least) that a ranking of
// size documents can do. With w(r) = 1/log2(r+1) and G the sum of w over the ranks of a set,
//
//	S = (G(instructed, wanted) - G(baseline, wanted)) - (G(instructed, unwanted) - G(baseline, unwanted))
//
// The score is S/S_best if S >= 0, else S/|S_worst|; 0 if nothing could move. A document that
// a ranking lacks has rank size+1, below the worst rank of the formula: with truncated
// rankings the score may leave [-1,1].
//
// Jin et al. 2026 (arXiv 2605.00400), as computed by the released irs.py.
func Responsiveness(instructed, baseline, wanted, unwanted []string, size int) float64 {
	wanted, unwanted = distinct(wanted), distinct(unwanted)
	before := gain(ranksIn(baseline, wanted, size)) - gain(ranksIn(baseline, unwanted, size))
	of := func(wanted, unwanted []int) float64 { return gain(wanted) - gain(unwanted) - before }
	p, n := len(wanted), len(unwanted)
	moved := of(ranksIn(instructed, wanted, size), ranksIn(instructed, unwanted, size))
	if moved >= 0 {
		return share(moved, of(span(1, p), span(size-n+1, size)))
	}
	return share(moved, math.Abs(of(span(size-p+1, size), span(1, n))))
}

// share returns part/room, or 0 if room is 0.
func share(part, room float64) float64 {
	if room <= 0 {
		return 0
	}
	return part / room
}

// distinct keeps the first of equal names.
func distinct(ids []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// ranksIn returns the ranks of ids in a ranking, from 1, ascending; an id that the ranking
// lacks has rank size+1. With ascending ranks, sums do not depend on which id has which rank.
func ranksIn(ranking, ids []string, size int) []int {
	at := make(map[string]int, len(ids))
	for _, id := range ids {
		at[id] = size + 1
	}
	for i, id := range ranking {
		if rank, asked := at[id]; asked && rank == size+1 {
			at[id] = i + 1
		}
	}
	return slices.Sorted(maps.Values(at))
}

// span returns the ranks from first to last.
func span(first, last int) []int {
	var ranks []int
	for r := first; r <= last; r++ {
		ranks = append(ranks, r)
	}
	return ranks
}

// gain returns the sum of the discounts of ranks.
func gain(ranks []int) float64 {
	sum := 0.0
	for _, r := range ranks {
		sum += discount(r)
	}
	return sum
}

// ResponsivenessSummary is a row of FollowTable's table.
type ResponsivenessSummary struct {
	N, Skipped         int     // instructions with a score, and without
	Mean               float64 // over those with a score; if N is 0 undefined, and 0 as the authors print it
	Positive, Negative float64 // shares of the scores above 0 and below
	PerType            map[string]float64
}

// SummarizeResponsiveness sums up the scores of instructions (nil: no score) and computes the
// mean of each type of instruction. The mean is over instructions, not over queries.
func SummarizeResponsiveness(scores map[string]*float64, types map[string]string) ResponsivenessSummary {
	s := ResponsivenessSummary{PerType: map[string]float64{}}
	perType := map[string][]*float64{}
	var all []*float64
	for _, pair := range slices.Sorted(maps.Keys(scores)) {
		v := scores[pair]
		if v == nil {
			s.Skipped++
			continue
		}
		all = append(all, v)
		switch stats.Compare(*v, 0) {
		case 1:
			s.Positive++
		case -1:
			s.Negative++
		}
		if kind, typed := types[pair]; typed {
			perType[kind] = append(perType[kind], v)
		}
	}
	if s.Mean, s.N = Mean(all); s.N > 0 {
		s.Positive /= float64(s.N)
		s.Negative /= float64(s.N)
	}
	for kind, values := range perType {
		s.PerType[kind], _ = Mean(values)
	}
	return s
}
