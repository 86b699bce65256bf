// Package testkit holds what the tests of many packages share: the mark of deep tests, the
// reference data, and processor time. No program links it, nor the fakes and fault engines
// below it.
package testkit

import (
	"os"
	"strconv"
	"testing"
)

// deepVariable asks for the deep tests: make test DEEP=1 sets it.
const deepVariable = "INFBENCH_DEEP"

// IsDeep reports whether the deep tests run.
func IsDeep() bool { return os.Getenv(deepVariable) == "1" }

// Share is the number in a variable that says how much a simulation draws: 1 is all, 5 a
// fifth.
func Share(variable string) int {
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil || n < 1 {
		panic(variable + " must be a number from 1: 1 draws all, 5 a fifth")
	}
	return n
}

// Deep skips a test that is not for everyday, unless the deep tests are asked for: kills,
// faults, damage, builds of the binary, forgeries of pages, sizes, waits of seconds, and
// repetitions of what a quicker case already shows.
func Deep(t testing.TB) {
	t.Helper()
	if !IsDeep() {
		t.Skipf("SKIP: a deep test: %s is not 1 (make test DEEP=1)", deepVariable)
	}
}
