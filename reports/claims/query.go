package claims

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/words"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// Query selects systems, or numbers of studies: those that have one of the values of every key.
type Query []Key

// Key is a setting with its allowed values; "" is a setting left out.
type Key struct {
	Key    string
	Values []string
}

// Keys of systems that are not settings.
const (
	kindKey     = "kind"     // trained, baseline, null
	formKey     = "form"     // form of the loss: uni of uni(P,I)
	termsKey    = "terms"    // terms of the loss: P,I
	selectedKey = "selected" // the data on which the configuration was picked: validation, test; "" if it was not picked
	systemKey   = "system"   // the name in reports
)

// systemKeys lists the keys that a query over systems may name.
func systemKeys() []string {
	keys := []string{kindKey, formKey, termsKey, selectedKey, systemKey}
	for _, k := range results.Keys() {
		keys = append(keys, k.Name)
	}
	return keys
}

// valueOf returns the value of a key for a system.
func valueOf(s *scores.System, key string) string {
	form, terms, _ := scores.SplitLoss(s.Loss)
	switch key {
	case kindKey:
		return string(s.Kind)
	case formKey:
		return form
	case termsKey:
		return terms
	case selectedKey:
		return s.Picked().On
	case systemKey:
		return s.Label
	case results.Model:
		return cmp.Or(s.Config()[results.RemoteModel], s.Config()[key]) // for an endpoint the model that it serves
	}
	return s.Config()[key]
}

// matches reports whether a value is one of the key's.
func (k Key) matches(have string) bool {
	return slices.ContainsFunc(k.Values, func(want string) bool { return k.same(want, have) })
}

// same compares a value of the file with one of a configuration: numbers as numbers, losses without
// spaces, and models with and without their owner.
func (k Key) same(want, have string) bool {
	if want == have {
		return true
	}
	switch k.Key {
	case results.Loss, termsKey:
		return strings.ReplaceAll(want, " ", "") == strings.ReplaceAll(have, " ", "")
	case systemKey:
		return results.AsLabel(want) == results.AsLabel(have)
	case results.Model, results.Backbone:
		return published.SameModel(want, have)
	case selectedKey:
		return want == "any" && have != ""
	}
	a, errA := strconv.ParseFloat(want, 64)
	b, errB := strconv.ParseFloat(have, 64)
	return errA == nil && errB == nil && a == b
}

// matches reports whether the query selects a system.
func (q Query) matches(s *scores.System) bool {
	return !slices.ContainsFunc(q, func(k Key) bool { return !k.matches(valueOf(s, k.Key)) })
}

// with adds keys; keys that q already has are unchanged.
func (q Query) with(more Query) Query {
	out := slices.Clone(q)
	for _, k := range more {
		if !slices.ContainsFunc(q, func(have Key) bool { return have.Key == k.Key }) {
			out = append(out, k)
		}
	}
	return out
}

// only returns the part of a query with some keys.
func (q Query) only(keys []string) (out Query) {
	for _, k := range q {
		if slices.Contains(keys, k.Key) {
			out = append(out, k)
		}
	}
	return out
}

// without returns a query without the keys of another.
func (q Query) without(other Query) Query {
	return q.only(slices.DeleteFunc(q.keys(), func(key string) bool { return slices.Contains(other.keys(), key) }))
}

// keys lists the keys.
func (q Query) keys() []string {
	var out []string
	for _, k := range q {
		out = append(out, k.Key)
	}
	return out
}

// Words prints a query: "loss=multi(P,I) backbone=a or b".
func (q Query) Words() string {
	var parts []string
	for _, k := range q {
		parts = append(parts, k.words())
	}
	return cmp.Or(strings.Join(parts, " "), "any")
}

func (k Key) words() string {
	var values []string
	for _, v := range k.Values {
		values = append(values, cmp.Or(v, words.UnsetMark))
	}
	return k.Key + "=" + strings.Join(values, " or ")
}

// lacking lists the values of a query that none of the found systems has, or none of all systems if
// none was found. A query that allows a setting to be left out lacks none of its values.
func (q Query) lacking(found []*scores.System, all []*scores.System) []string {
	var out []string
	if len(found) == 0 {
		found = all
	}
	for _, k := range q {
		if slices.Contains(k.Values, "") {
			continue
		}
		for _, v := range k.Values {
			one := Key{k.Key, []string{v}}
			if !slices.ContainsFunc(found, func(s *scores.System) bool { return one.matches(valueOf(s, k.Key)) }) {
				out = append(out, one.words()+near(one, all))
			}
		}
	}
	return out
}

// missing returns the lacking values, or the complete query if it finds nothing.
func (q Query) missing(found, all []*scores.System) []string {
	lacking := q.lacking(found, all)
	if len(found) == 0 && len(lacking) == 0 {
		return []string{q.Words()}
	}
	return lacking
}

// near returns a hint at the nearest known value, or "".
func near(k Key, all []*scores.System) string {
	var known []string
	for _, s := range all {
		if v := valueOf(s, k.Key); v != "" {
			known = words.AddNew(known, v)
		}
	}
	if _, err := strconv.ParseFloat(k.Values[0], 64); err == nil || slices.ContainsFunc(known, k.matches) {
		return "" // a number is not a misspelling of another
	}
	if v, ok := nearest.Of(k.Values[0], known); ok {
		return " (did you mean " + v + "?)"
	}
	return ""
}
