package paperview

import (
	"slices"

	"infbench/internal/words"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/runners/results"
)

// designKeys returns the settings in the paper's Table 4.
func designKeys() []string { return []string{results.ShareEncoder, results.Pooling, results.Epochs} }

// designs is the paper's Table 4: encoders, pooling and epochs.
func (b *builder) designs() ([]section.Section, error) {
	trained := b.set.Trained()
	if len(trained) == 0 || !slices.ContainsFunc(designKeys(), func(key string) bool { return scores.Varies(key, trained) }) {
		return nil, nil
	}
	var places []place
	for _, l := range designForm.laidOut(b.paper.Table(designForm.number)).lines {
		of := slices.DeleteFunc(slices.Clone(trained), func(s *scores.System) bool {
			return !b.matches(s, l.of.Model) || !l.of.TrainedAs(published.Training{Loss: s.Loss, Config: s.Config()})
		})
		places = append(places, one(l.row, l.labels, of...))
	}
	printed := systemsOf(places)
	for _, s := range trained {
		if !slices.Contains(printed, s) {
			places = append(places, one(0, ownDesign(s), s))
		}
	}
	return b.ownSections(places, nil)
}

// ownDesign names a system like the paper's rows.
func ownDesign(s *scores.System) []string {
	var out []string
	for _, key := range designKeys() {
		value, set := s.Config()[key]
		switch {
		case !set:
			value = words.UnsetMark
		case value == "true":
			value = "1"
		case value == "false":
			value = "0"
		}
		out = append(out, value)
	}
	return append(out, s.Config()[results.Backbone]+", "+s.Loss)
}
