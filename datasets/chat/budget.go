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

// Price is the price of a million tokens. All prices are in the same currency, whichever it is.
type Price struct {
	Input  float64 `json:"input" yaml:"input"`
	Output float64 `json:"output" yaml:"output"`
}

// Cost returns the cost of some tokens.
func (p Price) Cost(input, output int) float64 {
	return (float64(input)*p.Input + float64(output)*p.Output) / 1e6
}

// Limits bound the use of models by one process. 0 means no limit.
type Limits struct {
	Tokens int64
	Money  float64
	Prices map[string]Price // by model; required for every model if Money is set
}

// Budget enforces limits on all questions of a process. Before a question is sent, its worst case
// is reserved: as many input tokens as it has bytes, and the maximum of output tokens. The limits
// therefore hold as long as an endpoint obeys max_tokens and counts as documented. A request with
// unknown outcome (timeout, broken connection) counts as its worst case.
type Budget struct {
	limits Limits

	mu       sync.Mutex
	spent    spending
	reserved spending
	settled  chan struct{} // closed and replaced whenever a question is settled
}

// spending is an amount of tokens and money.
type spending struct {
	tokens int64
	money  float64
}

func (s spending) plus(t spending) spending { return spending{s.tokens + t.tokens, s.money + t.money} }
func (s spending) less(t spending) spending { return spending{s.tokens - t.tokens, s.money - t.money} }

// ErrBudget means that a question was not sent because it could exceed the budget.
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

// Spent returns the usage so far. Requests with unknown outcome count as their worst case.
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

// reserve reserves the worst case of a request. If it fits only after open questions are settled,
// reserve waits for them.
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

// reserveNow is like reserve but does not wait.
func (b *Budget) reserveNow(r *Request) (*reservation, error) {
	reserved, _, err := b.take(r)
	return reserved, err
}

// price returns the price of the model, or an error if a limit could not be enforced.
func (b *Budget) price(r *Request) (Price, error) {
	limited := b.limits.Tokens > 0 || b.limits.Money > 0
	if limited && r.MaxTokens <= 0 {
		return Price{}, fmt.Errorf("a question to %s has no max_tokens, which a budget requires", r.Model)
	}
	price, ok := b.limits.Prices[r.Model]
	if !ok && b.limits.Money > 0 {
		return price, nearest.Unknown("model with a price", r.Model, slices.Sorted(maps.Keys(b.limits.Prices)))
	}
	return price, nil
}

// take reserves the worst case of a request. If it does not fit, take returns an error, and a
// channel if it may fit once other questions are settled.
func (b *Budget) take(r *Request) (*reservation, <-chan struct{}, error) {
	if b == nil {
		return nil, nil, nil
	}
	price, err := b.price(r)
	if err != nil {
		return nil, nil, &Error{OverBudget, err}
	}
	input := r.AtMost()
	most := spending{int64(input + r.MaxTokens), price.Cost(input, r.MaxTokens)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fits(b.spent.plus(b.reserved).plus(most)) {
		b.reserved = b.reserved.plus(most)
		return &reservation{b, most, price}, nil, nil
	}
	err = &Error{OverBudget, fmt.Errorf("%w: %d tokens and %.4f of money are used, and one more question may take %d and %.4f; the limits are %d and %.4f (0: none)",
		ErrBudget, b.spent.tokens, b.spent.money, most.tokens, most.money, b.limits.Tokens, b.limits.Money)}
	if b.reserved.tokens > 0 && b.fits(b.spent.plus(most)) {
		return nil, b.settled, err
	}
	return nil, nil, err
}

// fits reports whether an amount is within the limits.
func (b *Budget) fits(s spending) bool {
	return (b.limits.Tokens == 0 || s.tokens <= b.limits.Tokens) && (b.limits.Money == 0 || s.money <= b.limits.Money)
}

// settle replaces the worst case by the actual usage.
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

// nothing settles a question without cost, all one with unknown outcome, and just one whose tokens
// are known.
func (r *reservation) nothing() { r.settle(spending{}) }

func (r *reservation) all() {
	if r != nil {
		r.settle(r.most)
	}
}

func (r *reservation) just(input, output int) {
	if r != nil {
		r.settle(spending{int64(input + output), r.price.Cost(input, output)})
	}
}
