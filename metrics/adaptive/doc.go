// Package adaptive runs an experiment cell by cell. A Belief about a Design and Choose find
// the cell to run next: the one that is expected to reduce the uncertainty of stated
// contrasts of systems most. A Family decides those contrasts with repeated looks at the
// data. The package is statistics alone: it runs nothing, and Choose tests nothing.
//
// The model of Belief is normal with random effects. A cell is a training run of a system;
// its value is the mean of the system plus a run effect, N(0, run variance). The mean of a
// system is the sum of the effects of its factor levels (fixed effects with a diffuse prior)
// and of its own part. The covariance of the own parts of two systems is system variance ·
// alike^(factors in which they differ): interactions of every order, weaker the higher the
// order (a product of exchangeable kernels; Rasmussen and Williams 2006, Gaussian Processes
// for Machine Learning, section 4.2). Given some cells, the belief is the best linear
// unbiased prediction of all systems' means, run or not, with its covariance in closed form
// (Robinson 1991, Statistical Science 6). That covariance depends only on the set of cells
// run and on the variances. So the effect of a cell on it is known before the cell is run,
// and a choice by it looks at no contrast's value.
package adaptive
