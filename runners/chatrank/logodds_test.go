package chatrank

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"infbench/datasets"
	"infbench/datasets/chat"
)

// weighing is a model whose first token shows how sure it is: the log-odds are value/10.
func weighing(value int) []chat.Token {
	odds := float64(value) / 10
	no := -math.Log1p(math.Exp(odds))
	return []chat.Token{{Text: "yes", Logprob: odds + no}, {Text: "no", Logprob: no}}
}

// TestOddsOf: the log-odds of the first token (computed by hand: log .4/.3 and so on). Tokens
// compare by their bytes, spellings add up, and a missing word is bounded by the least likely token.
func TestOddsOf(t *testing.T) {
	top := func(pairs ...any) (top []chat.Token) {
		for i := 0; i < len(pairs); i += 2 {
			top = append(top, chat.Token{Text: pairs[i].(string), Logprob: math.Log(pairs[i+1].(float64))})
		}
		return top
	}
	for _, c := range []struct {
		name    string
		top     []chat.Token
		odds    float64
		bounded bool
		none    string
	}{
		{"both", top("yes", .4, "no", .3, "The", .1), math.Log(.4 / .3), false, ""},
		{"spellings add up", top("Yes", .3, "no", .2, " yes", .1, "No", .1, "NO", .1), 0, false, ""},
		{"other tokens that look alike", top("yes", .4, "no", .2, "yes,", .1, "ye", .1, "\u00a0no", .1, "not", .05, "ｎｏ", .05), math.Log(2), false, ""},
		{"no is missing", top("yes", .5, "The", .3, "I", .01), math.Log(50), true, ""},
		{"yes is missing", top("I", .9, "no", .04, "The", .02), math.Log(.5), true, ""},
		{"only one token", top("no", .9), 0, true, ""},
		{"probability 0, as llama-server writes it", []chat.Token{{Text: "yes", Logprob: -0.5}, {Text: "no", Logprob: -3.4e38}}, 3.4e38, false, ""},
		{"neither", top("<think>", .9, "\n", .05), 0, false, `neither yes nor no is among the 2 likeliest first tokens of the answer ("<think>", "\n" ...)`},
		{"nothing", nil, 0, false, "among the 0 likeliest"},
	} {
		odds, bounded, err := oddsOf(c.top, ownRecipes()[Pointwise].Words)
		if math.Abs(odds-c.odds) > 1e-12*max(1, c.odds) || bounded != c.bounded || (err != nil) != (c.none != "") {
			t.Errorf("%s: %v, %t, %v", c.name, odds, bounded, err)
		}
		if err != nil && (chat.ClassOf(err) != chat.NoVerdict || !strings.Contains(err.Error(), c.none)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.none)
		}
	}
}

// TestLogOdds: with log-probabilities one token a document is asked for, and the ranks do not tie. The
// scores are the log-odds; equal ones keep their order.
func TestLogOdds(t *testing.T) {
	m := &oracle{top: weighing}
	r := newRanker(t, m, Options{How: Pointwise, Ordered: true})
	docs := documents(10, 60, 40, 90, 60, 51, 20)
	scores := make([]float64, len(docs))
	if err := r.Rerank(t.Context(), query, docs, scores); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 6, 4, 9, 6, 5.1, 2} {
		if math.Abs(scores[i]-want) > 1e-9 {
			t.Errorf("document %d: %v, want %v", i, scores[i], want)
		}
	}
	if scores[1] <= scores[4] {
		t.Errorf("equal documents: %v, %v", scores[1], scores[4])
	}
	if len(m.asked) != len(docs) {
		t.Errorf("%d questions", len(m.asked))
	}
	for _, a := range m.asked {
		if a.MaxTokens != 1 || a.Logprobs != 20 || a.Temperature != 0 || a.Schema != nil || !strings.Contains(a.Messages[1].Text, query.Instruction) {
			t.Errorf("asked %+v", a)
		}
	}
	if seen := r.Take(); seen.Scale != LogOdds || seen.Answered != len(docs) || !seen.Verdicts["q"]["d0"] || seen.Bounded != 0 {
		t.Errorf("seen %+v", seen)
	}
}

// TestScale: one answer decides whether the endpoint gives log-probabilities, so that a ranking never
// mixes two scales. Answers that do not show it decide nothing, and other failures end the ranking.
func TestScale(t *testing.T) {
	fail := func(c chat.Class) error { return &chat.Error{Class: c, Err: errors.New(string(c))} }
	for _, c := range []struct {
		name  string
		first []error // of the first questions
		o     Options
		scale Scale
		odds  int // questions for log-probabilities
		words int
		ends  chat.Class
	}{
		{"given", nil, Options{}, LogOdds, 3, 0, ""},
		{"not given", []error{fail(chat.NoLogprobs)}, Options{}, Verdicts, 1, 3, ""},
		{"not in the recording", []error{fail(chat.NotRecorded)}, Options{}, Verdicts, 1, 3, ""},
		{"refused, then given", []error{fail(chat.Refused)}, Options{}, LogOdds, 3, 0, ""},
		{"malformed, then not given", []error{fail(chat.Malformed), fail(chat.NoLogprobs)}, Options{}, Verdicts, 2, 3, ""},
		{"given, then not", []error{nil, fail(chat.NoLogprobs)}, Options{}, LogOdds, 3, 0, ""},
		{"given, then not in the recording", []error{nil, fail(chat.NotRecorded)}, Options{}, LogOdds, 3, 0, chat.NotRecorded},
		{"unreachable", []error{fail(chat.Unreachable)}, Options{}, "", 1, 0, chat.Unreachable},
		{"words", nil, Options{Words: true}, Verdicts, 0, 3, ""},
	} {
		odds, words := 0, 0
		m := &oracle{top: weighing}
		m.fault = func(r chat.Request, _ int) (string, error, bool) {
			if r.Logprobs == 0 {
				words++
				return "", nil, false
			}
			odds++
			return "", slices.Concat(c.first, make([]error, 9))[odds-1], odds <= len(c.first) && c.first[odds-1] != nil
		}
		c.o.Ordered, c.o.Parallel = true, 1
		r := newRanker(t, m, c.o)
		err := r.Rerank(t.Context(), query, documents(10, 60, 90), make([]float64, 3))
		if chat.ClassOf(err) != c.ends || r.Scale() != c.scale || odds != c.odds || words != c.words {
			t.Errorf("%s: %v, scale %q, %d questions by log-odds and %d in words", c.name, err, r.Scale(), odds, words)
		}
	}
}

// TestUnweighed: an answer without a verdict has log-odds 0 and no verdict; it is counted.
func TestUnweighed(t *testing.T) {
	r := newRanker(t, &oracle{top: func(value int) []chat.Token {
		if value == 51 {
			return []chat.Token{{Text: "The", Logprob: -1}}
		}
		return weighing(value - 50)[:2-value%2]
	}}, Options{Ordered: true})
	docs := []datasets.Document{{ID: "a", Text: "40"}, {ID: "b", Text: "51"}, {ID: "c", Text: "60"}, {ID: "d", Text: "53"}}
	if got := strings.Join(ranked(t, r, docs), " "); got != "60 51 53 40" {
		t.Error(got)
	}
	seen := r.Take()
	if got := fmt.Sprint(seen.Verdicts["q"]); got != "map[a:false c:true d:false]" || seen.Failed != 1 || seen.Answered != 3 || seen.Bounded != 1 {
		t.Errorf("%+v", seen)
	}
	if u := r.Usage(); u.Failures[chat.NoVerdict] != 1 {
		t.Errorf("%+v", u)
	}
}
