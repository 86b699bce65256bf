package runs

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// Named is a trial, or a system, as names find it.
type Named struct {
	ID     string
	Labels []string
}

func (n Named) String() string {
	switch {
	case len(n.Labels) == 0:
		return n.ID
	case n.ID == "":
		return results.AsTyped(n.Labels[0])
	}
	return fmt.Sprintf("%s (%s)", n.ID, results.AsTyped(n.Labels[0]))
}

// Find returns the places of those that a name means: the one with that ID, else those
// with that label, else those whose labels have its words, as uni(P) of "uni(P) seed=1",
// the first of them at the beginning, else those whose IDs begin so. A loss may be
// written as commands have it, uni:P.
func Find(all []Named, name string) (found []int) {
	label := results.AsLabel(strings.TrimSpace(name))
	labelled := func(fits func(label string) bool) func(Named) bool {
		return func(n Named) bool { return slices.ContainsFunc(n.Labels, fits) }
	}
	for _, means := range []func(Named) bool{
		func(n Named) bool { return n.ID == name },
		labelled(func(l string) bool { return l == label }),
		labelled(func(l string) bool { return hasWords(l, label) }),
		func(n Named) bool { return strings.HasPrefix(n.ID, name) },
	} {
		for i, n := range all {
			if means(n) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// hasWords says whether a label begins with the first word of a name and has the others.
func hasWords(label, name string) bool {
	has, wanted := strings.Fields(strings.ReplaceAll(label, ", ", " ")), strings.Fields(name)
	if len(has) == 0 || len(wanted) == 0 || has[0] != wanted[0] {
		return false
	}
	return !slices.ContainsFunc(wanted, func(word string) bool { return !slices.Contains(has, word) })
}

// listedAtMost is how many names an error lists.
const listedAtMost = 10

// Ambiguous refuses a name that means several of a kind, which it lists.
func Ambiguous(kind, name string, means []Named) error {
	return usage.Errorf("%s %q is ambiguous: %s", kind, name, listed(means))
}

// Unknown refuses a name that means nothing of a kind where something is looked for.
func Unknown(kind, where, name string, all []Named) error {
	return usage.Errorf("%s has no %s %q%s (known: %s)", where, kind, name, near(all, name), listed(all))
}

// listed names the first of some.
func listed(all []Named) string {
	var texts []string
	for _, n := range all[:min(len(all), listedAtMost)] {
		texts = append(texts, n.String())
	}
	return strings.Join(texts, ", ") + more(len(all)-len(texts))
}

// more counts what is not listed.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// near suggests the label that comes nearest to a name, or the first word of one.
func near(all []Named, name string) string {
	var labels []string
	for _, n := range all {
		for _, label := range n.Labels {
			labels = append(labels, label, strings.Join(strings.Fields(label)[:min(1, len(strings.Fields(label)))], ""))
		}
	}
	if label, ok := nearest.Of(results.AsLabel(strings.TrimSpace(name)), labels); ok {
		return fmt.Sprintf("; did you mean %q?", results.AsTyped(label))
	}
	return ""
}

// Typed is what to type for the one of several at a place, and for no other of them: the
// first word of its label where that will do, else the label, else its ID.
func Typed(all []Named, at int) string {
	for _, label := range all[at].Labels {
		first, _, _ := strings.Cut(label, " ")
		for _, name := range []string{first, label} {
			if found := Find(all, name); len(found) == 1 && found[0] == at {
				return results.AsTyped(name)
			}
		}
	}
	return all[at].ID
}

// Trials lists the trials of a plan that a name means; see Find. None is wrong usage,
// with the nearest label.
func Trials(plan *spec.Plan, name string) (found []*spec.Trial, err error) {
	all := namesIn(plan)
	for _, i := range Find(all, name) {
		found = append(found, &plan.Trials[i])
	}
	if len(found) == 0 {
		return nil, usage.Errorf("plan %s has no trial %q%s; infbench plan lists labels and IDs", plan.Name, name, near(all, name))
	}
	return found, nil
}

// namesIn are the trials of a plan by name.
func namesIn(plan *spec.Plan) (all []Named) {
	for i := range plan.Trials {
		all = append(all, nameOf(&plan.Trials[i]))
	}
	return all
}

// nameOf is a trial by name.
func nameOf(t *spec.Trial) Named { return Named{t.ID, []string{t.Label}} }

// Trial is the only trial of a plan that a name means; see Find.
func Trial(plan *spec.Plan, name string) (*spec.Trial, error) {
	found, err := Trials(plan, name)
	if err != nil {
		return nil, err
	}
	if len(found) > 1 {
		return nil, ambiguous(name, found)
	}
	return found[0], nil
}

// ambiguous refuses a name that means several trials.
func ambiguous(name string, trials []*spec.Trial) error {
	var means []Named
	for _, t := range trials {
		means = append(means, nameOf(t))
	}
	return Ambiguous("trial", name, means)
}

// Split takes RUN:SYSTEM apart; system is "" of what names no system of a run folder.
func Split(name string) (dir, system string) {
	if exists(name) {
		return name, ""
	}
	for i, r := range name {
		if r == ':' && At(name[:i]).isRun() {
			return name[:i], name[i+1:]
		}
	}
	return name, ""
}

// Trained is a model that a trial of a run folder has trained.
type Trained struct {
	Trial  *spec.Trial
	Of     results.Folder // of the trial
	Folder string         // of the model
}

// Models are those of the trained system that RUN:SYSTEM names, one for each seed, in the
// order of the plan; nil of any other name.
func Models(name string) (found []Trained, err error) {
	dir, system, trials, err := trialsNamed(name)
	for i := 0; i < len(trials) && err == nil; i++ {
		if !spec.DifferInSeed(trials[i], trials[0]) {
			return nil, ambiguous(system, trials)
		}
		var m Trained
		m, err = trainedBy(dir, trials[i])
		found = append(found, m)
	}
	return found, err
}

// ModelFolder is the folder of the one model that RUN:SYSTEM names; any other name is as
// it is.
func ModelFolder(name string) (string, error) {
	dir, system, trials, err := trialsNamed(name)
	switch {
	case err != nil:
		return "", err
	case len(trials) == 0:
		return name, nil
	case len(trials) > 1:
		return "", ambiguous(system, trials)
	}
	m, err := trainedBy(dir, trials[0])
	return m.Folder, err
}

// trialsNamed are the trials that RUN:SYSTEM names; none of any other name.
func trialsNamed(name string) (dir, system string, trials []*spec.Trial, err error) {
	dir, system = Split(name)
	if system == "" {
		return dir, "", nil, nil
	}
	plan, err := At(dir).Plan()
	if err == nil {
		trials, err = Trials(plan, system)
	}
	return dir, system, trials, err
}

// trainedBy is the model that a trial of a run folder has trained.
func trainedBy(dir string, t *spec.Trial) (Trained, error) {
	at := At(dir).Trial(t.ID)
	if t.Cell.Model != spec.Trained {
		return Trained{}, usage.Errorf("%s (%s) of %s was not trained there: name its model, as --model %s", t.ID, t.Label, dir, t.Cell.Model)
	}
	if !exists(at.Model()) {
		return Trained{}, fmt.Errorf("trial %s (%s) has no model yet: %s is not there", t.ID, t.Label, at.Model())
	}
	return Trained{t, at, at.Model()}, nil
}
