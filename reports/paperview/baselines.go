package paperview

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/contrast"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// baselines is the paper's Table 5: models by their size, what was trained from them
// among them.
func (b *builder) baselines() ([]section.Section, error) {
	if !slices.ContainsFunc(b.set.Systems, func(s *scores.System) bool { return s.Kind == table.Baseline }) {
		return nil, nil
	}
	places := b.otherBaselines(b.ofBaselines())
	b.sayLeftOut(systemsOf(places))
	return b.ownSections(places, nil)
}

// ofBaselines are the rows of the paper's Table 5 with the systems that they are of.
func (b *builder) ofBaselines() []place {
	var places []place
	for _, l := range baselineForm.laidOut(b.paper.Table(baselineForm.number)).lines {
		p := one(l.row, l.labels, b.inBaselines(l.of)...)
		p.group, p.class = l.group, l.group
		places = append(places, p)
	}
	return places
}

// sayLeftOut notes the trained systems that the table leaves out: like the paper's, it
// has the pick of each backbone alone.
func (b *builder) sayLeftOut(shown []*scores.System) {
	var names []string
	for _, s := range b.set.Trained() {
		if !slices.Contains(shown, s) {
			names = append(names, words.Clean(s.Label))
		}
	}
	if len(names) > 0 {
		b.said = append(b.said, fmt.Sprintf("Left out: %s, since the table has of each backbone only what select picked: %s. They are in --view main and --view losses.",
			words.Plural(len(names), "trained system", "trained systems"), words.Listed(names)))
	}
}

// inBaselines are the systems that a row of the paper is of: those that its plan
// picked for "InF-Embed (model)", else the model as it came.
func (b *builder) inBaselines(p *published.PrintedCell) []*scores.System {
	model, trained := strings.CutPrefix(p.Model, "InF-Embed (")
	model = strings.TrimSuffix(model, map[bool]string{true: ")"}[trained])
	of := slices.DeleteFunc(slices.Clone(b.set.Systems), func(s *scores.System) bool { return s.Kind == table.Null || !b.matches(s, model) })
	if trained {
		return picked(of, false)
	}
	return untrained(of, false)
}

// The headings of what the paper's table has not.
const (
	otherGroup = "Not in the paper's table"
	nullGroup  = "Systems that do not look at the query"
)

// otherBaselines adds what the paper's table has not, a model once.
func (b *builder) otherBaselines(places []place) []place {
	printed := systemsOf(places)
	for _, s := range b.set.Systems {
		if s.Kind == table.Trained || slices.Contains(printed, s) {
			continue
		}
		name, group := words.Clean(s.Model), otherGroup
		if s.Kind == table.Null {
			group = nullGroup
		}
		if s.Model == contrast.DefaultReference {
			name = strings.TrimSpace(s.Config()[results.Backbone] + " (untrained)")
		}
		places = placed(places, place{group: group, class: group, labels: []string{name}}, "", s)
	}
	return places
}
