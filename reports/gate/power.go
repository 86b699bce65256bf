package gate

import (
	"cmp"
	"fmt"
	"strings"

	"infbench/internal/words"
)

// Chance is that with which the smallest drop which a gate finds is found.
const Chance = 0.8

// Power is what the tests of a rule can find.
type Power struct {
	Rule         *Rule
	Tests        int
	Shown, Tasks Range // smallest drops that are found: of what boards show, of the single tasks behind it
	Unknown      int   // tests of systems that were trained once, of which nothing is known

	Runs  int  // of each system that find the rule's maximum_drop where those of Shown, or else of Tasks, are larger; 0: it is found
	Never bool // no number of runs would
}

// Range is the least and the most of some values; Of counts them.
type Range struct {
	Least, Most float64
	Of          int
}

func (r *Range) add(v float64) {
	if r.Of == 0 || v < r.Least {
		r.Least = v
	}
	r.Most = max(r.Most, v)
	r.Of++
}

// Power says of each rule with a significance what its tests can find.
func (g *Gate) Power() []Power {
	var out []Power
	for _, r := range g.rules {
		if r.Level == nil || g.Tests == 0 {
			continue
		}
		if p := g.powerOf(r); p.Tests > 0 {
			out = append(out, p)
		}
	}
	return out
}

// powerOf is that of one rule.
func (g *Gate) powerOf(r *Rule) Power {
	p := Power{Rule: r}
	var hardest [2]*Check // to find a drop in: of tasks, of what boards show
	for i := range g.Checks {
		c := &g.Checks[i]
		if c.Rule != r || c.tested == nil || c.tested.Why != "" {
			continue
		}
		p.Tests++
		found, known := c.Smallest()
		at, of := 0, &p.Tasks
		if c.Board {
			at, of = 1, &p.Shown
		}
		switch {
		case c.tested.Unreplicated:
			p.Unknown++
		case known:
			if found > of.Most {
				hardest[at] = c
			}
			of.add(found)
		}
	}
	p.recommend(cmp.Or(hardest[1], hardest[0]))
	return p
}

// recommend says how many runs would find what the rule does not allow.
func (p *Power) recommend(c *Check) {
	of := p.Shown
	if of.Of == 0 {
		of = p.Tasks
	}
	if p.Rule.MaximumDrop == nil || c == nil || of.Most <= *p.Rule.MaximumDrop {
		return
	}
	runs, ok := c.tested.RunsFor(*p.Rule.MaximumDrop, Chance, c.level())
	p.Runs, p.Never = runs, !ok
}

// level is that of the test of a check by itself, at the first of Holm's steps.
func (c Check) level() float64 { return *c.Rule.Level * c.tested.Weight }

// Smallest is the smallest true drop that the test of a check would find with a chance
// of Chance; known is false where it tests nothing, nothing varies, or nobody knows how
// runs do.
func (c Check) Smallest() (drop float64, known bool) {
	if c.tested == nil || c.tested.Why != "" || c.tested.Unreplicated {
		return 0, false
	}
	return c.tested.Smallest(Chance, c.level()).Get()
}

// Sentence is what the tests of a rule can find, in words.
func (p Power) Sentence() string {
	var parts []string
	for _, of := range []struct {
		Range
		name string
	}{{p.Shown, "what boards show"}, {p.Tasks, "single tasks"}} {
		if of.Of > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s", p.span(of.Range), of.name))
		}
	}
	measure := p.Rule.Measure
	text := fmt.Sprintf("%s: %s: ", p.Rule.Position(), measure)
	if len(parts) == 0 {
		text += "the smallest drop that is found is not known, as nothing varies"
	} else {
		text += fmt.Sprintf("the smallest drop that is found with a chance of %.0f%% at the corrected level: %s", 100*Chance, strings.Join(parts, ", "))
	}
	if p.Unknown > 0 {
		text += fmt.Sprintf("; not known of %s that each commit trained once and no history tells of: run several seeds a commit", words.Plural(p.Unknown, "number", "numbers"))
	}
	return text + p.advice()
}

// span prints a range.
func (p Power) span(r Range) string {
	least, most := shown(p.Rule.Measure, r.Least), shown(p.Rule.Measure, r.Most)
	if least == most {
		return least
	}
	return least + " to " + most
}

// advice recommends seeds where power is lacking.
func (p Power) advice() string {
	switch {
	case p.Runs > 0:
		return fmt.Sprintf("; more than the %s that the rule allows, which about %d seeds a system and commit would find", shown(p.Rule.Measure, *p.Rule.MaximumDrop), p.Runs)
	case p.Never:
		return fmt.Sprintf("; more than the %s that the rule allows, which more queries would find and more seeds would not", shown(p.Rule.Measure, *p.Rule.MaximumDrop))
	}
	return ""
}
