package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/reports/gate"
	"infbench/reports/site"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// experimentLoader reads run folders and HTML reports.
type experimentLoader func(names []string) ([]*results.Experiment, error)

// gateOptions are the flags of gate.
type gateOptions struct {
	load      experimentLoader
	baseline  []string
	rules     string
	format    string
	undecided string
	known     gateKnown
}

// gateKnown are the inputs of a gate apart from its rules: a site or its history, the commit
// that is judged, and the file of accepted changes; each "" if it is not given.
type gateKnown struct{ History, Commit, Accepted string }

// AddFlags adds the flags of gateKnown; lead begins each help text.
func (o *gateKnown) AddFlags(cmd *cobra.Command, lead string) {
	f := cmd.Flags()
	f.StringVar(&o.History, "history", "", lead+fmt.Sprintf("site folder, or its %s: estimates the noise of systems trained once per commit from the last %d commits", site.HistoryFile, gate.LastCommits))
	f.StringVar(&o.Commit, "commit", "", lead+"the commit that is judged: only earlier commits of the history count")
	f.StringVar(&o.Accepted, "accepted", "", lead+"file of accepted changes (infbench gate accept); may be missing")
}

// Read reads the named files; the file of accepted changes may not exist.
func (o *gateKnown) Read() (k gate.Known, err error) {
	k.Now = time.Now()
	if o.History != "" {
		h, err := site.HistoryOf(o.History)
		if err != nil {
			return k, err
		}
		before := site.Until(h.Commits, o.Commit)
		k.History, k.Shifts = site.Past(before), site.Shifts(before)
	}
	if o.Accepted == "" {
		return k, nil
	}
	data, err := disk.ReadFile(o.Accepted)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return k, err
	}
	if k.Accepted, err = gate.ParseAccepted(o.Accepted, data); err != nil {
		err = usage.Error{Err: err}
	}
	return k, err
}

// gateCommand is the verb gate. Package reports/gate decides; load reads run folders and
// HTML reports.
func gateCommand(load experimentLoader) *cobra.Command {
	o := gateOptions{load: load}
	cmd := &cobra.Command{
		Use:   "gate --rule FILE [--baseline DIR] [RUN...]",
		Short: "Fail where numbers are too low or dropped",
		Long: `Check the numbers of run folders against rules and against a baseline, and exit
with code 3 if they fail. Each rule names a measure, and with benchmark,
task, side, system and kind (trained, baseline, null) selects numbers:

  scale: 100                 # of all numbers except significance: as in tables
  rules:
    - measure: nDCG@10
      minimum: 30            # lowest mean; maximum is the highest
      maximum_drop: 1        # against the baseline; a rise where lower is better
      significance: 0.05     # only drops with a corrected p of at most this count
      new: pass              # numbers that the baseline lacks do not fail
      dropped: fail          # numbers that the plan no longer asks for do

Without a scale, a number that may be from 0 to 1, as in older rules, is refused:
write 55, not .55; give scale: 100 if you mean .55 of 100, scale: 1 in a file with numbers
from 0 to 1 only. A rule without a task is about the numbers on boards, including means
over tasks, and about the single tasks behind them.

Missing numbers fail: a system, task or trial of the baseline, a query that
lost its value, and a rule that matches nothing. Runs and baseline are run folders, or
HTML reports, which carry all values. Without RUN, every folder below runs/.

` + gate.Help(90) + `
The exit code is 3 if the gate fails and 0 if it passes. If it is undecided, the code is 0,
or 3 with --undecided fail.`,
		Example: `  infbench gate --rule gate.yaml runs/demo
  infbench gate --baseline leaderboard.html --rule gate.yaml runs/demo
  infbench gate --baseline site/report.html --history site --rule gate.yaml --undecided fail runs/demo`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.baseline, "baseline", nil, "run folder or HTML report to compare with; may be repeated")
	f.StringVar(&o.rules, "rule", "", "file of rules (required)")
	f.StringVar(&o.format, "format", "text", "text or json")
	f.StringVar(&o.undecided, "undecided", "pass", "outcome of an undecided gate: pass or fail")
	o.known.AddFlags(cmd, "")
	cmd.AddCommand(acceptCommand(load))
	return cmd
}

// notMet is the error that the numbers fail the gate.
type notMet struct{ summary string }

func (e notMet) Error() string { return e.summary }
func (e notMet) ExitCode() int { return usage.ExitGate }

// check refuses flags that make no sense.
func (o gateOptions) check() error {
	switch {
	case o.rules == "":
		return usage.Errorf("gate: --rule is required")
	case o.format != "text" && o.format != "json":
		return usage.Errorf("gate: --format %s: want text or json", o.format)
	case o.undecided != "pass" && o.undecided != "fail":
		return usage.Errorf("gate: --undecided %s: want pass or fail", o.undecided)
	case o.known.Commit != "" && o.known.History == "":
		return usage.Errorf("gate: --commit is for --history")
	}
	return nil
}

// run judges the runs and prints why.
func (o gateOptions) run(args []string, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	g, err := o.judge(args)
	if err != nil {
		return err
	}
	if o.format == "json" {
		err = output.WriteJSON(out, g.JSON())
	} else {
		err = gate.WriteGate(out, g)
	}
	if err == nil && (len(g.Failed()) > 0 || len(g.Undecided()) > 0 && o.undecided == "fail") {
		return notMet{g.Summary()}
	}
	return err
}

// judge reads all inputs and checks the runs against the rules.
func (o gateOptions) judge(args []string) (*gate.Gate, error) {
	known, err := o.known.Read()
	if err != nil {
		return nil, err
	}
	baseline, err := o.load(o.baseline)
	if err != nil {
		return nil, err
	}
	if args, err = runs.NamedOrAll(args); err != nil {
		return nil, err
	}
	run, err := o.load(args)
	if err != nil {
		return nil, err
	}
	return judgeGate(o.rules, known, baseline, run)
}

// judgeGate checks runs against the rules of a file.
func judgeGate(file string, known gate.Known, baseline, run []*results.Experiment) (*gate.Gate, error) {
	data, err := disk.ReadFile(file)
	if err != nil {
		return nil, err
	}
	rules, err := gate.ParseRules(file, data, catalog.CanonicalMeasure)
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	g, err := known.Judge(rules, baseline, run)
	if errors.Is(err, gate.ErrNoBaseline) {
		return nil, usage.Error{Err: fmt.Errorf("gate: %w: give --baseline", err)}
	}
	return g, err
}
