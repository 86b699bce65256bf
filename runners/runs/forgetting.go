package runs

import (
	"fmt"
	"reflect"
	"strings"

	"infbench/runners/results"
	"infbench/runners/spec"
)

// HeldTo is what a plan holds its trained trials to on what they could do before; nil
// where nothing.
func HeldTo(plan *spec.Plan) *results.Forgetting {
	asked := plan.Forgetting
	if !asked.Given() {
		return nil
	}
	return &results.Forgetting{Collections: asked.Names(), Measure: asked.Measure, Margin: asked.Margin}
}

// noteMargin says where the margin, its measure or its collections are others than when
// trials ran: what was chosen after the numbers were there decides nothing.
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
		exp.Notes = append(exp.Notes, fmt.Sprintf("What training may cost was stated after the run: %d of %d trained cells ran under %s, and the plan now says %s.", other, ran, was, marginWords(exp.Forgetting)))
	}
}

// marginWords says a margin in a few words.
func marginWords(f *results.Forgetting) string {
	if f == nil {
		return "no margin"
	}
	return fmt.Sprintf("a margin of %v of %s on %s", f.Margin, f.Measure, strings.Join(f.Collections, ", "))
}
