package chatrank

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"

	"infbench/datasets/chat"
)

// setwise finds the first documents by heap sort: a question asks for the best of a document and its
// children in the heap (Zhuang et al., arXiv 2310.09497, as Rank-R1's run_setwise.py uses it). Those
// that follow the first k keep their order.
func (a *asking) setwise(ctx context.Context, order []int) error {
	before, n := slices.Clone(order), len(order)
	a.before = before
	children, k := a.opts.Window-1, a.opts.Recipe.K
	if k == 0 {
		k = 10
	}
	for i := n / children; i >= 0; i-- {
		if err := a.sift(ctx, order, i, n); err != nil {
			return err
		}
	}
	end := n // of the heap; the documents behind it are found, the best last
	for found := 1; end > 1 && found <= k; found++ {
		end--
		order[0], order[end] = order[end], order[0]
		if found < k {
			if err := a.sift(ctx, order, 0, end); err != nil {
				return err
			}
		}
	}
	if end == 1 {
		end = 0
	}
	best := slices.Clone(order[end:])
	slices.Reverse(best)
	for _, doc := range before {
		if !slices.Contains(best, doc) {
			best = append(best, doc)
		}
	}
	copy(order, best)
	return nil
}

// sift moves the document at a place of the heap order[:n] down, past children that are better.
func (a *asking) sift(ctx context.Context, order []int, place, n int) error {
	children := a.opts.Window - 1
	for children*place+1 < n {
		first := children*place + 1
		group := append([]int{order[place]}, order[first:min(first+children, n)]...)
		best, err := a.best(ctx, group)
		if err != nil || best == 0 {
			return err
		}
		child := first + best - 1
		order[place], order[child] = order[child], order[place]
		place = child
	}
	return nil
}

// best asks which of some documents is the best, and returns its position. Without a usable answer that
// is the one that came first; with several orders the one with the most votes, of equals the one that
// came first. A forecast takes the way through the heap with the most questions.
func (a *asking) best(ctx context.Context, docs []int) (int, error) {
	answers := make([]int, a.opts.Orders)
	err := a.together(ctx, len(answers), func(ctx context.Context, i int) (err error) {
		answers[i], err = a.chosen(ctx, docs, a.shuffled(docs, i))
		return err
	})
	if err != nil {
		return 0, err
	}
	votes := make([]int, len(docs))
	for _, place := range answers {
		if place >= 0 {
			votes[place]++
		}
	}
	best := 0
	for i := range docs {
		earlier := slices.Index(a.before, docs[i]) < slices.Index(a.before, docs[best])
		if votes[i] > votes[best] || votes[i] == votes[best] && earlier {
			best = i
		}
	}
	return best, nil
}

// chosen asks for the best of documents in the order given, as positions, and returns its position; -1
// if the answer is unusable.
func (a *asking) chosen(ctx context.Context, docs, given []int) (int, error) {
	shown := make([]int, len(given))
	for i, place := range given {
		shown[i] = docs[place]
	}
	r, best := a.opts.Recipe, -1
	_, err := a.asker.AskChecked(ctx, a.question(r.User, shown...), func(answer chat.Answer) (err error) {
		thoughts, text := r.split(answer)
		a.told(shown, thoughts, text, nil)
		best, err = r.label(text, len(docs))
		return err
	})
	switch {
	case errors.Is(err, chat.ErrForecast):
		a.unused(err)
		return 1, nil
	case a.unused(err):
		return -1, nil
	case err != nil:
		return -1, err
	}
	return given[best], nil
}

// oneLabel matches an answer that is a label.
var oneLabel = regexp.MustCompile(`^\[(\d{1,4})\]$`)

// label reads the label of one of n documents and returns its number from 0.
func (r *Recipe) label(text string, n int) (int, error) {
	answer, err := r.answered(text)
	if err != nil {
		return 0, err
	}
	if m := oneLabel.FindStringSubmatch(answer); m != nil {
		if k, err := strconv.Atoi(m[1]); err == nil && k >= 1 && k <= n && m[1] == strconv.Itoa(k) {
			return k - 1, nil
		}
	}
	return 0, unparsed("the answer of recipe %s is not one of the labels [1] to [%d]: %q", r.Name, n, beginning(answer))
}
