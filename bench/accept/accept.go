// Package accept is the verb that records in a file of the repository who answers for a
// change for the worse, why, and until when. What the gate makes of it is in
// reports/gate.
package accept

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
	"infbench/datasets/filelock"
	"infbench/metrics/nearest"
	"infbench/reports/diff"
	"infbench/reports/gate"
	"infbench/reports/scores"
	"infbench/reports/words"
)

// options are the flags of the verb.
type options struct {
	file, who, why, until, commit string
	baseline                      []string
	load                          func([]string) ([]*results.Experiment, error)
}

// Command is the verb; load reads run folders and HTML reports.
func Command(load func([]string) ([]*results.Experiment, error)) *cobra.Command {
	o := options{load: load}
	var run []string
	cmd := &cobra.Command{
		Use:   "accept SYSTEM [NUMBER]",
		Short: "Record who answers for a change for the worse, why, and until when",
		Long: `Add to a file of the repository that a number of a system may be as low as it is in
the run, or gone, until a day: infbench gate --accepted and infbench publish --accepted let
it pass up to then, and fail again after it. SYSTEM is named as reports call it, NUMBER as
the gate prints it; without NUMBER the whole system is gone. A drop below what was accepted
fails as any. Comments and other entries of the file stay; an entry of the same number is
replaced.`,
		Example: `  infbench gate accept "uni(P)" "nDCG@10 on mini-mair (mean of 6 tasks)" --baseline leaderboard.html --run runs/demo --until 2027-01-31 --who Ann --why "half the training time"
  infbench gate accept "uni(I)" --baseline leaderboard.html --run runs/demo --until 2027-01-31 --who Ann --why "no longer trained"`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, run, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.file, "file", ".github/accepted.yaml", "file of what was accepted, made where it is not there")
	f.StringVar(&o.who, "who", "", "who answers for it (required)")
	f.StringVar(&o.why, "why", "", "why it may be so (required)")
	f.StringVar(&o.until, "until", "", "last day on which it may, such as 2027-01-31 (required)")
	f.StringVar(&o.commit, "commit", "", "commit that brings it")
	f.StringArrayVar(&o.baseline, "baseline", nil, "run folder or HTML report that the gate compares with; may be repeated (required)")
	f.StringArrayVar(&run, "run", nil, "run folder or HTML report with the number as it is now; may be repeated (default: every folder below runs/)")
	return cmd
}

// check refuses flags that make no sense.
func (o options) check() (until time.Time, err error) {
	for _, required := range []struct {
		name string
		have bool
	}{{"who", o.who != ""}, {"why", o.why != ""}, {"until", o.until != ""}, {"baseline", len(o.baseline) > 0}} {
		if !required.have {
			return until, usage.Errorf("gate accept: --%s is required", required.name)
		}
	}
	if until, err = time.Parse(time.DateOnly, o.until); err != nil {
		return until, usage.Errorf("gate accept: --until %q: want a day such as 2027-01-31", o.until)
	}
	return until, nil
}

// run looks up what is accepted and adds it to the file.
func (o options) run(ctx context.Context, args, names []string, out io.Writer) error {
	until, err := o.check()
	if err != nil {
		return err
	}
	if names, err = runs.NamedOrAll(names); err != nil {
		return err
	}
	a := gate.Accepted{Until: until, Who: o.who, Why: o.why, Commit: o.commit}
	if err := o.find(&a, args, names); err != nil {
		return err
	}
	release, err := filelock.Lock(ctx, o.file+".lock")
	if err != nil {
		return err
	}
	defer release()
	data, err := atomicfile.ReadFile(o.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if data, err = Add(o.file, data, &a); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(o.file, data); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", words.Clean(o.file), words.Clean(sentence(&a)))
	return nil
}

// sentence says what was accepted.
func sentence(a *gate.Accepted) string {
	text := a.System
	if a.Number != "" {
		text += ", " + a.Number
	}
	if a.From != nil {
		text += " from " + words.PercentExact(*a.From)
	}
	if a.To != nil {
		text += " to " + words.PercentExact(*a.To)
	} else {
		text += " gone"
	}
	return text + ", " + a.By()
}

// find fills in the names and the two values of what is accepted.
func (o options) find(a *gate.Accepted, args, names []string) error {
	baseline, err := o.load(o.baseline)
	if err != nil {
		return err
	}
	run, err := o.load(names)
	if err != nil {
		return err
	}
	c, err := diff.Compare(baseline, run, false)
	if err != nil {
		return err
	}
	shifts := append(slices.Clone(c.Shifts), c.Means()...)
	var systems, numbers []string
	var own []*diff.Shift
	for _, s := range shifts {
		systems = words.AddNew(systems, s.System)
		if s.System == args[0] {
			own, numbers = append(own, s), words.AddNew(numbers, s.Number())
		}
	}
	if len(own) == 0 {
		return usage.Error{Err: fmt.Errorf("gate accept: %w", nearest.Unknown("system", args[0], systems))}
	}
	if a.System = args[0]; len(args) == 1 {
		return wholly(a, own)
	}
	i := slices.IndexFunc(own, func(s *diff.Shift) bool { return s.Number() == args[1] })
	if i < 0 {
		return usage.Error{Err: fmt.Errorf("gate accept: %w", nearest.Unknown("number", args[1], numbers))}
	}
	return of(a, own[i])
}

// wholly accepts that a system is gone.
func wholly(a *gate.Accepted, own []*diff.Shift) error {
	var left []string
	for _, s := range own {
		if s.After.State.Valued() {
			left = append(left, s.Number())
		}
	}
	if len(left) > 0 {
		return usage.Errorf("gate accept: %s is still measured: name the number that may be lower, one of: %s", a.System, strings.Join(left, "; "))
	}
	return nil
}

// of accepts what became of one number.
func of(a *gate.Accepted, s *diff.Shift) error {
	if a.Number = s.Number(); !s.Before.State.Valued() {
		return usage.Errorf("gate accept: the baseline has no %s, so there is nothing to accept", s.Place())
	}
	before, after := s.Before.Value, s.After.Value
	a.From = &before
	if s.After.State == scores.Missing || !s.After.State.Valued() {
		return nil
	}
	if d := s.Contrast.On.Direction(); !d.Better(before, after) {
		return usage.Errorf("gate accept: %s is %s, before %s: that is no change for the worse", s.Place(), words.PercentExact(after), words.PercentExact(before))
	}
	a.To = &after
	return nil
}
