package command

import (
	"bufio"
	"fmt"
	"io"

	"infbench/metrics"
)

// writeTrec prints the same as trec_eval: its order, names and decimals, "all" last. Measures
// that trec_eval lacks follow in the order of the flags; an undefined value is left out.
func (s scoredRun) writeTrec(w io.Writer, perQuery bool) error {
	out := bufio.NewWriter(w)
	lines := s.trecLines()
	for at := range s.cases {
		for _, l := range lines {
			if perQuery && !l.SummaryOnly {
				s.trecQuery(out, l, at)
			}
		}
	}
	for _, l := range lines {
		s.trecAll(out, l)
	}
	return out.Flush()
}

// trecLine is one measure and where its rows are.
type trecLine struct {
	metrics.TrecMeasure
	rows []metrics.Row // nil for text
}

// trecLines puts the requested measures into trec_eval's order.
func (s scoredRun) trecLines() []trecLine {
	var known []metrics.TrecMeasure
	rows := map[string][]metrics.Row{}
	at := 0
	for _, a := range s.asked {
		if a.Trec.Measure != nil {
			rows[a.Trec.Name] = s.rows[at]
			at++
		}
		if a.Known {
			known = append(known, a.Trec)
		}
	}
	var lines []trecLine
	for _, t := range metrics.SortTrec(known) {
		lines = append(lines, trecLine{t, rows[t.Name]})
	}
	for _, a := range s.asked {
		if !a.Known {
			lines = append(lines, trecLine{a.Trec, rows[a.Trec.Name]})
		}
	}
	return lines
}

// trecQuery prints one measure of one query.
func (s scoredRun) trecQuery(w io.Writer, l trecLine, at int) {
	if l.Measure == nil {
		fmt.Fprintf(w, "%-22s\t%s\t'%s'\n", l.Name, s.cases[at].Query, metrics.RelevanceString(s.cases[at], l.Length))
		return
	}
	r := l.rows[at]
	if s.zscores != nil {
		r.Value = s.zscores.Standardise(r.Case.Query, l.Name, r.Value)
	}
	if r.OK {
		s.trecValue(w, l, r.Case.Query, r.Value)
	}
}

// trecAll prints one measure over all queries.
func (s scoredRun) trecAll(w io.Writer, l trecLine) {
	switch {
	case l.Measure == nil && l.SummaryOnly:
		fmt.Fprintf(w, "%-22s\tall\t%s\n", l.Name, s.tag)
	case l.Measure == nil:
	case s.zscores != nil:
		if v, ok := s.zscores.Summarize(l.TrecMeasure, l.rows); ok {
			s.trecValue(w, l, "all", v)
		}
	case l.Name == "num_rel" && s.complete:
		// With -c trec_eval recounts from the judgments and forgets -l.
		s.trecValue(w, l, "all", float64(s.positive()))
	default:
		if v, ok := metrics.Summarize(l.Measure, l.rows); ok {
			s.trecValue(w, l, "all", v)
		}
	}
}

// positive counts the judgments with a grade above 0.
func (s scoredRun) positive() int {
	n := 0
	for _, grades := range s.qrels {
		for _, grade := range grades {
			if grade > 0 {
				n++
			}
		}
	}
	return n
}

// trecValue prints one number; z scores start with a Z and always have decimals.
func (s scoredRun) trecValue(w io.Writer, l trecLine, query string, v float64) {
	switch {
	case s.zscores != nil:
		fmt.Fprintf(w, "Z%-22s\t%s\t%6.4f\n", l.Name, query, v)
	case l.Integer:
		fmt.Fprintf(w, "%-22s\t%s\t%d\n", l.Name, query, int64(v))
	default:
		fmt.Fprintf(w, "%-22s\t%s\t%6.4f\n", l.Name, query, v)
	}
}
