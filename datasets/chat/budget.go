package chat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"infbench/internal/nearest"
)

// Price is what a million tokens cost, in whatever currency all prices are in.
type Price struct {
	Input  float64 `json:"input" yaml:"input"`
	Output float64 `json:"output" yaml:"output"`
}

// Of is the cost of some tokens.
func (p Price) Of(input, output int) float64 {
	return (float64(input)*p.Input + float64(output)*p.Output) / 1e6
}

// Limits are what asking may use, in one process. 0 is no limit.
type Limits struct {
	Tokens int64
	Money  float64
	Prices map[string]Price // by model; with Money, of every model that is asked
}

// Budget holds all questions of a process to limits. Before a question is sent, its
// worst case is set aside: as many tokens of input as it has bytes, and of output as it
// may. So limits are not passed while an endpoint keeps to max_tokens and counts as it
// says. A request whose fate is not known (time out, a broken connection) counts as its
// worst case.
type Budget struct {
	limits Limits

	mu       sync.Mutex
	spent    spending
	reserved spending
	settled  chan struct{} // closed and made anew whenever a question is settled
}

// spending is an amount of both kinds.
type spending struct {
	tokens int64
	money  float64
}

func (s spending) plus(t spending) spending { return spending{s.tokens + t.tokens, s.money + t.money} }
func (s spending) less(t spending) spending { return spending{s.tokens - t.tokens, s.money - t.money} }

// ErrBudget says that a question was not sent since it could pass the budget.
var ErrBudget = errors.New("budget used up")

// NewBudget returns a budget.
func NewBudget(l Limits) (*Budget, error) {
	if l.Tokens < 0 || !(l.Money >= 0) {
		return nil, errors.New("budget: a limit is negative")
	}
	for model, p := range l.Prices {
		if !(p.Input >= 0) || !(p.Output >= 0) {
			return nil, fmt.Errorf("budget: the price of %s is negative", model)
		}
	}
	if l.Money > 0 && len(l.Prices) == 0 {
		return nil, errors.New("budget: a limit of money needs prices")
	}
	return &Budget{limits: l, settled: make(chan struct{})}, nil
}

// Spent is what was used so far, worst cases of unknown fate among it.
func (b *Budget) Spent() (tokens int64, money float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent.tokens, b.spent.money
}

// reservation is the worst case of one question until it is settled.
type reservation struct {
	of    *Budget
	most  spending
	price Price
}

// reserve sets the worst case of a request aside. Where it fits only once questions under
// way are settled, it waits for them.
func (b *Budget) reserve(ctx context.Context, r *Request) (*reservation, error) {
	for {
		reserved, settled, err := b.take(r)
		if settled == nil {
			return reserved, err
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// reserveNow is reserve that waits for nothing.
func (b *Budget) reserveNow(r *Request) (*reservation, error) {
	reserved, _, err := b.take(r)
	return reserved, err
}

// price is what the model costs; an error where a limit could not be held.
func (b *Budget) price(r *Request) (Price, error) {
	limited := b.limits.Tokens > 0 || b.limits.Money > 0
	if limited && r.MaxTokens <= 0 {
		return Price{}, fmt.Errorf("a question to %s says no max_tokens, without which no budget can be held", r.Model)
	}
	price, ok := b.limits.Prices[r.Model]
	if !ok && b.limits.Money > 0 {
		return price, nearest.Unknown("model with a price", r.Model, slices.Sorted(maps.Keys(b.limits.Prices)))
	}
	return price, nil
}

// take sets the worst case of a request aside. With the error that it does not fit comes
// a channel where it may once others are settled.
func (b *Budget) take(r *Request) (*reservation, <-chan struct{}, error) {
	if b == nil {
		return nil, nil, nil
	}
	price, err := b.price(r)
	if err != nil {
		return nil, nil, &Error{OverBudget, err}
	}
	input := r.AtMost()
	most := spending{int64(input + r.MaxTokens), price.Of(input, r.MaxTokens)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fits(b.spent.plus(b.reserved).plus(most)) {
		b.reserved = b.reserved.plus(most)
		return &reservation{b, most, price}, nil, nil
	}
	err = &Error{OverBudget, fmt.Errorf("%w: %d tokens and %.4f of money are used, and one question more may take %d and %.4f, of limits %d and %.4f (0: none)",
		ErrBudget, b.spent.tokens, b.spent.money, most.tokens, most.money, b.limits.Tokens, b.limits.Money)}
	if b.reserved.tokens > 0 && b.fits(b.spent.plus(most)) {
		return nil, b.settled, err
	}
	return nil, nil, err
}

// fits says whether an amount is within the limits.
func (b *Budget) fits(s spending) bool {
	return (b.limits.Tokens == 0 || s.tokens <= b.limits.Tokens) && (b.limits.Money == 0 || s.money <= b.limits.Money)
}

// settle replaces the worst case by what was used.
func (r *reservation) settle(used spending) {
	if r == nil {
		return
	}
	b := r.of
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved, b.spent = b.reserved.less(r.most), b.spent.plus(used)
	close(b.settled)
	b.settled = make(chan struct{})
}

// nothing settles a question that cost nothing, all one whose fate is unknown, and just
// one whose tokens are.
func (r *reservation) nothing() { r.settle(spending{}) }

func (r *reservation) all() {
	if r != nil {
		r.settle(r.most)
	}
}

func (r *reservation) just(input, output int) {
	if r != nil {
		r.settle(spending{int64(input + output), r.price.Of(input, output)})
	}
}
