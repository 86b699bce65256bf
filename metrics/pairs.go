package metrics

import (
	"slices"

	"infbench/metrics/trec"
)

// IsTwoSided reports whether a run holds both sides of a pair: queries X-og and X-changed.
func IsTwoSided(run trec.Run) bool {
	for query := range run {
		if pair, on := CutSide(query); on == Original && run[Changed.Query(pair)] != nil {
			return true
		}
	}
	return false
}

// Paired puts the queries X-og, X-changed and X-reversed of mteb 2 under the bare ID X. It returns
// the new inputs and the number of such pairs: Run and Qrels have the changed side, Before and
// BeforeQrels the original one, Reversed the reversed one. If the file of a side is missing, the
// side is looked up in Run and Qrels. Other queries are unchanged.
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

// namedPairs returns the bare IDs that the files have with both endings, or that Changed has and a
// file has with one of them.
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

// orOther returns m, or other if m is nil and other has queries on the side.
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

// onSide returns the entries of a file for one side of the pairs, under their bare IDs, and those
// of queries outside pairs.
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

// Lacking returns, in byte order, the pairs with changed documents that have no ranking in Run, and
// those that have none in Before, and the number of all pairs with changed documents.
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

// moved returns Changed or, if it is nil, the documents whose grades differ between the two
// judgments.
func (in Inputs) moved() trec.Changed {
	if in.Changed == nil && in.BeforeQrels != nil {
		return changedGrades(in.BeforeQrels, in.Qrels)
	}
	return in.Changed
}
