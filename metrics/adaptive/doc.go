// Package adaptive runs an experiment cell by cell: a Belief about a Design and Choose say
// which cell to run next, the one that is expected to take most off the uncertainty about
// stated contrasts of systems; a Family decides those contrasts while it is looked at again
// and again. It is statistics alone: it runs nothing, and Choose tests nothing.
//
// The model of Belief is normal with random effects. A cell is a training run of a system,
// and its value the mean of the system plus what the run brings, N(0, run variance). The
// mean of a system is the sum of what its level of each factor brings (fixed effects, of
// which nothing is known beforehand) and of its own part, whose covariance between two
// systems is system variance · alike^(factors in which they differ): interactions of every
// order, weaker the higher (a product of exchangeable kernels; Rasmussen and Williams 2006,
// Gaussian Processes for Machine Learning, section 4.2). What is known after some cells is
// the best linear unbiased prediction of all systems' means, run or not, with its
// covariance in closed form (Robinson 1991, Statistical Science 6). That covariance depends
// only on which cells were run and on the variances, so that the effect of a cell on it is
// known before the cell is run, and a choice by it looks at no contrast's value.
package adaptive
