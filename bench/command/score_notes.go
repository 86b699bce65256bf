package command

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/trec"
	"infbench/runners/catalog"
)

// noteQueries prints which queries do not count, and how pairs are read.
func (f scoreFlags) noteQueries(stderr io.Writer, in metrics.Inputs, asked []catalog.AskedMeasure, pairs int) {
	tell := func(format string, args ...any) {
		fmt.Fprintln(stderr, "infbench:", words.Clean(fmt.Sprintf(format, args...)))
	}
	if missing := in.Missing(); missing > 0 && in.Run != nil && !f.complete {
		tell("%d of %d judged queries are not in %s and do not count; --complete counts them", missing, len(in.Qrels), f.run)
	}
	if warning := in.Run.WarnUnjudged(f.run, f.qrels, in.Qrels.Has); warning != "" && in.Qrels != nil {
		tell("%s", warning)
	}
	if pairs > 0 {
		tell("%s of queries X-og and X-changed: measures of one ranking use X-changed", words.Plural(pairs, "pair", "pairs"))
	}
	for _, a := range asked {
		if _, ok := a.Trec.Measure.(metrics.PMRR); !ok || in.Before == nil {
			continue
		}
		run, before, all := in.Lacking()
		lacking := func(queries []string, file string) {
			if len(queries) > 0 {
				are := "are"
				if len(queries) == 1 {
					are = "is"
				}
				tell("%d of %s %s not in %s (%s): %s is undefined there", len(queries), words.Plural(all, "pair", "pairs"), are, file, someOf(queries), a.Label)
			}
		}
		lacking(run, f.run)
		lacking(before, f.before())
	}
}

// warnRBP warns about the one measure that is not printed as trec_eval prints it.
func (s scoredRun) warnRBP(stderr io.Writer) {
	isRBP := func(a catalog.AskedMeasure) bool { _, ok := a.Trec.Measure.(metrics.RBP); return ok }
	if !slices.ContainsFunc(s.asked, isRBP) {
		return
	}
	for _, grades := range s.qrels {
		for _, grade := range grades {
			if grade > 1 {
				fmt.Fprintln(stderr, "infbench: rbp differs from trec_eval, which weights documents by their grades: here all relevant documents count the same")
				return
			}
		}
	}
}

// before returns the file of the rankings under the original instruction.
func (f scoreFlags) before() string {
	if f.runBefore == "" {
		return f.run
	}
	return f.runBefore
}

// namedAtMost is the maximum number of queries that a note names.
const namedAtMost = 5

// someOf lists the first names.
func someOf(names []string) string {
	if len(names) <= namedAtMost {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:namedAtMost], ", "), len(names)-namedAtMost)
}

// noteNeeds prints the missing inputs of measures that are defined for no query.
func (s scoredRun) noteNeeds(stderr io.Writer) {
	for i, a := range s.numeric() {
		needs := s.needs(a.Trec.Measure)
		if needs != "" && !slices.ContainsFunc(s.rows[i], func(r metrics.Row) bool { return r.OK }) {
			fmt.Fprintf(stderr, "infbench: %s is not defined for any of %d queries: it needs %s\n", words.Clean(a.Label), len(s.cases), needs)
		}
	}
}

// needs describes the inputs of a measure; "" if missing inputs are not the cause.
func (s scoredRun) needs(m metrics.Measure) string {
	switch m := m.(type) {
	case metrics.PMRR:
		return "rankings under both instructions (--run-before, or a run with queries X-og and X-changed) and documents whose relevance changed (--changed or --qrels-before)"
	case metrics.FollowIR:
		return "the ranking under the original instruction (--run-before, or a run with queries X-og and X-changed) and judgments of that name (--qrels-before, --qrels)"
	case metrics.WISE, metrics.SICR:
		return "three rankings (--run-before, --run, --run-reversed) and relevant documents (--qrels)"
	case metrics.AlphaNDCG, metrics.ERRIA:
		return "judgments by aspect (--subtopics)"
	case metrics.IRS:
		return "the ranking and judgments of the bare query (--run-before, --qrels-before, --qrels) and the number of documents, at least as many as are ranked (IRS(documents=N))"
	case metrics.FlipRate:
		return "the ranking under other words (--run-before) and judgments of two grades or more (--qrels)"
	case metrics.AspectNDCG, metrics.AspectRecall:
		return "weighted aspects, which benchmarks such as bright-pro have (infbench evaluate --data bright-pro)"
	case metrics.DeltaRecall, metrics.DeltaRR, metrics.RightRank:
		return "documents judged relevant and others judged not relevant (--qrels)"
	case metrics.INSTFOL:
		return "a judge's scores (--judge)"
	case metrics.ERR:
		if s.qrels != nil {
			return fmt.Sprintf("grades of at most %d, its max", m.Max)
		}
	}
	if s.qrels != nil {
		return ""
	}
	return "judgments (--qrels)"
}

// dropSelf drops from runs the documents with their query's own ID, if asked. Its notes
// report that this changes nothing; if not asked, for how many queries of a file such a
// document is ranked but not judged relevant.
func dropSelf(file string, qrels trec.Qrels, asked bool, runs ...*trec.Run) (notes []string) {
	dropped := 0
	for _, run := range runs {
		selves := (*run).Selves()
		if asked {
			*run, dropped = (*run).Without(selves), dropped+len(selves)
			continue
		}
		maps.DeleteFunc(selves, func(query string, _ []string) bool { return qrels[query] == nil || qrels[query][query] > 0 })
		if len(selves) > 0 && len(notes) == 0 {
			notes = append(notes, file+": "+datasets.SelfWarning(len(selves), len(*run)))
		}
	}
	if asked && dropped == 0 {
		notes = append(notes, file+": --drop-self changes nothing: no ranking has the document with its query's own ID")
	}
	return notes
}
