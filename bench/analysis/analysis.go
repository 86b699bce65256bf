// Package analysis has the verbs that examine texts and their vectors instead of systems:
// encode, diversity and map. It finds texts by the name of a file, a training corpus or a
// benchmark, and writes vectors. Packages metrics/diversity and metrics/projection compute the
// numbers.
package analysis

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/internal/usage"
	"infbench/metrics/diversity"
)

// textFlags are the flags that name texts.
type textFlags struct {
	textOptions
	sample int
	seed   uint64
}

// add declares the flags.
func (o *textFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	flags.Group(f, flags.DataFlags, func() {
		f.StringVar(&o.Field, "field", "", "field that holds the texts (default: text for files, instruction for corpora and benchmarks); a.b names a nested field of a file")
		f.StringArrayVar(&o.Tasks, "task", nil, "only this task, or group of tasks, of a benchmark; may be repeated")
		f.Uint64Var(&o.World, "world", 1, "seed of the generated world of mini data")
		f.IntVar(&o.sample, "sample", 0, "random sample of this many texts (default: all)")
		f.Uint64Var(&o.seed, "seed", 1, "seed of the sample")
	})
}

// readSet reads all texts of the flags.
func (o *textFlags) readSet(name string) (*textSet, error) {
	if o.sample < 0 {
		return nil, usage.Errorf("--sample %d: want at least 0", o.sample)
	}
	set, err := readTexts(name, o.textOptions)
	return set, usage.AsError(err)
}

// read reads the texts and returns the indices of those that the flags select.
func (o *textFlags) read(name string) (set *textSet, chosen []int, err error) {
	if set, err = o.readSet(name); err != nil {
		return nil, nil, err
	}
	chosen, err = o.choose(set, o.sample)
	return set, chosen, err
}

// choose draws that many texts; 0 means all.
func (o *textFlags) choose(set *textSet, sample int) ([]int, error) {
	if sample > len(set.Texts) {
		return nil, fmt.Errorf("%s: --sample %d of %d texts", set.Source, sample, len(set.Texts))
	}
	return diversity.Sample(len(set.Texts), cmp.Or(sample, len(set.Texts)), o.seed), nil
}
