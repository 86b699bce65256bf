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
	"infbench/reports/sentence"
	"infbench/reports/table"
)

// answerID is the ID of the section and the prefix of the IDs of its parts.
const answerID = "answer"

// answerBoard is a leaderboard with its tests, from which the answers are derived.
type answerBoard struct {
	ID, Name       string
	Realm          scores.Realm
	Set            *scores.Set
	Numbers        []scores.Number
	contrast.Pairs                       // tested pairs; Rankings by number, nil if no system can be ranked
	Reference      string                // a label or contrast.DefaultReference
	Effects        func() *factorEffects // main effects and interactions of the trained systems

	Checked int      // pairs of system and number that controls check
	Failed  []string // systems that fail one
	Defeats string   // the sentence about systems that tasks are made to defeat; "" if there are none
}

// answerRequest has the questions of a report and what limits its answer.
type answerRequest struct {
	Questions []string // of the experiments that state one
	Planned   int      // trials
	Finished  int
	Overlaps  int // warnings about texts that training and tests share
}

// answerSections answers the question of the report. It is empty if other sections than the
// leaderboards were asked for.
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

// asked returns the facts of the board that the answer needs.
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

// answerSection answers the question of the experiment, or one after the axes that vary. It
// reports what the tests show, by how much, on how many queries and training runs, and what
// a reader must know before quoting it. Every sentence follows the verdicts of package
// contrast, as the ranks on the boards do; nothing is tested here. The section is empty if
// there are no boards.
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
	t := &table.Table{ID: answerID + "-numbers-table", Title: "The same for every number",
		Caption: "The best system in each number, and its lead over the nearest other one ×100 with an interval. The intervals are simultaneous, and p is Holm-corrected, over the comparisons that the last column names.",
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

// boardLead is the leader on a number and its comparison with the next system.
type boardLead struct {
	contrast.Lead
	on    scores.Number
	value string
	next  *contrast.Contrast // from the other system to the leader
}

// leads returns the leaders on the numbers that can be ranked.
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

// candidates returns the systems that the question is about: the trained ones or, if there are
// fewer than two, all that read the query.
func (b *answerBoard) candidates() []*scores.System {
	if trained := b.Set.Trained(); len(trained) >= 2 {
		return trained
	}
	return slices.DeleteFunc(slices.Clone(b.Set.Systems), func(s *scores.System) bool { return s.Kind == table.Null })
}

// nextAfter compares the leader with the nearest system that could be the best too or, if all
// are shown to be behind, with the second.
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

// row formats a lead for the table.
func (l *boardLead) row() table.Row {
	e := []table.Entry{{Text: l.on.Label()}, {Text: l.Best.Label}, {Text: l.value}, {}, {}, {}, {}, {Text: l.verdict()}, {}}
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

// verdict is a short verdict for tables.
func (l *boardLead) verdict() string {
	text := fmt.Sprintf("not shown: %d of %d could be best", len(l.Level)+1, l.Of)
	if l.shown() {
		text = fmt.Sprintf("best of %d", l.Of)
	}
	if l.next != nil && l.next.OneRun {
		text += ", " + contrast.ThisRun
	}
	return text
}

// said answers the question: first in two sentences, on the best loss over the settings of
// other axes or the best system, and on the reference; then with the tests behind them; then on
// the other numbers.
func (b *answerBoard) said() []string {
	all := b.leads()
	if len(all) == 0 {
		return b.single()
	}
	lead := &all[0]
	first, tests, others := []string{b.sentence(lead).String()}, []string(nil), []string(nil)
	if losses := b.lossLeads(); len(losses) > 0 && !losses[0].repeats(lead) {
		l := &losses[0]
		tests = append(l.tests(), first[0])
		first = []string{l.sentence().String()}
		if len(losses) > 1 {
			others = append(others, otherLosses(losses[1:]).String())
		}
	}
	tests = append(tests, lead.tests()...)
	if c := b.against(lead); c != nil {
		first = append(first, b.beaten(lead.Best, c).String())
		m := sentence.Margin{System: lead.Best.Label, Other: b.reference(), Difference: differenceOf(c), Basis: "one of " + c.Family()}
		if !c.Shown() {
			m.Verdict = c.Words()
		}
		tests = append(tests, m.String())
	}
	if len(all) > 1 {
		others = append(others, otherLeads(all[1:]).String())
	}
	out := []string{strings.Join(first, " ")}
	for _, more := range [][]string{tests, others} {
		if len(more) > 0 {
			out = append(out, strings.Join(more, " "))
		}
	}
	return out
}

// sentence names the leader on a number.
func (b *answerBoard) sentence(l *boardLead) sentence.Leader {
	out := sentence.Leader{Number: l.on.Label(), Lower: l.on.Direction() == metrics.Lower, System: l.Best.Label, Value: l.value, Tested: l.next != nil && l.next.Why == "",
		Extreme: l.on.Heading().Best.Word(), Of: l.Of, Subject: b.subject(), Shown: l.shown(), Level: systemLabels(append([]*scores.System{l.Best}, l.Level...)),
		OneRun: l.next != nil && l.next.OneRun, Fails: slices.Contains(b.Failed, l.Best.Label)}
	for _, s := range l.Level {
		if metrics.Percent(l.on.Measure, b.Set.Cell(s, l.on).Value) == l.value {
			out.Equal = append(out.Equal, s.Label)
		}
	}
	if out.Equal != nil {
		out.Equal = slices.Insert(out.Equal, 0, l.Best.Label)
	}
	return out
}

// tests lists the comparison of the leader with the next system; none if it was not tested.
func (l *boardLead) tests() []string {
	if l.next == nil || l.next.Why != "" {
		return nil
	}
	return marginOf(l.next, l.Best.Label, l.next.A.Label, trainedOf(l.next))
}

// marginOf describes the difference between a leader and the next system or loss, and warns if
// some of the trained systems behind it were trained once.
func marginOf(c *contrast.Contrast, leader, next string, trained []*scores.System) []string {
	m := sentence.Margin{System: leader, Other: next, Difference: differenceOf(c), Basis: basisOf(c, trained)}
	if !c.Shown() {
		m.P = ""
	}
	out := []string{m.String()}
	if c.OneRun {
		out = append(out, sentence.Once{All: trainedOnce(trained)}.String())
	}
	return out
}

func systemLabels(systems []*scores.System) []string {
	var out []string
	for _, s := range systems {
		out = append(out, s.Label)
	}
	return out
}

// differenceOf formats the difference of a comparison.
func differenceOf(c *contrast.Contrast) sentence.Difference {
	return sentence.Difference{By: words.Signed(c.Difference), Interval: words.Interval(c.Interval().Get()), P: words.PIs(c.Adjusted)}
}

// basisOf names the basis of a comparison: the tests corrected with it, queries, and the
// runs of the trained systems.
func basisOf(c *contrast.Contrast, trained []*scores.System) string {
	return fmt.Sprintf("one of %s; n = %s %s; %s", c.Family(), words.Group(c.N), contrast.Unit(c.On), runWords(trained))
}

// trainedOf returns the trained systems of a comparison.
func trainedOf(c *contrast.Contrast) []*scores.System {
	return slices.DeleteFunc([]*scores.System{c.A, c.B}, func(s *scores.System) bool { return s == nil || s.Kind != table.Trained })
}

// otherLeads counts the other numbers on which a best system is shown.
func otherLeads(all []boardLead) sentence.OtherNumbers {
	out := sentence.OtherNumbers{Of: len(all)}
	for _, l := range all {
		if l.shown() {
			out.Add(l.Best.Label, l.on.Label(), l.next.OneRun)
		}
	}
	return out
}

// against returns the tested contrast between the leader and its reference; nil if there is
// none.
func (b *answerBoard) against(l *boardLead) *contrast.Contrast {
	for _, f := range b.Planned {
		if c := f.Of(l.Best, l.on); c != nil && c.Why == "" {
			return c
		}
	}
	return nil
}

// beaten reports whether the leader, and the other trained systems, are better than the
// reference, by the contrast of the leader.
func (b *answerBoard) beaten(leader *scores.System, c *contrast.Contrast) sentence.Against {
	out := sentence.Against{System: leader.Label, Reference: b.reference(), Won: c.Judged() == contrast.Better, Lost: c.Judged() == contrast.Worse,
		Points: strings.TrimLeft(words.Signed(c.Difference), "+-")}
	if i := slices.IndexFunc(b.Planned, func(f *contrast.Family) bool { return f.Of(leader, c.On) == c }); leader.Kind == table.Trained && i >= 0 {
		out.Better, out.Trained = better(b.Planned[i], c.On)
	}
	return out
}

// better counts the tested trained systems on a number, and those shown to be better than
// the reference; both are 0 if only one was tested.
func better(f *contrast.Family, on scores.Number) (better, all int) {
	for _, c := range f.On(on) {
		if c.B.Kind == table.Trained && c.Why == "" {
			all++
			if c.Judged() == contrast.Better {
				better++
			}
		}
	}
	if all < 2 {
		return 0, 0
	}
	return better, all
}

// reference names the reference within a sentence.
func (b *answerBoard) reference() string {
	if b.Reference == contrast.DefaultReference {
		return "the untrained encoder"
	}
	return b.Reference
}

// single lists the values of systems that have no rank.
func (b *answerBoard) single() []string {
	var out []string
	for _, c := range b.Numbers {
		for _, s := range b.candidates() {
			cell := b.Set.Cell(s, c)
			if !cell.State.Valued() || len(out) == singleAtMost {
				continue
			}
			alone := sentence.Alone{System: s.Label, Value: metrics.Percent(c.Measure, cell.Value), Number: c.Label()}
			if s.ChosenByResults() {
				alone.Chosen = contrast.Chosen
			}
			out = append(out, alone.String())
		}
	}
	return out
}

// singleAtMost limits the sentences of a board without comparisons.
const singleAtMost = 5
