package annotate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infbench/bench/output"
	"infbench/metrics/agreement"
	"infbench/metrics/stats"
)

// sheets formats the study for a terminal.
func (s *study) sheets() []output.Sheet {
	out := append(agreementSheets(s.Position, s.boot.Level), s.roles(), s.right())
	out[0].Notes = append(out[0].Notes, s.Notes...)
	if len(s.Noise) > 0 {
		out = append(out, s.audit())
	}
	if len(s.Differ) > 0 {
		out = append(out, s.differences())
	}
	return out
}

// interval is the header of a column of intervals.
func (s *study) interval() string { return fmt.Sprintf("%g%% interval", 100*s.boot.Level) }

// roles compares kappa by role with kappa by position, and explains the difference.
func (s *study) roles() output.Sheet {
	t := output.Sheet{Title: "Kappa by position and by role of the candidate", Left: 1,
		Head: []string{"raters", "n", "observed", "by role", "by chance", "by role", "kappa", "by role", "difference"}}
	both := func(r *agreement.Report) []agreement.Coefficient { return slices.Concat(r.Pairs, r.Means) }
	roles := both(s.Role)
	for i, p := range both(s.Position) {
		if p.Pairs == 0 {
			continue
		}
		r := roles[i]
		t.Rows = append(t.Rows, []string{raterNames(p), strconv.Itoa(p.N), p.Observed.Format(3), r.Observed.Format(3), p.Expected.Format(3), r.Expected.Format(3),
			p.Value.Format(3), r.Value.Format(3), minus(r.Value, p.Value).Format(3)})
	}
	t.Notes = s.why()
	return t
}

// raterNames names the raters of a pair or of a mean.
func raterNames(c agreement.Coefficient) string {
	name := strings.Join(c.Raters, " | ")
	if strings.HasPrefix(c.Name, "mean") {
		return "mean: " + name
	}
	return name
}

// why explains the difference between the two kappas by their parts, the observed and the
// chance agreement, averaged over all pairs.
func (s *study) why() []string {
	mean := func(r *agreement.Report, of func(agreement.Coefficient) stats.Number) float64 {
		var sum float64
		for _, p := range r.Pairs {
			v, _ := of(p).Get()
			sum += v
		}
		return sum / float64(len(r.Pairs))
	}
	seen := func(c agreement.Coefficient) stats.Number { return c.Observed }
	chance := func(c agreement.Coefficient) stats.Number { return c.Expected }
	return []string{
		fmt.Sprintf("observed agreement is %.3f by position and %.3f by role, over all pairs: different distractors are different positions and one role",
			mean(s.Position, seen), mean(s.Role, seen)),
		fmt.Sprintf("chance agreement is %.3f by position and %.3f by role: positions are shuffled, roles follow the scenario. Kappa is the share of the agreement that chance leaves, so one disagreement costs more where chance agreement is higher: compare only kappas of the same kind of label",
			mean(s.Position, chance), mean(s.Role, chance)),
	}
}

func minus(a, b stats.Number) stats.Number {
	x, first := a.Get()
	y, second := b.Get()
	if !first || !second {
		return stats.Number{}
	}
	return stats.Defined(x - y)
}

// right shows how often each rater picks the right passage.
func (s *study) right() output.Sheet {
	t := output.Sheet{Title: "Against the corpus", Left: 1, Head: []string{"rater", "n", "right", "share", s.interval(), "kappa", s.interval()}}
	for _, c := range s.Right {
		t.Rows = append(t.Rows, []string{c.Rater, strconv.Itoa(c.N), strconv.Itoa(c.Right), c.Share.Format(3), c.Interval.Format(3), c.Kappa.Format(3), c.Within.Format(3)})
	}
	return t
}

// audit is the share of wrong records by type of poison.
func (s *study) audit() output.Sheet {
	t := output.Sheet{Title: "Noise audit: records that people find wrong", Left: 1, Head: []string{"records", "decided", "wrong", "share", s.interval(), "unsure"},
		Notes: []string{"wrong: for one of its questions most people picked none or another passage than the right one; unsure: they were divided, or did not answer all its questions"}}
	for _, n := range s.Noise {
		t.Rows = append(t.Rows, []string{n.group(), strconv.Itoa(n.Wrong + n.Right), strconv.Itoa(n.Wrong), n.Share.Format(3), n.Interval.Format(3), strconv.Itoa(n.Unsure)})
	}
	return t
}

// shown is the number of disagreements that a terminal shows.
const shown = 20

// differences lists the items on which raters disagree.
func (s *study) differences() output.Sheet {
	t := output.Sheet{Title: fmt.Sprintf("Disagreements: %d of %d items", len(s.Differ), len(s.rated.Items)), Left: 6, Head: []string{"item", "question", "record", "scenario", "type", "picks"}}
	for _, d := range s.Differ[:min(shown, len(s.Differ))] {
		t.Rows = append(t.Rows, []string{strconv.Itoa(d.Item), d.ID, d.Record, d.Scenario, d.Type, strings.Join(d.Picks(), "; ")})
	}
	if len(s.Differ) > shown {
		t.Notes = append(t.Notes, fmt.Sprintf("%d more: --out DIR writes all of them to picks.csv", len(s.Differ)-shown))
	}
	t.Notes = append(t.Notes, "their texts: --format json, or --keep NAME and infbench report --view agreement --format html --out page.html")
	return t
}

// picks has a line for each question with the pick of each rater.
func (s *study) picks() output.Sheet {
	t := output.Sheet{Head: []string{"item", "question", "record", "scenario", "type", "right", "agreed"}}
	positions := s.labelled(s.rated.Position)
	for _, name := range positions.Head {
		t.Head = append(t.Head, name, name+" (role)")
	}
	agreements := slices.Repeat([]string{"yes"}, len(s.rated.Items))
	for _, d := range s.Differ {
		agreements[d.Item-1] = "no"
	}
	for i, agreed := range agreements {
		it := &s.rated.Items[i]
		row := []string{strconv.Itoa(i + 1), it.ID, it.Record, string(it.Scenario), it.Type, strconv.Itoa(it.Answer() + 1), agreed}
		for j, position := range positions.Rows[i] {
			row = append(row, position, s.rated.Role(i, j))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// rows lists all numbers of the study, one per line.
func (s *study) rows() output.Sheet {
	t := agreementCSV(s.Position, s.boot.Level)
	for _, row := range agreementCSV(s.Role, s.boot.Level).Rows {
		row[0] += byRole
		t.Rows = append(t.Rows, row)
	}
	level := output.Exact(&s.boot.Level)
	add := func(measure, of string, n int, value stats.Number, i stats.Interval) {
		low, high := i.Ends()
		t.Rows = append(t.Rows, []string{measure, of, "", strconv.Itoa(n), "", "", output.Exact(value.Pointer()), output.Exact(low), output.Exact(high), level})
	}
	for _, c := range s.Right {
		add("picks the right passage", c.Rater, c.N, c.Share, c.Interval)
		add("Cohen's kappa with the corpus", c.Rater, c.N, c.Kappa, c.Within)
	}
	for _, n := range s.Noise {
		add("wrong records", n.group(), n.Wrong+n.Right, n.Share, n.Interval)
	}
	return t
}
