package reports

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Kind sorts systems into what was trained, what it is compared with, and what
// shows that a measure can tell something from nothing.
type Kind string

// The kinds, in the order in which tables list them.
const (
	Trained  Kind = "trained"
	Baseline Kind = "baseline"
	Null     Kind = "null"
)

// nullModels rank without looking at the query.
var nullModels = []string{"random", "constant", "document-order"}

// system is what a row of a table stands for: all trials whose configuration
// differs in the seed only.
type system struct {
	label  string
	kind   Kind
	loss   string
	model  string
	trials []*trial

	byQuery sync.Map // slot -> queryValues, since every test asks for them
}

// queryValues are the values of a system on one slot.
type queryValues struct {
	queries []string
	values  []float64
}

// config is the configuration that the trials share; its seed means nothing.
func (s *system) config() map[string]string { return s.trials[0].Config }

// perQuery returns the mean over the finished trials for each query of a slot,
// in ascending query order, leaving out queries that are undefined in any of
// them. Seeds are averaged before any test, so that n counts queries. Neither
// slice may be changed.
func (s *system) perQuery(at slot) (queries []string, values []float64) {
	if known, ok := s.byQuery.Load(at); ok {
		found := known.(queryValues)
		return found.queries, found.values
	}
	queries, values = s.averaged(at)
	s.byQuery.Store(at, queryValues{queries, values})
	return queries, values
}

// averaged computes what perQuery keeps.
func (s *system) averaged(at slot) (queries []string, values []float64) {
	var runs []scores
	alike := true
	for _, t := range s.trials {
		if have, ok := t.scores[at]; ok {
			if have.aggregate {
				return nil, nil // nothing is known of its queries
			}
			alike = alike && (len(runs) == 0 || slices.Equal(have.queries, runs[0].queries))
			runs = append(runs, have)
		}
	}
	if len(runs) == 0 {
		return nil, nil
	}
	if !alike {
		return meanByQuery(runs)
	}
	for i, q := range runs[0].queries { // the usual case, a tenth of the time
		sum, defined := 0.0, true
		for _, r := range runs {
			if r.values[i] == nil {
				defined = false
				break
			}
			sum += *r.values[i]
		}
		if defined {
			queries = append(queries, q)
			values = append(values, sum/float64(len(runs)))
		}
	}
	return queries, values
}

// meanByQuery averages runs that do not have the same queries.
func meanByQuery(runs []scores) (queries []string, values []float64) {
	sum := map[string]float64{}
	count := map[string]int{}
	for _, have := range runs {
		for i, q := range have.queries {
			if have.values[i] != nil {
				sum[q] += *have.values[i]
				count[q]++
			}
		}
	}
	for q, n := range count {
		if n == len(runs) {
			queries = append(queries, q)
		}
	}
	slices.Sort(queries)
	for _, q := range queries {
		values = append(values, sum[q]/float64(len(runs)))
	}
	return queries, values
}

// aggregated reports whether a mean without queries is part of a column.
func (s *system) aggregated(c column) bool {
	for _, at := range c.slots() {
		for _, t := range s.trials {
			if t.scores[at].aggregate {
				return true
			}
		}
	}
	return false
}

// empty reports whether no trial of s has a value in a column.
func (s *system) empty(c column) bool {
	for _, at := range c.slots() {
		for _, t := range s.trials {
			if _, ok := t.scores[at]; ok {
				return false
			}
		}
	}
	return true
}

// groupSystems joins trials into systems, trained ones first, then baselines,
// then null rows, each in plan order.
func groupSystems(trials []*trial) []*system {
	byConfig := map[string]*system{}
	var all []*system
	for _, t := range trials {
		id := identity(t)
		s := byConfig[id]
		if s == nil {
			s = &system{kind: kindOf(t.Config), loss: t.Config[lossKey], model: cmp.Or(t.Config[modelKey], t.ID)}
			byConfig[id] = s
			all = append(all, s)
		}
		s.trials = append(s.trials, t)
	}
	label(all)
	kinds := []Kind{Trained, Baseline, Null}
	slices.SortStableFunc(all, func(a, b *system) int {
		return slices.Index(kinds, a.kind) - slices.Index(kinds, b.kind)
	})
	return all
}

// identity is the configuration without its seed, as one string; a trial that
// does not say what was run is a system of its own.
func identity(t *trial) string {
	if t.Config[lossKey] == "" && t.Config[modelKey] == "" {
		return "trial\x00" + t.ID
	}
	var b strings.Builder
	for _, key := range sortedKeys(t.Config) {
		if key != seedKey {
			b.WriteString(key + "\x00" + t.Config[key] + "\x00")
		}
	}
	return b.String()
}

// kindOf tells what a trial is from its configuration: what has a loss was
// trained.
func kindOf(config map[string]string) Kind {
	switch {
	case config[lossKey] != "":
		return Trained
	case slices.Contains(nullModels, config[modelKey]):
		return Null
	}
	return Baseline
}

// label names systems by what tells them apart: trained ones by their loss,
// others by their model, both followed by every other key that has more than
// one value among the systems of the same sort.
func label(all []*system) {
	alike := map[string][]*system{}
	sort := func(s *system) string {
		if s.kind == Trained {
			return string(Trained)
		}
		return s.model
	}
	for _, s := range all {
		alike[sort(s)] = append(alike[sort(s)], s)
	}
	differing := map[string]map[string]bool{} // by sort, then key
	differs := func(key, sort string) bool {
		if differing[sort] == nil {
			differing[sort] = map[string]bool{}
		}
		known, ok := differing[sort][key]
		if !ok {
			known = varies(key, alike[sort])
			differing[sort][key] = known
		}
		return known
	}
	for _, s := range all {
		parts := []string{cmp.Or(s.loss, s.model, "unnamed")}
		for _, key := range sortedKeys(s.config()) {
			named := key == seedKey || key == lossKey || (key == modelKey && s.kind != Trained)
			if !named && differs(key, sort(s)) {
				parts = append(parts, key+"="+s.config()[key])
			}
		}
		s.label = strings.Join(parts, " ") + s.pickedMark()
	}
}

// varies reports whether systems differ in a key; a key left out is a value.
func varies(key string, among []*system) bool {
	first, has := among[0].config()[key]
	return slices.ContainsFunc(among[1:], func(s *system) bool {
		value, ok := s.config()[key]
		return ok != has || value != first
	})
}

// splitLoss takes "uni(P,I)" apart; ok is false for any other shape.
func splitLoss(loss string) (form, terms string, ok bool) {
	form, rest, ok := strings.Cut(loss, "(")
	if !ok || !strings.HasSuffix(rest, ")") {
		return "", "", false
	}
	return form, strings.TrimSuffix(rest, ")"), form != "" && len(rest) > 1
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
