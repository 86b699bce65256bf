package claims

import (
	"fmt"
	"slices"

	"infbench/reports/contrast"
	"infbench/reports/scores"
)

// Comparison is the contrast that decides a claim, whether its systems were run or not. The claim
// holds if the sum of the terms is above 0.
type Comparison struct {
	Claim   *Claim
	Against string // its name among several comparisons that must all hold
	On      scores.Number
	Terms   []contrast.Term
}

// Comparisons returns the comparisons that decide a claim among the planned systems. If contrasts
// cannot decide it, or a planned system is missing, why is the reason.
func (c *Claim) Comparisons(v *scores.Set) (out []Comparison, why string) {
	if why := c.incomparable(); why != "" {
		return nil, why
	}
	for _, one := range c.measures() {
		on, why := one.numberOf(v)
		if why != "" {
			return nil, why
		}
		found, why := one.between(on, planned(v, on))
		if why != "" {
			return nil, why
		}
		out = append(out, apart(found, len(c.Measures) > 1, one.Measure)...)
	}
	return out, ""
}

// apart adds the name of a part to its comparisons if there are several parts.
func apart(found []Comparison, several bool, name string) []Comparison {
	for i := range found {
		switch {
		case several && found[i].Against != "":
			found[i].Against = name + ": " + found[i].Against
		case several:
			found[i].Against = name
		}
	}
	return found
}

// Unplanned returns the reason why contrasts of the planned systems can never decide a claim,
// whatever their values; "" if they can.
func (c *Claim) Unplanned(systems []*scores.System) (why string) {
	if why := c.incomparable(); why != "" {
		return why
	}
	_, why = c.between(scores.Number{}, systems)
	return why
}

// incomparable returns the reason why no contrast decides a claim; "" if one does.
func (c *Claim) incomparable() string {
	if c.Study != "" || c.Than != nil || c.Test.margined() {
		return "it is about no difference between systems that could be shown"
	}
	return ""
}

// between returns the comparisons among systems that decide a claim on a number.
func (c *Claim) between(on scores.Number, all []*scores.System) (out []Comparison, why string) {
	if parts, names := c.split(all); len(parts) > 0 {
		for i, one := range parts {
			found, why := one.between(on, all)
			if why != "" {
				return nil, why
			}
			out = append(out, apart(found, true, names[i])...)
		}
		return out, ""
	}
	add := func(against string, found []group) {
		lead := c.Test.lead(on.Direction(), 1)
		of := terms(found)
		for i := range of {
			of[i].Coefficient *= lead
		}
		out = append(out, Comparison{c, against, on, of})
	}
	if !c.Test.extreme() {
		groups, missing := c.allGroups(all)
		if len(missing) > 0 {
			return nil, missing[0] + " is not planned"
		}
		add("", slices.Concat(groups...))
		return out, ""
	}
	names, of, missing := c.rivals(all)
	if len(missing) > 0 {
		return nil, missing[0] + " is not planned"
	}
	for _, name := range names {
		found := c.paired(c.Pairs[0], chosen(all, c.Pairs[0].System), of[name])
		if len(found) == 0 {
			return nil, fmt.Sprintf("%s and %s that are otherwise alike are not planned", c.Pairs[0].System.Words(), name)
		}
		add(name, found)
	}
	return out, ""
}
