package reports

import (
	"slices"

	"infbench/metrics"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/sentence"
	"infbench/runners/results"
)

// lossLead is the best loss on a number, as a mean over the settings of other axes that all
// compared losses have, with the tests of the main effect.
type lossLead struct {
	contrast.Levels
	on   scores.Number
	kept *contrast.Balanced
}

// lossLeads returns the best losses on the numbers of a board. There are none unless losses
// and another axis vary: without another axis, losses are compared as systems.
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

// sentence names the best loss over the settings of the other axes.
func (l *lossLead) sentence() sentence.LossLeader {
	out := sentence.LossLeader{Settings: len(l.kept.Rests)}
	for _, name := range l.kept.Others {
		out.Axes = append(out.Axes, keyLabel(name))
	}
	out.Leader = sentence.Leader{Number: l.on.Label(), Lower: l.on.Direction() == metrics.Lower, System: l.Order[0], Value: metrics.Percent(l.on.Measure, l.Means[0]),
		Extreme: l.on.Heading().Best.Word(), Of: len(l.Order), Subject: "losses", Tested: true, Shown: l.shown(), Level: append([]string{l.Order[0]}, l.Level...), OneRun: l.Next.OneRun}
	return out
}

// tests describes the comparison of the best loss with the next, and counts the systems that are
// left out.
func (l *lossLead) tests() []string {
	next := l.Order[1]
	if len(l.Level) > 0 {
		next = l.Level[0]
	}
	out := marginOf(l.Next, l.Order[0], next, l.kept.Used())
	if n := len(l.kept.Left); n > 0 {
		out = append(out, sentence.Left{Systems: n}.String())
	}
	return out
}

// repeats reports whether the leader of the systems is the same comparison: losses compared in
// one setting, by the same two systems.
func (l *lossLead) repeats(other *boardLead) bool {
	return len(l.kept.Rests) == 1 && other.next != nil && l.Next.A == other.next.A && l.Next.B == other.next.B
}

// otherLosses counts the other numbers on which a best loss is shown.
func otherLosses(all []lossLead) sentence.OtherNumbers {
	out := sentence.OtherNumbers{Of: len(all), Losses: true}
	for _, l := range all {
		if l.shown() {
			out.Add(l.Order[0], l.on.Label(), l.Next.OneRun)
		}
	}
	return out
}

// runWords counts the training runs of trained systems.
func runWords(trained []*scores.System) string {
	out := sentence.Runs{Systems: len(trained)}
	for i, s := range trained {
		n := len(s.Trials)
		if i == 0 || n < out.Least {
			out.Least = n
		}
		out.Most = max(out.Most, n)
	}
	return out.String()
}

// trainedOnce reports whether each of some systems was trained once.
func trainedOnce(trained []*scores.System) bool {
	return !slices.ContainsFunc(trained, func(s *scores.System) bool { return len(s.Trials) > 1 })
}
