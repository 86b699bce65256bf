package active

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/reports/claims"
	"infbench/runners/results"
)

// Options are the flags of an active sweep, which chooses its cells as results come in.
type Options struct {
	On     bool
	claims string
	alpha  float64
	budget string
	start  uint64
	flags  *pflag.FlagSet // which flags were given; nil: none
}

// AddFlags declares the flags.
func (o *Options) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.On, "active", false, "run cells in rounds, always those that inform --claims most, until the claims are settled")
	f.StringVar(&o.claims, "claims", "", "with --active: file of the claims to settle (see infbench claims --help)")
	f.Float64Var(&o.alpha, "alpha", defaultAlpha, "with --active: chance that any of its verdicts is false")
	f.StringVar(&o.budget, "cells", fmt.Sprintf("%.0f%%", 100*defaultBudget), "with --active: largest number of cells, or share of all cells")
	f.Uint64Var(&o.start, "start", 1, "with --active: seed of the random first round")
	o.flags = f
}

// given reports whether a flag was given.
func (o *Options) given(flag string) bool { return o.flags != nil && o.flags.Changed(flag) }

// Check refuses flags that do not go together. waits reports whether the engine returns results
// to this process.
func (o *Options) Check(waits bool) error {
	if !o.On {
		for _, flag := range []string{"claims", "alpha", "cells", "start"} {
			if o.given(flag) {
				return usage.Errorf("--%s is for --active; infbench claims judges a finished sweep", flag)
			}
		}
		return nil
	}
	switch {
	case !waits:
		return usage.Errorf("--active waits for the results of each round: leave out --detach and --dry-run")
	case !(o.alpha > 0 && o.alpha < 0.5):
		return usage.Errorf("--alpha: want a number above 0 and below 0.5, found %v", o.alpha)
	case o.start == 0:
		return usage.Errorf("--start: want at least 1, found 0")
	}
	_, err := o.cells(1)
	return err
}

// cells returns the budget for a sweep of that many cells.
func (o *Options) cells(all int) (int, error) {
	text, share := strings.CutSuffix(strings.TrimSpace(o.budget), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch {
	case err != nil || !(v > 0) || share && v > 100 || !share && v != float64(int(v)):
		return 0, usage.Errorf("--cells: want a number of cells, or a share of all such as 40%%, found %q", o.budget)
	case share:
		return max(1, int(v/100*float64(all))), nil
	}
	return int(v), nil
}

// Settings returns the settings that were asked for, given the number of cells of the plan and
// of a round. A setting that was not asked for is zero: the default, or the value that the
// sweep began with.
func (o *Options) Settings(cells, round int) (results.ActiveSettings, error) {
	out := results.ActiveSettings{Round: round}
	if o.claims != "" {
		data, err := disk.ReadFile(o.claims)
		if err != nil {
			return out, err
		}
		if _, err := claims.Parse(o.claims, data); err != nil {
			return out, err
		}
		out.Claims, out.Text = filepath.Base(o.claims), string(data)
	}
	if o.given("alpha") {
		out.Alpha = o.alpha
	}
	if o.given("start") {
		out.Seed = o.start
	}
	var err error
	if o.given("cells") {
		out.Budget, err = o.cells(cells)
	}
	return out, err
}
