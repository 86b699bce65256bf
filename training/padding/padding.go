// Package padding lays the sequences of a batch out in rectangles, so that little of what
// a graph computes is padding and few graphs are compiled. It knows lengths alone.
package padding

import (
	"cmp"
	"math"
	"slices"
)

// Group is rows of sequences that the network reads in one length.
type Group struct{ Rows, Length int }

// Plan cuts the sequences of a part of a batch into groups, the longest first, so that
// little of what a graph computes is padding. Every plan is a graph to compile: a run
// has a few, made from its own batches before the first step, and a batch takes the
// smallest that it fits.
type Plan []Group

// Tokens is what a plan computes, padding included.
func (p Plan) Tokens() int {
	total := 0
	for _, g := range p {
		total += g.Rows * g.Length
	}
	return total
}

// Fits says whether sequences of these lengths, longest first, find room.
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

// Envelope is the longest k-th sequence of batches, for each k.
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

// cheapest is the plan for sequences of these lengths, longest first, that computes least,
// where a group more must save what it costs: a share of usual, the tokens of a batch.
func cheapest(lengths []int, bucket func(int) int, usual int) Plan {
	// A fourth group of the demo's 80 sequences of 40 tokens costs what 100 tokens do,
	// one of a larger network less.
	const share, least, ends = 100, 48, 32
	price := max(usual/share, least)
	var at []int // where a group may end
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

// Fits says whether the sequences of all parts find room.
func (l Level) Fits(parts [][]int) bool {
	for p, lengths := range parts {
		if !l[p].Fits(lengths) {
			return false
		}
	}
	return true
}

// Tokens is what a level computes, padding included.
func (l Level) Tokens() (total int) {
	for _, p := range l {
		total += p.Tokens()
	}
	return total
}

// Levels are those of a run in which batches like these occur, given by lengths of each
// part's sequences, longest first; bucket is the length that a sequence is padded to. Each
// is made for batches of like size out of one half, and chosen for what it saves in the
// other, so that what was seen is not all that fits. A level, which is a graph more, must
// save one of worth tokens.
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

// LevelFor is the level that all of some batches fit.
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

// costs are the tokens that a level computes for each batch, a lot where it has no room.
func costs(l Level, batches [][][]int) []int {
	list, tokens := make([]int, len(batches)), l.Tokens()
	for b, parts := range batches {
		if list[b] = math.MaxInt32; l.Fits(parts) {
			list[b] = tokens
		}
	}
	return list
}

// saves is what the lower of two costs of each batch saves.
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

// NonEmpty are the numbers of the sequences that are not empty.
func NonEmpty(sequences [][]int32) (numbers []int) {
	for i, s := range sequences {
		if len(s) > 0 {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// LongestFirst are the numbers of the sequences that are not empty, longest first.
func LongestFirst(sequences [][]int32) []int {
	order := NonEmpty(sequences)
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(len(sequences[k]), len(sequences[i])) })
	return order
}

// Lengths are those of sequences that are not empty, longest first.
func Lengths(sequences [][]int32) (lengths []int) {
	for _, i := range LongestFirst(sequences) {
		lengths = append(lengths, len(sequences[i]))
	}
	return lengths
}
