package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/chart"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// answerID is the ID of the section, and begins those of its parts.
const answerID = "answer"

// answerBoard is a leaderboard with its tests, from which the answers are derived.
type answerBoard struct {
	ID, Name       string
	Realm          scores.Realm
	Set            *scores.Set
	Numbers        []scores.Number
	contrast.Pairs                       // that are tested; Rankings by number, nil where nothing can be ranked
	Reference      string                // that systems are compared with, by label or as contrast.DefaultReference
	Effects        func() *factorEffects // main effects and interactions of the trained systems

	Checked int      // systems and numbers that controls hold
	Failed  []string // systems that fail one
	Defeats string   // which systems came out as the tasks declare; "" of none
}

// answerRequest is what a report is asked for and what limits its answer.
type answerRequest struct {
	Questions []string // of the experiments; none where none says
	Planned   int      // trials
	Finished  int
	Overlaps  int // warnings of texts that training and tests share
}

// answerSections answer the question of the report, unless something other than the
// leaderboards was asked for.
func answerSections(r *Report) ([]section.Section, error) {
	if r.Asked || len(r.set.Trials) == 0 {
		return nil, nil
	}
	asked := answerRequest{Planned: len(r.set.Trials), Overlaps: len(overlapWarnings(r.set, r.options.Overlaps))}
	for _, q := range r.questions {
		asked.Questions = words.AddNew(asked.Questions, q.Text)
	}
	for _, t := range r.set.Trials {
		if t.Finished() {
			asked.Finished++
		}
	}
	var boards []*answerBoard
	for _, b := range r.Boards {
		boards = append(boards, b.asked(cmp.Or(b.reference, r.options.Reference)))
	}
	s, err := answerSection(asked, boards)
	return []section.Section{s}, err
}

// asked returns the board as the answer reads it.
func (b *Board) asked(reference string) *answerBoard {
	out := &answerBoard{ID: b.ID, Name: b.Name(), Realm: b.Realm, Set: b.Set, Numbers: b.Numbers, Pairs: b.pairs(), Reference: reference, Effects: b.effects, Defeats: asDeclared(b.controls)}
	for _, t := range b.controls {
		for _, row := range t.Rows {
			out.Checked++
			if fails(row) {
				out.Failed = words.AddNew(out.Failed, row.Entries[0].Text)
			}
		}
	}
	return out
}

// answerSection answers what the report was asked for: the question of the experiment, or
// one derived from what varies; what the tests show, by how much, on how many queries and
// training runs; and what a reader must know before believing or quoting it. Every
// sentence follows the verdicts of package contrast, as the ranks on the boards do; nothing
// is tested here. The section is empty if there are no boards.
func answerSection(asked answerRequest, boards []*answerBoard) (section.Section, error) {
	s := section.Section{ID: answerID, Nav: "Answer", Told: true}
	if len(boards) == 0 {
		return s, nil
	}
	s.Title = asked.title(boards[0])
	for i, b := range boards {
		said := b.said()
		if len(boards) > 1 && len(said) > 0 {
			said[0] = b.Name + ": " + said[0]
		}
		s.Notes = append(s.Notes, said...)
		f, err := b.forest()
		if err != nil {
			return s, err
		}
		switch {
		case f == nil:
		case i == 0:
			s.Figures = append(s.Figures, f)
		default:
			s.Parts = append(s.Parts, section.Section{ID: fmt.Sprintf("%s-%d", answerID, i+1), Title: b.Name, Figures: []*chart.Figure{f}, Folded: true})
		}
	}
	s.Parts = slices.Concat([]section.Section{asked.basis(boards)}, otherNumbers(boards), s.Parts)
	return s, nil
}

// otherNumbers is a folded section with the answer for each number.
func otherNumbers(boards []*answerBoard) []section.Section {
	t := &table.Table{ID: answerID + "-numbers-table", Title: "The same of every number",
		Caption: "Who is highest of those asked about, and ahead of which other by how much, with an interval ×100. Intervals hold together, and p is corrected by Holm, over what the last column names.",
		Columns: []table.Column{{Name: "number"}, {Name: "system"}, {Name: "value", Number: true, Best: table.NoBest}, {Name: "ahead of"}, {Name: "by", Number: true, Best: table.NoBest},
			{Name: "p (Holm)", Number: true, Best: table.NoBest}, {Name: "n", Number: true, Best: table.NoBest}, {Name: "verdict"}, {Name: "over"}}}
	for _, b := range boards {
		for _, l := range b.leads() {
			t.Rows = append(t.Rows, l.row())
		}
	}
	if len(t.Rows) < 2 {
		return nil
	}
	return []section.Section{{ID: answerID + "-numbers", Title: t.Title, Folded: true, Tables: []*table.Table{t}}}
}

