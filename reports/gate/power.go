package gate

import (
	"cmp"

	"infbench/internal/words"
	"infbench/reports/sentence"
)

// Chance is the power for which the smallest drop is stated.
const Chance = 0.8

// Power describes what the tests of a rule can find.
type Power struct {
	Rule         *Rule
	Tests        int
	Shown, Tasks Range // smallest drops that are found on boards, and on single tasks behind them
	Unknown      int   // number of tests of systems that were trained once, with unknown variation

	Runs  int  // runs of each system that would find the rule's maximum_drop if the smallest drop of Shown, or else of Tasks, is larger; 0: it is found
	Never bool // no number of runs would find it
}

// Range is the least and the most of some values. The field Of is their number.
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

// Power returns what the tests of each rule with a significance can find.
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

// powerOf returns the power of one rule.
func (g *Gate) powerOf(r *Rule) Power {
	p := Power{Rule: r}
	var hardest [2]*Check // checks with the largest smallest drop, of single tasks and of boards
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

// recommend computes the number of runs that would find a drop beyond the rule.
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

// level is the level of a check's own test, at the first of Holm's steps.
func (c Check) level() float64 { return *c.Rule.Level * c.tested.Weight }

// Smallest returns the smallest true drop that the test of a check would find with a chance of
// Chance; known is false without a test, without variation, or if the variation of runs is unknown.
func (c Check) Smallest() (drop float64, known bool) {
	if c.tested == nil || c.tested.Why != "" || c.tested.Unreplicated {
		return 0, false
	}
	return c.tested.Smallest(Chance, c.level()).Get()
}

// Sentence reports what the tests of a rule can find.
func (p Power) Sentence() string {
	out := sentence.Found{Rule: p.Rule.Position(), Measure: p.Rule.Measure, Chance: words.Fixed(100*Chance, 0), Unknown: p.Unknown, Runs: p.Runs}
	if p.Shown.Of > 0 {
		out.Drops = append(out.Drops, p.span(p.Shown)+" for numbers of boards")
	}
	if p.Tasks.Of > 0 {
		out.Drops = append(out.Drops, p.span(p.Tasks)+" for single tasks")
	}
	if p.Runs > 0 || p.Never {
		out.Allowed = shown(p.Rule.Measure, *p.Rule.MaximumDrop)
	}
	return out.String()
}

// span prints a range.
func (p Power) span(r Range) string {
	least, most := shown(p.Rule.Measure, r.Least), shown(p.Rule.Measure, r.Most)
	if least == most {
		return least
	}
	return least + " to " + most
}
