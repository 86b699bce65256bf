package chatrank

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infbench/datasets/chat"
)

// valueIn matches the number that a document of these tests is.
var valueIn = regexp.MustCompile(`Passage: (\d+)\n|<Document>: (\d+)|\[(\d+)\]:? (\d+)`)

// ofJudge asks rank1 about documents and returns the scores, the record and the requests.
func ofJudge(t *testing.T, recipe string, think func(value int) chat.Answer, verdict func(value int) []chat.Token, values ...int) ([]float64, Seen, *asks) {
	t.Helper()
	m := &asks{answer: func(r chat.Request, _ int) (chat.Answer, error) {
		text := r.Prompt
		for _, message := range r.Messages {
			text += message.Text + "\n"
		}
		found := valueIn.FindStringSubmatch(text)
		value, _ := strconv.Atoi(found[1] + found[2])
		if len(r.Stop) > 0 {
			return think(value), nil
		}
		return chat.Answer{Input: 1, Output: 1, Text: " true", Top: verdict(value)}, nil
	}}
	r, err := New(chat.NewAsker(m, nil), Options{Model: "m", Recipe: recipeOf(t, recipe), Ordered: true, Parallel: 3})
	if err != nil {
		t.Fatal(err)
	}
	docs := documents(values...)
	scores := make([]float64, len(docs))
	if err := r.Rerank(t.Context(), query, docs, scores); err != nil {
		t.Fatal(err)
	}
	return scores, r.Take(), m
}

// trueFalse are tokens whose log-odds are value/10 - 5.
func trueFalse(value int) []chat.Token {
	return []chat.Token{{Text: " true", Logprob: float64(value)/10 - 6}, {Text: " false", Logprob: -1}, {Text: " True", Logprob: -0.1}}
}

// TestJudge: thoughts first, then one token after their end. Thoughts that were cut, or ended by
// themselves, lose what follows the last sentence and are closed, as rank1.py does. Other spellings
// than the recipe's are other tokens.
func TestJudge(t *testing.T) {
	think := map[int]chat.Answer{
		60: {Text: "\nIt is so.\n", Ended: chat.AtStop},
		20: {Text: "\nFirst. Then it goes on and", Ended: chat.AtLimit},
		90: {Text: "\nA thought without end", Ended: chat.AtEnd},
		51: {Text: "\nThe server kept the end.\n</think> true", Ended: chat.AtStop},
		10: {Text: "\nLong? Then</think> true", Ended: chat.AtLimit},
	}
	scores, seen, m := ofJudge(t, "rank1", func(v int) chat.Answer { return think[v] }, trueFalse, 60, 20, 90, 51, 10)
	for i, v := range []float64{60, 20, 90, 51, 10} {
		if math.Abs(scores[i]-(v/10-5)) > 1e-9 {
			t.Errorf("%v: %v", v, scores[i])
		}
	}
	if seen.Answered != 5 || seen.Failed != 0 || seen.Cut != 1 || seen.Unclosed != 1 || seen.Bounded != 0 || seen.Scale != LogOdds || len(m.asked) != 10 {
		t.Errorf("%+v after %d questions", seen, len(m.asked))
	}
	ends := map[string]bool{}
	for _, r := range m.asked {
		_, end, _ := strings.Cut(r.Prompt, "<think>")
		switch {
		case len(r.Stop) > 0 && (end != "" || r.MaxTokens != 8192 || r.Logprobs != 0 || r.Stop[0] != "</think>" || r.Follow != 1):
			t.Errorf("thoughts are asked for by %+v", r)
		case len(r.Stop) == 0 && (r.MaxTokens != 1 || r.Logprobs != 20 || r.Messages != nil):
			t.Errorf("a verdict is asked for by %+v", r)
		case len(r.Stop) == 0:
			ends[end] = true
		}
	}
	for _, want := range []string{"\nIt is so.\n</think>", "\nFirst.\n</think>", "\nA thought without end\n</think>", "\nThe server kept the end.\n</think>", "\nLong? Then</think>"} {
		if !ends[want] {
			t.Errorf("no verdict after %q, but after %v", want, ends)
		}
	}
	var told []string
	for _, th := range seen.Thoughts {
		told = append(told, fmt.Sprint(th.Query, th.Documents, strings.TrimSpace(th.Thoughts), th.Answer))
		if th.Odds == nil || math.Abs(*th.Odds) > 5 {
			t.Errorf("%+v", th)
		}
	}
	if got := strings.Join(told, "|"); got != "q[d0]It is so. true|q[d1]First. true|q[d2]A thought without end true|q[d3]The server kept the end. true|q[d4]Long? Then true" {
		t.Error(got)
	}
}

