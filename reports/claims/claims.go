// Package claims checks the claims of a paper against results. A claim is an entry of a YAML file:
// the sentence of the paper and its place, the contrast of systems that decides it, and the command
// that makes the runs it needs. The tests of package contrast, with all claims of a file as one
// family, give each claim a verdict: holds, reversed, not shown or not run.
//
// The package runs nothing, knows no paper, and makes no tables except those of claims.
package claims

import (
	"strings"

	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/published"
)

// File is the claims of one paper.
type File struct {
	Name       string // base name
	Text       string // the complete file
	Title, URL string // title and address of the paper
	Claims     []*Claim
}

// Claim is one sentence of a paper with the comparison that decides it.
type Claim struct {
	ID, Says, Where string
	Test            Test
	Measures        []string // the claim must hold on each
	Measure, Side   string   // Measure is the first of them
	On              string   // benchmark, or benchmark/number
	Study           string   // kind of a study, in place of On: agreement, diversity, data, overlap

	Pairs   []Sides  // the compared sides; several pairs are averaged
	Every   bool     // each of several Pairs must hold by itself
	EveryOf string   // key: the claim must hold by itself for each of its values
	Pair    []string // keys in which both sides agree; nil: all keys that neither side names
	Each    string   // key whose values are also judged one by one
	Than    *float64 // a number in place of the other side
	Margin  float64  // for Equal and NoWorse: the smallest difference of interest
	Printed *Printed // the difference as the paper prints it

	Command string // that makes the results the claim needs
	Sweep   string // the experiment file in Command; "" for other commands
	Only    Query  // the part of Sweep that is run

	line int
}

// Sides are the systems that a claim speaks of and those that it compares them with.
type Sides struct{ System, Against Query }

// Words prints both sides.
func (s Sides) Words() string { return s.System.Words() + " against " + s.Against.Words() }

// shared returns the settings that all sides of a claim ask for.
func (c *Claim) shared() Query {
	var common Query
	for i, s := range c.Pairs {
		if i == 0 {
			common = s.System
		}
		for _, side := range []Query{s.System, s.Against} {
			common = common.without(common.only(common.varied(side)))
		}
	}
	return common
}

// apart returns the two sides without the settings that all sides of the claim share.
func (c *Claim) apart(s Sides) (system, against Query) {
	shared := c.shared()
	return s.System.without(shared), s.Against.without(shared)
}

// Printed is a number as a paper prints it, in units of the claim. Half is half a unit of its last
// digit.
type Printed struct {
	Value, Half float64
	Text        string
}

// Test is the relation that a claim states.
type Test string

// The tests. Better, NoWorse and Best use the direction of the measure; Higher and Highest state
// the direction themselves. NoWorse is better than Margin below.
const (
	Better  Test = "better"
	Worse   Test = "worse"
	Higher  Test = "higher"
	Lower   Test = "lower"
	Equal   Test = "equal"
	NoWorse Test = "no worse"
	Best    Test = "best"
	Highest Test = "highest"
	Lowest  Test = "lowest"
)

// tests lists the names of all tests.
var tests = []string{string(Better), string(Worse), string(Higher), string(Lower), string(Equal), string(NoWorse), string(Best), string(Highest), string(Lowest)}

// extreme reports whether a claim ranks one system above, or below, each of several others.
func (t Test) extreme() bool { return t == Best || t == Highest || t == Lowest }

// directed reports whether the test uses the direction of the measure.
func (t Test) directed() bool { return t == Better || t == Worse || t == NoWorse || t == Best }

// margined reports whether a claim states the smallest difference of interest.
func (t Test) margined() bool { return t == Equal || t == NoWorse }

// lead returns the difference with the sign that makes it positive where the claim holds.
func (t Test) lead(d metrics.Direction, difference float64) float64 {
	switch t {
	case Better, NoWorse, Best:
		return d.Oriented(difference)
	case Worse:
		return -d.Oriented(difference)
	case Lower, Lowest:
		return -difference
	}
	return difference
}

// scale returns the divisor for numbers of the claim file: 100 for measures of systems, which are
// written times 100 as papers print them, and 1 for studies.
func (c *Claim) scale() float64 {
	if c.Study != "" {
		return 1
	}
	return 100
}

// mean returns the mean over tasks that the claim's measure names, or nil for a measure of single
// queries.
func (c *Claim) mean() *published.Combination {
	benchmark, _, _ := strings.Cut(c.On, "/")
	for _, m := range published.Combinations(benchmark) {
		if m.Called() == c.Measure {
			return &m
		}
	}
	return nil
}

// measured lists the measures of a claim, with the side.
func (c *Claim) measured() string {
	return strings.TrimSpace(words.Listed(c.Measures) + " " + c.Side)
}

// command returns the command line that runs a part of an experiment file.
func command(sweep string, only Query) string {
	words := []string{"infbench", "sweep", usage.Quote(sweep)}
	for _, k := range only {
		words = append(words, "--only", usage.Setting(k.Key, k.Values...))
	}
	return strings.Join(words, " ")
}

// Hash is the SHA-256 of the file, in hexadecimal.
func (f *File) Hash() string {
	return disk.Sum(f.Text)
}
