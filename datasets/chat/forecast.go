package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Forecast is the expected usage of questions before any is sent.
type Forecast struct {
	Questions    int     `json:"questions"`
	Known        int     `json:"known"` // answered before; the other fields count the rest
	Input        int     `json:"input_tokens"`
	InputAtMost  int     `json:"input_tokens_at_most"`
	OutputAtMost int     `json:"output_tokens_at_most"` // sum over questions with a limit
	Unbounded    int     `json:"unbounded"`             // questions without a limit
	Money        float64 `json:"money"`                 // for the estimated input and the maximum output
	MoneyAtMost  float64 `json:"money_at_most"`
	Unpriced     int     `json:"unpriced"`                      // questions to models without a known price
	KnownOutput  int     `json:"known_output_tokens,omitempty"` // of the questions answered before
}

// Add counts one question, and the one that follows it (Request.Follow) with an answer of the maximum
// length in it.
func (f *Forecast) Add(r *Request, known bool, prices map[string]Price) {
	f.Questions++
	if known {
		f.Known++
		return
	}
	if r.Follow > 0 {
		next := Request{Model: r.Model, MaxTokens: r.Follow}
		f.add(&next, r.Estimate()+r.MaxTokens, r.AtMost()+r.MaxTokens, prices)
		f.Questions++
	}
	f.add(r, r.Estimate(), r.AtMost(), prices)
}

// add counts a question that is not answered yet, with its expected and its largest input.
func (f *Forecast) add(r *Request, about, most int, prices map[string]Price) {
	f.Input, f.InputAtMost, f.OutputAtMost = f.Input+about, f.InputAtMost+most, f.OutputAtMost+r.MaxTokens
	if r.MaxTokens <= 0 {
		f.Unbounded++
	}
	price, ok := prices[r.Model]
	if !ok {
		f.Unpriced++
	}
	f.Money += price.Cost(about, r.MaxTokens)
	f.MoneyAtMost += price.Cost(most, r.MaxTokens)
}

// String formats the forecast as a sentence.
func (f *Forecast) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d questions, %d of them answered before; the others take about %d tokens (a quarter of the bytes; at most %d) and at most %d of answers",
		f.Questions, f.Known, f.Input, f.InputAtMost, f.OutputAtMost)
	if f.Unbounded > 0 {
		fmt.Fprintf(&b, ", not counting %d questions without a limit", f.Unbounded)
	}
	if sent := f.Questions - f.Known; sent > f.Unpriced {
		fmt.Fprintf(&b, "; cost about %.4f, at most %.4f", f.Money, f.MoneyAtMost)
	}
	if f.Unpriced > 0 {
		fmt.Fprintf(&b, "; %d without a price", f.Unpriced)
	}
	return b.String()
}

// Forecaster is a model that sends nothing and counts the requests it would send. Stored questions
// are answered from the store. Others fail as if their answer were unusable, so that the caller
// continues with questions that do not depend on answers.
type Forecaster struct {
	store  *Store // nil: nothing is stored
	prices map[string]Price

	mu       sync.Mutex
	forecast Forecast
	counted  map[string]bool
	unknown  []Request
}

var _ Model = (*Forecaster)(nil)

// NewForecaster returns a Forecaster; both arguments may be nil.
func NewForecaster(s *Store, prices map[string]Price) *Forecaster {
	return &Forecaster{store: s, prices: prices, counted: map[string]bool{}}
}

// ErrForecast is the error of an unanswered question in a forecast.
var ErrForecast = errors.New("not sent: this is a forecast")

// Ask counts a question; equal questions count once.
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
		if kept != nil {
			f.forecast.KnownOutput += kept.Answer.Output
		} else {
			f.unknown = append(f.unknown, r)
		}
	}
	if kept != nil {
		return kept.result()
	}
	return Answer{}, &Error{Malformed, ErrForecast}
}

// Unknown lists the unanswered questions, in the order of asking, for Batcher.Prefetch.
func (f *Forecaster) Unknown() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.unknown)
}

// Forecast returns the counts so far.
func (f *Forecaster) Forecast() Forecast {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.forecast
}
