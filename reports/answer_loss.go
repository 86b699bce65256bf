package reports

import (
	"fmt"
	"slices"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// lossLead is the best loss on a number over the settings of other axes that have all of the
// losses compared, with the tests of the main effect.
type lossLead struct {
	contrast.Levels
	on   scores.Number
	kept *contrast.Balanced
}

// lossLeads are those on the numbers of a board. There are none unless losses and another
// axis vary: losses alone are compared as systems.
func (b *answerBoard) lossLeads() (out []lossLead) {
	effects := b.Effects()
	for _, p := range effects.parts {
		if p.axis != results.Loss {
			continue
		}
		for j, on := range b.Numbers {
			if found, ok := p.kept.Lead(b.Set, on, p.effects[j][0], b.Pairs); ok {
				out = append(out, lossLead{found, on, p.kept})
			}
		}
	}
	return out
}

// shown reports whether the loss is shown to be the best.
func (l *lossLead) shown() bool { return len(l.Level) == 0 && l.Next.Shown() }

// sentence says which loss is the best over the settings of the other axes, and whether that
// is shown.
func (l *lossLead) sentence() string {
	best, n := l.Order[0], len(l.Order)
	other := l.Order[1]
	if len(l.Level) > 0 {
		other = l.Level[0]
	}
	text := fmt.Sprintf("On %s on %s", l.on.Scoring(), l.on.Test())
	if l.on.Direction() == metrics.Lower {
		text += ", where lower is better"
	}
	text += fmt.Sprintf(", over the %s of %s that %s all %d losses compared", words.Plural(len(l.kept.Rests), "setting", "settings"), joinAnd(l.axes()),
		map[bool]string{true: "has", false: "have"}[len(l.kept.Rests) == 1], n)
	value := metrics.Percent(l.on.Measure, l.Means[0])
	ahead := fmt.Sprintf("ahead of %s by %s %s", other, signedDifference(l.Next), words.Interval(l.Next.Interval().Get()))
	if l.shown() {
		return fmt.Sprintf("%s, %s is the best loss%s: %s in the mean, %s (%s, %s).", text, best, thisRun(l.Next), value, ahead, words.PIs(l.Next.Adjusted), l.basis())
	}
	open := fmt.Sprint(len(l.Level) + 1)
	if len(l.Level) <= 3 {
		open = joinAnd(append([]string{best}, l.Level...))
	}
	return fmt.Sprintf("%s, no loss is shown to be best: %s is %s at %s in the mean, %s, so any of %s may be (%s, %s).", text, best, l.on.Heading().Best.Word(), value, ahead, open, words.PIs(l.Next.Adjusted), l.basis())
}

// axes are what the other axes are called.
func (l *lossLead) axes() (out []string) {
	for _, name := range l.kept.Others {
		out = append(out, keyLabel(name))
	}
	return out
}

// basis says what the comparison rests on, and which systems have no place in it.
func (l *lossLead) basis() string {
	text := fmt.Sprintf("one of %s, n = %s %s, %s", l.Next.Family(), words.Group(l.Next.N), contrast.Unit(l.on), runWords(l.kept.Used()))
	if left := len(l.kept.Left); left > 0 {
		text += fmt.Sprintf("; %s left out, whose settings not all of these losses have", words.Plural(left, "trained system is", "trained systems are"))
	}
	return text
}

// repeats reports whether the lead of a system says the same: losses are compared in one
// setting, by the same two systems.
func (l *lossLead) repeats(other *boardLead) bool {
	return len(l.kept.Rests) == 1 && other.next != nil && l.Next.A == other.next.A && l.Next.B == other.next.B
}

// lossSentences say which loss is best on the first number, and on how many of the others
// one is shown; none where the lead of the systems says so.
func (b *answerBoard) lossSentences(lead *boardLead) []string {
	all := b.lossLeads()
	if len(all) == 0 || all[0].repeats(lead) {
		return nil
	}
	out := []string{all[0].sentence()}
	if others := all[1:]; len(others) > 0 {
		var shown []string
		for _, l := range others {
			if l.shown() {
				shown = append(shown, fmt.Sprintf("%s on %s on %s%s", l.Order[0], l.on.Scoring(), l.on.Test(), thisRun(l.Next)))
			}
		}
		text := "Over the same settings a best loss is shown on none of the other numbers."
		if len(shown) > 0 {
			text = fmt.Sprintf("Over the same settings a best loss is shown on %d of the other %s: %s.", len(shown), words.Plural(len(others), "number", "numbers"), joinAnd(shown))
		}
		out = append(out, text)
	}
	return out
}

// runWords counts the training runs of trained systems.
func runWords(trained []*scores.System) string {
	least := slices.MinFunc(trained, func(a, b *scores.System) int { return len(a.Trials) - len(b.Trials) })
	most := slices.MaxFunc(trained, func(a, b *scores.System) int { return len(a.Trials) - len(b.Trials) })
	switch few, many := len(least.Trials), len(most.Trials); {
	case many == 1 && len(trained) == 1:
		return "one training run, and said of that run"
	case many == 1:
		return "one training run each, and said of those runs"
	case few == many && len(trained) == 1:
		return fmt.Sprintf("%d seeds", many)
	case few == many:
		return fmt.Sprintf("%d seeds each", many)
	case len(trained) == 2:
		return fmt.Sprintf("%d and %d seeds", few, many)
	default:
		return fmt.Sprintf("%d to %d seeds", few, many)
	}
}
