package chatrank

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"infbench/datasets/chat"
)

// Scale is what pointwise questions give for a document.
type Scale string

// The scales.
const (
	// LogOdds are the log-odds of yes against no, by the log-probabilities of the answer's only
	// token (Nogueira et al., arXiv 2003.06713; Weller et al., arXiv 2502.18418).
	LogOdds Scale = "log-odds"
	// Verdicts are yes or no in words, for endpoints without log-probabilities. The ranks of
	// documents with the same verdict tie.
	Verdicts Scale = "verdicts"
)

// Scale returns the scale of pointwise questions, "" until an answer has shown whether the endpoint
// gives log-probabilities.
func (r *Ranker) Scale() Scale {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.scale
}

// weighed returns the log-odds of the documents in order, by index of docs; nil if the endpoint gives
// no log-probabilities. Until one answer has shown whether it does, documents are asked one at a
// time, so that a ranking never mixes two scales.
func (a *asking) weighed(ctx context.Context, order []int) ([]float64, error) {
	odds, next := make([]float64, len(a.docs)), 0
	weigh := func(ctx context.Context, doc int) error {
		value, err := a.logOdds(ctx, doc)
		switch {
		case a.Scale() == Verdicts:
			return nil
		case !a.unused(err) && err != nil:
			return err
		case err == nil:
			a.note(doc, value > 0)
		}
		odds[doc] = value
		return nil
	}
	a.deciding.Lock()
	for ; next < len(order) && a.Scale() == ""; next++ {
		if err := weigh(ctx, order[next]); err != nil {
			a.deciding.Unlock()
			return nil, err
		}
	}
	a.deciding.Unlock()
	if a.Scale() == Verdicts {
		return nil, nil
	}
	rest := order[next:]
	return odds, a.together(ctx, len(rest), func(ctx context.Context, i int) error { return weigh(ctx, rest[i]) })
}

