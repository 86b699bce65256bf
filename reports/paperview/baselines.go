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

// baselines is the paper's Table 5: models by size, including those trained here.
func (b *builder) baselines() ([]section.Section, error) {
	if !slices.ContainsFunc(b.set.Systems, func(s *scores.System) bool { return s.Kind == table.Baseline }) {
		return nil, nil
	}
	places := b.otherBaselines(b.ofBaselines())
	b.noteLeftOut(systemsOf(places))
	return b.ownSections(places, nil)
}

// ofBaselines returns the rows of the paper's Table 5 with their systems.
func (b *builder) ofBaselines() []place {
	var places []place
	for _, l := range baselineForm.laidOut(b.paper.Table(baselineForm.number)).lines {
		p := one(l.row, l.labels, b.inBaselines(l.of)...)
		p.group, p.class = l.group, l.group
		places = append(places, p)
	}
	return places
}

// noteLeftOut names the trained systems that the table leaves out. Like the paper's, it
// has only the pick of each backbone.
func (b *builder) noteLeftOut(shown []*scores.System) {
	var names []string
	for _, s := range b.set.Trained() {
		if !slices.Contains(shown, s) {
			names = append(names, words.Clean(s.Label))
		}
	}
	if len(names) > 0 {
		b.said = append(b.said, fmt.Sprintf("Left out: %s, because the table has only the system that select picked for each backbone: %s. They are in --view main and --view losses.",
			words.Plural(len(names), "trained system", "trained systems"), words.Listed(names)))
	}
}

// inBaselines returns the systems for a row of the paper: those that their plan picked for
// "InF-Embed (model)", else the untrained model.
func (b *builder) inBaselines(p *published.PrintedCell) []*scores.System {
	model, trained := strings.CutPrefix(p.Model, "InF-Embed (")
	model = strings.TrimSuffix(model, map[bool]string{true: ")"}[trained])
	of := slices.DeleteFunc(slices.Clone(b.set.Systems), func(s *scores.System) bool { return s.Kind == table.Null || !b.matches(s, model) })
	if trained {
		return picked(of, false)
	}
	return untrained(of, false)
}

// The headings of groups that are not in the paper's table.
const (
	otherGroup = "Not in the paper's table"
	nullGroup  = "Systems that do not look at the query"
)

// otherBaselines adds the systems that are not in the paper's table, each model once.
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
