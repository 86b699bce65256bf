// Package sequential decides contrasts that are looked at again and again while an
// experiment goes on: alpha spending with exact boundaries, and Holm's procedure over
// several contrasts.
//
// The guarantee. Of all contrasts of a Family, at all looks and at whatever look the
// experiment is ended, for reasons that may lie in the data, the chance that any is ever
// called above or below zero on the wrong side, or where it is zero, is at most alpha; and
// the intervals of all looks hold together with 1 - alpha. It rests on this: at its looks
// the estimates of a contrast are jointly normal as those of a linear model are when data
// are added, Cov(estimate i, estimate j) = Var(estimate j) for i before j (the canonical
// joint distribution; Jennison and Turnbull 1997, Journal of the American Statistical
// Association 92). What is added may be chosen by variances and by which contrasts are
// settled, not by the estimates of those that are open. Variances are estimated: an
// estimate is scored by the normal deviate that has the p-value of its t, the
// significance level approach (Jennison and Turnbull 2000, Group Sequential Methods,
// section 3.8).
//
// How much of alpha a look may use follows from the share of the information that it has
// (Lan and DeMets 1983, Biometrika 70), so that neither the number of looks nor their
// times need be known beforehand. Boundaries are found by recursive integration (Armitage,
// McPherson and Rowe 1969, Journal of the Royal Statistical Society A 132). Over contrasts
// it is Holm's procedure with weights (1979, Scandinavian Journal of Statistics 6), in which
// each contrast keeps a boundary of its own and what is settled leaves its share of alpha to
// the others (Maurer and Bretz 2013, Statistics in Biopharmaceutical Research 5). Intervals
// are repeated confidence intervals (Jennison and Turnbull 1989, Journal of the Royal
// Statistical Society B 51) at Bonferroni's share.
//
// It knows nothing of systems, queries or what a cell is: package allocation chooses
// those.

package adaptive
