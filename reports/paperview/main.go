package paperview

import (
	"slices"

	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// The models of the paper's tables in their order, by its names.
var (
	printedBackbones = []string{"ModernBERT-base", "Llama-3.2-1B", "Llama-3.2-1B-Inst", "Qwen2.5-1.5B", "Qwen2.5-1.5B-Inst", "Qwen2.5-3B", "Qwen2.5-3B-Inst"}
	printedMain      = append([]string{"e5-base-v2", "e5-large-v2"}, printedBackbones...)
)

// crossed reports whether a system joins query and instruction by attention.
func crossed(s *scores.System) bool {
	interaction := s.Config()[results.Interaction]
	return interaction != "" && interaction != "concat"
}

// backbone returns the backbone of a trained or untrained system; "" for other systems.
func backbone(s *scores.System) string {
	if s.Kind == table.Trained || s.Model == contrast.DefaultReference {
		return s.Config()[results.Backbone]
	}
	return ""
}

// models lists the paper's models, then other backbones of the runs, each with its
// systems.
func (b *builder) models(printed []string) (names []string, of map[string][]*scores.System) {
	names, of = slices.Clone(printed), map[string][]*scores.System{}
	for _, s := range b.set.Systems {
		if s.Kind == table.Null {
			continue
		}
		name := backbone(s)
		if i := slices.IndexFunc(printed, func(model string) bool { return b.matches(s, model) }); i >= 0 {
			name = printed[i]
		}
		if name == "" {
			continue
		}
		names = words.AddNew(names, name)
		of[name] = append(of[name], s)
	}
	return names, of
}

// untrained returns the systems that are untrained networks.
func untrained(systems []*scores.System, cross bool) []*scores.System {
	return slices.DeleteFunc(slices.Clone(systems), func(s *scores.System) bool { return s.Kind == table.Trained || crossed(s) != cross })
}

// picked returns the systems that their plan picked, or all trained ones if it picked
// none.
func picked(systems []*scores.System, cross bool) []*scores.System {
	return slices.DeleteFunc(slices.Clone(systems), func(s *scores.System) bool {
		return s.Kind != table.Trained || s.Picked().On == "" || crossed(s) != cross
	})
}

// trainedOf returns the trained systems.
func trainedOf(systems []*scores.System) []*scores.System {
	return slices.DeleteFunc(slices.Clone(systems), func(s *scores.System) bool { return s.Kind != table.Trained })
}

// main is the paper's Table 2: each backbone untrained, then as picked by the plan's
// select, or with every loss if nothing was picked.
func (b *builder) main() ([]section.Section, error) {
	if len(b.set.Trained()) == 0 {
		return nil, nil
	}
	names, of := b.models(printedMain)
	var places []place
	for i, name := range names {
		row := 0
		if i < len(printedMain) {
			row = 2*i + 1
		}
		base := one(row, []string{name, "base"}, untrained(of[name], false)...)
		if len(base.of[""]) > 0 {
			base.labels[1] = "base (untrained)"
		}
		places = append(places, base)
		if row > 0 {
			row++
		}
		places = append(places, trainedPlaces(row, name, of[name])...)
	}
	for i := range places {
		places[i].class = places[i].labels[0]
	}
	if !slices.ContainsFunc(b.set.Trained(), func(s *scores.System) bool { return s.Picked().On != "" }) {
		b.said = []string{unpicked}
	}
	return b.ownSections(places, nil)
}

const unpicked = "No experiment picks a configuration (select), so every loss is shown. The paper shows the best on the test."

// trainedPlaces returns the systems for the paper's row InF-Embed of a model.
func trainedPlaces(row int, name string, systems []*scores.System) []place {
	shown := append(picked(systems, false), picked(systems, true)...)
	if len(shown) == 0 {
		shown = trainedOf(systems)
	}
	if len(shown) == 0 {
		if row == 0 {
			return nil
		}
		return []place{one(row, []string{name, "InF-Embed"})}
	}
	said := map[string]int{}
	for _, s := range shown {
		said[trainedAs(s)]++
	}
	var out []place
	for _, s := range shown {
		text := trainedAs(s)
		if said[text] > 1 {
			text = s.Label
		}
		out = append(out, one(row, []string{name, "InF-Embed: " + text}, s))
	}
	return out
}

// trainedAs describes how a system was trained and picked.
func trainedAs(s *scores.System) string {
	text := s.Loss
	if crossed(s) {
		text += ", attention"
	}
	if on := s.Picked().On; on != "" {
		text += ", selected on " + on
	}
	return words.Clean(text)
}
