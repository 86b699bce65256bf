package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Forecast is what questions will use, before any is sent.
type Forecast struct {
	Questions    int     `json:"questions"`
	Known        int     `json:"known"` // answered before; the rest is of the others
	Input        int     `json:"input_tokens"`
	InputAtMost  int     `json:"input_tokens_at_most"`
	OutputAtMost int     `json:"output_tokens_at_most"` // of questions that say so
	Unbounded    int     `json:"unbounded"`             // questions that do not
	Money        float64 `json:"money"`                 // with input as estimated and output at most
	MoneyAtMost  float64 `json:"money_at_most"`
	Unpriced     int     `json:"unpriced"` // questions to models whose price is not known
}

// Add counts one question.
func (f *Forecast) Add(r *Request, known bool, prices map[string]Price) {
	f.Questions++
	if known {
		f.Known++
		return
	}
	about, most := r.Estimate(), r.AtMost()
	f.Input, f.InputAtMost, f.OutputAtMost = f.Input+about, f.InputAtMost+most, f.OutputAtMost+r.MaxTokens
	if r.MaxTokens <= 0 {
		f.Unbounded++
	}
	price, ok := prices[r.Model]
	if !ok {
		f.Unpriced++
	}
	f.Money += price.Of(about, r.MaxTokens)
	f.MoneyAtMost += price.Of(most, r.MaxTokens)
}

// String is the forecast in a sentence.
func (f *Forecast) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d questions, %d of them answered before; the others take about %d tokens (a quarter of the bytes; at most %d) and at most %d of answers",
		f.Questions, f.Known, f.Input, f.InputAtMost, f.OutputAtMost)
	if f.Unbounded > 0 {
		fmt.Fprintf(&b, ", those of %d questions without a bound aside", f.Unbounded)
	}
	if sent := f.Questions - f.Known; sent > f.Unpriced {
		fmt.Fprintf(&b, "; cost about %.4f, at most %.4f", f.Money, f.MoneyAtMost)
	}
	if f.Unpriced > 0 {
		fmt.Fprintf(&b, "; %d without a price", f.Unpriced)
	}
	return b.String()
}

// Forecaster is a model that sends nothing and counts what would be sent. It answers what
// a store has; else it fails as if the answer could not be used, so that whoever asks goes
// on to what does not depend on answers.
type Forecaster struct {
	store  *Store // nil: nothing is known
	prices map[string]Price

	mu       sync.Mutex
	forecast Forecast
	counted  map[string]bool
	unknown  []Request
}

var _ Model = (*Forecaster)(nil)

// NewForecaster returns one; both may be nil.
func NewForecaster(s *Store, prices map[string]Price) *Forecaster {
	return &Forecaster{store: s, prices: prices, counted: map[string]bool{}}
}

// Ask counts a question; equal ones once.
func (f *Forecaster) Ask(_ context.Context, r Request) (Answer, error) {
	hash, err := r.Hash()
	if err != nil {
		return Answer{}, err
	}
	var kept *entry
	if f.store != nil {
		if kept, err = f.store.load(hash); err != nil {
			return Answer{}, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.counted[hash] {
		f.counted[hash] = true
		f.forecast.Add(&r, kept != nil, f.prices)
		if kept == nil {
			f.unknown = append(f.unknown, r)
		}
	}
	if kept != nil {
		return kept.result()
	}
	return Answer{}, &Error{Malformed, errors.New("not sent: this is a forecast")}
}

// Unknown lists the questions that are not answered yet, in the order of asking, for
// Batcher.Prefetch.
func (f *Forecaster) Unknown() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.unknown)
}

// Forecast is what was counted so far.
func (f *Forecaster) Forecast() Forecast {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.forecast
}
