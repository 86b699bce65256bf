package reports

import (
	"fmt"
	"strings"
	"testing"

	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/sentence"
	"infbench/runners/results"
)

// board is a leaderboard of trained systems, by loss, whose values over twenty queries
// alternate around their means; those without a mean failed.
func board(t *testing.T, seeds int, means map[string]float64, order ...string) *answerBoard {
	t.Helper()
	e := &results.Experiment{Name: "sweep"}
	for _, loss := range order {
		for seed := range seeds {
			one := results.Trial{ID: fmt.Sprint(loss, seed), State: results.Done, Config: results.Config{results.Model: "tiny-bert", results.Loss: loss, results.Seed: fmt.Sprint(seed)}}
			if !strings.HasPrefix(loss, "uni") {
				one.Config = results.Config{results.Model: loss}
			}
			if _, ok := means[loss]; !ok {
				one.State, one.Error = results.Failed, "it ran out of memory"
			}
			for q := range 20 {
				if one.State == results.Failed {
					break
				}
				v := means[loss] + []float64{-.02, .03, -.01, .02, 0}[(q*(int(loss[len(loss)-2])%4+1)+2*seed)%5]
				one.Results = append(one.Results, results.Result{Benchmark: "bench", Task: "task", Query: fmt.Sprint(q), Measure: "nDCG@10", Value: &v})
			}
			e.Trials = append(e.Trials, one)
			if one.Config[results.Loss] == "" {
				break
			}
		}
	}
	v, err := scores.New([]*results.Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	b := &answerBoard{ID: "real-1", Name: "Real data", Realm: scores.Real, Set: v, Numbers: v.Columns("bench").Main(), Reference: contrast.DefaultReference}
	for _, c := range b.Numbers {
		b.Rankings = append(b.Rankings, contrast.Rank(v, c))
	}
	if f := contrast.Compare(v, "bench", b.Numbers, b.Reference); f != nil {
		b.Planned = append(b.Planned, f)
	}
	b.Effects = func() *factorEffects { return effectsOf(b.Set, b.Numbers, b.Pairs) }
	return b
}

func answered(t *testing.T, asked answerRequest, boards ...*answerBoard) section.Section {
	t.Helper()
	s, err := answerSection(asked, boards)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wants(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: %q is not in %q", what, part, text)
		}
	}
}

func TestBestIsShown(t *testing.T) {
	b := board(t, 3, map[string]float64{"uni(P)": .5, "uni(I)": .8, "uni(IQ)": .3, "untrained": .1}, "uni(P)", "uni(I)", "uni(IQ)", "untrained")
	s := answered(t, answerRequest{Finished: sentence.Finished{Done: 10, Planned: 10}}, b)
	if s.Title != "Which loss is best on nDCG@10?" {
		t.Errorf("title %q", s.Title)
	}
	wants(t, "best", s.Notes[0], "uni(I) has the highest nDCG@10 on bench/task (80.4) and is shown to be the best of 3 trained systems. All 3 trained systems beat the untrained encoder, uni(I) by 70.0 points.")
	wants(t, "tests", s.Notes[1], "The difference between uni(I) and uni(P) is +", "n = 20 queries", "3 seeds each", "The difference between uni(I) and the untrained encoder is +70.0 [")
	if l := b.leads()[0]; !l.shown() || b.Rankings[0].Of(l.Best).Ranks() != "1" {
		t.Errorf("the answer and the ranks disagree: %+v", l)
	}
}

// If no test distinguishes the systems, none is the best, and all of them are named.
func TestNoneIsShown(t *testing.T) {
	s := answered(t, answerRequest{}, board(t, 3, map[string]float64{"uni(P)": .5, "uni(I)": .501}, "uni(P)", "uni(I)"))
	wants(t, "none", s.Notes[0], "uni(I) has the highest nDCG@10 on bench/task (50.5), but uni(P) could also be the best.")
}

// A verdict on a system that was trained once is limited to that run.
func TestOneRun(t *testing.T) {
	s := answered(t, answerRequest{}, board(t, 1, map[string]float64{"uni(P)": .3, "uni(I)": .8}, "uni(P)", "uni(I)"))
	wants(t, "one run", s.Notes[0], "is shown to be the best of 2 trained systems for these training runs.")
	wants(t, "one run", s.Notes[1], "one training run each). Each of these systems was trained once; another seed may reorder them.")
}

// The plot holds every ranked system, best first, and a failed control apart.
func TestForest(t *testing.T) {
	b := board(t, 2, map[string]float64{"uni(P)": .5, "uni(I)": .8, "untrained": .9}, "uni(P)", "uni(I)", "untrained")
	b.Failed = []string{"untrained"}
	f, err := b.forest()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.Y.Names, " "); got != "untrained uni(I) uni(P)" {
		t.Errorf("order %q", got)
	}
	last := f.Marks[len(f.Marks)-1]
	if last.Name != "fails a control" || len(last.Data) != 1 || last.Data[0].Name != "untrained" || last.Data[0].X <= 0 {
		t.Errorf("failed: %+v", last)
	}
	basis := answered(t, answerRequest{Finished: sentence.Finished{Done: 4, Planned: 5}}, b).Parts[0]
	wants(t, "basis", fmt.Sprint(basis.Terms), "4 of 5 planned trials finished", "untrained FAILED", "picked from 2 systems", "infbench verify report.html", "Real: bench")
}

func TestQuestions(t *testing.T) {
	b := board(t, 1, map[string]float64{"uni(P)": .3, "uni(I)": .8}, "uni(P)", "uni(I)")
	if s := answered(t, answerRequest{Questions: []string{"Do instructions help?"}}, b); s.Title != "Do instructions help?" {
		t.Errorf("asked: %q", s.Title)
	}
	one := answered(t, answerRequest{}, board(t, 1, map[string]float64{"bm25": .3}, "bm25"))
	wants(t, "one", one.Title, "What does bm25 score on nDCG@10?")
	wants(t, "one", one.Notes[0], "bm25 has 30.4 in nDCG@10 on bench/task; it is the only system.")
	if len(one.Figures) > 0 {
		t.Error("one system was plotted")
	}
	several := answered(t, answerRequest{}, board(t, 1, map[string]float64{"bm25": .3, "untrained": .1}, "bm25", "untrained"))
	wants(t, "several", several.Title, "Which system is best on nDCG@10?")
	if s := answered(t, answerRequest{}); !s.Empty() {
		t.Error("there is an answer without a board")
	}
}

// Systems without a number are neither counted among those that a leader was chosen from nor
// compared with the reference.
func TestAnswerOfWhatIsMeasured(t *testing.T) {
	b := board(t, 2, map[string]float64{"uni(P)": .6, "uni(I)": .4, "untrained": .2}, "uni(P)", "uni(I)", "uni(IQ)", "uni(P,I)", "untrained")
	s := answered(t, answerRequest{}, b)
	wants(t, "reference", s.Notes[0], "Both trained systems beat the untrained encoder, uni(P) by 40.0 points.")
	wants(t, "basis", fmt.Sprint(s.Parts[0].Terms), "picked from 2 ")
}
