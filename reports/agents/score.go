package agents

import (
	"fmt"
	"maps"
	"slices"

	"infbench/datasets"
	"infbench/internal/words"
	"infbench/metrics/suites"
)

// Value is one measured value of an agent.
type Value struct {
	Measure string   `json:"measure"`
	Value   *float64 `json:"value"` // nil: undefined
	N       int      `json:"over"`  // number of items averaged
	Of      string   `json:"of"`    // the kind of items, for example "answers"

	Scale float64 `json:"-"` // factor for tables; 0 means 100
}

// roundDiscount is BRIGHT-Pro's discount of the quality of an answer per round.
const roundDiscount = 0.05

// noveltyAlpha is the alpha of alpha-nDCG in BRIGHT-Pro.
const noveltyAlpha = 0.5

// scoring collects the values of one file.
type scoring struct {
	answers  []Answer
	task     *datasets.Task // nil: the evidence is not known
	evidence map[string][]string
	values   []Value
	notes    []string
}

// Score computes the measures for which the answers have records. The notes name the
// answers that do not count, and why.
func Score(answers []Answer, task *datasets.Task) (values []Value, notes []string) {
	s := &scoring{answers: answers, task: task, evidence: evidenceOf(task)}
	s.accuracy()
	s.calibration()
	if task != nil {
		s.found()
	}
	s.quality()
	s.coverage()
	if task != nil && task.Aspects != nil {
		s.rounds()
	}
	return s.values, s.notes
}

// evidenceOf returns the relevant documents of each query.
func evidenceOf(task *datasets.Task) map[string][]string {
	all := map[string][]string{}
	if task == nil {
		return all
	}
	for query, judged := range task.Qrels {
		for _, doc := range slices.Sorted(maps.Keys(judged)) {
			if judged[doc] > 0 {
				all[query] = append(all[query], doc)
			}
		}
	}
	return all
}

// add appends a value. scale is the factor for tables; 0 is for shares.
func (s *scoring) add(measure string, value float64, defined bool, n int, of string, scale float64) {
	v := Value{Measure: measure, N: n, Of: of, Scale: scale}
	if defined {
		v.Value = &value
	}
	s.values = append(s.values, v)
}

// accuracy adds the share of right answers. It is undefined if a completed answer was not
// judged.
func (s *scoring) accuracy() {
	right, judged, open, unfinished := 0, 0, 0, 0
	for i := range s.answers {
		switch a := &s.answers[i]; {
		case !a.completed():
			unfinished++
		case a.Correct == nil:
			open++
		default:
			judged++
			if *a.Correct {
				right++
			}
		}
	}
	if judged == 0 && open > 0 { // nothing was judged; if no answer was completed, none had to be
		return
	}
	if open > 0 {
		s.notes = append(s.notes, words.Plural(open, "completed answer has", "completed answers have")+" no \"correct\": Accuracy is undefined")
	}
	if unfinished > 0 {
		s.notes = append(s.notes, words.Plural(unfinished, "answer was not completed and counts", "answers were not completed and count")+" as wrong")
	}
	s.add("Accuracy", float64(right)/float64(len(s.answers)), open == 0, len(s.answers), "answers", 0)
}

// calibration adds the calibration errors of the judged answers that have a confidence.
func (s *scoring) calibration() {
	var sure []suites.Answer
	for _, a := range s.answers {
		if a.Confidence != nil && a.Correct != nil {
			sure = append(sure, suites.Answer{Confidence: *a.Confidence / 100, Right: *a.Correct})
		}
	}
	if len(sure) == 0 {
		return
	}
	value, ok := suites.CalibrationError(sure)
	s.add("CalibrationError", value, ok, len(sure), "answers with a confidence", 0)
	s.add("CalibrationError(published)", suites.PublishedCalibrationError(sure), true, len(sure), "answers with a confidence", 0)
}

