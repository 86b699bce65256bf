package chatrank

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"infbench/datasets"
	"infbench/datasets/chat"
	"infbench/internal/disk"
)

// asking is the ranking of one query's documents.
type asking struct {
	*Ranker
	query datasets.Query
	docs  []datasets.Document

	before []int // the order before a setwise ranking
}

// name is an ID that the model must repeat, so that an answer about other documents is not
// accepted. It is not a document's ID, which might give something away.
func (a *asking) name(docs ...int) string {
	text := a.query.ID
	for _, i := range docs {
		text += "\x00" + a.docs[i].ID
	}
	return disk.Sum(text)[:8]
}

// unused reports whether an error means an unusable answer, which does not end the ranking. It
// counts the question.
func (a *asking) unused(err error) bool {
	unused := chat.ClassOf(err).Said()
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err == nil:
		a.counts.Answered++
	case unused:
		a.counts.Unusable[chat.ClassOf(err)]++
		if a.counts.Failed++; a.failure == nil {
			a.failure = err
		}
	}
	return unused
}

// judge scores documents by log-odds. If the endpoint gives no log-probabilities, they are scored by
// verdicts, or it is an error if the recipe has no question for these.
func (a *asking) judge(ctx context.Context, order []int, scores []float64) error {
	odds, err := a.weighed(ctx, order)
	switch {
	case err != nil:
		return err
	case odds == nil:
		return a.graded(ctx, order, scores)
	}
	spread(order, odds, scores)
	return nil
}

// graded asks about each document by itself, and takes the verdict or grade from the answer's words.
// Documents with equal ones keep their order.
func (a *asking) graded(ctx context.Context, order []int, scores []float64) error {
	grades := make([]int, len(order))
	err := a.together(ctx, len(order), func(ctx context.Context, place int) error {
		grade, err := a.grade(ctx, order[place])
		if !a.unused(err) && err != nil {
			return err
		}
		if grades[place] = grade; err == nil {
			a.note(order[place], a.opts.Recipe.How == Judge && grade == 1 || grade >= 2)
		}
		return nil
	})
	if err != nil {
		return err
	}
	n := float64(len(order))
	for place, doc := range order {
		scores[doc] = float64(grades[place]) + (n-float64(place))/(n+1)
	}
	return nil
}

// together asks n questions, as many at once as Options.Parallel. It stops at the first error.
func (a *asking) together(ctx context.Context, n int, ask func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(a.opts.Parallel)
	for i := range n {
		group.Go(func() error { return ask(ctx, i) })
	}
	return group.Wait()
}

// grade is the model's grade of a document: 1 or 0 for the first of two texts or the other, or the
// number that it gives.
func (a *asking) grade(ctx context.Context, doc int) (int, error) {
	r := a.opts.Recipe
	said, err := a.ask(ctx, cmp.Or(r.InWords, r.User), doc)
	if err != nil {
		return 0, err
	}
	switch said := said.(type) {
	case float64:
		return int(said), nil
	case string:
		return bit(said == r.Values[0]), nil
	}
	return 0, nil
}

// bit is 1 for true.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ask asks the question of a template about documents and returns the field of the answer in JSON. An
// answer in another form or about other documents counts as unusable, whatever form was requested.
func (a *asking) ask(ctx context.Context, template string, docs ...int) (said any, err error) {
	r := a.inJSON(template, docs...)
	_, err = a.asker.AskChecked(ctx, r,
		chat.OfRecord("id", a.name(docs...)),
		func(answer chat.Answer) error { return chat.CheckForm(&r, answer.Text) },
		func(answer chat.Answer) error {
			var fields map[string]any
			err := answer.Decode(&fields)
			said = fields[a.opts.Recipe.Field]
			return err
		})
	return said, err
}

// count counts something about an answer that was used.
func (a *asking) count(n *int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	*n++
}

// note records a verdict.
func (a *asking) note(doc int, relevant bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	of := a.verdicts[a.query.ID]
	if of == nil {
		of = map[string]bool{}
		a.verdicts[a.query.ID] = of
	}
	of[a.docs[doc].ID] = relevant
}

