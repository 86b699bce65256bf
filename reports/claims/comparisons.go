package claims

import (
	"fmt"

	"infbench/reports/contrast"
	"infbench/reports/scores"
)

// Comparison is what is compared to decide a claim, run or not: the claim says that the sum
// of its terms lies above 0.
type Comparison struct {
	Claim   *Claim
	Against string // of several comparisons that must all hold, what tells it from the others
	On      scores.Number
	Terms   []contrast.Term
}

// Comparisons are what decides a claim among the systems that are planned. why says why it
// cannot be told beforehand, or by contrasts.
func (c *Claim) Comparisons(v *scores.Set) (out []Comparison, why string) {
	if why := c.incomparable(); why != "" {
		return nil, why
	}
	on, why := c.numberOf(v)
	if why != "" {
		return nil, why
	}
	return c.between(on, planned(v, on))
}

// Unplanned says why systems that are planned can never decide a claim by contrasts,
// whatever they give; "" where they may.
func (c *Claim) Unplanned(systems []*scores.System) (why string) {
	if why := c.incomparable(); why != "" {
		return why
	}
	_, why = c.between(scores.Number{}, systems)
	return why
}

// incomparable says why no contrast decides a claim; "" where one does.
func (c *Claim) incomparable() string {
	if c.Study != "" || c.Than != nil || c.Test == Equal {
		return "it is about no difference between systems that could be shown"
	}
	return ""
}

// between are what decides a claim on a number among systems.
func (c *Claim) between(on scores.Number, all []*scores.System) (out []Comparison, why string) {
	add := func(against string, found []group) {
		lead := c.Test.lead(on.Direction(), 1)
		of := terms(found)
		for i := range of {
			of[i].Coefficient *= lead
		}
		out = append(out, Comparison{c, against, on, of})
	}
	switch {
	case c.Test.extreme():
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
	default:
		var found []group
		for _, sides := range c.Pairs {
			groups, missing := c.groups(sides, all)
			if len(missing) > 0 {
				return nil, missing[0] + " is not planned"
			}
			if c.Every {
				add(sides.Words(), groups)
			}
			found = append(found, groups...)
		}
		if !c.Every {
			add("", found)
		}
	}
	return out, ""
}