// boardLead is the leader on a number, and by how much it leads.
type boardLead struct {
	contrast.Lead
	on    scores.Number
	value string
	next  *contrast.Contrast // from the other system to the leader
}

// leads are those on the numbers of a board that can be ranked.
func (b *answerBoard) leads() []boardLead {
	var out []boardLead
	among := b.candidates()
	for i, r := range b.Rankings {
		found, ok := r.Leader(among)
		if !ok {
			continue
		}
		ranked := slices.DeleteFunc(r.Ranked(), func(s *scores.System) bool { return !slices.Contains(among, s) })
		found = b.Pairs.Settle(found, b.Numbers[i], ranked)
		l := boardLead{Lead: found, on: b.Numbers[i], next: b.nextAfter(b.Numbers[i], found, ranked)}
		l.value = metrics.Percent(l.on.Measure, b.Set.Cell(found.Best, l.on).Value)
		out = append(out, l)
	}
	return out
}

// candidates are the systems that are asked about: those that were trained, or where
// fewer than two were, all that look at the query.
func (b *answerBoard) candidates() []*scores.System {
	if trained := b.Set.Trained(); len(trained) >= 2 {
		return trained
	}
	return slices.DeleteFunc(slices.Clone(b.Set.Systems), func(s *scores.System) bool { return s.Kind == table.Null })
}

// nextAfter compares the leader with the nearest system that may be the best as well or, if
// all are shown to be behind, with the second.
func (b *answerBoard) nextAfter(on scores.Number, l contrast.Lead, ranked []*scores.System) *contrast.Contrast {
	if len(l.Level) > 0 {
		return b.Pairs.Of(on, l.Level[0], l.Best)
	}
	for _, s := range ranked {
		if s != l.Best {
			return b.Pairs.Of(on, s, l.Best)
		}
	}
	return nil
}

// shown reports whether the leader is shown to be the best.
func (l *boardLead) shown() bool { return len(l.Level) == 0 && l.next != nil && l.next.Shown() }

// row is a lead in a table.
func (l *boardLead) row() table.Row {
	e := []table.Entry{{Text: l.on.Scoring() + " on " + l.on.Test()}, {Text: l.Best.Label}, {Text: l.value}, {}, {}, {}, {}, {Text: l.verdict()}, {}}
	if l.shown() {
		e[7].Tone = table.Better
	}
	if c := l.next; c != nil {
		e[3].Text = c.A.Label
		if c.Why == "" {
			e[4] = table.Number(words.Signed(c.Difference)+" "+words.Interval(c.Interval().Get()), c.Difference)
			e[8].Text = c.Family()
			e[5], e[6] = table.Number(words.PValue(c.Adjusted), c.Adjusted), table.Number(fmt.Sprint(c.N), float64(c.N))
		}
	}
	return table.Row{Kind: l.Best.Kind, Entries: e}
}

// verdict says in a few words what is shown.
func (l *boardLead) verdict() string {
	text := fmt.Sprintf("not shown: %d of %d may be best", len(l.Level)+1, l.Of)
	if l.shown() {
		text = fmt.Sprintf("best of %d", l.Of)
	}
	if l.next != nil && l.next.OneRun {
		text += ", " + contrast.ThisRun
	}
	return text
}

// said is what the tests say to the question, in sentences: of losses over the settings of
// other axes; of systems on the first number, on the others, and against the reference.
func (b *answerBoard) said() []string {
	all := b.leads()
	if len(all) == 0 {
		return b.single()
	}
	out := append(b.lossSentences(&all[0]), all[0].sentence(b.subject()))
	if against := b.against(all[0].Best, all[0].on); against != "" {
		out = append(out, against)
	}
	if len(all) > 1 {
		out = append(out, restOfLeads(all[1:], b.subject()))
	}
	return out
}

// sentence says who leads on a number and whether that is shown.
func (l *boardLead) sentence(subject string) string {
	on, d := fmt.Sprintf("On %s on %s", l.on.Scoring(), l.on.Test()), l.next
	if l.on.Direction() == metrics.Lower {
		on += ", where lower is better"
	}
	word := l.on.Heading().Best.Word()
	switch {
	case d == nil || d.Why != "":
		return fmt.Sprintf("%s, %s has the %s number, %s; which of %d %s is best was not tested.", on, l.Best.Label, word, l.value, l.Of, subject)
	case l.shown():
		return fmt.Sprintf("%s, %s is the best of %d %s%s: %s, ahead of %s by %s %s (%s, %s).", on, l.Best.Label, l.Of, subject, thisRun(d), l.value, d.A.Label,
			signedDifference(d), words.Interval(d.Interval().Get()), words.PIs(d.Adjusted), basisOf(d))
	}
	return fmt.Sprintf("%s, no one of %d %s is shown to be best: %s is %s at %s, ahead of %s by %s %s, so any of %s may be (%s).", on, l.Of, subject, l.Best.Label, word, l.value, d.A.Label,
		signedDifference(d), words.Interval(d.Interval().Get()), l.open(), basisOf(d))
}

