package stats_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"text/tabwriter"

	"infbench/internal/testkit"
)

// The limits for every interval and test. A listed rate belongs to a population for which no
// known remedy keeps the level.
const (
	leastCoverage = .93
	mostSize      = .065
)

// check is a rate that a simulation counts.
type check struct {
	what string
	size bool    // a rate of false claims; otherwise the coverage of an interval
	free bool    // without a limit
	most float64 // limit of a size, if not that of a test at 5 %
}

// cell is one experiment of the simulation: once draws it and reports, for each check,
// whether the counted event occurred.
type cell struct {
	design string
	checks []check
	once   func(r *rand.Rand) []bool
	quick  bool // also in the short run
}

// rate is the frequency of an event, with its Monte Carlo error.
type rate struct {
	count, of int
}

func (r rate) value() float64 { return float64(r.count) / float64(r.of) }
func (r rate) err() float64 {
	p := r.value()
	return math.Sqrt(max(p*(1-p), 1e-6) / float64(r.of))
}

// run counts over replicates; the seed is derived from the cell's name.
func (c cell) run(replicates int) []rate {
	r := rand.New(rand.NewPCG(seedOf(c.design), 14))
	out := make([]rate, len(c.checks))
	for range replicates {
		for i, yes := range c.once(r) {
			out[i].of++
			if yes {
				out[i].count++
			}
		}
	}
	return out
}

// seedOf returns a hash of a text (FNV-1a), so that a new cell changes no other.
func seedOf(text string) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range []byte(text) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// full reports whether all cells run, with many replicates, and the table is printed.
func full() bool { return os.Getenv("INFBENCH_COVERAGE") != "" }

// replicates returns how often a cell is drawn; with 4,000 the Monte Carlo error of a size of
// 5 % is .34 %.
func replicates() int {
	if full() {
		return 20000 / testkit.Share("INFBENCH_COVERAGE")
	}
	return 4000
}

// Every interval and test that reports print keeps its level, or is listed with its actual
// rate. `make coverage` prints the complete table.
func TestCoverage(t *testing.T) {
	testkit.Deep(t)
	all := cells()
	var wait sync.WaitGroup
	found := make([][]rate, len(all))
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, c := range all {
		if c.quick || full() {
			wait.Add(1)
			go func() {
				room <- struct{}{}
				found[i] = c.run(replicates())
				<-room
				wait.Done()
			}()
		}
	}
	wait.Wait()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for i, c := range all {
		for j, r := range found[i] {
			if wrong := c.judge(j, r); wrong != "" {
				t.Errorf("%s: %s: %.4f ±%.4f of %d: %s", c.design, c.checks[j].what, r.value(), r.err(), r.of, wrong)
			}
			if full() {
				fmt.Fprintf(w, "%s\t%s\t%s\n", c.design, c.checks[j].what, c.checks[j].words(r))
			}
		}
	}
	if full() {
		w.Flush()
		return
	}
}

// judge compares a rate with its limit, or with its listed rate; it returns "" if the rate is
// as expected.
func (c cell) judge(i int, r rate) string {
	known, isListed := listed[c.design+": "+c.checks[i].what]
	switch {
	case isListed && math.Abs(r.value()-known) > 4*r.err():
		return fmt.Sprintf("listed as %.4f", known)
	case !isListed && c.checks[i].misses(r):
		return "misses its limit"
	}
	return ""
}

// misses compares a rate with its limit; if only a share of the draws is made, three standard
// errors beyond the limit count as chance.
func (c check) misses(r rate) bool {
	chance := 0.0
	if full() && testkit.Share("INFBENCH_COVERAGE") > 1 {
		chance = 3 * r.err()
	}
	switch {
	case c.free:
		return false
	case c.size:
		return r.value() > cmp.Or(c.most, mostSize)+chance
	}
	return r.value() < leastCoverage-chance
}

// words formats a rate for the table, in percent.
func (c check) words(r rate) string {
	text := fmt.Sprintf("%.2f ±%.2f", 100*r.value(), 100*r.err())
	if c.misses(r) {
		text += "  MISSES"
	}
	return text
}
