package metrics

import (
	"slices"

	"infbench/metrics/trec"
)

// IsTwoSided says whether a run holds both sides of a pair: queries X-og and
// X-changed.
func IsTwoSided(run trec.Run) bool {
	for query := range run {
		if pair, on := CutSide(query); on == Original && run[Changed.Query(pair)] != nil {
			return true
		}
	}
	return false
}

// Paired returns the inputs with the queries X-og, X-changed and X-reversed of mteb 2
// under the bare ID X, and how many such pairs there are: Run and Qrels have the changed
// side, Before and BeforeQrels the original one, Reversed the reversed one. A side whose
// file is not there is looked for in Run and Qrels. Other queries stay as they are.
func (in Inputs) Paired() (paired Inputs, pairs int) {
	named := in.namedPairs()
	if len(named) == 0 {
		return in, 0
	}
	in.Before = onSide(orOther(in.Before, in.Run, Original), Original, named)
	in.BeforeQrels = onSide(orOther(in.BeforeQrels, in.Qrels, Original), Original, named)
	in.Reversed = onSide(orOther(in.Reversed, in.Run, Reversed), Reversed, named)
	in.Run, in.Qrels = onSide(in.Run, Changed, named), onSide(in.Qrels, Changed, named)
	return in, len(named)
}

// namedPairs are the bare IDs that the files have with both endings, or that Changed
// has where a file has one of them.
func (in Inputs) namedPairs() map[string]bool {
	all := map[string]bool{}
	addKeys(all, in.Run)
	addKeys(all, in.Before)
	addKeys(all, in.Qrels)
	addKeys(all, in.BeforeQrels)
	named := map[string]bool{}
	for query := range all {
		pair, on := CutSide(query)
		if _, moved := in.Changed[pair]; (on == Original || on == Changed) && (moved || all[Original.Query(pair)] && all[Changed.Query(pair)]) {
			named[pair] = true
		}
	}
	return named
}

// orOther is m, or the other file where that is not there and the other has queries on
// the side.
func orOther[M ~map[string]V, V any](m, other M, side Side) M {
	if m != nil {
		return m
	}
	for query := range other {
		if _, on := CutSide(query); on == side {
			return other
		}
	}
	return nil
}

// onSide is what a file says of one side of the pairs, under their bare IDs, and of
// queries that are outside pairs.
func onSide[M ~map[string]V, V any](m M, side Side, pairs map[string]bool) M {
	if m == nil {
		return nil
	}
	out := make(M, len(m))
	for query, v := range m {
		pair, on := CutSide(query)
		if !pairs[pair] || on == None {
			out[query] = v
		} else if _, plain := m[pair]; on == side && !plain {
			out[pair] = v
		}
	}
	return out
}

// Lacking lists the pairs with changed documents that Run, and those that Before, has no
// ranking of, in byte order, and counts all such pairs.
func (in Inputs) Lacking() (run, before []string, pairs int) {
	for query, docs := range in.moved() {
		if len(docs) == 0 {
			continue
		}
		pairs++
		if in.Run[query] == nil {
			run = append(run, query)
		}
		if in.Before[query] == nil {
			before = append(before, query)
		}
	}
	slices.Sort(run)
	slices.Sort(before)
	return run, before, pairs
}

// moved is Changed or, where it is nil, what the two judgments differ in.
func (in Inputs) moved() trec.Changed {
	if in.Changed == nil && in.BeforeQrels != nil {
		return changedGrades(in.BeforeQrels, in.Qrels)
	}
	return in.Changed
}
