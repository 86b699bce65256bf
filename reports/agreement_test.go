package reports

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/internal/testkit/reportstest"
	"infbench/reports/published"
	"infbench/reports/section"
	"infbench/runners/results"
)

// kindOfBoard is an experiment of twenty queries on one task, with parts of the first screen's texts.
type kindOfBoard struct {
	name    string
	systems []kindOfSystem
	change  func(e *results.Experiment)
	options Options
	brief   string // sentence in the first screen of the terminal
	answer  string // sentence in the answer of the page
	basis   string // text under “What it rests on”; "" if it is not compared
}

// kindOfSystem is a system whose values alternate around a mean: a loss, or the name of a model.
type kindOfSystem struct {
	name  string
	mean  float64
	seeds int
}

func (k kindOfBoard) experiment() *results.Experiment {
	e := &results.Experiment{Name: "x", Planned: true}
	for i, s := range k.systems {
		for seed := range max(1, s.seeds) {
			config := map[string]string{"model": s.name}
			if strings.ContainsAny(s.name, "(") {
				config = map[string]string{"model": "m", "loss": s.name, "seed": fmt.Sprint(seed)}
			}
			var values []reportstest.Value
			for q := range 20 {
				v := s.mean + .01*[]float64{-2, 3, -1, 2, -2}[(q*(i%4+1)+2*seed)%5]
				values = append(values, reportstest.At("B", "x", "", "nDCG@10", fmt.Sprintf("%02d", q), max(0, min(1, v))))
			}
			t := reportstest.TrialOf(fmt.Sprint(i, "-", seed), config, values...)
			t.Provenance.Benchmarks = []results.Benchmark{{Name: "B", Revision: "1", Content: map[string]datasets.ContentHashes{"x": {Documents: "d"}}}}
			e.Trials = append(e.Trials, t)
		}
	}
	if k.change != nil {
		k.change(e)
	}
	return e
}

// lose removes the results of the last trial.
func lose(state results.State) func(*results.Experiment) {
	return func(e *results.Experiment) {
		t := &e.Trials[len(e.Trials)-1]
		t.State, t.Results = state, nil
	}
}

// declareDefeat makes the task one that is made to defeat bm25.
func declareDefeat(e *results.Experiment) {
	for i := range e.Trials {
		e.Trials[i].Provenance.Benchmarks[0].Defeats = map[string][]string{"x": {"bm25"}}
	}
}

