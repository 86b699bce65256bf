package runs

import (
	"fmt"

	"infbench/internal/usage"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// Trials lists the trials of a plan that a name means; see Find. It is a usage error with the
// nearest label if there are none.
func Trials(plan *spec.Plan, name string) (found []*spec.Trial, err error) {
	all := namesIn(plan)
	for _, i := range results.Find(all, name) {
		found = append(found, &plan.Trials[i])
	}
	if len(found) == 0 {
		return nil, usage.Errorf("plan %s has no trial %q%s; infbench plan lists labels and IDs", plan.Name, name, results.Near(all, name))
	}
	return found, nil
}

// namesIn returns the names of a plan's trials.
func namesIn(plan *spec.Plan) (all []results.Named) {
	for i := range plan.Trials {
		all = append(all, nameOf(&plan.Trials[i]))
	}
	return all
}

// nameOf returns the names of a trial.
func nameOf(t *spec.Trial) results.Named {
	n := results.Named{ID: t.ID, Labels: []string{t.Label}}
	if t.Long != "" {
		n.Labels = append(n.Labels, t.Long)
	}
	return n
}

// Trial returns the only trial of a plan that a name means; see Find.
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

// ambiguous returns an error for a name that means several trials.
func ambiguous(name string, trials []*spec.Trial) error {
	var means []results.Named
	for _, t := range trials {
		means = append(means, nameOf(t))
	}
	return results.Ambiguous("trial", name, means)
}

// Split splits RUN:SYSTEM. system is "" for a name that is not of this form.
func Split(name string) (dir, system string) {
	if exists(name) {
		return name, ""
	}
	for i, r := range name {
		if r == ':' && At(name[:i]).IsRun() {
			return name[:i], name[i+1:]
		}
	}
	return name, ""
}

// Trained is a model trained by a trial of a run folder.
type Trained struct {
	Trial  *spec.Trial
	Of     results.Folder // folder of the trial
	Folder string         // folder of the model
}

// Models returns the models of the trained system that RUN:SYSTEM names, one for each seed, in
// the order of the plan; nil for any other name.
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

// ModelFolder returns the folder of the one model that RUN:SYSTEM names. It returns any other
// name unchanged.
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

// trialsNamed returns the trials that RUN:SYSTEM names; none for any other name.
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

// trainedBy returns the model that a trial of a run folder has trained.
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