// found adds the measures of the evidence that was retrieved and cited.
func (s *scoring) found() {
	retrieved, cited := map[string][]string{}, map[string][]string{}
	unknown, searched, cites := 0, 0, false
	for i := range s.answers {
		a := &s.answers[i]
		query := string(a.Query)
		if len(s.evidence[query]) == 0 {
			unknown++
		}
		if a.Retrieved != nil {
			if retrieved[query] = idTexts(a.Retrieved); len(s.evidence[query]) > 0 {
				searched++
			}
		}
		cited[query] = nil
		cites = cites || a.Cited != nil || a.Text != ""
		if a.completed() {
			if cited[query] = idTexts(a.Cited); a.Cited == nil {
				cited[query] = suites.CitedIn(a.Text)
			}
		}
	}
	if unknown > 0 {
		s.notes = append(s.notes, words.Plural(unknown, "answer is to a query", "answers are to queries")+" without evidence: not counted in AgentRecall")
	}
	if len(retrieved) > 0 {
		value, ok := suites.AgentRecall(retrieved, s.evidence)
		s.add("AgentRecall", value, ok, searched, "answers to queries with evidence", 0)
	}
	if !cites {
		return
	}
	c := suites.CitationsOf(cited, s.evidence)
	s.add("CitationCoverage", c.Coverage, true, c.Answers, "answers", 0)
	s.add("CitationsPerAnswer", c.PerAnswer, c.Citing > 0, c.Citing, "answers with citations", 1)
	s.add("CitationPrecision", c.Precision, c.Citing > 0, c.Citing, "answers with citations", 0)
	s.add("CitationRecall", c.EvidenceFound, c.Citing > 0, c.Citing, "answers with citations", 0)
}

// quality adds BRIGHT-Pro's efficiency-quality reward.
func (s *scoring) quality() {
	var judged []suites.Judged
	for i := range s.answers {
		if a := &s.answers[i]; a.Quality != nil {
			judged = append(judged, suites.Judged{Quality: *a.Quality, Rounds: a.rounds()})
		}
	}
	if value, ok := suites.EfficiencyQuality(judged, roundDiscount); ok {
		s.add("AER", value, ok, len(judged), "answers with a quality, of 5 at most", 1)
	}
}

// coverage adds how many of the aspects the answers cover, as judged.
func (s *scoring) coverage() {
	var plain, weighted, completeness []*float64
	for _, a := range s.answers {
		var scores []*float64
		var weights []float64
		for _, of := range a.Aspects {
			scores, weights = append(scores, of.Score), append(weights, of.Weight)
		}
		if c, ok := suites.CoverageOf(scores, weights); ok {
			plain, weighted, completeness = append(plain, &c.Plain), append(weighted, &c.Weighted), append(completeness, &c.Completeness)
		}
	}
	if len(plain) == 0 {
		return
	}
	for _, of := range []struct {
		measure string
		values  []*float64
		scale   float64
	}{{"Coverage", plain, 0}, {"WeightedCoverage", weighted, 0}, {"Completeness", completeness, 1}} {
		mean, n := suites.Mean(of.values)
		s.add(of.measure, mean, n > 0, n, "answers with aspects", of.scale)
	}
}

// rounds adds alpha-nDCG of the documents retrieved after one, two and three rounds.
func (s *scoring) rounds() {
	var after [3][]*float64
	has := false
	for _, a := range s.answers {
		if a.Rounds == nil {
			continue
		}
		has = true
		var rounds []suites.Round
		for _, r := range a.Rounds {
			rounds = append(rounds, suites.Round{Number: r.Number, Docs: idTexts(r.Documents)})
		}
		query := string(a.Query)
		for i, v := range suites.Rounds(rounds, s.evidence[query], s.task.Aspects[query], noveltyAlpha) {
			after[i] = append(after[i], v)
		}
	}
	if !has {
		return
	}
	for i, values := range after {
		mean, n := suites.Mean(values)
		s.add(fmt.Sprintf("aspect_nDCG@%d after round %d", 5*(i+1), i+1), mean, n > 0, n, "answers with something retrieved", 0)
	}
}