var kindsOfBoards = []kindOfBoard{
	{name: "one system", systems: []kindOfSystem{{"bm25", .4, 1}}, brief: "Best: no system can be ranked.", answer: "bm25 has 40.0 in nDCG@10 on B/x; it is the only system.", basis: "Nothing was selected by these numbers."},
	{name: "the other has failed", systems: []kindOfSystem{{"uni(P)", .4, 1}, {"uni(I)", .5, 1}}, change: lose(results.Failed), brief: "Best: no system can be ranked.",
		answer: "no other system that could be compared with it has numbers", basis: "1 of 2 planned trials finished"},
	{name: "one system and null rows", systems: []kindOfSystem{{"bm25", .4, 1}, {"random", .1, 1}}, brief: "Best: bm25 in", answer: "only systems that ignore the query could be compared with it"},
	{name: "shown", systems: []kindOfSystem{{"uni(P)", .4, 3}, {"uni(I)", .8, 3}, {"untrained", .2, 1}}, brief: "Best: uni(I) in nDCG@10 on B/x (80.",
		answer: "is shown to be the best of 2 trained systems. Both trained systems beat the untrained encoder, uni(I) by ", basis: "None was run"},
	{name: "shown, once", systems: []kindOfSystem{{"uni(P)", .4, 1}, {"uni(I)", .8, 1}, {"untrained", .2, 1}}, brief: "holds for that training run only", answer: "is shown to be the best of 2 trained systems for these training runs."},
	{name: "undecided", systems: []kindOfSystem{{"uni(P)", .4, 3}, {"uni(I)", .402, 3}, {"untrained", .2, 1}}, brief: "Best: not shown; 2 systems could be best. First by value: uni(I) in", answer: ", but uni(P) could also be the best. Both trained systems beat the untrained encoder, uni(I) by "},
	{name: "many could be best", systems: []kindOfSystem{{"uni(P)", .4, 2}, {"uni(I)", .401, 2}, {"uni(IQ)", .402, 2}, {"multi(P,I)", .1, 2}}, brief: "Best: not shown; 3 systems could be best.", answer: "but 3 of the 4 trained systems could be the best."},
	{name: "equal", systems: []kindOfSystem{{"bm25", .4, 1}, {"bm25-again", .4, 1}}, change: func(e *results.Experiment) { e.Trials[1].Results = slices.Clone(e.Trials[0].Results) }, brief: "Best: not shown; 2 systems could be best.", answer: "bm25 and bm25-again share the highest nDCG@10 on B/x (40.0); which of the 2 systems is best is not shown."},
	{name: "worse than the reference", systems: []kindOfSystem{{"uni(P)", .4, 3}, {"uni(I)", .3, 3}, {"untrained", .8, 1}}, brief: "trained systems are worse in all 2 tests", answer: "None of the 2 trained systems is shown to beat the untrained encoder; uni(P) is worse than it by "},
	{name: "as the reference", systems: []kindOfSystem{{"uni(P)", .4, 3}, {"uni(I)", .2, 3}, {"untrained", .401, 1}}, brief: "trained systems are better in 0 of 2 tests and worse in 1; no difference is shown for uni(P) in", answer: "None of the 2 trained systems is shown to beat the untrained encoder."},
	{name: "no reference", systems: []kindOfSystem{{"uni(P)", .4, 3}, {"uni(I)", .8, 3}}, brief: `No system has the name "untrained"`, answer: "shown to be the best of 2 trained systems."},
	{name: "baselines alone", systems: []kindOfSystem{{"bm25", .4, 1}, {"other", .8, 1}}, brief: "Best: other in", answer: "other has the highest nDCG@10 on B/x (80.0) and is shown to be the best of 2 systems."},
	{name: "another reference", systems: []kindOfSystem{{"uni(P)", .4, 3}, {"uni(I)", .8, 3}, {"bm25", .5, 1}}, options: Options{Reference: "bm25"}, brief: "Against the reference bm25: trained systems are better in 1 of 2 tests and worse in 1.", answer: "1 of 2 trained systems beats bm25, uni(I) by 30.0 points."},
	{name: "a control fails", systems: []kindOfSystem{{"uni(P)", .05, 3}, {"uni(I)", .1, 3}, {"random", .4, 1}, {"untrained", .2, 1}}, brief: "Controls that fail: below chance: uni(P), uni(I)", answer: "uni(I) fails a control.", basis: "FAILED"},
	{name: "as declared", systems: []kindOfSystem{{"uni(P)", .5, 3}, {"uni(I)", .8, 3}, {"random", .2, 1}, {"bm25", .2, 1}}, change: declareDefeat, brief: "As expected, no better than chance where a task is made to defeat them: bm25 in", answer: "shown to be the best of 2", basis: "As expected, no better than chance"},
	{name: "a trial is missing", systems: []kindOfSystem{{"uni(P)", .4, 3}, {"uni(I)", .8, 3}, {"untrained", .2, 1}}, change: lose(results.Waiting), brief: "Best: uni(I)", basis: "6 of 7 planned trials finished"},
	{name: "finished without all values", systems: []kindOfSystem{{"uni(P)", .4, 3}, {"uni(I)", .8, 3}, {"bm25", .2, 1}}, change: func(e *results.Experiment) {
		for i := range 3 {
			e.Trials[i].Results = append(e.Trials[i].Results, reportstest.TrialOf("", nil, reportstest.At("B", "y", "", "nDCG@10", "1", .5)).Results...)
			e.Trials[i].Provenance.Benchmarks[0].Tasks = map[string]string{"x": "", "y": ""}
		}
		for i := 3; i < len(e.Trials); i++ {
			e.Trials[i].Provenance.Benchmarks[0].Tasks = map[string]string{"x": "", "y": ""}
		}
	}, basis: "lack values"},
	{name: "published rows", systems: []kindOfSystem{{"uni(P)", .4, 3}, {"uni(I)", .8, 3}, {"untrained", .2, 1}}, options: Options{Published: []*published.Collection{{Source: "MTEB", Cells: []published.Cell{
		{Model: "org/best", Task: "NFCorpus", Split: "test", Subset: "default", Measure: "nDCG@10", Value: .9, Main: true}}}}}, brief: "Best: uni(I) in", answer: "is shown to be the best of 2 trained systems."},
	{name: "two boards", systems: []kindOfSystem{{"uni(P)", .4, 2}, {"uni(I)", .8, 2}, {"untrained", .2, 1}}, change: func(e *results.Experiment) {
		for _, t := range slices.Clone(e.Trials) {
			t.ID += "-generated"
			t.Config = map[string]string{"model": t.Config["model"] + "2", "loss": t.Config["loss"], "seed": t.Config["seed"]}
			if t.Config["loss"] == "" {
				delete(t.Config, "loss")
			}
			t.Provenance.Benchmarks = []results.Benchmark{{Name: "G", Synthetic: true, Revision: "1"}}
			t.Results = slices.Clone(t.Results)
			for i := range t.Results {
				t.Results[i].Benchmark = "G"
			}
			e.Trials = append(e.Trials, t)
		}
	}, answer: "Real data: uni(I)"},
}

