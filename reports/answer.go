package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/metrics"
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
	Finished  sentence.Finished
	Overlaps  int // warnings about texts that training and tests share
}

// answerSections answers the question of the report. It is empty if other sections than the
// leaderboards were asked for.
func answerSections(r *Report) ([]section.Section, error) {
	if r.Asked || len(r.set.Trials) == 0 {
		return nil, nil
	}
	asked := answerRequest{Finished: finished(r.set), Overlaps: len(overlapWarnings(r.set, r.options.Overlaps))}
	for _, q := range r.questions {
		asked.Questions = words.AddNew(asked.Questions, q.Text)
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
	var more []string // tests of the first board; those of others are folded
	for i, b := range boards {
		answer, tests := b.said()
		if len(boards) > 1 && answer != "" {
			answer = b.Name + ": " + answer
		}
		if answer != "" {
			s.Notes = append(s.Notes, answer)
		}
		f, err := b.forest()
		if err != nil {
			return s, err
		}
		into := &s
		if i > 0 {
			s.Parts = append(s.Parts, section.Section{ID: fmt.Sprintf("%s-%d", answerID, i+1), Title: b.Name, Folded: true})
			into = &s.Parts[len(s.Parts)-1]
			into.Notes = tests
		} else {
			more = tests
		}
		if f != nil {
			into.Figures = append(into.Figures, f)
		}
	}
	s.Notes = append(s.Notes, more...)
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

// said answers the question in two sentences, on the best loss over the settings of other axes
// or the best system, and on the reference. tests are paragraphs on the tests behind them and on
// the other numbers.
func (b *answerBoard) said() (answer string, tests []string) {
	all := b.leads()
	if len(all) == 0 {
		return b.single(), nil
	}
	lead := &all[0]
	first, others := []string{b.sentence(lead).String()}, []string(nil)
	if losses := b.lossLeads(); len(losses) > 0 && !losses[0].repeats(lead) {
		l := &losses[0]
		tests = append(l.tests(), first[0])
		first = []string{l.sentence().String()}
		if len(losses) > 1 {
			others = append(others, otherLosses(losses[1:]).String())
		}
	}
	tests = append(tests, lead.tests()...)
	if f, c := b.against(lead); c != nil {
		against, untested := b.beaten(lead.Best, f, c)
		first = append(first, against.String())
		m := sentence.Margin{System: lead.Best.Label, Other: b.reference(), Difference: differenceOf(c), Basis: "one of " + c.Family()}
		if !c.Shown() {
			m.Verdict = c.Words()
		}
		if tests = append(tests, m.String()); untested > 0 {
			tests = append(tests, sentence.NotTested{Systems: untested, Reference: b.reference()}.String())
		}
	}
	if len(all) > 1 {
		others = append(others, otherLeads(all[1:]).String())
	}
	paragraphs := [][]string{tests, others}
	tests = nil
	for _, sentences := range paragraphs {
		if len(sentences) > 0 {
			tests = append(tests, strings.Join(sentences, " "))
		}
	}
	return strings.Join(first, " "), tests
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

// against returns the tested contrast between the leader and its reference, with its family; nil if
// there is none.
func (b *answerBoard) against(l *boardLead) (*contrast.Family, *contrast.Contrast) {
	for _, f := range b.Planned {
		if c := f.Of(l.Best, l.on); c != nil && c.Why == "" {
			return f, c
		}
	}
	return nil, nil
}

// beaten reports whether the leader, and the other trained systems of its family, are better than the
// reference, by the contrast of the leader. untested counts the trained systems without a test.
func (b *answerBoard) beaten(leader *scores.System, f *contrast.Family, c *contrast.Contrast) (out sentence.Against, untested int) {
	out = sentence.Against{System: leader.Label, Reference: b.reference(), Won: c.Judged() == contrast.Better, Lost: c.Judged() == contrast.Worse,
		Points: words.Fixed(100*math.Abs(c.Difference), 1)}
	if leader.Kind == table.Trained {
		out.Better, out.Trained, untested = better(f, c.On)
	}
	return out, untested
}

// better counts the tested trained systems on a number and those shown to be better than the
// reference, both 0 if only one was tested, and the trained systems that were not tested.
func better(f *contrast.Family, on scores.Number) (better, all, untested int) {
	for _, c := range f.On(on) {
		if c.B.Kind != table.Trained {
			continue
		}
		if c.Why != "" {
			untested++
			continue
		}
		if all++; c.Judged() == contrast.Better {
			better++
		}
	}
	if all < 2 {
		return 0, 0, untested
	}
	return better, all, untested
}

// reference names the reference within a sentence.
func (b *answerBoard) reference() string {
	if b.Reference == contrast.DefaultReference {
		return "the untrained encoder"
	}
	return b.Reference
}

// single lists the values of systems that have no rank.
func (b *answerBoard) single() string {
	var all []sentence.Alone
	for _, s := range b.candidates() {
		alone := sentence.Alone{System: s.Label}
		for _, c := range b.Numbers {
			if cell := b.Set.Cell(s, c); cell.State.Valued() {
				alone.Values = append(alone.Values, metrics.Percent(c.Measure, cell.Value)+" in "+c.Label())
			}
		}
		if s.ChosenByResults() {
			alone.Why = contrast.Chosen
		}
		if alone.Values != nil {
			all = append(all, alone)
		}
	}
	var out []string
	for i, alone := range all {
		if i == singleAtMost {
			break
		}
		if alone.Why == "" {
			alone.Why = b.whyAlone(len(all))
		}
		out = append(out, alone.String())
	}
	return strings.Join(out, " ")
}

// whyAlone is the reason why a system has no rank if that many candidates have numbers.
func (b *answerBoard) whyAlone(valued int) string {
	null := slices.ContainsFunc(b.Set.Systems, func(s *scores.System) bool { return s.Kind == table.Null })
	switch {
	case len(b.Set.Systems) == 1:
		return "it is the only system"
	case valued == 1 && null:
		return "only systems that ignore the query could be compared with it"
	case valued == 1:
		return "no other system that could be compared with it has numbers"
	}
	return "it has no rank, as no value of this measure is better than another"
}

// singleAtMost limits the sentences of a board without comparisons.
const singleAtMost = 5
