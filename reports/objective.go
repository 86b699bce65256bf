package reports

import (
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// presets say of each preset of the objective what it is beside the paper's equations
// and its code; training.Fidelity has the values.
var presets = map[string]string{
	"recommended": "the reference code without its false negatives (equal instructions are masked, a record's own hard instruction is always among the negatives); it is neither the equations that the paper prints nor what its code computes",
	"paper":       "the equations as the paper's appendix C prints them, which have no temperature",
	"reference":   "what the paper's reference code computes, which is not what its equations say",
}

// Words says what a preset of the objective is; "" where no preset has that name.
func PresetWords(preset string) string { return presets[preset] }

// objectiveNotes say by which objective the trained systems were trained: the paper and its
// code differ (training.Fidelity), so rows of one name may not be the same objective.
func objectiveNotes(v *scores.Set) []string {
	var order []string
	of := map[string][]*scores.System{}
	for _, s := range v.Trained() {
		name := s.Config()[results.Fidelity]
		order = words.AddNew(order, name)
		of[name] = append(of[name], s)
	}
	var out []string
	for _, name := range order {
		who := "Trained systems"
		if len(order) > 1 {
			who = words.Plural(len(of[name]), "trained system", "trained systems")
		}
		out = append(out, objective(who, name, changes(of[name])))
	}
	return out
}

// objective words one preset.
func objective(who, name, changes string) string {
	if name == "" {
		return who + ": the preset of the objective (" + results.Fidelity + ") is not recorded."
	}
	text := fmt.Sprintf("%s: objective %s", who, name)
	if changes != "" {
		text += " with " + changes
	}
	if is := PresetWords(name); is != "" {
		text += ": " + is
	}
	return text + "."
}

// changes lists what systems set beside the preset of their objective, and how many of
// them where others leave it.
func changes(systems []*scores.System) string {
	values, setting := map[string][]string{}, map[string]int{}
	for _, s := range systems {
		for key, value := range s.Config() {
			if results.KeyOf(key).Objective {
				values[key] = words.AddNew(values[key], value)
				setting[key]++
			}
		}
	}
	var out []string
	for _, key := range words.SortedKeys(values) {
		text := key + " = " + strings.Join(values[key], " or ")
		if n := setting[key]; n < len(systems) {
			text += fmt.Sprintf(" (%d of %d)", n, len(systems))
		}
		out = append(out, text)
	}
	return words.Listed(out)
}
