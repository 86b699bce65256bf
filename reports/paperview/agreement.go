package paperview

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/chart"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Measures of a study of raters that the figure shows in addition to kappa by position.
const (
	meanOf  = "mean of "
	byRole  = ", by role"
	wrongly = "wrong records"
)

// agreement is the paper's Figure 4: a row and a bar for each judge with its mean kappa
// with people, and its kappa by role of the candidate if measured. Below it are the noise
// that people found, every number of the studies, and the items on which raters disagree.
func (b *builder) agreement() ([]section.Section, error) {
	studies := studiesOf(b.Studies, b.name)
	t := b.figureTable(table.Column{Name: "study"}, table.Column{Name: "rater"}, table.Column{Name: "n", Number: true, Best: table.NoBest},
		table.Column{Name: "kappa", Number: true}, table.Column{Name: "interval", Number: true, Best: table.NoBest})
	roles := slices.ContainsFunc(studies, func(s *results.Study) bool {
		return slices.ContainsFunc(s.Values, func(v results.StudyValue) bool { return strings.HasSuffix(v.Measure, byRole) })
	})
	if roles {
		t.Columns = append(t.Columns, table.Column{Name: "by role", Number: true, Best: table.NoBest})
	}
	bars := map[string][]chart.Datum{}
	for _, s := range studies {
		for _, v := range s.Values {
			if v.Measure == wrongly {
				bars["share of wrong records"] = bar(v, bars["share of wrong records"], v.Of, len(studies), s)
			}
			rater, with, ok := strings.Cut(v.Of, " | ")
			if !strings.HasPrefix(v.Measure, meanOf) || strings.HasSuffix(v.Measure, byRole) || ok && with != "humans" {
				continue
			}
			row := []table.Entry{{Text: words.Clean(s.Name)}, {Text: words.Clean(rater)}, table.Number(words.Group(v.N), float64(v.N)), plain(v.Value), between(v)}
			if roles {
				row = append(row, numberNamed(s, v.Measure+byRole, v.Of))
			}
			t.Rows = append(t.Rows, table.Row{Class: s.Name, Entries: row})
			bars["mean kappa with people"] = bar(v, bars["mean kappa with people"], rater, len(studies), s)
		}
	}
	t.MarkBest()
	out, err := b.ofStudies(studies, t, bars)
	for i, s := range studies {
		if len(s.Disagreements) > 0 {
			out = append(out, disagreements(s, fmt.Sprintf("view-differ-%d", i+1)))
		}
	}
	return out, err
}

// numberNamed returns a study's number for a measure; absent if there is none.
func numberNamed(s *results.Study, measure, of string) table.Entry {
	i := slices.IndexFunc(s.Values, func(v results.StudyValue) bool { return v.Measure == measure && v.Of == of })
	if i < 0 {
		return lacking()
	}
	return plain(s.Values[i].Value)
}

// disagreements lists the items that raters answered differently, each linked to its
// texts.
func disagreements(s *results.Study, id string) section.Section {
	t := &table.Table{ID: id + "-table", Title: s.Name + ": items on which raters disagree",
		Caption: fmt.Sprintf("%s that raters answered differently. A pick is the position of a candidate, as kappa counts it, and its role.", words.Plural(len(s.Disagreements), "item", "items")),
		Columns: []table.Column{{Name: "question"}, {Name: "record"}, {Name: "scenario"}, {Name: "type"}, {Name: "picks"}}}
	texts := section.Section{ID: id + "-texts", Title: "Their texts", Folded: true}
	for i := range s.Disagreements {
		d := &s.Disagreements[i]
		place := fmt.Sprintf("%s-%d", id, d.Item)
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: words.Clean(d.ID), To: place}, {Text: words.Clean(d.Record)},
			{Text: words.Clean(d.Scenario)}, {Text: words.Clean(d.Type)}, {Text: words.Clean(strings.Join(d.Picks(), "; "))}}})
		texts.Parts = append(texts.Parts, section.Section{ID: place, Title: words.Clean(d.ID), Terms: terms(d)})
	}
	return section.Section{ID: id, Title: words.Clean(t.Title), Tables: []*table.Table{t}, Parts: []section.Section{texts}}
}

// terms returns the texts of an item, and for each candidate the raters who picked it.
func terms(d *results.Disagreement) []section.Term {
	out := []section.Term{{Name: "Instruction", Text: words.Clean(d.Instruction)}, {Name: "Query", Text: words.Clean(d.Query)}}
	for i, c := range d.Candidates {
		term := section.Term{Name: words.Clean(fmt.Sprintf("%d %s", i+1, c.Role)), Text: words.Clean(c.Text)}
		if c.Right {
			term.Name += ", right"
		}
		if len(c.Raters) > 0 {
			term.More = []string{words.Clean("picked by " + strings.Join(c.Raters, ", "))}
		}
		out = append(out, term)
	}
	if len(d.None) > 0 {
		out = append(out, section.Term{Name: "None", Text: words.Clean("picked by " + strings.Join(d.None, ", "))})
	}
	return out
}
