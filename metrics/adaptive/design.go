package adaptive

import (
	"fmt"
	"slices"
)

// Design is the set of cells that may be run, with the contrasts to estimate.
type Design struct {
	Levels    [][]string  // for each system, its level of every factor
	Cells     []int       // for each cell, its system
	Contrasts [][]float64 // for each contrast, the coefficient of every system

	factors []int // the factors that no other factor determines
}

// NewDesign checks a design. It leaves out factors that another factor determines, such as a
// learning rate chosen per backbone: they would count twice.
func NewDesign(levels [][]string, cells []int, contrasts [][]float64) (*Design, error) {
	d := &Design{Levels: levels, Cells: cells, Contrasts: contrasts}
	for i, l := range levels {
		if len(l) != len(levels[0]) {
			return nil, fmt.Errorf("allocation: system %d has %d factors, the first has %d", i, len(l), len(levels[0]))
		}
	}
	for i, s := range cells {
		if s < 0 || s >= len(levels) {
			return nil, fmt.Errorf("allocation: cell %d is of system %d of %d", i, s, len(levels))
		}
	}
	for i, c := range contrasts {
		if len(c) != len(levels) {
			return nil, fmt.Errorf("allocation: contrast %d has %d coefficients for %d systems", i, len(c), len(levels))
		}
	}
	if len(levels) > 0 {
		d.factors = d.independent()
	}
	return d, nil
}

// independent lists the factors that vary and that no other factor determines. If two factors
// determine each other, it lists the first.
func (d *Design) independent() (out []int) {
	for f := range d.Levels[0] {
		varies := slices.ContainsFunc(d.Levels, func(l []string) bool { return l[f] != d.Levels[0][f] })
		follows := false
		for g := range d.Levels[0] {
			follows = follows || g != f && d.decides(g, f) && (g < f || !d.decides(f, g))
		}
		if varies && !follows {
			out = append(out, f)
		}
	}
	return out
}

// decides reports whether every level of factor occurs with only one level of other.
func (d *Design) decides(factor, other int) bool {
	with := map[string]string{}
	for _, l := range d.Levels {
		if have, known := with[l[factor]]; known && have != l[other] {
			return false
		}
		with[l[factor]] = l[other]
	}
	return true
}

// shared counts the factors in which two systems agree, and those in which they differ.
func (d *Design) shared(a, b int) (alike, differ int) {
	for _, f := range d.factors {
		if d.Levels[a][f] == d.Levels[b][f] {
			alike++
		} else {
			differ++
		}
	}
	return alike, differ
}