// contradictions are pairs of statements that no first screen of one board makes together.
var contradictions = []struct{ one, other string }{
	{`is shown to be the best`, `could (also )?be the best|is not shown|was not tested\.`},
	{`Best: \w`, `Undecided`},
	{`Best: (not shown|no system)`, `is shown to be the best`},
	{`All \d+ trials of the plan finished\.`, `planned trials? finished|lacks? values|not finished`},
	{`All \d+ checks pass|The only check passes`, `FAILED|fails a control|Controls? (that )?fails?`},
	{`all \d+ checks pass|the only check passes`, `FAILED|fails a control|Controls? (that )?fails?`},
	{`None was run`, `checks? pass|FAILED|fails a control`},
	{`(All \d+|Both) trained systems beat`, `is shown to beat|is worse than it|no difference is shown for`},
	{`None of the \d+ trained systems is shown to beat`, `trained systems are better in (all|[1-9])`},
	{`No system has the name`, `beats? the|Against the`},
	{`no other system that could be compared`, `The leader was picked`},
	{`it is the only system`, `The leader was picked|other`},
}

// firstScreens returns the texts that a reader sees first, on the page and on the terminal.
func firstScreens(r *Report) (page, terminal string) {
	var text []string
	for _, s := range r.Sections {
		if s.ID != answerID {
			continue
		}
		text = append(text, s.Title)
		text = append(text, s.Notes...)
		for _, p := range s.Parts {
			if p.ID == answerID+"-basis" {
				text = append(text, termTexts(p)...)
			}
		}
	}
	page = strings.Join(append(text, r.Warnings...), "\n")
	text = nil
	brief := r.Brief()
	text = append(text, brief.Lead...)
	section.Each(brief.Sections, func(s *section.Section, _ int) { text = append(text, s.Notes...) })
	return page, strings.Join(append(text, brief.Warnings...), "\n")
}

func termTexts(s section.Section) (out []string) {
	for _, term := range s.Terms {
		out = append(append(out, term.Text), term.More...)
	}
	return out
}

// TestFirstScreensAgree: for every kind of board, no two sentences of the first screen contradict each
// other, neither those of the page nor those of the terminal.
func TestFirstScreensAgree(t *testing.T) {
	for _, k := range kindsOfBoards {
		t.Run(k.name, func(t *testing.T) {
			r := build(t, k.options, k.experiment())
			page, terminal := firstScreens(r)
			basis := ""
			for _, s := range r.Section(answerID).Parts {
				if s.ID == answerID+"-basis" {
					basis = strings.Join(termTexts(s), "\n")
				}
			}
			for _, c := range []struct{ of, text, want string }{{"page", page, k.answer}, {"terminal", terminal, k.brief}, {"basis", basis, k.basis}} {
				if !strings.Contains(c.text, c.want) {
					t.Errorf("%s lacks %q:\n%s", c.of, c.want, c.text)
				}
			}
			if len(r.Boards) > 1 {
				return // statements on the systems of two boards may differ
			}
			for _, text := range []string{page, terminal} { // the page asks for the best trained system, the terminal for the best of all
				for _, c := range contradictions {
					if regexp.MustCompile(c.one).MatchString(text) && regexp.MustCompile(c.other).MatchString(text) {
						t.Errorf("%q and %q:\n%s", c.one, c.other, text)
					}
				}
			}
			agreesWithBoard(t, r, page)
		})
	}
}

// agreesWithBoard checks that the leader of the answer is above all other candidates on the board.
func agreesWithBoard(t *testing.T, r *Report, page string) {
	t.Helper()
	leader, _, found := strings.Cut(r.Section(answerID).Notes[0], " has the highest ")
	if !found {
		return
	}
	b := r.Boards[0].asked(r.options.Reference)
	among := b.candidates()
	for _, row := range r.Boards[0].Leaderboard.Rows {
		for _, s := range among {
			if s.Label == row.Entries[0].Text {
				if s.Label != leader {
					t.Errorf("%s is above %s on the board:\n%s", s.Label, leader, page)
				}
				return
			}
		}
	}
}
