package adaptive

import "slices"

// Choice is a chosen cell with the reason for the choice.
type Choice struct {
	Cell int
	Cuts []float64 // for each contrast, the expected reduction of its variance as a share; half of the pair's, if the cell was chosen as one of a pair
}

// Sight is one number (a measure) of the cells: the belief about it and the contrasts of the
// design that concern it.
type Sight struct {
	Belief *Belief
	Asked  []bool    // for each contrast, whether it concerns this number and is still open
	Stays  []float64 // for each contrast, the part of its variance that no further run reduces: that of the queries
}

// Choose picks up to n cells that most reduce the variances of the asked contrasts, by the
// sum of the reductions as shares. It picks one cell at a time, or two if the pair is worth
// more than twice the best single cell: the first run on a new backbone says nothing about
// two losses until there is a second run there, so single cells alone would never leave the
// first backbone. Among equally good cells it picks the first. It picks none if no cell
// reduces a variance.
func Choose(sights []Sight, available []int, n int) []Choice {
	c := &chooser{sights: sights, available: slices.Clone(available)}
	for _, s := range sights {
		c.beliefs = append(c.beliefs, s.Belief.Clone())
	}
	var out []Choice
	for len(out) < n {
		best := c.best(n-len(out) > 1)
		if best.worth <= rounding {
			break
		}
		for _, system := range best.systems {
			out = append(out, Choice{c.take(system), best.cuts})
		}
	}
	return out
}

// chooser is the state of Choose.
type chooser struct {
	sights    []Sight
	beliefs   []*Belief // after the chosen cells
	available []int
}

// candidate is one cell or a pair, given by their systems.
type candidate struct {
	systems []int
	cuts    []float64 // per cell
	worth   float64   // per cell
}

// take removes and returns the first available cell of a system.
func (c *chooser) take(system int) int {
	i := slices.IndexFunc(c.available, func(cell int) bool { return c.beliefs[0].design.Cells[cell] == system })
	cell := c.available[i]
	c.available = slices.Delete(c.available, i, i+1)
	for _, b := range c.beliefs {
		b.Observe(cell)
	}
	return cell
}

// best returns the cell, or the pair of cells, of the greatest worth.
func (c *chooser) best(two bool) (best candidate) {
	var order []int // the systems in the order of their first cells
	runs := map[int]int{}
	for _, cell := range c.available {
		system := c.beliefs[0].design.Cells[cell]
		if runs[system]++; runs[system] == 1 {
			order = append(order, system)
		}
	}
	asked := c.ask()
	try := func(systems ...int) {
		if cuts, worth := asked.worth(systems); worth > best.worth*(1+rounding) {
			best = candidate{slices.Clone(systems), slices.Clone(cuts), worth}
		}
	}
	for i, system := range order {
		try(system)
		if !two {
			continue
		}
		if runs[system] > 1 {
			try(system, system)
		}
		for _, other := range order[i+1:] {
			try(system, other)
		}
	}
	return best
}

// question is an asked contrast, for one number.
type question struct {
	contrast int
	belief   *Belief
	with     []float64 // covariance with the mean of each system
	variance float64
}

// questions are all asked contrasts.
type questions struct {
	all  []question
	cuts []float64 // per contrast, reused
}

// ask collects the asked contrasts.
func (c *chooser) ask() *questions {
	q := &questions{cuts: make([]float64, len(c.beliefs[0].design.Contrasts))}
	for i, s := range c.sights {
		with := c.beliefs[i].covariances()
		for contrast, asked := range s.Asked {
			if variance := c.beliefs[i].Variance(contrast) + s.Stays[contrast]; asked && variance > 0 {
				q.all = append(q.all, question{contrast, c.beliefs[i], with[contrast], variance})
			}
		}
	}
	return q
}

// worth returns the reduction, per cell, by one run of each of one or two systems. The shares
// are valid until the next call.
func (q *questions) worth(systems []int) (cuts []float64, worth float64) {
	n := float64(len(systems))
	for _, one := range q.all {
		share := one.belief.reduction(one.with, systems) / one.variance / n
		q.cuts[one.contrast] = share
		worth += share
	}
	return q.cuts, worth
}
