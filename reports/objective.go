package reports

import (
	"fmt"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// presets describes each preset of the objective relative to the paper's equations and
// code; training.Fidelity has the values.
var presets = map[string]string{
	"recommended": "the reference code without its false negatives (equal instructions are masked, a record's own hard instruction is always among the negatives); it matches neither the equations in the paper nor its code",
	"paper":       "the equations as the paper's appendix C prints them, which have no temperature",
	"reference":   "the objective of the paper's reference code, which differs from its equations",
}

// PresetWords describes a preset of the objective; "" if no preset has that name.
func PresetWords(preset string) string { return presets[preset] }

// objectiveNotes names the objectives of the trained systems. The paper and its code
// differ (training.Fidelity), so rows with one name may have different objectives.
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

// objective describes one preset.
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

// changes lists the settings that systems changed from the preset of their objective, and
// how many systems if not all changed them.
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
