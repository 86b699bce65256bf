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

// Usage is what asking a model took.
type Usage struct {
	Answered int           `json:"answered"` // questions with an answer that can be used
	Cached   int           `json:"cached"`   // questions, of any fate, for which nothing was sent
	Input    int           `json:"input_tokens"`
	Output   int           `json:"output_tokens"`
	Money    float64       `json:"money,omitempty"` // of what was sent, where prices are known
	Failures map[Class]int `json:"failures,omitempty"`
}

// Failed is how many questions have no answer that can be used.
func (u *Usage) Failed() int {
	n := 0
	for _, count := range u.Failures {
		n += count
	}
	return n
}

// String is a line about it: "90 answered (12 of all from cache), 4 refused, 1 truncated;
// 8000 + 700 tokens".
func (u *Usage) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d answered (%d of all questions from cache)", u.Answered, u.Cached)
	for _, c := range Classes() {
		if n := u.Failures[c]; n > 0 {
			fmt.Fprintf(&b, ", %d %s", n, c)
		}
	}
	fmt.Fprintf(&b, "; %d tokens in, %d out", u.Input, u.Output)
	if u.Money > 0 {
		fmt.Fprintf(&b, ", cost %.4f", u.Money)
	}
	return b.String()
}

// Asker counts what asking a model takes and why it fails.
type Asker struct {
	model  Model
	prices map[string]Price

	mu    sync.Mutex
	usage Usage
}

var _ Model = (*Asker)(nil)

// NewAsker counts the questions to a model; prices may be nil.
func NewAsker(m Model, prices map[string]Price) *Asker {
	return &Asker{model: m, prices: prices, usage: Usage{Failures: map[Class]int{}}}
}

// Usage is what was used so far. Tokens are those of answers, kept ones among them, so
// that a rerun from a cache says the same; money is of what was sent.
func (a *Asker) Usage() Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	u := a.usage
	u.Failures = maps.Clone(a.usage.Failures)
	return u
}

// Ask implements Model.
func (a *Asker) Ask(ctx context.Context, r Request) (Answer, error) { return a.AskChecked(ctx, r) }

// Check is what whoever asks demands of an answer beyond its form. The error should be an
// *Error, such as of WrongRecord.
type Check func(Answer) error

// AskChecked asks and holds the answer to checks; one that fails them is returned with
// the error, and counted by its class. In a context of private texts the error quotes no
// answer.
func (a *Asker) AskChecked(ctx context.Context, r Request, checks ...Check) (Answer, error) {
	answer, err := a.model.Ask(ctx, r)
	for _, check := range checks {
		if err == nil {
			err = check(answer)
		}
	}
	// An error of no class is not of an endpoint and quotes nothing.
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
	if answer.Cached {
		u.Cached++
	} else {
		u.Money += a.prices[model].Of(answer.Input, answer.Output)
	}
	if class := ClassOf(err); class != "" {
		u.Failures[class]++
	} else {
		u.Answered++
	}
}

// OfRecord demands that the JSON of an answer repeats the ID of the question in a field,
// so that no answer to another record is taken.
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

// InScriptOf demands that most letters of an answer are of scripts that a text is written
// in: models at times fall into Chinese. Languages that share a script are not told apart.
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
