package agents

import (
	"fmt"
	"maps"
	"slices"

	"infbench/datasets"
	"infbench/internal/words"
	"infbench/metrics/suites"
)

// Value is one number of an agent.
type Value struct {
	Measure string   `json:"measure"`
	Value   *float64 `json:"value"` // nil: undefined
	N       int      `json:"over"`  // how many it is over
	Of      string   `json:"of"`    // of what: "answers"

	Scale float64 `json:"-"` // by which a table has it; 0 is 100
}

// roundDiscount is the share by which BRIGHT-Pro discounts the quality of an answer for each round.
const roundDiscount = 0.05

// noveltyAlpha is the alpha of BRIGHT-Pro.
const noveltyAlpha = 0.5

// scoring gathers the numbers of one file.
type scoring struct {
	answers  []Answer
	task     *datasets.Task // nil: nothing says what is evidence
	evidence map[string][]string
	values   []Value
	notes    []string
}

// Score computes the numbers for which the answers have records. Notes say what does
// not count, and why.
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

// evidenceOf lists the relevant documents of each query.
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

// add takes a number; scale is by which a table has it, 0 for shares.
func (s *scoring) add(measure string, value float64, defined bool, n int, of string, scale float64) {
	v := Value{Measure: measure, N: n, Of: of, Scale: scale}
	if defined {
		v.Value = &value
	}
	s.values = append(s.values, v)
}

// accuracy is the share of right answers. Completed ones that nobody judged leave it
// undefined.
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
	if judged == 0 && open > 0 { // nobody judged; where none was completed nobody had to
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

// calibration is of the answers that say how sure they are and that were judged.
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

// found is what of the evidence was retrieved and cited.
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
		s.notes = append(s.notes, words.Plural(unknown, "answer is to a query", "answers are to queries")+" without evidence, and no part of AgentRecall")
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

// quality is BRIGHT-Pro's efficiency-quality reward.
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

// coverage is how much of the aspects a judge finds in the answers.
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

// rounds is what was retrieved after one, two and three rounds.
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
