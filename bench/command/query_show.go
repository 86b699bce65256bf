package command

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"infbench/bench/output"
	"infbench/internal/words"
	"infbench/reports/queries"
	"infbench/reports/table"
)

// Limits for one query on a terminal without --full.
const (
	shownTextAtMost = 300 // characters of a document
	shownDocuments  = 25
)

// showOne prints one query.
func (o *queryOptions) showOne(s *querySet, q *queries.Query, p systemPair, w io.Writer) error {
	a, err := s.answer(q, p, o.top)
	if err != nil {
		return err
	}
	if o.format == "json" {
		return output.WriteJSON(w, a)
	}
	out := newScreen(w)
	out.lines("", a.Query)
	out.lines("query: ", textOrNone(a.Text))
	for _, side := range a.sides {
		out.lines(instructionLead(side.name), textOrNone(a.Instructions[side.name]))
	}
	for i, s := range a.Systems {
		out.lines(string(rune('A'+i))+": ", s.Label+s.ranksOf())
	}
	out.Line("")
	out.lines("", "Values ×100")
	out.table(a.valueTable())
	out.Line("")
	o.printDocuments(a, out)
	for _, text := range a.Lacking {
		out.lines("note: ", "missing: "+text)
	}
	return out.Err
}

func textOrNone(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// instructionLead is the label of an instruction.
func instructionLead(side string) string { return strings.TrimSpace(side+" instruction") + ": " }

// ranksOf names the run of the ranks.
func (s answeredSystem) ranksOf() string {
	switch {
	case s.Trial == "":
		return " (no ranks)"
	case s.Of > 1:
		return fmt.Sprintf(" (ranks of trial %s, one of %d runs; values are means)", words.Shorten(s.Trial), s.Of)
	}
	return fmt.Sprintf(" (trial %s)", words.Shorten(s.Trial))
}

// valueTable has a row for each measure.
func (a *queryAnswer) valueTable() *table.Table {
	t := &table.Table{ID: "values", Columns: []table.Column{{Name: "measure"}}}
	for _, s := range a.Systems {
		t.Columns = append(t.Columns, table.Column{Name: s.Label, Number: true})
	}
	if len(a.Systems) > 1 {
		t.Columns = append(t.Columns, table.Column{Name: "difference", Number: true})
	}
	for _, v := range a.Values {
		cells := []table.Entry{{Text: strings.TrimSpace(v.Measure + " " + v.Side)}, valueEntry(v.Measure, v.A)}
		if len(a.Systems) > 1 {
			cells = append(cells, valueEntry(v.Measure, v.B), signed(v.Difference))
		}
		t.Rows = append(t.Rows, table.Row{Entries: cells})
	}
	return t
}

// printDocuments prints the documents, then their texts.
func (o *queryOptions) printDocuments(a *queryAnswer, out *screen) {
	shown := a.Documents
	if !o.full {
		shown = a.worth(shownDocuments)
	}
	if len(shown) == 0 {
		return
	}
	out.lines("", a.aboutDocuments())
	out.table(a.documentTable(shown))
	if left := len(a.Documents) - len(shown); left > 0 {
		out.lines("note: ", words.Plural(left, "further judged document is", "further judged documents are")+" listed with --full")
	}
	out.Line("")
	for _, d := range shown {
		out.lines(words.Clean(d.ID)+": ", d.words(o.full))
	}
	a.printThoughts(o.full, out)
}

// printThoughts prints the thoughts of language models: without full the beginnings of those about the
// first documents.
func (a *queryAnswer) printThoughts(full bool, out *screen) {
	shown := a.Thoughts
	if !full {
		shown = shown[:min(len(shown), shownDocuments)]
	}
	for i, t := range shown {
		if i == 0 {
			out.Line("")
			out.lines("", "Thoughts of language models, and the answers after them")
		}
		about := t.Documents[0]
		if n := len(t.Documents); n > 1 {
			about = words.Plural(n, "document", "documents")
		}
		text := t.Thoughts
		if !full {
			text = shortened(text, shownTextAtMost)
		}
		text += " → " + t.Answer
		if t.Odds != nil {
			text += fmt.Sprintf(" (P %.3f)", 1/(1+math.Exp(-*t.Odds)))
		}
		out.lines(strings.TrimSpace(fmt.Sprintf("%s on %s %s", t.System, about, t.Side))+": ", strings.Join(strings.Fields(text), " "))
	}
	if left := len(a.Thoughts) - len(shown); left > 0 {
		out.lines("note: ", words.Plural(left, "further thought is", "further thoughts are")+" shown with --full")
	}
}

// worth lists the documents shown without --full: the tops, and the first of those that are
// relevant or moved.
func (a *queryAnswer) worth(most int) (out []shownDocument) {
	for _, d := range a.Documents {
		if d.top || d.matters() && len(out) < most {
			out = append(out, d)
		}
	}
	return out
}

// matters reports whether a document is relevant on some side, or moved.
func (d *shownDocument) matters() bool {
	for _, grade := range d.Judged {
		if grade > 0 {
			return true
		}
	}
	return d.Moved
}

// aboutDocuments describes the table of documents.
func (a *queryAnswer) aboutDocuments() string {
	text := "Documents: ranks"
	if a.task != nil {
		text = "Documents: grades of the judgments and ranks"
	}
	if len(a.sides) > 1 {
		text += " under each instruction; * if the change alters the document's relevance"
	}
	return text + "; – if it is not judged or not ranked"
}

// documentTable has a row for each document: grades, then ranks by system.
func (a *queryAnswer) documentTable(shown []shownDocument) *table.Table {
	t := &table.Table{ID: "documents", Columns: []table.Column{{Name: "document"}}}
	columns := func(group string) {
		for _, s := range a.sides {
			c := table.Column{Group: group, Name: s.name, Number: true}
			if s.name == "" {
				c = table.Column{Name: group, Number: true}
			}
			t.Columns = append(t.Columns, c)
		}
	}
	if a.task != nil {
		columns("judged")
	}
	for _, s := range a.Systems {
		columns(s.Label)
	}
	for _, d := range shown {
		name := words.Clean(d.ID)
		if d.Moved {
			name += " *"
		}
		cells := []table.Entry{{Text: name}}
		if a.task != nil {
			cells = append(cells, countsBySide(a.sides, d.Judged)...)
		}
		for _, ranks := range d.Ranks {
			cells = append(cells, countsBySide(a.sides, ranks)...)
		}
		t.Rows = append(t.Rows, table.Row{Entries: cells})
	}
	return t
}

// countsBySide are the table cells of integers, one for each side.
func countsBySide(sides []querySide, by map[string]int) (out []table.Entry) {
	for _, s := range sides {
		n, found := by[s.name]
		if !found {
			out = append(out, table.Entry{Text: "–"})
			continue
		}
		out = append(out, table.Number(strconv.Itoa(n), float64(n)))
	}
	return out
}

// words are the texts of a document, cut unless full.
func (d *shownDocument) words(full bool) string {
	if !d.known {
		return "its text is not on this machine"
	}
	text := strings.TrimSpace(strings.Join([]string{d.Title, d.Text}, " — "))
	if d.Title == "" {
		text = d.Text
	}
	if !full {
		text = shortened(text, shownTextAtMost)
	}
	return textOrNone(text)
}