// TestThoughtsApart: a server may send the thoughts of a conversation apart from the text. They come
// before the verdict all the same.
func TestThoughtsApart(t *testing.T) {
	text := "how: judge\nuser: \"{query}\\n<Document>: {document}\"\nwords: [[\" true\"], \" false\"]\nthink: {budget: 9}\n"
	r, err := ParseRecipe("own.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]chat.Answer{
		"40": {Thoughts: "It is. And", Text: "", Ended: chat.AtLimit},
		"60": {Thoughts: "It is.", Text: "true", Ended: chat.AtEnd},
		"70": {Text: "<think>It is.", Ended: chat.AtStop},
	}
	m := &asks{answer: func(r chat.Request, _ int) (chat.Answer, error) {
		value := r.Messages[0].Text[strings.LastIndex(r.Messages[0].Text, " ")+1:]
		if len(r.Stop) > 0 {
			return answers[value], nil
		}
		return chat.Answer{Top: []chat.Token{{Text: " true", Logprob: -1}}}, nil
	}}
	ranker, err := New(chat.NewAsker(m, nil), Options{Model: "m", Recipe: r, Ordered: true, Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := ranker.Rerank(t.Context(), query, documents(40, 60, 70), make([]float64, 3)); err != nil {
		t.Fatal(err)
	}
	var continued []string
	for _, r := range m.asked {
		if last := r.Messages[len(r.Messages)-1]; r.Continue && last.Role == chat.Assistant && r.MaxTokens == 1 {
			continued = append(continued, last.Text)
		} else if r.MaxTokens != 9 {
			t.Errorf("%+v", r)
		}
	}
	if want := []string{"<think>\nIt is.\n</think>", "<think>It is.</think>", "<think>It is.</think>"}; !slices.Equal(continued, want) {
		t.Errorf("%q, want %q", continued, want)
	}
	if seen := ranker.Take(); seen.Cut != 1 || seen.Unclosed != 0 || seen.Bounded != 3 || seen.Answered != 3 || len(seen.Thoughts) != 3 {
		t.Errorf("%+v", seen)
	}
}

// TestVerdicts: a missing word is bounded, without both words there is no verdict and the log-odds are
// 0, and the part of a character is not a word. One word alone ranks by its log-probability.
func TestVerdicts(t *testing.T) {
	none := func(int) chat.Answer { return chat.Answer{Text: "Yes.", Ended: chat.AtStop} }
	scores, seen, _ := ofJudge(t, "rank1", none, func(value int) []chat.Token {
		return map[int][]chat.Token{
			1: {{Text: " true", Logprob: -0.5}, {Text: " false", Logprob: -3.4e38}},
			2: {{Text: " true", Logprob: -0.5}, {Text: "x", Logprob: -7.5}},
			3: {{Text: "\ufffd", Logprob: -0.5}, {Text: "true", Logprob: -1}},
			4: nil,
			5: {{Text: " false", Logprob: -0.5}, {Text: "\ufffd", Logprob: -2.5}},
		}[value]
	}, 1, 2, 3, 4, 5)
	for i, want := range []float64{3.4e38, 7, 0, 0, -2} {
		if math.Abs(scores[i]-want) > 1e-9 {
			t.Errorf("document %d: %v, want %v", i+1, scores[i], want)
		}
	}
	if seen.Failed != 2 || seen.Unusable[chat.NoVerdict] != 2 || seen.Bounded != 2 || seen.Answered != 3 ||
		!strings.Contains(seen.Failure.Error(), `neither " true" nor " false" is among the`) {
		t.Errorf("%+v", seen)
	}
	m := &asks{answer: func(r chat.Request, n int) (chat.Answer, error) {
		return chat.Answer{Top: [][]chat.Token{{{Text: "!", Logprob: -3}}, {{Text: "a", Logprob: -1}, {Text: "!", Logprob: -2}}, {{Text: "a"}}}[n-1]}, nil
	}}
	r, err := New(chat.NewAsker(m, nil), Options{Model: "m", Recipe: recipeOf(t, "ctxl"), Ordered: true, Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	scores = make([]float64, 3)
	if err := r.Rerank(t.Context(), query, documents(1, 2, 3), scores); err != nil {
		t.Fatal(err)
	}
	if seen := r.Take(); scores[0] != -3 || scores[1] != -2 || seen.Unusable[chat.NoVerdict] != 1 || seen.Bounded != 0 {
		t.Errorf("%v, %+v", scores, seen)
	}
}

// TestJudgeNeedsLogprobs: a judge of a recipe is not asked in words, and the error names what to do.
func TestJudgeNeedsLogprobs(t *testing.T) {
	r, err := New(chat.NewAsker(&oracle{}, nil), Options{Model: "m", Recipe: recipeOf(t, "followir")})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Rerank(t.Context(), query, documents(1, 2), make([]float64, 2))
	if err == nil || !strings.Contains(err.Error(), "recipe followir ranks by log-probabilities, which the endpoint does not give (none here); --how pointwise asks such an endpoint for words, and ranks then tie") {
		t.Error(err)
	}
}

// shown lists the numbers that the documents of a question are, in their order.
func shown(r chat.Request) (values []int) {
	for _, m := range valueIn.FindAllStringSubmatch(r.Messages[len(r.Messages)-1].Text, -1) {
		if v, err := strconv.Atoi(m[4]); err == nil && m[3] != "" {
			values = append(values, v)
		}
	}
	return values
}

// bestOf is the answer of a model that knows which of some documents is the best.
func bestOf(values []int) string {
	return fmt.Sprintf("<think>I compare %d.</think>\n<answer>[%d]</answer>", len(values), 1+slices.Index(values, slices.Max(values)))
}

// rankedBy orders documents by a recipe whose answers a function gives.
func rankedBy(t *testing.T, o Options, values []int, answer func(shown []int) string) ([]string, Seen, *asks) {
	t.Helper()
	m := &asks{answer: func(r chat.Request, _ int) (chat.Answer, error) {
		return chat.Answer{Text: answer(shown(r)), Input: 1}, nil
	}}
	o.Ordered, o.Model = true, "m"
	r, err := New(chat.NewAsker(m, nil), o)
	if err != nil {
		t.Fatal(err)
	}
	got := ranked(t, r, documents(values...))
	return got, r.Take(), m
}

// TestSetwise: heap sort finds the first k documents in their order; the others keep theirs. It asks
// what the code of Rank-R1 asks (llmrankers/setwise.py, counted by running it on the same numbers).
func TestSetwise(t *testing.T) {
	values := []int{31, 54, 12, 93, 8, 77, 45, 60, 29, 5, 88, 16, 70, 39, 23}
	for _, c := range []struct {
		window, k int
		want      string
		asks      int
	}{
		{20, 10, "93 88 77 70 60 54 45 39 31 29 12 8 5 16 23", 10},
		{4, 3, "93 88 77 31 54 12 8 45 60 29 5 16 70 39 23", 10},
		{2, 15, "93 88 77 70 60 54 45 39 31 29 23 16 12 8 5", 152},
		{4, 40, "93 88 77 70 60 54 45 39 31 29 23 16 12 8 5", 27},
		{4, 1, "93 31 54 12 8 77 45 60 29 5 88 16 70 39 23", 6},
	} {
		r := *recipeOf(t, "rank-r1")
		r.K = c.k
		got, seen, m := rankedBy(t, Options{Recipe: &r, Window: c.window}, values, bestOf)
		if strings.Join(got, " ") != c.want || len(m.asked) != c.asks || seen.Answered != c.asks || seen.Failed != 0 || len(seen.Thoughts) != c.asks {
			t.Errorf("window %d, k %d: %v after %d questions, want %s after %d; %+v", c.window, c.k, got, len(m.asked), c.want, c.asks, seen.Counts)
		}
	}
	for n := range 4 { // of few documents
		r := recipeOf(t, "rank-r1")
		want := slices.Clone(values[:n])
		slices.Sort(want)
		slices.Reverse(want)
		if got, _, _ := rankedBy(t, Options{Recipe: r}, values[:n], bestOf); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d documents: %v", n, got)
		}
	}
}

// TestSetwiseOrders: with several orders each comparison is asked as often, in different orders, and the
// most votes win against a model that prefers the first document half of the time.
func TestSetwiseOrders(t *testing.T) {
	n := 0
	biased := func(shown []int) string {
		if n++; n%2 == 0 {
			return "<think></think><answer>[1]</answer>"
		}
		return bestOf(shown)
	}
	got, seen, m := rankedBy(t, Options{Recipe: recipeOf(t, "rank-r1"), Orders: 9, Window: 6, Parallel: 1}, []int{31, 54, 12, 93, 8, 77}, biased)
	if strings.Join(got, " ") != "93 77 54 31 12 8" || len(m.asked)%9 != 0 || seen.Answered != len(m.asked) {
		t.Errorf("%v after %d questions", got, len(m.asked))
	}
	texts := map[string]bool{}
	for _, r := range m.asked[:9] {
		texts[r.Messages[1].Text] = true
	}
	if len(texts) < 8 {
		t.Errorf("%d different questions of 9", len(texts))
	}
}

// TestUnparsed: an answer that is not exactly one of the labels, or an order within the pattern,
// is counted, and the documents keep their order.
func TestUnparsed(t *testing.T) {
	for _, said := range []string{
		"", "[2]", "<answer>[2]</answer>", // the last is a label, although no thoughts precede it
		"<think>x</think> so <answer>[2]</answer>", "<think>x</think><answer>2</answer>", "<think>x</think><answer>[2] [1]</answer>",
		"<think>x</think><answer>[9]</answer>", "<think>x</think><answer>[0]</answer>", "<think>x</think><answer>[02]</answer>",
		"<think>x <answer>[2]</answer>", "<think>x</think><answer>[2]", "<think>x</think><answer></answer>", "<think>x</think>",
	} {
		got, seen, _ := rankedBy(t, Options{Recipe: recipeOf(t, "rank-r1")}, []int{10, 20, 30}, func([]int) string { return said })
		if said == "<answer>[2]</answer>" {
			if got[0] != "20" || seen.Failed != 0 {
				t.Errorf("%q: %v, %+v", said, got, seen.Counts)
			}
			continue
		}
		if strings.Join(got, " ") != "10 20 30" || seen.Failed == 0 || seen.Unusable[chat.Unparsed] != seen.Failed || seen.Answered != 0 {
			t.Errorf("%q: %v, %+v", said, got, seen.Counts)
		}
	}
	for said, want := range map[string]string{
		"<think>[1]</think>\n<answer>[3] > [1] > [2]</answer>":       "30 10 20 whole",
		"<THINK>[1]</think>\n<Answer>\n[3] > [1] > [2]\n</ANSWER>":   "30 10 20 whole",
		"a </think> b </think><answer>[3] > [1] > [2]</answer> done": "30 10 20 whole",
		"<think></think><answer>3, 1, 2, 7</answer>":                 "30 10 20 whole",
		"<think></think><answer>[3] > [3] > [1] > [2]</answer>":      "30 10 20 incomplete",
		"<think></think><answer>[3]</answer>":                        "30 10 20 incomplete",
		"<think></think><answer>none</answer>":                       "10 20 30 unparsed",
		"<think></think><answer>[4] > [0]</answer>":                  "10 20 30 unparsed",
		"<think>so <answer>[3] > [1] > [2]</answer>":                 "10 20 30 unparsed",
		"<think></think>I think <answer>[3] > [1] > [2]</answer>":    "10 20 30 unparsed",
	} {
		got, seen, _ := rankedBy(t, Options{Recipe: recipeOf(t, "reasonrank")}, []int{10, 20, 30}, func([]int) string { return said })
		how := "whole"
		if seen.Incomplete > 0 {
			how = "incomplete"
		}
		if seen.Unusable[chat.Unparsed] > 0 {
			how = "unparsed"
		}
		if all := strings.Join(got, " ") + " " + how; all != want {
			t.Errorf("%q: %s, want %s", said, all, want)
		}
	}
	for said, want := range map[string]string{"[3] > [1] > [2]": "30 10 20", " [3] > [1]\n": "30 10 20", "3 > 1 > 2": "10 20 30", "The order is [3] > [1] > [2]": "10 20 30"} {
		if got, seen, _ := rankedBy(t, Options{Recipe: recipeOf(t, "rank-llm")}, []int{10, 20, 30}, func([]int) string { return said }); strings.Join(got, " ") != want || len(seen.Thoughts) != 0 {
			t.Errorf("%q: %v, %+v", said, got, seen)
		}
	}
	if got, seen, _ := rankedBy(t, Options{How: Listwise}, []int{10, 20, 30}, func([]int) string { return "[3] > [1]" }); strings.Join(got, " ") != "30 10 20" || seen.Incomplete != 1 {
		t.Errorf("%v, %+v", got, seen)
	}
}

// TestRecipeForecast: a forecast asks the most questions that a ranking can take, with the thoughts of
// a judge in the question for its verdict.
func TestRecipeForecast(t *testing.T) {
	docs := documents(10, 20, 30, 40, 50, 60, 70)
	forecast := func(o Options) chat.Forecast {
		f := chat.NewForecaster(nil, nil)
		r, err := New(chat.NewAsker(f, nil), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Rerank(t.Context(), query, docs, make([]float64, len(docs))); err != nil {
			t.Fatal(err)
		}
		return f.Forecast()
	}
	if f := forecast(Options{Model: "m", Recipe: recipeOf(t, "rank1")}); f.Questions != 14 || f.OutputAtMost != 7*(8192+1) || f.Input < 7*8192 {
		t.Errorf("%+v", f)
	}
	if f := forecast(Options{Model: "m", Recipe: recipeOf(t, "rank1"), Tokens: 101}); f.Questions != 14 || f.OutputAtMost != 7*101 {
		t.Errorf("%+v", f)
	}
	setwise := recipeOf(t, "rank-r1")
	most := forecast(Options{Model: "m", Recipe: setwise, Window: 3}).Questions
	for seed := range 200 { // no order takes more
		values := make([]int, len(docs))
		for i := range values {
			values[i] = (seed*(i+3)*7919 + i*i*31) % 1000
		}
		if _, _, m := rankedBy(t, Options{Recipe: setwise, Window: 3}, values, bestOf); len(m.asked) > most {
			t.Fatalf("%v: %d questions, a forecast of %d", values, len(m.asked), most)
		}
	}
}

// An answer follows the last end of the thoughts, also if a recipe names only one of the two tags.
func TestSplit(t *testing.T) {
	for _, think := range []Think{{}, {Close: chat.ThinkClose}, {Open: chat.ThinkOpen}} {
		r := &Recipe{Think: think}
		for text, want := range map[string][2]string{
			"[1]":                        {"", "[1]"},
			"<think>so</think>[2]":       {"so", "[2]"},
			"so</think>[3]":              {"so", "[3]"},
			"<think>it never ends, [4]":  {"it never ends, [4]", ""},
			"<think>a</think></think>[]": {"a</think>", "[]"},
		} {
			if thoughts, answer := r.split(chat.Answer{Text: text}); thoughts != want[0] || answer != want[1] {
				t.Errorf("%+v: %q is %q, then %q; want %q, then %q", think, text, thoughts, answer, want[0], want[1])
			}
		}
	}
}
