// Package claims checks the claims of a paper against results. A claim is an entry of a
// YAML file: what the paper says and where, the contrast of systems that decides it, and
// the command that makes the runs it needs. The tests of package contrast, with all
// claims of a file as one family, decide what holds, what is reversed, what is not shown
// and what was not run.
//
// The package runs nothing, knows no paper, and makes no table except that of claims.
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
	Text       string // all of it
	Title, URL string // of the paper
	Claims     []*Claim
}

// Claim is one sentence of a paper with what decides it.
type Claim struct {
	ID, Says, Where string
	Test            Test
	Measures        []string // it must hold on each
	Measure, Side   string   // Measure is the first of them
	On              string   // benchmark, or benchmark/number
	Study           string   // kind of a study instead: agreement, diversity, data, overlap

	Pairs   []Sides  // what is compared; several are averaged
	Every   bool     // of several Pairs each must hold by itself
	EveryOf string   // key: it must hold by itself for each of its values
	Pair    []string // keys in which both sides agree; nil: all that no side names
	Each    string   // key whose values are judged one by one, too
	Than    *float64 // a number instead of another side
	Margin  float64  // of Equal and NoWorse: the smallest difference of interest
	Printed *Printed // the difference as the paper prints it

	Command string // that makes what decides it
	Sweep   string // the experiment file in it, "" of another command
	Only    Query  // the part of it

	line int
}

// Sides are what a claim says is ahead, or is, and what it is compared with.
type Sides struct{ System, Against Query }

// Words prints both sides.
func (s Sides) Words() string { return s.System.Words() + " against " + s.Against.Words() }

// shared is what all sides of a claim ask for.
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

// apart prints a pair of sides without what all sides of the claim ask for.
func (c *Claim) apart(s Sides) (system, against Query) {
	shared := c.shared()
	return s.System.without(shared), s.Against.without(shared)
}

// Printed is a number as a paper prints it, in units of the claim, with half of its
// last digit.
type Printed struct {
	Value, Half float64
	Text        string
}

// Test says what a claim is held to.
type Test string

// The tests. Better, NoWorse and Best ask the measure which way is better, Higher and
// Highest say it. NoWorse is better than Margin below.
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

// tests are all of them, by name.
var tests = []string{string(Better), string(Worse), string(Higher), string(Lower), string(Equal), string(NoWorse), string(Best), string(Highest), string(Lowest)}

// extreme reports whether a claim sets one system above each of others.
func (t Test) extreme() bool { return t == Best || t == Highest || t == Lowest }

// directed reports whether the measure says which way the claim lies.
func (t Test) directed() bool { return t == Better || t == Worse || t == NoWorse || t == Best }

// margined reports whether a claim names the smallest difference of interest.
func (t Test) margined() bool { return t == Equal || t == NoWorse }

// lead is how far a difference lies to the side that the claim says.
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

// scale is what numbers of the claim file are divided by: measures of systems are
// written times 100, as papers print them, those of studies as they are.
func (c *Claim) scale() float64 {
	if c.Study != "" {
		return 1
	}
	return 100
}

// mean is the mean over tasks that a claim names by its measure; nil where that is one
// of single queries.
func (c *Claim) mean() *published.Combination {
	benchmark, _, _ := strings.Cut(c.On, "/")
	for _, m := range published.Combinations(benchmark) {
		if m.Called() == c.Measure {
			return &m
		}
	}
	return nil
}

// measured lists the measures of a claim in words, with the side.
func (c *Claim) measured() string {
	return strings.TrimSpace(words.Listed(c.Measures) + " " + c.Side)
}

// command is how a part of an experiment file is run.
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
