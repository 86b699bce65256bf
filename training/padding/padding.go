// Package padding arranges the sequences of a batch in rectangles, so that a graph computes little
// padding and few graphs are compiled. It only knows lengths.
package padding

import (
	"cmp"
	"math"
	"slices"
)

// Group is rows of sequences that the network reads with one length.
type Group struct{ Rows, Length int }

// Plan cuts the sequences of a part of a batch into groups, the longest first, so that a graph
// computes little padding. Every plan is a graph to compile. A run has a few, made from its own
// batches before the first step, and a batch uses the smallest that it fits.
type Plan []Group

// Tokens returns the number of tokens that a plan computes, including padding.
func (p Plan) Tokens() int {
	total := 0
	for _, g := range p {
		total += g.Rows * g.Length
	}
	return total
}

// Fits reports whether sequences of these lengths, longest first, fit into the plan.
func (p Plan) Fits(lengths []int) bool {
	at := 0
	for _, g := range p {
		if at < len(lengths) && lengths[at] > g.Length {
			return false
		}
		at += g.Rows
	}
	return at >= len(lengths)
}

// Envelope returns for each k the length of the longest k-th sequence of the batches.
func Envelope(batches [][]int) (list []int) {
	for _, lengths := range batches {
		for k, n := range lengths {
			if k == len(list) {
				list = append(list, 0)
			}
			list[k] = max(list[k], n)
		}
	}
	return list
}

// cheapest returns the plan for sequences of these lengths, longest first, that computes least.
// Each further group must save its cost: a share of usual, the tokens of a batch.
func cheapest(lengths []int, bucket func(int) int, usual int) Plan {
	// A fourth group of the demo's 80 sequences of 40 tokens costs as much as 100 tokens; in a
	// larger network it costs less.
	const share, least, ends = 100, 48, 32
	price := max(usual/share, least)
	var at []int // possible ends of groups
	for k := 1; k < len(lengths); k++ {
		if few := k <= 8 && k&(k-1) == 0; few || k%max(1, len(lengths)/ends) == 0 {
			at = append(at, k)
		}
	}
	at = append(at, len(lengths))
	type best struct {
		cost int
		plan Plan
	}
	upTo := []best{{}}
	for j, end := range at {
		b := best{cost: math.MaxInt}
		for i := range upTo {
			start := 0
			if i > 0 {
				start = at[i-1]
			}
			g := Group{end - start, bucket(max(1, lengths[start]))}
			if cost := upTo[i].cost + g.Rows*g.Length + price; cost < b.cost {
				b = best{cost, append(slices.Clip(upTo[i].plan), g)}
			}
		}
		upTo = append(upTo[:j+1], b)
	}
	return upTo[len(at)].plan
}

// Level is a plan for each part of a batch.
type Level []Plan

// Fits reports whether the sequences of all parts fit into the level.
func (l Level) Fits(parts [][]int) bool {
	for p, lengths := range parts {
		if !l[p].Fits(lengths) {
			return false
		}
	}
	return true
}

// Tokens returns the number of tokens that a level computes, including padding.
func (l Level) Tokens() (total int) {
	for _, p := range l {
		total += p.Tokens()
	}
	return total
}

// Levels returns the levels for a run with batches like these, given by the lengths of each part's
// sequences, longest first; bucket returns the length to which a sequence is padded. Each level is
// made for batches of similar size from one half, and chosen by its savings in the other half, so
// that not only the seen batches fit. A level needs one more graph, so it must save one in worth
// tokens.
func Levels(batches [][][]int, bucket func(int) int, worth int) []Level {
	const most = 16
	slices.SortStableFunc(batches, func(a, b [][]int) int { return cmp.Compare(sum(a...), sum(b...)) })
	var made, judged [][][]int
	for i, b := range batches {
		if i%2 == 0 {
			made = append(made, b)
		} else {
			judged = append(judged, b)
		}
	}
	list := []Level{LevelFor(batches, bucket)}
	var candidates []Level
	for parts := 1; parts <= len(made); parts *= 2 {
		for i := range parts {
			candidates = append(candidates, LevelFor(made[i*len(made)/parts:(i+1)*len(made)/parts], bucket))
		}
	}
	cost := costs(list[0], judged)
	for len(list) < most {
		best, saved := -1, 0
		for i, l := range candidates {
			if s := saves(cost, costs(l, judged)); s > saved {
				best, saved = i, s
			}
		}
		if total := sum(cost); saved*worth <= total {
			break
		}
		for b, c := range costs(candidates[best], judged) {
			cost[b] = min(cost[b], c)
		}
		list = append(list, candidates[best])
	}
	slices.SortStableFunc(list, func(a, b Level) int { return cmp.Compare(a.Tokens(), b.Tokens()) })
	return list
}

// LevelFor returns the level that fits all of some batches.
func LevelFor(batches [][][]int, bucket func(int) int) Level {
	l := make(Level, len(batches[0]))
	for p := range l {
		of := make([][]int, len(batches))
		for b := range batches {
			of[b] = batches[b][p]
		}
		l[p] = cheapest(Envelope(of), bucket, sum(of...)/len(of))
	}
	return l
}

// costs returns the tokens that a level computes for each batch, and a large number if the batch
// does not fit.
func costs(l Level, batches [][][]int) []int {
	list, tokens := make([]int, len(batches)), l.Tokens()
	for b, parts := range batches {
		if list[b] = math.MaxInt32; l.Fits(parts) {
			list[b] = tokens
		}
	}
	return list
}

// saves returns the sum of the savings by the lower of two costs for each batch.
func saves(old, other []int) (total int) {
	for b, c := range old {
		total += max(0, c-other[b])
	}
	return total
}

func sum(lists ...[]int) (total int) {
	for _, list := range lists {
		for _, n := range list {
			total += n
		}
	}
	return total
}

// NonEmpty returns the indices of the sequences that are not empty.
func NonEmpty(sequences [][]int32) (numbers []int) {
	for i, s := range sequences {
		if len(s) > 0 {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// LongestFirst returns the indices of the sequences that are not empty, longest first.
func LongestFirst(sequences [][]int32) []int {
	order := NonEmpty(sequences)
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(len(sequences[k]), len(sequences[i])) })
	return order
}

// Lengths returns the lengths of the sequences that are not empty, longest first.
func Lengths(sequences [][]int32) (lengths []int) {
	for _, i := range LongestFirst(sequences) {
		lengths = append(lengths, len(sequences[i]))
	}
	return lengths
}
