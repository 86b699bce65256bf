package contrast

// Best decides from the contrasts of a system, B, with each of its rivals whether it
// is the best of all, and returns the place of the one that decides, whose P it sets:
// it is, if it is ahead of every other (an intersection-union test: the largest of the
// p-values, Berger 1982), and is not, if another is ahead of it (the smallest p-value
// of those, times the number of rivals). lead returns by how much B is ahead in a
// contrast. One of them must have been tested.
func Best(all []*Contrast, lead func(*Contrast) float64) (decides int) {
	decides, p := decisive(all, lead, func(c *Contrast) float64 { return c.P })
	_, fixed := decisive(all, lead, func(c *Contrast) float64 { return c.fixed })
	all[decides].P, all[decides].fixed = p, fixed
	return decides
}

// decisive chooses the comparison that decides whether something is the best of
// all, and its p-value.
func decisive(all []*Contrast, lead func(*Contrast) float64, pOf func(*Contrast) float64) (index int, p float64) {
	index, behind, tested := -1, -1, 0
	for i, t := range all {
		if t.Why != "" {
			continue
		}
		tested++
		if lead(t) < 0 && (behind < 0 || pOf(t) < pOf(all[behind])) {
			behind = i
		}
		if index < 0 || pOf(t) > pOf(all[index]) || pOf(t) == pOf(all[index]) && lead(t) < lead(all[index]) { // least sure, then least far ahead
			index = i
		}
	}
	if behind >= 0 {
		return behind, min(1, pOf(all[behind])*float64(tested))
	}
	return index, pOf(all[index])
}
