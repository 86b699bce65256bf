package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"infbench/bench/accept"
	"infbench/bench/catalog"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/sheet"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
	"infbench/reports"
	"infbench/reports/gate"
	"infbench/reports/site"
)

// gateOptions are the flags of gate.
type gateOptions struct {
	baseline  []string
	rules     string
	format    string
	undecided string
	known     gateKnown
}

// gateKnown are the flags of what a gate is told beside its rules.
type gateKnown struct{ history, commit, accepted string }

func (o *gateKnown) addFlags(cmd *cobra.Command, of string) {
	f := cmd.Flags()
	f.StringVar(&o.history, "history", "", of+fmt.Sprintf("site folder, or its %s: how runs vary of what each commit trains once, from its last %d commits", site.HistoryFile, gate.LastCommits))
	f.StringVar(&o.commit, "commit", "", of+"the commit that is judged: of a history only those before it count")
	f.StringVar(&o.accepted, "accepted", "", of+"file of changes that somebody answers for, of infbench gate accept; none where it is not there")
}

// read reads the files that the flags name.
func (o *gateKnown) read() (k gate.Known, err error) {
	k.Now = time.Now()
	if o.history != "" {
		h, err := site.HistoryOf(o.history)
		if err != nil {
			return k, err
		}
		k.History = site.Past(site.Until(h.Commits, o.commit))
	}
	if o.accepted == "" {
		return k, nil
	}
	data, err := atomicfile.ReadFile(o.accepted)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return k, err
	}
	if k.Accepted, err = gate.ParseAccepted(o.accepted, data); err != nil {
		err = usage.Error{Err: err}
	}
	return k, err
}

func gateCommand() *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate --rule FILE [--baseline DIR] [RUN...]",
		Short: "Fail where numbers are too low or dropped",
		Long: `Hold the numbers of run folders to rules, and to those of a baseline, and exit
with code 3 where they are not met. Each rule names a measure, and with benchmark,
task, side, system and kind (trained, baseline, null) narrows what it is about:

  scale: 100                 # of all numbers but significance: as tables have them
  rules:
    - measure: nDCG@10
      minimum: 30            # lowest mean; maximum is the highest
      maximum_drop: 1        # against the baseline; a rise where lower is better
      significance: 0.05     # only drops with a corrected p of at most this count
      new: pass              # numbers that the baseline has not are no fault
      dropped: fail          # those that the plan no longer asks for are one

Without a scale, a number that may be from 0 to 1, as in rules of before, is refused:
write 55, not .55; say scale: 100 where .55 of 100 is meant, scale: 1 in a file that is all
from 0 to 1. A rule without a task is about what boards show, means over tasks among it,
and the single tasks behind it.

What is missing fails: a system, task or trial that the baseline has, a query that
lost its value, and a rule that fits nothing. Runs and baseline are run folders, or
HTML reports, which carry all values. Without RUN, every folder below runs/.

` + gate.Help(90) + `
The exit code is 3 where the gate is not met, and 0 where it is; where it is undecided 0,
or with --undecided fail 3.`,
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
	f.StringVar(&o.undecided, "undecided", "pass", "what an undecided gate is: pass or fail")
	o.known.addFlags(cmd, "")
	cmd.AddCommand(accept.Command(loadSets))
	return cmd
}

// gateError says that the numbers do not meet the gate.
type gateError struct{ summary string }

func (e gateError) Error() string { return e.summary }
func (e gateError) ExitCode() int { return exitGate }

// check refuses flags that make no sense.
func (o gateOptions) check() error {
	switch {
	case o.rules == "":
		return usage.Errorf("gate: --rule is required")
	case o.format != "text" && o.format != "json":
		return usage.Errorf("gate: --format %s: want text or json", o.format)
	case o.undecided != "pass" && o.undecided != "fail":
		return usage.Errorf("gate: --undecided %s: want pass or fail", o.undecided)
	case o.known.commit != "" && o.known.history == "":
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
		err = sheet.WriteJSON(out, g.JSON())
	} else {
		err = gate.WriteGate(out, g)
	}
	if err == nil && (len(g.Failed()) > 0 || len(g.Undecided()) > 0 && o.undecided == "fail") {
		return gateError{g.Summary()}
	}
	return err
}

// judge reads everything and holds the runs to the rules.
func (o gateOptions) judge(args []string) (*gate.Gate, error) {
	known, err := o.known.read()
	if err != nil {
		return nil, err
	}
	baseline, err := loadSets(o.baseline)
	if err != nil {
		return nil, err
	}
	if args, err = runs.NamedOrAll(args); err != nil {
		return nil, err
	}
	run, err := loadSets(args)
	if err != nil {
		return nil, err
	}
	return judgeBy(o.rules, known, baseline, run)
}

// judgeBy holds runs to the rules of a file.
func judgeBy(file string, known gate.Known, baseline, run []*results.Experiment) (*gate.Gate, error) {
	data, err := atomicfile.ReadFile(file)
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

// loadSets reads run folders and HTML reports.
func loadSets(names []string) ([]*results.Experiment, error) {
	var out []*results.Experiment
	for _, name := range names {
		exps, err := loadSet(name)
		if err != nil {
			return nil, err
		}
		out = append(out, exps...)
	}
	return out, nil
}

// loadSet reads a run folder, or the values that an HTML report carries.
func loadSet(name string) ([]*results.Experiment, error) {
	if !strings.EqualFold(filepath.Ext(name), ".html") {
		return runs.LoadAll([]string{name})
	}
	data, err := readReportData(name)
	if err != nil {
		return nil, err
	}
	if len(data.Left) > 0 {
		return nil, fmt.Errorf("%s carries only a part of its values; give the run folders instead", name)
	}
	return data.Experiments(), nil
}

// readReportData reads what an HTML report carries.
func readReportData(name string) (*reports.Data, error) {
	f, err := atomicfile.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := reports.ReadData(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}
