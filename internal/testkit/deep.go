// Package testkit holds helpers shared by the tests of many packages: the switch for deep tests,
// the reference data, and processor time. No program links this package or the fakes and fault
// engines below it.
package testkit

import (
	"os"
	"strconv"
	"testing"
)

// deepVariable enables the deep tests: make test DEEP=1 sets it.
const deepVariable = "INFBENCH_DEEP"

// IsDeep reports whether the deep tests run.
func IsDeep() bool { return os.Getenv(deepVariable) == "1" }

// Share returns the divisor that a variable sets for the size of a simulation: 1 draws all, 5 a
// fifth.
func Share(variable string) int {
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil || n < 1 {
		panic(variable + " must be a number from 1: 1 draws all, 5 a fifth")
	}
	return n
}

// Deep skips a test unless the deep tests are enabled. Deep tests are too slow for everyday runs:
// kills, faults, damage, builds of the binary, forged pages, large sizes, waits of seconds, and
// repetitions of a result that a quicker case already shows.
func Deep(t testing.TB) {
	t.Helper()
	if !IsDeep() {
		t.Skipf("SKIP: a deep test: %s is not 1 (make test DEEP=1)", deepVariable)
	}
}
