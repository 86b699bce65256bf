package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports/diff"
	"infbench/reports/gate"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// acceptOptions are the flags of the verb.
type acceptOptions struct {
	file, who, why, until, commit, rules string
	baseline                             []string
	load                                 func([]string) ([]*results.Experiment, error)
}

// acceptCommand is the verb gate accept: it records in a file of the repository who accepts a
// change for the worse, why, and until when. Package reports/gate applies the file. load
// reads run folders and HTML reports.
func acceptCommand(load func([]string) ([]*results.Experiment, error)) *cobra.Command {
	o := acceptOptions{load: load}
	var run []string
	cmd := &cobra.Command{
		Use:   "accept [SYSTEM [NUMBER]]",
		Short: "Accept a change for the worse: record the person, the reason and the last day",
		Long: `Add an entry to a file of the repository: until the given day, a number of a system may
be as low as it is in the run, or missing. infbench gate --accepted and infbench publish
--accepted let it pass until then, and fail again afterwards. Name SYSTEM as reports call
it, or as uni:P, and NUMBER as the gate prints it; without NUMBER, the complete system may
be missing. With --rule, every change that fails those rules now is accepted, or only those
of SYSTEM and NUMBER if given. A drop below the accepted value fails as usual. Comments and
other entries of the file are kept; an entry for the same number is replaced.`,
		Example: `  infbench gate accept --rule .github/gate.yaml --baseline leaderboard.html --run runs/demo --until 2027-01-31 --who Ann --why "half the training time"
  infbench gate accept uni:P "nDCG@10 on mini-mair (mean of 6 tasks)" --baseline leaderboard.html --run runs/demo --until 2027-01-31 --who Ann --why "half the training time"
  infbench gate accept uni:I --baseline leaderboard.html --run runs/demo --until 2027-01-31 --who Ann --why "no longer trained"`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, run, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.file, "file", ".github/accepted.yaml", "file of accepted changes; created if it does not exist")
	f.StringVar(&o.who, "who", "", "name of the person who accepts the change (required)")
	f.StringVar(&o.why, "why", "", "reason (required)")
	f.StringVar(&o.until, "until", "", "last day on which the gate accepts it, such as 2027-01-31 (required)")
	f.StringVar(&o.rules, "rule", "", "rules of infbench gate: accept every change that fails them")
	f.StringVar(&o.commit, "commit", "", "commit that causes the change")
	f.StringArrayVar(&o.baseline, "baseline", nil, "run folder or HTML report that the gate compares with; may be repeated (required)")
	f.StringArrayVar(&run, "run", nil, "run folder or HTML report with the number as it is now; may be repeated (default: every folder below runs/)")
	return cmd
}

// check refuses flags that make no sense.
func (o acceptOptions) check() (until time.Time, err error) {
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
	if (&gate.Accepted{Until: until}).Over(time.Now()) {
		return until, usage.Errorf("gate accept: --until %s is over: nothing would pass", o.until)
	}
	return until, nil
}

