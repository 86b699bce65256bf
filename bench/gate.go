package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/catalog"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/sheet"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
	"infbench/reports"
	"infbench/reports/gate"
)

// gateOptions are the flags of gate.
type gateOptions struct {
	baseline []string
	rules    string
	format   string
}

func gateCommand() *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate --rule FILE [--baseline DIR] [RUN...]",
		Short: "Fail where numbers are too low or dropped",
		Long: `Hold the numbers of run folders to rules, and to those of a baseline, and exit
with code 3 where they are not met. Each rule names a measure, and with benchmark,
task, side, system and kind (trained, baseline, null) narrows what it is about:

  rules:
    - measure: nDCG@10
      minimum: 0.30          # lowest mean, from 0 to 1; maximum is the highest
      maximum_drop: 0.01     # against the baseline; a rise where lower is better
      significance: 0.05     # only drops with a corrected p of at most this count
      new: pass              # numbers that the baseline has not are no fault

What is missing fails: a system, task or trial that the baseline has, a query that
lost its value, and a rule that fits nothing. Runs and baseline are run folders, or
HTML reports, which carry all values. Without RUN, every folder below runs/.`,
		Example: `  infbench gate --rule gate.yaml runs/demo
  infbench gate --baseline leaderboard.html --rule gate.yaml runs/demo`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(args, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.baseline, "baseline", nil, "run folder or HTML report to compare with; may be repeated")
	f.StringVar(&o.rules, "rule", "", "file of rules (required)")
	f.StringVar(&o.format, "format", "text", "text or json")
	return cmd
}

// gateError says that the numbers do not meet the gate.
type gateError struct{ failed, checks int }

func (e gateError) Error() string {
	return fmt.Sprintf("gate not met: %d of %d checks failed", e.failed, e.checks)
}
func (e gateError) ExitCode() int { return exitGate }

// run judges the runs and prints why.
func (o gateOptions) run(args []string, out io.Writer) error {
	switch {
	case o.rules == "":
		return usage.Errorf("gate: --rule is required")
	case o.format != "text" && o.format != "json":
		return usage.Errorf("gate: --format %s: want text or json", o.format)
	}
	data, err := atomicfile.ReadFile(o.rules)
	if err != nil {
		return err
	}
	rules, err := gate.ParseRules(o.rules, data, catalog.CanonicalMeasure)
	if err != nil {
		return usage.Error{Err: err}
	}
	baseline, err := loadSets(o.baseline)
	if err != nil {
		return err
	}
	if args, err = runs.NamedOrAll(args); err != nil {
		return err
	}
	run, err := loadSets(args)
	if err != nil {
		return err
	}
	g, err := gate.Judge(rules, baseline, run)
	if errors.Is(err, gate.ErrNoBaseline) {
		return usage.Error{Err: fmt.Errorf("gate: %w: give --baseline", err)}
	}
	if err != nil {
		return err
	}
	if o.format == "json" {
		err = sheet.WriteJSON(out, g.Checks)
	} else {
		err = gate.WriteGate(out, g)
	}
	if failed := g.Failed(); err == nil && len(failed) > 0 {
		return gateError{len(failed), len(g.Checks)}
	}
	return err
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