// logOdds asks about a document: for thoughts, if the recipe has some, then for one token. It sets the
// scale if the answer shows it: a recording of an earlier infbench has no such question.
func (a *asking) logOdds(ctx context.Context, doc int) (odds float64, err error) {
	r := a.opts.Recipe
	q := a.question(r.User, doc)
	thoughts, ended, err := a.thinking(ctx, &q)
	if err != nil {
		return 0, err
	}
	q.MaxTokens, q.Logprobs = 1, likeliest
	bounded := false
	answer, err := a.asker.AskChecked(ctx, q, func(answer chat.Answer) (err error) {
		odds, bounded, err = oddsOf(answer.Top, r.Words)
		if err != nil && r.InWords != "" {
			err = &chat.Error{Class: chat.NoVerdict, Err: fmt.Errorf("%w; a model that thinks first needs --reasoning or --answer-tokens, and is then asked for words", err)}
		}
		return err
	})
	if err == nil {
		said := answer.Text
		if q.Continue { // llama-server repeats the beginning of the message
			said = strings.TrimPrefix(said, q.Messages[len(q.Messages)-1].Text)
		}
		a.told([]int{doc}, thoughts, said, &odds)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.counts.Bounded += bit(bounded)
	a.counts.Cut += bit(err == nil && ended == chat.AtLimit)
	a.counts.Unclosed += bit(err == nil && ended == chat.AtEnd)
	switch class := chat.ClassOf(err); {
	case a.scale != "":
	case class == "" || class == chat.NoVerdict:
		a.scale = LogOdds
	case r.InWords == "": // the recipe has no question in words
	case class == chat.NoLogprobs || class == chat.NotRecorded:
		a.scale = Verdicts
	}
	if chat.ClassOf(err) == chat.NoLogprobs && r.InWords == "" {
		err = &needsLogprobs{r.Name, err}
	}
	return odds, err
}

// needsLogprobs is the error of a judge at an endpoint without log-probabilities, which ends a ranking.
type needsLogprobs struct {
	recipe string
	err    error
}

func (e *needsLogprobs) Error() string {
	return fmt.Sprintf("recipe %s ranks by log-probabilities, which the endpoint does not give (%v); --how pointwise asks such an endpoint for words, and ranks then tie", e.recipe, e.err)
}

// thinking asks for the thoughts before a verdict and appends them, with their end, to the question.
// Thoughts that were cut, or ended without their end, lose what follows the last sentence, as in
// Rank1's _fix_incomplete_responses.
func (a *asking) thinking(ctx context.Context, q *chat.Request) (thoughts string, ended chat.Ending, err error) {
	think := a.opts.Recipe.Think
	between := ""
	if think.Budget > 0 {
		first := *q
		first.MaxTokens, first.Stop, first.Follow = a.opts.Tokens-1, []string{think.Close}, 1
		answer, err := a.asker.AskChecked(ctx, first)
		if err != nil {
			return "", "", err
		}
		thoughts, ended = answer.Text, answer.Ended
		if before, _, closed := strings.Cut(thoughts, think.Close); closed {
			thoughts, ended = before, chat.AtStop
		}
		if answer.Thoughts != "" { // the server has found their end, if a text follows
			if thoughts = answer.Thoughts; strings.TrimSpace(answer.Text) != "" {
				ended = chat.AtStop
			}
		}
		if ended != chat.AtStop {
			between = "\n"
			thoughts = wholeSentences(thoughts)
		}
	}
	text := between + thoughts + between + think.Close
	switch {
	case text == "":
	case q.Prompt != "":
		q.Prompt += text
	default:
		if think.Budget > 0 {
			text = think.Open + between + strings.TrimPrefix(strings.TrimLeft(thoughts, " \t\r\n"), think.Open) + between + think.Close
		}
		q.Messages = append(slices.Clone(q.Messages), chat.Message{Role: chat.Assistant, Text: text})
		q.Continue = true
	}
	return thoughts, ended, nil
}

// wholeSentences cuts a text after the last of its . ! ? and trims it; without any it stays.
func wholeSentences(text string) string {
	if end := strings.LastIndexAny(text, ".!?"); end >= 0 {
		text = text[:end+1]
	}
	return strings.TrimSpace(text)
}

// likeliest is how many tokens are asked for with their log-probabilities: as many as OpenAI and
// vLLM give.
const likeliest = 20

// oddsOf returns the log-odds of two words among the likeliest tokens, such as yes against no. The
// probabilities of a word's spellings add up; a token with a space is another token. A word that is not
// among them gets the smallest listed probability, which bounds the log-odds. Without any, the error
// has the class NoVerdict. With one word, its log-probability takes the place of the log-odds.
func oddsOf(top []chat.Token, words [][]string) (odds float64, bounded bool, err error) {
	least := math.Inf(1)
	for _, t := range top {
		least = min(least, t.Logprob)
	}
	none := math.Inf(-1)
	yes, no, neither := logSum(top, words[0]), none, shownWord(words[0][0])+" is not"
	if len(words) == 2 {
		no, neither = logSum(top, words[1]), fmt.Sprintf("neither %s nor %s is", shownWord(words[0][0]), shownWord(words[1][0]))
	}
	switch {
	case yes == none && no == none:
		var texts []string
		for _, t := range top[:min(3, len(top))] {
			texts = append(texts, fmt.Sprintf("%q", t.Text))
		}
		return 0, false, &chat.Error{Class: chat.NoVerdict, Err: fmt.Errorf("%s among the %d likeliest first tokens of the answer (%s ...)",
			neither, len(top), strings.Join(texts, ", "))}
	case len(words) == 1:
		return yes, false, nil
	case yes == none:
		yes, bounded = least, true
	case no == none:
		no, bounded = least, true
	}
	return yes - no, bounded, nil
}

// shownWord quotes a word that has a space.
func shownWord(word string) string {
	if strings.ContainsAny(word, " \t\n") {
		return strconv.Quote(word)
	}
	return word
}

// logSum returns the logarithm of the summed probabilities of some tokens; -Inf if none is listed.
func logSum(top []chat.Token, texts []string) float64 {
	var listed []float64
	for _, t := range top {
		if slices.Contains(texts, t.Text) {
			listed = append(listed, t.Logprob)
		}
	}
	if len(listed) == 0 {
		return math.Inf(-1)
	}
	return floats.LogSumExp(listed)
}

// spread writes the log-odds as scores. Equal ones become neighbouring numbers, so that these
// documents keep their order.
func spread(order []int, odds, scores []float64) {
	sorted := slices.Clone(order)
	slices.SortStableFunc(sorted, func(x, y int) int { return cmp.Compare(odds[y], odds[x]) })
	last := math.Inf(1)
	for _, doc := range sorted {
		last = min(odds[doc], math.Nextafter(last, math.Inf(-1)))
		scores[doc] = last
	}
}