// run finds the changes to accept and adds them to the file.
func (o acceptOptions) run(ctx context.Context, args, names []string, out io.Writer) error {
	until, err := o.check()
	if err != nil {
		return err
	}
	if names, err = runs.NamedOrAll(names); err != nil {
		return err
	}
	all, err := o.find(args, names)
	if err != nil {
		return err
	}
	const ending = ".lock"
	lock := filepath.Join(filepath.Dir(o.file), disk.FitName(filepath.Base(o.file), len(ending))+ending)
	release, err := disk.Lock(ctx, lock)
	if err != nil {
		return err
	}
	defer func() {
		os.Remove(lock) // removed while the lock is held
		release()
	}()
	data, err := disk.ReadFile(o.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, a := range all {
		a.Until, a.Who, a.Why, a.Commit = until, o.who, o.why, o.commit
		if data, err = addAccepted(o.file, data, a); err != nil {
			return err
		}
	}
	if err := disk.WriteBytes(o.file, data); err != nil {
		return err
	}
	for _, a := range all {
		fmt.Fprintf(out, "%s: %s\n", words.Clean(o.file), words.Clean(acceptanceText(a)))
	}
	return nil
}

// acceptanceText describes an accepted change.
func acceptanceText(a *gate.Accepted) string {
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

// find lists the changes to accept, with their names and values.
func (o acceptOptions) find(args, names []string) ([]*gate.Accepted, error) {
	baseline, err := o.load(o.baseline)
	if err != nil {
		return nil, err
	}
	run, err := o.load(names)
	if err != nil {
		return nil, err
	}
	c, err := diff.Compare(baseline, run, false)
	if err != nil {
		return nil, err
	}
	own, err := shiftsNamed(append(slices.Clone(c.Shifts), c.Means()...), args)
	if err != nil {
		return nil, usage.Error{Err: fmt.Errorf("gate accept: %w", err)}
	}
	switch {
	case o.rules != "":
		return o.failing(own, baseline, run)
	case len(args) == 0:
		return nil, usage.Errorf("gate accept: want a SYSTEM, or --rule for every change that fails")
	case len(args) == 1:
		return acceptGone(own)
	}
	a, err := acceptNumber(own[0])
	return []*gate.Accepted{a}, err
}

// shiftsNamed lists the shifts of a system, or the shift of one of its numbers; without a
// name, all shifts.
func shiftsNamed(shifts []*diff.Shift, args []string) ([]*diff.Shift, error) {
	for i, kind := range []string{"system", "number"}[:len(args)] {
		name := func(s *diff.Shift) string { return []string{s.System, s.Number()}[i] }
		var known []string
		others := map[string][]string{}
		for _, s := range shifts {
			known = words.AddNew(known, name(s))
			s.AddNames(others)
		}
		meant, err := nameMeant(kind, args[i], known, others)
		if err != nil {
			return nil, err
		}
		shifts = slices.DeleteFunc(slices.Clone(shifts), func(s *diff.Shift) bool { return name(s) != meant })
	}
	return shifts, nil
}

// nameMeant returns the known name that a name refers to: itself, or for a system also the
// forms that other verbs accept, such as uni:P.
func nameMeant(kind, name string, known []string, others map[string][]string) (string, error) {
	switch {
	case kind == "system":
		return results.Meant(kind, name, known, others)
	case slices.Contains(known, name):
		return name, nil
	}
	return "", nearest.Unknown(kind, name, known)
}

// failing accepts those numbers of own that fail the rules.
func (o acceptOptions) failing(own []*diff.Shift, baseline, run []*results.Experiment) ([]*gate.Accepted, error) {
	data, err := disk.ReadFile(o.rules)
	if err != nil {
		return nil, err
	}
	rules, err := gate.ParseRules(o.rules, data, catalog.CanonicalMeasure)
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	g, err := gate.Judge(rules, baseline, run)
	if err != nil {
		return nil, err
	}
	var out []*gate.Accepted
	for _, s := range own {
		if !slices.ContainsFunc(g.Failed(), func(c gate.Check) bool { return c.Place == s.Place() }) {
			continue
		}
		a, err := acceptNumber(s)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, usage.Errorf("gate accept: no such number fails %s: there is nothing to accept", o.rules)
	}
	return out, nil
}

// acceptGone accepts that a system is missing.
func acceptGone(own []*diff.Shift) ([]*gate.Accepted, error) {
	var left []string
	for _, s := range own {
		if s.After.State.Valued() {
			left = append(left, s.Number())
		}
	}
	if len(left) > 0 {
		return nil, usage.Errorf("gate accept: %s is still measured: give --rule, or name the number that may be lower: %s", own[0].System, strings.Join(left, "; "))
	}
	return []*gate.Accepted{{System: own[0].System}}, nil
}

// acceptNumber accepts the change of one number.
func acceptNumber(s *diff.Shift) (*gate.Accepted, error) {
	before, after := s.Before.Value, s.After.Value
	a := &gate.Accepted{System: s.System, Number: s.Number(), From: &before}
	switch {
	case !s.Before.State.Valued():
		return nil, usage.Errorf("gate accept: the baseline has no %s, so there is nothing to accept", s.Place())
	case !s.After.State.Valued():
		return a, nil
	case !s.Contrast.On.Direction().Better(before, after):
		return nil, usage.Errorf("gate accept: %s is %s, before %s: that is not a change for the worse", s.Place(), words.PercentExact(after), words.PercentExact(before))
	}
	a.To = &after
	return a, nil
}
