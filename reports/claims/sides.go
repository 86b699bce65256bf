package claims

import (
	"fmt"
	"maps"
	"slices"

	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// group has systems of both sides that are alike except in the settings that the claim compares.
type group struct{ system, against []*scores.System }

// planned lists the systems that are planned for a number.
func planned(v *scores.Set, on scores.Number) []*scores.System {
	return slices.DeleteFunc(slices.Clone(v.Systems), func(s *scores.System) bool { return v.Cell(s, on).State == scores.Unplanned })
}

// chosen lists the systems that a query selects. The name of a model selects that model by itself.
// Systems that combine it with other models are selected only if the query asks for those too, or
// if nothing else has that name.
func chosen(all []*scores.System, q Query) []*scores.System {
	found := slices.DeleteFunc(slices.Clone(all), func(s *scores.System) bool { return !q.matches(s) })
	if !slices.Contains(q.keys(), results.Model) {
		return found
	}
	alone := slices.DeleteFunc(slices.Clone(found), func(s *scores.System) bool {
		return slices.ContainsFunc(s.Composition(), func(key string) bool { return !slices.Contains(q.keys(), key) })
	})
	if len(alone) > 0 {
		return alone
	}
	return found
}

// groups pairs the sides of a claim among systems, and lists the missing systems.
func (c *Claim) groups(sides Sides, all []*scores.System) (out []group, missing []string) {
	system, against := chosen(all, sides.System), chosen(all, sides.Against)
	if missing = append(sides.System.missing(system, all), sides.Against.missing(against, all)...); len(missing) > 0 {
		return nil, missing
	}
	if out = c.paired(sides, system, against); len(out) == 0 {
		return nil, []string{fmt.Sprintf("%s and %s that are otherwise alike", sides.System.Words(), sides.Against.Words())}
	}
	return out, sides.unpaired(out)
}

// paired groups systems with those of the other side that are alike except in the compared
// settings.
func (c *Claim) paired(sides Sides, system, against []*scores.System) (out []group) {
	but := append(sides.System.varied(sides.Against), sides.Against.varied(sides.System)...)
	alike := c.alike(but, following(append(slices.Clone(system), against...), but))
	for _, s := range system {
		partners := slices.DeleteFunc(slices.Clone(against), func(o *scores.System) bool { return o == s || !alike(s, o) })
		i := slices.IndexFunc(out, func(g group) bool { return slices.Equal(g.against, partners) })
		switch {
		case len(partners) == 0:
		case i < 0:
			out = append(out, group{[]*scores.System{s}, partners})
		default:
			out[i].system = append(out[i].system, s)
		}
	}
	return out
}

// varied lists the keys whose values in q differ from those in other.
func (q Query) varied(other Query) []string {
	var out []string
	for _, k := range q {
		if !slices.ContainsFunc(other, func(o Key) bool { return o.Key == k.Key && slices.Equal(o.Values, k.Values) }) {
			out = append(out, k.Key)
		}
	}
	return out
}

// unpaired lists the requested values for which no system has a partner.
func (s Sides) unpaired(out []group) (missing []string) {
	var system, against []*scores.System
	for _, g := range out {
		system, against = append(system, g.system...), append(against, g.against...)
	}
	for _, text := range append(s.System.lacking(system, nil), s.Against.lacking(against, nil)...) {
		missing = append(missing, text+" with anything to compare with")
	}
	return missing
}

// following lists the settings that follow from the keys in but: systems with the same values of
// those keys have the same value of the setting, or lack it. A loss, for example, decides the
// settings of its terms.
func following(among []*scores.System, but []string) map[string]bool {
	of, out := map[string]map[string]string{}, map[string]bool{}
	for _, s := range among {
		for key := range s.Config() {
			out[key] = true
		}
	}
	for _, s := range among {
		var values []string
		for _, key := range but {
			values = append(values, valueOf(s, key))
		}
		by := words.Joined(values)
		first := of[by]
		if first == nil {
			of[by] = s.Config()
			continue
		}
		for key := range out {
			if first[key] != s.Config()[key] {
				delete(out, key)
			}
		}
	}
	return out
}

// alike returns a function that reports whether two systems differ only in the keys of but. A
// setting that only one system has is not a difference if it follows from those keys, or if one of
// the two was not trained. Neither is the fact that one was trained, if the keys are about that.
func (c *Claim) alike(but []string, follows map[string]bool) func(a, b *scores.System) bool {
	if c.Pair != nil {
		return func(a, b *scores.System) bool {
			return !slices.ContainsFunc(c.Pair, func(key string) bool { return valueOf(a, key) != valueOf(b, key) })
		}
	}
	return func(a, b *scores.System) bool {
		trained := a.Kind == table.Trained && b.Kind == table.Trained
		if a.Kind != b.Kind && !slices.Contains(but, kindKey) && !slices.Contains(but, results.Model) {
			return false
		}
		one, other := rest(a, but), rest(b, but)
		for _, key := range words.SortedKeys(merged(one, other)) {
			value, has := one[key]
			its, too := other[key]
			if has && too && value != its || has != too && trained && !follows[key] {
				return false
			}
		}
		return true
	}
}

// merged returns the settings that either of two configurations has.
func merged(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// oneSided lists the settings that only one side of a group has, though both were trained.
func (g group) oneSided(but []string) (out []string) {
	for _, a := range g.system {
		for _, b := range g.against {
			if a.Kind != table.Trained || b.Kind != table.Trained {
				continue
			}
			one, other := rest(a, but), rest(b, but)
			for _, key := range words.SortedKeys(merged(one, other)) {
				_, has := one[key]
				if _, too := other[key]; has != too {
					out = words.AddNew(out, key)
				}
			}
		}
	}
	return out
}

// rest returns the configuration of a system without its seed, weights and some keys, with the
// remaining part of the loss.
func rest(s *scores.System, but []string) map[string]string {
	out := maps.Clone(s.Config())
	for _, key := range append([]string{results.Seed, results.Model, results.Weights}, but...) {
		delete(out, key)
	}
	for _, part := range [][2]string{{formKey, termsKey}, {termsKey, formKey}} {
		if _, whole := out[results.Loss]; whole && slices.Contains(but, part[0]) && !slices.Contains(but, part[1]) {
			out[part[1]] = valueOf(s, part[1])
		}
	}
	if slices.Contains(but, formKey) || slices.Contains(but, termsKey) {
		delete(out, results.Loss)
	}
	return out
}

// terms gives groups equal weights, and within each group the systems of a side.
func terms(groups []group) []contrast.Term {
	var out []contrast.Term
	add := func(side []*scores.System, sign float64) {
		for _, s := range side {
			out = append(out, contrast.Term{System: s, Coefficient: sign / float64(len(side)*len(groups))})
		}
	}
	for _, g := range groups {
		add(g.system, 1)
		add(g.against, -1)
	}
	return out
}

// rivals groups the systems of the other side by the settings that distinguish them.
func (c *Claim) rivals(all []*scores.System) (names []string, of map[string][]*scores.System, missing []string) {
	sides := c.Pairs[0]
	system, others := chosen(all, sides.System), chosen(all, sides.Against)
	if len(system) == 0 {
		return nil, nil, sides.System.missing(system, all)
	}
	others = slices.DeleteFunc(others, func(s *scores.System) bool {
		return s.Kind != system[0].Kind && !slices.Contains(sides.Against.keys(), kindKey) && !slices.Contains(sides.Against.keys(), results.Model) || slices.Contains(system, s)
	})
	keys := sides.naming(others)
	of = map[string][]*scores.System{}
	for _, s := range others {
		text := words.Listed(valuesAt(s, keys))
		names = words.AddNew(names, text)
		of[text] = append(of[text], s)
	}
	missing = sides.Against.lacking(others, all)
	if len(names) == 0 && len(missing) == 0 {
		missing = []string{"anything to compare with " + sides.System.Words()}
	}
	return names, of, missing
}

// naming lists the settings that distinguish the systems of the other side: those in which the
// sides differ, without those that all share or that follow from others.
func (s Sides) naming(others []*scores.System) (keys []string) {
	first := s.System.varied(s.Against)
	for _, key := range append(first, s.Against.varied(s.System)...) {
		if with := append(slices.Clone(keys), key); !slices.Contains(keys, key) && distinct(others, with) > distinct(others, keys) {
			keys = with
		}
	}
	if len(keys) == 0 {
		return first
	}
	return keys
}

// distinct counts the systems that some settings distinguish.
func distinct(all []*scores.System, keys []string) int {
	seen := map[string]bool{}
	for _, s := range all {
		seen[words.Joined(valuesAt(s, keys))] = true
	}
	return len(seen)
}

// valuesAt returns the values of some keys for a system.
func valuesAt(s *scores.System, keys []string) (out []string) {
	for _, key := range keys {
		out = append(out, valueOf(s, key))
	}
	return out
}
