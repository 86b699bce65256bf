package command

import (
	"fmt"
	"slices"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports/queries"
)

// filterQueries keeps the queries that have one of the wanted names; a name that no query has
// is a usage error.
func filterQueries(kind string, all []*queries.Query, wanted []string, names func(*queries.Query) []string) (out []*queries.Query, err error) {
	if len(wanted) == 0 {
		return all, nil
	}
	var known []string
	met := map[string]bool{}
	for _, q := range all {
		keep := false
		for _, name := range names(q) {
			known = words.AddNew(known, name)
			if slices.Contains(wanted, name) {
				met[name], keep = true, true
			}
		}
		if keep {
			out = append(out, q)
		}
	}
	for _, name := range wanted {
		if !met[name] {
			return nil, usage.Error{Err: nearest.Unknown(kind, name, known)}
		}
	}
	return out, nil
}

// knownAtMost is the maximum number of queries that an error lists.
const knownAtMost = 10

// queriesNamed returns the one query with an ID: BENCHMARK/TASK/ID, TASK/ID or ID. If several
// match, the error lists them.
func queriesNamed(all []*queries.Query, id, run string) ([]*queries.Query, error) {
	for _, name := range []func(*queries.Query) string{
		(*queries.Query).Name,
		func(q *queries.Query) string { return q.Task + "/" + words.Clean(q.ID) },
		func(q *queries.Query) string { return words.Clean(q.ID) },
		func(q *queries.Query) string { return q.ID },
	} {
		found := slices.DeleteFunc(slices.Clone(all), func(q *queries.Query) bool { return name(q) != id })
		switch {
		case len(found) == 1:
			return found, nil
		case len(found) > 1:
			return nil, usage.Errorf("query %q is ambiguous: %s", id, queryNames(found))
		}
	}
	var known []string
	for _, q := range all {
		known = append(known, words.Clean(q.ID), q.Name())
	}
	hint := ""
	if near, ok := nearest.Of(id, known); ok {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, usage.Errorf("%s has no query %q%s (known: %s; infbench query %s --limit 0 lists all)", run, id, hint, queryNames(all), usage.Quote(run))
}

// queryNames lists the names of the first queries.
func queryNames(all []*queries.Query) string {
	var names []string
	for _, q := range all {
		names = append(names, q.Name())
	}
	return words.First(knownAtMost, names)
}
