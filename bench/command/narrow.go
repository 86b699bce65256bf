package command

import (
	"errors"

	"github.com/spf13/cobra"

	"infbench/runners/catalog"
	"infbench/runners/spec"
)

// narrowing are the flags that change what an experiment file plans.
type narrowing struct {
	set  []string
	only []string
}

func (n *narrowing) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&n.set, "set", nil, "KEY=VALUE in every trained cell, instead of the file's value, such as loss=multi:P+I (multi(P,I) needs quotes: 'loss=multi(P,I)'); may be repeated")
	f.StringArrayVar(&n.only, "only", nil, "KEY=VALUE[,VALUE]: only the trials of the plan that have one of the values; if repeated, all must hold")
}

// read reads an experiment file and applies --set.
func (n *narrowing) read(file string) (*spec.Experiment, error) {
	exp, err := catalog.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for _, s := range n.set {
		if err := exp.Override(s); err != nil {
			return nil, err
		}
	}
	return exp, catalog.Resolve(exp)
}

// part returns the part of a plan that --only selects.
func (n *narrowing) part(plan *spec.Plan) (*spec.Plan, error) {
	return plan.Only(n.only, catalog.Canonical)
}

// plan reads an experiment file and expands the selected part against the current data. All
// data of that part must exist.
func (n *narrowing) plan(file string) (*spec.Plan, error) {
	exp, err := n.read(file)
	if err != nil {
		return nil, err
	}
	found := catalog.Gaps{Found: catalog.Revisions{}}
	plan, _, err := catalog.Expand(exp, found.Resolve)
	if err != nil {
		return nil, err
	}
	if plan, err = n.part(plan); err != nil {
		return nil, err
	}
	return plan, errors.Join(found.Missing(plan.Trials)...)
}

// joined adds a newly planned part to the old plan of a run folder. If the file has changed since,
// the trials stay that it still has.
func joined(old, plan *spec.Plan) *spec.Plan {
	switch {
	case !plan.Part.Given() || old.Name != plan.Name:
		return plan
	case plan.IsOfSame(old) == "":
		return plan.With(old)
	}
	return plan.Keeping(old)
}
