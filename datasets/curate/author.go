package curate

import (
	"context"
	"encoding/json"
	"fmt"

	"infbench/internal/disk"
)

// Author writes the parts of records, many at the same time.
type Author interface {
	// Name stands in lineages.
	Name() string
	// Identity tells all settings that decide what is written.
	Identity() string
	// Synthetic says that it writes by rules.
	Synthetic() bool
	// Fits says whether a pair can be given an instruction that a poison changes.
	Fits(*Record, Poison) bool
	// Write writes a part from the other texts of a record. An error that unwraps to a
	// *Fault is final for that part, any other may pass.
	Write(context.Context, *Record, Part) (Reply, error)
	// Forecast says what asking for a part will take.
	Forecast(*Record, Part) Forecast
}

// Judge says which candidate answers a question, many at the same time.
type Judge interface {
	Name() string
	Identity() string
	// Choose returns what it chose, None where it chose nothing, and from where. Errors
	// are as those of an Author; the pick of a *Fault says why nothing was chosen.
	Choose(context.Context, *Question) (Pick, Step, error)
	Forecast(*Question) Forecast
}

// Reply is what an author wrote.
type Reply struct {
	Text string `json:"text"`
	Step Step   `json:"step"`
}

// Forecast is what some questions will take, before any is asked.
type Forecast struct {
	Questions int     `json:"questions"`
	Input     int     `json:"input_tokens"`
	Output    int     `json:"output_tokens"` // at most
	Cost      float64 `json:"cost"`
	Unpriced  int     `json:"unpriced"` // questions to models without a price
}

// Add adds another.
func (f *Forecast) Add(g Forecast) {
	f.Questions, f.Input, f.Output = f.Questions+g.Questions, f.Input+g.Input, f.Output+g.Output
	f.Cost, f.Unpriced = f.Cost+g.Cost, f.Unpriced+g.Unpriced
}

// Fault is an answer that was given and cannot be used: a refusal, an answer that is cut
// or has another form than asked for. Asked again, the model says the same.
type Fault struct {
	Why  string // a class, such as "refused"
	Step Step
	Err  error
}

func (f *Fault) Error() string { return fmt.Sprintf("%s: %v", f.Why, f.Err) }
func (f *Fault) Unwrap() error { return f.Err }

// Hash is the SHA-256 of the JSON of some values, in hexadecimal digits.
func Hash(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic(fmt.Sprintf("curate: hash: %v", err)) // of our own types
	}
	return disk.Sum(text)
}
