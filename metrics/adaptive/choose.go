package adaptive

import "slices"

// Choice is a cell with why it was chosen.
type Choice struct {
	Cell int
	Cuts []float64 // of each contrast the share of its variance that the cell, or half of it that it and its partner, are expected to take off
}

// Sight is one number of the cells: what is known of it, and which contrasts of the design
// are about it.
type Sight struct {
	Belief *Belief
	Asked  []bool    // of each contrast, whether it is about this number and still open
	Stays  []float64 // of each contrast the variance that no further run takes off: of queries
}

// Choose picks up to n cells for the largest sum over the contrasts that are asked of the
// shares that they take off their variances: one cell after the other, or two at a time
// where two are worth more than twice one. A first run on a new backbone tells nothing
// of two losses until there is another beside it, so that single cells alone would never
// leave the backbone that they began with. Of cells that are worth the same it takes those
// that come first, and none where no cell takes anything off.
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

// chooser is a choice under way.
type chooser struct {
	sights    []Sight
	beliefs   []*Belief // after the cells that were chosen
	available []int
}

// candidate is one cell or two, by their systems.
type candidate struct {
	systems []int
	cuts    []float64 // a cell
	worth   float64   // a cell
}

// take takes the first cell of a system that there is.
func (c *chooser) take(system int) int {
	i := slices.IndexFunc(c.available, func(cell int) bool { return c.beliefs[0].design.Cells[cell] == system })
	cell := c.available[i]
	c.available = slices.Delete(c.available, i, i+1)
	for _, b := range c.beliefs {
		b.Observe(cell)
	}
	return cell
}

// best is the cell, or the two cells, that are worth most.
func (c *chooser) best(two bool) (best candidate) {
	var order []int // of systems, by their first cell
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

// question is a contrast that is asked, on one number.
type question struct {
	contrast int
	belief   *Belief
	with     []float64 // covariance with the mean of each system
	variance float64
}

// questions are all that are asked.
type questions struct {
	all  []question
	cuts []float64 // of each contrast, used again
}

// ask gathers what is asked.
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

// worth is what a run of each of one or two systems takes off, a cell. The shares are
// good until the next call.
func (q *questions) worth(systems []int) (cuts []float64, worth float64) {
	n := float64(len(systems))
	for _, one := range q.all {
		share := one.belief.reduction(one.with, systems) / one.variance / n
		q.cuts[one.contrast] = share
		worth += share
	}
	return q.cuts, worth
}
