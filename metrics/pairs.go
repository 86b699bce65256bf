package metrics

import (
	"slices"
	"strings"

	"infbench/metrics/trec"
)

// Endings of mteb 2's query IDs, which say the instruction that a query is under.
const (
	originalEnding = "-og"
	changedEnding  = "-changed"
	reversedEnding = "-reversed"
)

// NeedsPairs says whether a measure reads rankings under two instructions or more.
func NeedsPairs(m Measure) bool {
	switch m.(type) {
	case PMRR, FollowIR, WISE, SICR, IRS, FlipRate:
		return true
	}
	return false
}

// NeedsRun says whether a measure reads a ranking at all.
func NeedsRun(m Measure) bool {
	_, judged := m.(INSTFOL)
	return !judged
}

// IsTwoSided says whether a run holds both sides of a pair: queries X-og and
// X-changed.
func IsTwoSided(run trec.Run) bool {
	for query := range run {
		if bare, ok := strings.CutSuffix(query, originalEnding); ok && run[bare+changedEnding] != nil {
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
	in.Before = side(orOther(in.Before, in.Run, originalEnding), originalEnding, named)
	in.BeforeQrels = side(orOther(in.BeforeQrels, in.Qrels, originalEnding), originalEnding, named)
	in.Reversed = side(orOther(in.Reversed, in.Run, reversedEnding), reversedEnding, named)
	in.Run, in.Qrels = side(in.Run, changedEnding, named), side(in.Qrels, changedEnding, named)
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
		for _, ending := range []string{originalEnding, changedEnding} {
			bare, ok := strings.CutSuffix(query, ending)
			if _, moved := in.Changed[bare]; ok && (moved || all[bare+originalEnding] && all[bare+changedEnding]) {
				named[bare] = true
			}
		}
	}
	return named
}

// orOther is m, or the other file where that is not there and the other has queries of
// the ending.
func orOther[M ~map[string]V, V any](m, other M, ending string) M {
	if m != nil {
		return m
	}
	for query := range other {
		if strings.HasSuffix(query, ending) {
			return other
		}
	}
	return nil
}

// side is what a file says of one side of the pairs, under their bare IDs, and of
// queries that are of none.
func side[M ~map[string]V, V any](m M, ending string, pairs map[string]bool) M {
	if m == nil {
		return nil
	}
	out := make(M, len(m))
	for query, v := range m {
		bare, of := bareID(query)
		if !pairs[bare] || of == "" {
			out[query] = v
		} else if _, plain := m[bare]; of == ending && !plain {
			out[bare] = v
		}
	}
	return out
}

// bareID cuts the ending of a side off a query ID.
func bareID(query string) (bare, ending string) {
	for _, ending := range []string{originalEnding, changedEnding, reversedEnding} {
		if bare, ok := strings.CutSuffix(query, ending); ok {
			return bare, ending
		}
	}
	return query, ""
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
