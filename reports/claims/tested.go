package claims

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"infbench/internal/words"
)

// verbs are the relations of the tests, as read after the first side.
var verbs = map[Test]string{
	Better: "better than", Worse: "worse than", Higher: "higher than", Lower: "lower than", Equal: "equal to",
	NoWorse: "no worse than", Best: "better than each of", Highest: "higher than each of", Lowest: "lower than each of",
}

// Tested describes the test of a claim: the compared systems, the measures, and which of the
// comparisons must hold.
func (c *Claim) Tested() string {
	var sides []string
	for _, s := range c.Pairs {
		sides = append(sides, c.side(s))
	}
	text := strings.Join(sides, "; ")
	if shared := c.shared(); len(shared) > 0 && c.Than == nil {
		text = shared.Words() + ": " + text
	}
	switch {
	case c.Every:
		text += "; each pair by itself"
	case len(sides) > 1:
		text += "; on the mean"
	case c.EveryOf != "":
		text += "; each " + c.EveryOf + " by itself"
	}
	text += ". " + strings.Join(c.Measures, " and ")
	if len(c.Measures) > 1 {
		text += ", both"
	}
	text = strings.TrimSpace(text+" "+c.Side) + ", " + cmp.Or(c.On, c.Study)
	if c.Test.margined() && c.Margin > 0 {
		text += ", within " + c.number(c.Margin)
	}
	if c.Printed != nil {
		text += "; a further run may give " + c.Printed.Text
	}
	return text
}

// side describes one pair of sides.
func (c *Claim) side(s Sides) string {
	verb := verbs[c.Test]
	if c.Than != nil {
		return fmt.Sprintf("%s %s %s", s.System.Words(), verb, c.number(*c.Than))
	}
	system, against := c.apart(s)
	return fmt.Sprintf("%s %s %s", system.Words(), verb, against.Words())
}

// number prints a number of the claim in the units of its file.
func (c *Claim) number(v float64) string {
	return words.Minus(strconv.FormatFloat(v*c.scale(), 'g', 10, 64))
}
