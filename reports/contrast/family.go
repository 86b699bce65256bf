package contrast

import (
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"infbench/metrics/stats"
	"infbench/reports/scores"
	"infbench/reports/table"
)

// Family is the contrasts that one Holm correction runs over.
type Family struct {
	Contrasts []*Contrast
	Method    string // of the tests, in words

	// Of all systems against a reference on all main numbers (or all slices) of a
	// benchmark, contrasts being by column, then system.
	Benchmark string
	Reference string // model name
	Columns   []scores.Number
}

// On lists the contrasts of one column.
func (f *Family) On(c scores.Number) []*Contrast {
	return slices.DeleteFunc(slices.Clone(f.Contrasts), func(have *Contrast) bool {
		return !have.On.Same(c)
	})
}

// tested lists the contrasts that have a p-value.
func (f *Family) tested() []*Contrast {
	return slices.DeleteFunc(slices.Clone(f.Contrasts), func(c *Contrast) bool { return c.Why != "" })
}

// Tested counts the contrasts that have a p-value.
func (f *Family) Tested() int { return len(f.tested()) }

// Test runs the test of every contrast, then corrects: the one place that both go
// through.
func (f *Family) Test(how PairedTest) error {
	f.Method = how.Words
	err := InParallel(len(f.Contrasts), func(i int) error {
		c := f.Contrasts[i]
		if err := c.test(how); err != nil {
			return fmt.Errorf("%s against %s on %s: %w", c.B.Label, c.A.Label, c.On.Test(), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	f.Correct()
	return nil
}

// Correct fills in Holm's adjusted p-values over the tested contrasts.
func (f *Family) Correct() {
	tested := f.tested()
	ps := make([]float64, len(tested))
	for i, c := range tested {
		ps[i] = c.P
	}
	for i, adjusted := range stats.Holm(ps) {
		tested[i].Adjusted = adjusted
	}
}

// Compare tests every system against its reference on the columns of a
// benchmark. It returns nil where no system is a reference.
func Compare(v *scores.Set, name string, columns []scores.Number, o Options) (*Family, error) {
	f := &Family{Benchmark: name, Reference: o.Reference, Columns: columns}
	for _, col := range columns {
		for _, s := range v.Systems {
			ref := Reference(v, s, o.Reference)
			if ref != nil && ref != s && v.Cell(s, col).State != scores.Unplanned {
				c := &Contrast{A: ref, B: s, On: col, From: v.LinkTo("", s.Trials, col)}
				c.From.Against = v.Link("", ref.Trials, nil).Trials
				f.Contrasts = append(f.Contrasts, c)
			}
		}
	}
	if len(f.Contrasts) == 0 {
		return nil, nil
	}
	return f, f.Test(o.PairedTest(len(f.Contrasts)))
}

// InParallel calls do for 0 to n-1 on all processors. Each call has its own
// random source, so the results do not depend on how many there are.
func InParallel(n int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

// Reference finds what a system is compared with: among the systems of that
// model, the one whose configuration agrees with it in most keys, the first of
// equals. nil where there is none.
func Reference(v *scores.Set, s *scores.System, model string) *scores.System {
	var best *scores.System
	most := -1
	for _, r := range v.Systems {
		if r.Model != model || r.Kind == table.Trained {
			continue
		}
		agree := 0
		for key, value := range r.Config() {
			if s.Config()[key] == value {
				agree++
			}
		}
		if agree > most {
			best, most = r, agree
		}
	}
	return best
}
