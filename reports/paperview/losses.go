package paperview

import (
	"slices"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/runners/results"
)

// losses is the paper's Tables 3 and 6: a row for each loss, with columns for each
// backbone.
func (b *builder) losses() ([]section.Section, error) {
	trained := b.set.Trained()
	if len(trained) == 0 || !scores.Varies(results.Loss, trained) {
		return nil, nil
	}
	names, of := b.models(printedBackbones)
	var places []place
	for _, l := range lossForm.laidOut(b.paper.Table(lossForm.number)).lines {
		p := place{row: l.row, labels: l.labels, of: map[string][]*scores.System{}}
		for _, name := range names {
			if systems := inRow(l.of.Config, of[name]); len(systems) > 0 {
				p.of[name] = systems
			}
		}
		places = append(places, p)
	}
	return b.ownSections(b.otherLosses(places, names, of), names)
}

// inRow returns a model's systems for a row of the paper.
func inRow(config string, systems []*scores.System) []*scores.System {
	switch config {
	case "base":
		return untrained(systems, false)
	case "attn:base":
		return untrained(systems, true)
	case "attn:best":
		return picked(systems, true)
	}
	return slices.DeleteFunc(trainedOf(systems), func(s *scores.System) bool { return crossed(s) || s.Loss != LossOf(config) })
}

// otherLosses adds the trained systems that are in no row of the paper.
func (b *builder) otherLosses(places []place, names []string, of map[string][]*scores.System) []place {
	printed := systemsOf(places)
	for _, name := range names {
		for _, s := range trainedOf(of[name]) {
			if slices.Contains(printed, s) {
				continue
			}
			label := words.Clean(s.Loss)
			if crossed(s) {
				label = "attention, " + label
			}
			places = placed(places, place{labels: []string{label, ""}}, name, s)
		}
	}
	return places
}
