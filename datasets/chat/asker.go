package chat

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"unicode"

	"infbench/internal/endpoint"
)

// Usage is the consumption of asking a model.
type Usage struct {
	Answered int           `json:"answered"` // questions with a usable answer
	Cached   int           `json:"cached"`   // questions with any outcome for which nothing was sent
	Input    int           `json:"input_tokens"`
	Reused   int           `json:"cached_input_tokens,omitempty"` // the part of Input that endpoints had in their caches
	Output   int           `json:"output_tokens"`
	Money    float64       `json:"money,omitempty"` // cost of the sent requests, where prices are known
	Failures map[Class]int `json:"failures,omitempty"`
}

// Failed returns the number of questions without a usable answer.
func (u *Usage) Failed() int {
	n := 0
	for _, count := range u.Failures {
		n += count
	}
	return n
}

// String formats the usage on one line: "90 answered (12 of all from cache), 4 refused, 1
// truncated; 8000 + 700 tokens".
func (u *Usage) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d answered (%d of all questions from cache)", u.Answered, u.Cached)
	for _, failed := range ByClass(u.Failures) {
		b.WriteString(", " + failed)
	}
	fmt.Fprintf(&b, "; %d tokens in", u.Input)
	if u.Reused > 0 {
		fmt.Fprintf(&b, " (%d from the endpoint's cache)", u.Reused)
	}
	fmt.Fprintf(&b, ", %d out", u.Output)
	if u.Money > 0 {
		fmt.Fprintf(&b, ", cost %.4f", u.Money)
	}
	return b.String()
}

// Asker counts the usage of a model and its failures by class.
type Asker struct {
	model  Model
	prices map[string]Price

	mu    sync.Mutex
	usage Usage
}

var _ Model = (*Asker)(nil)

// NewAsker returns an Asker for a model; prices may be nil.
func NewAsker(m Model, prices map[string]Price) *Asker {
	return &Asker{model: m, prices: prices, usage: Usage{Failures: map[Class]int{}}}
}

// Usage returns the usage so far. Tokens count all answers, also cached ones, so that a rerun from
// a cache reports the same number; money counts sent requests only.
func (a *Asker) Usage() Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	u := a.usage
	u.Failures = maps.Clone(a.usage.Failures)
	return u
}

// Ask implements Model.
func (a *Asker) Ask(ctx context.Context, r Request) (Answer, error) { return a.AskChecked(ctx, r) }

// Check tests an answer beyond its form. Its error should be an *Error, for example of class
// WrongRecord.
type Check func(Answer) error

// AskChecked asks and applies the checks to the answer. An answer that fails them is returned with
// the error, and counted by its class. In a context of private texts the error quotes no answer.
func (a *Asker) AskChecked(ctx context.Context, r Request, checks ...Check) (Answer, error) {
	answer, err := a.model.Ask(ctx, r)
	for _, check := range checks {
		if err == nil {
			err = check(answer)
		}
	}
	// an error without a class does not come from an endpoint and quotes nothing
	if class := ClassOf(err); endpoint.IsPrivate(ctx) && class != "" && class != Unclassed {
		err = &Error{class, bare(class, err)}
	}
	a.count(r.Model, answer, err)
	return answer, err
}

func (a *Asker) count(model string, answer Answer, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	u := &a.usage
	u.Input += answer.Input
	u.Output += answer.Output
	u.Reused += answer.Reused
	if answer.Cached {
		u.Cached++
	} else {
		u.Money += a.prices[model].Cost(answer.Input, answer.Output)
	}
	if class := ClassOf(err); class != "" {
		u.Failures[class]++
	} else {
		u.Answered++
	}
}

// OfRecord checks that a field in the answer's JSON repeats the ID of the question, so that no
// answer to another record is accepted.
func OfRecord(field, id string) Check {
	return func(a Answer) error {
		var fields map[string]any
		if err := a.Decode(&fields); err != nil {
			return err
		}
		if got := fmt.Sprint(fields[field]); got != id {
			return &Error{WrongRecord, fmt.Errorf("the answer is to %q, the question was %q", shortened(got), id)}
		}
		return nil
	}
}

// InScriptOf checks that most letters of an answer are of scripts that a text uses: models
// sometimes switch to Chinese. It does not distinguish languages that share a script.
func InScriptOf(text string) Check {
	known := scripts(text)
	return func(a Answer) error {
		foreign, letters := 0, 0
		for script, n := range scripts(a.Text) {
			if letters += n; known[script] == 0 {
				foreign += n
			}
		}
		if 2*foreign > letters {
			return &Error{WrongLanguage, fmt.Errorf("%d of %d letters of the answer are of another script: %q", foreign, letters, shortened(a.Text))}
		}
		return nil
	}
}

// scripts counts the letters of a text by script.
func scripts(text string) map[string]int {
	counts := map[string]int{}
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		if r < 0x80 {
			counts["Latin"]++
			continue
		}
		for name, table := range unicode.Scripts {
			if unicode.Is(table, r) {
				counts[name]++
				break
			}
		}
	}
	return counts
}
