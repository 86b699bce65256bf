package spec

import (
	"fmt"
	"slices"
	"strings"
)

// alsoOfBaselines are the settings that do not concern training: baselines depend on them, too.
var alsoOfBaselines = []string{"world", "seed", "precision", "dims"}

// Trains reports whether anything is trained. An experiment only runs baselines if it lists
// some, names no setting of training (in base, bases, matrix, include or --set) and has no
// section about trained cells.
func (e *Experiment) Trains() bool {
	named := slices.Clone(e.keys)
	for _, b := range e.Bases {
		named = append(named, b.keys...)
	}
	for _, a := range e.Axes {
		named = append(named, a.Key)
	}
	for _, inc := range e.Include {
		named = append(named, inc.Keys...)
	}
	for _, section := range []string{"select", "stop_hopeless", "forgetting"} {
		if _, given := e.places[section]; given {
			return true
		}
	}
	return len(e.Baselines) == 0 || slices.ContainsFunc(named, func(key string) bool {
		section, _, _ := strings.Cut(key, ".")
		return !slices.Contains(alsoOfBaselines, section)
	})
}

// Defaults names, in a sentence, the data, backbone and loss with which the trials of a plan
// train because the experiment does not name them; "" if it names all three.
func (e *Experiment) Defaults(p *Plan) string {
	var unsaid []string
	usual := DefaultCell()
	for _, key := range []string{"data", "backbone", "loss"} {
		isUsed := func(t Trial) bool { return t.Cell.Model == Trained && equalAt(&t.Cell, &usual, key) }
		if !e.sets(key) && slices.ContainsFunc(p.Trials, isUsed) {
			unsaid = append(unsaid, fmt.Sprintf("%s: %s", key, at(&usual, key)))
		}
	}
	if len(unsaid) == 0 {
		return ""
	}
	return "trained by default, because the file does not set it: " + strings.Join(unsaid, ", ")
}

// sets reports whether every cell of the matrix gets a setting.
func (e *Experiment) sets(key string) bool {
	return slices.Contains(e.keys, key) ||
		slices.ContainsFunc(e.Axes, func(a Axis) bool { return a.Key == key }) ||
		len(e.Bases) > 0 && !slices.ContainsFunc(e.Bases, func(b Base) bool { return !slices.Contains(b.keys, key) })
}