// thisRun limits a claim to the runs at hand.
func thisRun(c *contrast.Contrast) string {
	if c.OneRun {
		return " in " + contrast.ThisRun
	}
	return ""
}

// signedDifference is how far the second of a contrast lies from the first.
func signedDifference(c *contrast.Contrast) string { return words.Signed(c.Difference) }

// open says who may be best beside the leader.
func (l *boardLead) open() string {
	if len(l.Level) > 3 {
		return fmt.Sprint(len(l.Level) + 1)
	}
	return joinAnd(systemLabels(append([]*scores.System{l.Best}, l.Level...)))
}

func systemLabels(systems []*scores.System) []string {
	var out []string
	for _, s := range systems {
		out = append(out, s.Label)
	}
	return out
}

// basisOf says what a comparison rests on.
func basisOf(c *contrast.Contrast) string {
	return fmt.Sprintf("one of %s, n = %s %s, %s", c.Family(), words.Group(c.N), contrast.Unit(c.On), seedWords(c))
}

// seedWords counts the training runs behind a comparison.
func seedWords(c *contrast.Contrast) string {
	trained := slices.DeleteFunc([]*scores.System{c.A, c.B}, func(s *scores.System) bool { return s == nil || s.Kind != table.Trained })
	if len(trained) == 0 {
		return "nothing trained"
	}
	return runWords(trained)
}

// restOfLeads reports on which other numbers a best system is shown.
func restOfLeads(all []boardLead, subject string) string {
	var shown, open []string
	for i := range all {
		on := all[i].on.Scoring() + " on " + all[i].on.Test()
		if all[i].shown() {
			shown = append(shown, fmt.Sprintf("on %s it is %s", on, all[i].Best.Label+thisRun(all[i].next)))
		} else {
			open = append(open, on)
		}
	}
	switch {
	case len(shown) == 0:
		return fmt.Sprintf("On none of the other %d numbers is one of the %s shown to be best either.", len(all), subject)
	case len(open) == 0:
		return "A best one is shown on every other number, too: " + strings.Join(shown, ", ") + "."
	}
	return fmt.Sprintf("Of the other %d numbers a best one is shown on %d: %s.", len(all), len(shown), strings.Join(shown, ", "))
}

// against says how far a system lies from its reference.
func (b *answerBoard) against(s *scores.System, on scores.Number) string {
	for _, f := range b.Planned {
		c := f.Of(s, on)
		if c == nil || c.Why != "" {
			continue
		}
		text := fmt.Sprintf("%s lies %s %s from %s (%s, one of %s", s.Label, words.Signed(c.Difference), words.Interval(c.Interval().Get()), b.reference(), words.PIs(c.Adjusted), c.Family())
		if !c.Shown() {
			text += ": " + c.Words()
		}
		return text + trainedToo(f, on, s) + "."
	}
	return ""
}

// trainedToo closes what is said of a system by how many of the trained ones that were
// tested are shown to be better than the reference.
func trainedToo(f *contrast.Family, on scores.Number, s *scores.System) string {
	better, all := 0, 0
	for _, c := range f.On(on) {
		if c.B.Kind == table.Trained && c.Why == "" {
			all++
			if c.Judged() == contrast.Better {
				better++
			}
		}
	}
	if all < 2 || s.Kind != table.Trained {
		return ")"
	}
	return fmt.Sprintf("); %d of %d trained systems are shown to be better than that", better, all)
}

// reference names what systems are compared with.
func (b *answerBoard) reference() string {
	if b.Reference == contrast.DefaultReference {
		return "the untrained encoder"
	}
	return b.Reference
}

// single says what the only system of a board scores, or all that have no rank.
func (b *answerBoard) single() []string {
	var out []string
	for _, c := range b.Numbers {
		for _, s := range b.candidates() {
			cell := b.Set.Cell(s, c)
			if !cell.State.Valued() || len(out) == singleAtMost {
				continue
			}
			why := "nothing is there to compare it with"
			if s.ChosenByResults() {
				why = contrast.Chosen
			}
			out = append(out, fmt.Sprintf("%s has %s in %s on %s; %s.", s.Label, metrics.Percent(c.Measure, cell.Value), c.Scoring(), c.Test(), why))
		}
	}
	return out
}

// singleAtMost bounds the sentences of a board on which nothing is compared.
const singleAtMost = 5
