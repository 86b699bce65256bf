package contrast

// Best decides whether a system, B, is the best of all, from its contrasts with each
// rival. B is the best if it is ahead of every rival (an intersection-union test: the
// largest of the p-values, Berger 1982). It is not the best if a rival is ahead of it (the
// smallest of those rivals' p-values, times the number of rivals). Best returns the index
// of the deciding contrast and sets its P. lead returns how far B is ahead in a contrast.
// At least one contrast must have been tested.
func Best(all []*Contrast, lead func(*Contrast) float64) (decides int) {
	decides, p := decisive(all, lead, func(c *Contrast) float64 { return c.P })
	_, fixed := decisive(all, lead, func(c *Contrast) float64 { return c.fixed })
	all[decides].P, all[decides].fixed = p, fixed
	return decides
}

// decisive returns the index of the contrast that decides, and its p-value.
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
		if index < 0 || pOf(t) > pOf(all[index]) || pOf(t) == pOf(all[index]) && lead(t) < lead(all[index]) { // the least certain, then the least far ahead
			index = i
		}
	}
	if behind >= 0 {
		return behind, min(1, pOf(all[behind])*float64(tested))
	}
	return index, pOf(all[index])
}