// pairwise lets documents rise past earlier ones that they beat. Each pass goes from the last
// document to the first and puts the best remaining document in its place, so that the first
// documents are ordered as by all pairs and the others keep their order. A pair is asked in
// both orders; if the answers differ, it stays (PRP-Sliding-K of Qin et al., arXiv 2306.17563).
func (a *asking) pairwise(ctx context.Context, order []int) error {
	for pass := range min(a.opts.Passes, len(order)-1) {
		for i := len(order) - 1; i > pass; i-- {
			beats, err := a.beats(ctx, order[i], order[i-1])
			if err != nil {
				return err
			}
			if beats {
				order[i], order[i-1] = order[i-1], order[i]
			}
		}
	}
	return nil
}

// beats reports whether the model prefers one document to another in both orders.
func (a *asking) beats(ctx context.Context, one, other int) (bool, error) {
	var first, second string
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { first, err = a.better(ctx, one, other); return err })
	group.Go(func() (err error) { second, err = a.better(ctx, other, one); return err })
	err := group.Wait()
	return first == "A" && second == "B", err
}

// better asks which of two documents is better: "A", "B", or "" if the answer is unusable.
func (a *asking) better(ctx context.Context, one, other int) (string, error) {
	said, err := a.ask(ctx, a.opts.Recipe.User, one, other)
	if a.unused(err) {
		return "", nil
	}
	better, _ := said.(string)
	return better, err
}

// listwise orders a window of documents and moves it from the last to the first
// (RankGPT of Sun et al., arXiv 2304.09542).
func (a *asking) listwise(ctx context.Context, order []int) error {
	for end := len(order); ; end -= a.opts.Step {
		start := max(0, end-a.opts.Window)
		if err := a.window(ctx, order[start:end]); err != nil {
			return err
		}
		if start == 0 {
			return nil
		}
	}
}

// window orders some documents by the model's answer, or by the majority of several answers.
// Each question then gives the documents in a different order (permutation self-consistency of
// Tang et al., arXiv 2310.07712). Unusable parts of an answer are ignored; without a usable
// answer the order stays.
func (a *asking) window(ctx context.Context, order []int) error {
	if len(order) < 2 {
		return nil
	}
	answers := make([][]int, a.opts.Orders) // positions of the named documents in order
	err := a.together(ctx, len(answers), func(ctx context.Context, i int) (err error) {
		answers[i], err = a.named(ctx, order, a.shuffled(order, i))
		return err
	})
	if err != nil {
		return err
	}
	places := withRest(answers[0], len(order))
	if len(answers) > 1 {
		places = merge(len(order), answers)
	}
	before := slices.Clone(order)
	for i, place := range places {
		order[i] = before[place]
	}
	return nil
}

// shuffled returns the positions of documents in the order in which the number-th question
// gives them: unchanged if there is one question, else by a hash that does not depend on their
// contents.
func (a *asking) shuffled(order []int, number int) []int {
	places := make([]int, len(order))
	for i := range places {
		places[i] = i
	}
	if a.opts.Orders == 1 {
		return places
	}
	key := func(place int) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", a.query.ID, a.docs[order[place]].ID, number))
		return string(sum[:])
	}
	slices.SortFunc(places, func(x, y int) int { return strings.Compare(key(x), key(y)) })
	return places
}

// named asks for the order of documents, given as positions, and returns the positions that the
// answer names; none if it is unusable.
func (a *asking) named(ctx context.Context, order, given []int) ([]int, error) {
	shown := make([]int, len(given))
	for i, place := range given {
		shown[i] = order[place]
	}
	r := a.opts.Recipe
	var named []int
	whole := true
	read := func(answer chat.Answer) (err error) {
		thoughts, text := r.split(answer)
		a.told(shown, thoughts, text, nil)
		named, whole, err = r.order(text, len(order))
		return err
	}
	_, err := a.asker.AskChecked(ctx, a.question(r.User, shown...), read)
	if a.unused(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !whole {
		a.count(&a.counts.Incomplete)
	}
	for i, number := range named {
		named[i] = given[number]
	}
	return named, nil
}
