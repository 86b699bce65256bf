package queries

import (
	"slices"

	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// First returns the system shown by default: the best trained one, else the best. It
// returns nil if there is none.
func First(v *scores.Set, q *Query) *scores.System {
	trained := v.Trained()
	if len(trained) == 0 {
		trained = v.Systems
	}
	return Best(v.With(trained), q, nil)
}

// Best returns the system with the best mean by the main measure of a query's task. It
// picks controls only if there is nothing else, and no system that shares runs with but.
// It returns nil if there is none.
func Best(v *scores.Set, q *Query, but *scores.System) (best *scores.System) {
	at, ok := Main(v, q)
	if !ok {
		return nil
	}
	column := at.Column()
	better := func(a, b *scores.System) bool {
		x, y := v.Cell(a, column), v.Cell(b, column)
		if x.State.Valued() != y.State.Valued() {
			return x.State.Valued()
		}
		if null := a.Kind == table.Null; null != (b.Kind == table.Null) {
			return !null
		}
		return x.State.Valued() && column.Direction().Better(x.Value, y.Value)
	}
	for _, s := range v.Systems {
		if but != nil && sameRuns(s, but) {
			continue
		}
		if best == nil || better(s, best) {
			best = s
		}
	}
	return best
}

// Against returns the system that a is compared with by default: the one that it was
// trained from, else the best of the others. It returns nil if there is none.
func Against(v *scores.Set, a *scores.System, q *Query) *scores.System {
	if ref := contrast.Reference(v, a, contrast.DefaultReference); ref != nil && !sameRuns(ref, a) {
		return ref
	}
	return Best(v, q, a)
}

// sameRuns reports whether two systems share a trial.
func sameRuns(a, b *scores.System) bool {
	return slices.ContainsFunc(a.Trials, func(t *scores.Trial) bool { return slices.Contains(b.Trials, t) })
}
