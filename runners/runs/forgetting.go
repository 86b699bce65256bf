package runs

import (
	"fmt"
	"reflect"
	"strings"

	"infbench/runners/results"
	"infbench/runners/spec"
)

// HeldTo returns the plan's limit on forgetting for its trained trials; nil without one.
func HeldTo(plan *spec.Plan) *results.Forgetting {
	asked := plan.Forgetting
	if !asked.Given() {
		return nil
	}
	return &results.Forgetting{Collections: asked.Names(), Measure: asked.Measure, Margin: asked.Margin}
}

// noteMargin adds a note if the margin, its measure or its collections have changed since
// trials ran: a limit that was chosen after the results decides nothing.
func noteMargin(exp *results.Experiment) {
	if exp.Forgetting == nil {
		return
	}
	ran, other, was := 0, 0, ""
	for i := range exp.Trials {
		t := &exp.Trials[i]
		if t.State != results.Done || t.Config[results.Loss] == "" {
			continue
		}
		ran++
		if held := t.Provenance.HeldTo; !reflect.DeepEqual(held, exp.Forgetting) {
			other++
			was = marginWords(held)
		}
	}
	if other > 0 {
		exp.Notes = append(exp.Notes, fmt.Sprintf("The limit on forgetting was changed after the run: %d of %d trained cells ran under %s, and the plan now says %s.", other, ran, was, marginWords(exp.Forgetting)))
	}
}

// marginWords describes a limit in a few words.
func marginWords(f *results.Forgetting) string {
	if f == nil {
		return "no margin"
	}
	return fmt.Sprintf("a margin of %v of %s on %s", f.Margin, f.Measure, strings.Join(f.Collections, ", "))
}
