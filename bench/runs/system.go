package runs

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/bench/usage"
	"infbench/metrics/nearest"
)

// plainLoss fits the name of a loss as commands have it, multi:P+I.
var plainLoss = regexp.MustCompile(`\b(uni|multi):([A-Z]+(?:\+[A-Z]+)*)`)

// asLabel is a name as labels have it, multi(P,I).
func asLabel(name string) string {
	return plainLoss.ReplaceAllStringFunc(strings.TrimSpace(name), func(loss string) string {
		form, terms, _ := strings.Cut(loss, ":")
		return form + "(" + strings.ReplaceAll(terms, "+", ",") + ")"
	})
}

// Trials lists the trials of a plan that a name means: the one with that ID, else those
// with that label or whose labels begin with its words, as uni(P) of "uni(P) seed=1", else
// those whose IDs begin so. None is wrong usage, with the nearest label.
func Trials(plan *spec.Plan, name string) ([]*spec.Trial, error) {
	label := asLabel(name)
	for _, means := range []func(*spec.Trial) bool{
		func(t *spec.Trial) bool { return t.ID == name },
		func(t *spec.Trial) bool { return t.Label == label },
		func(t *spec.Trial) bool { return label != "" && strings.HasPrefix(t.Label, label+" ") },
		func(t *spec.Trial) bool { return strings.HasPrefix(t.ID, name) },
	} {
		var found []*spec.Trial
		for i := range plan.Trials {
			if means(&plan.Trials[i]) {
				found = append(found, &plan.Trials[i])
			}
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	var labels []string
	for i := range plan.Trials {
		words := strings.Fields(plan.Trials[i].Label)
		labels = append(labels, plan.Trials[i].Label, strings.Join(words[:min(1, len(words))], ""))
	}
	hint := ""
	if near, ok := nearest.Of(label, labels); ok {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return nil, usage.Errorf("plan %s has no trial %q%s; infbench plan lists labels and IDs", plan.Name, name, hint)
}

// Trial is the only trial of a plan that a name means; see Trials.
func Trial(plan *spec.Plan, name string) (*spec.Trial, error) {
	found, err := Trials(plan, name)
	if err != nil {
		return nil, err
	}
	if len(found) > 1 {
		return nil, usage.Errorf("trial %q is ambiguous: %s (%s), %s (%s)%s", name, found[0].ID, found[0].Label, found[1].ID, found[1].Label, more(len(found)-2))
	}
	return found[0], nil
}

// more counts what is not listed.
func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// Split takes RUN:SYSTEM apart; system is "" of what names no system of a run folder.
func Split(name string) (dir, system string) {
	if exists(name) {
		return name, ""
	}
	for i, r := range name {
		if r == ':' && exists(At(name[:i]).PlanPath()) {
			return name[:i], name[i+1:]
		}
	}
	return name, ""
}

// ModelFolder is the folder of the model that RUN:SYSTEM names; any other name is as it is.
func ModelFolder(name string) (string, error) {
	dir, system := Split(name)
	if system == "" {
		return name, nil
	}
	plan, err := At(dir).Plan()
	if err != nil {
		return "", err
	}
	t, err := Trial(plan, system)
	if err != nil {
		return "", err
	}
	model := filepath.Join(At(dir).Trial(t.ID).Dir, results.ModelDir)
	switch {
	case t.Cell.Model != spec.Trained:
		return "", usage.Errorf("%s (%s) of %s was not trained there: name its model, as --model %s", t.ID, t.Label, dir, t.Cell.Model)
	case !exists(model):
		return "", fmt.Errorf("trial %s (%s) has no model yet: %s is not there", t.ID, t.Label, model)
	}
	return model, nil
}

// narrow leaves of an experiment the trials that a system's name means.
func (f Folder) narrow(exp *results.Experiment, system string) error {
	plan, err := f.Plan()
	if err != nil {
		return err
	}
	named, err := Trials(plan, system)
	if err != nil {
		return err
	}
	exp.Trials = slices.DeleteFunc(exp.Trials, func(t results.Trial) bool {
		return !slices.ContainsFunc(named, func(n *spec.Trial) bool { return n.ID == t.ID })
	})
	return nil
}
