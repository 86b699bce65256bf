package curate

import (
	"context"
	"encoding/json"
	"fmt"

	"infbench/internal/disk"
)

// Author writes the parts of records. It may be used concurrently.
type Author interface {
	// Name is recorded in lineages.
	Name() string
	// Identity describes all settings that influence the texts.
	Identity() string
	// Synthetic reports whether the author writes by rules.
	Synthetic() bool
	// Fits reports whether an instruction for a pair can be given that the poison changes.
	Fits(*Record, Poison) bool
	// Write writes a part from the other texts of a record. An error that unwraps to a *Fault is
	// final for that part; any other may be temporary.
	Write(context.Context, *Record, Part) (Reply, error)
	// Forecast estimates the usage of asking for a part.
	Forecast(*Record, Part) Forecast
}

// Judge chooses the candidate that answers a question. It may be used concurrently.
type Judge interface {
	Name() string
	Identity() string
	// Choose returns the pick, None if nothing was chosen, and the step that led to it. Errors are
	// as for an Author; after a *Fault the pick has the reason.
	Choose(context.Context, *Question) (Pick, Step, error)
	Forecast(*Question) Forecast
}

// Reply is a text by an author.
type Reply struct {
	Text string `json:"text"`
	Step Step   `json:"step"`
}

// Forecast is the estimated usage of questions before any is asked.
type Forecast struct {
	Questions int     `json:"questions"`
	Input     int     `json:"input_tokens"`
	Output    int     `json:"output_tokens"` // upper bound
	Cost      float64 `json:"cost"`
	Unpriced  int     `json:"unpriced"` // questions to models without a price
}

// Add adds another forecast.
func (f *Forecast) Add(g Forecast) {
	f.Questions, f.Input, f.Output = f.Questions+g.Questions, f.Input+g.Input, f.Output+g.Output
	f.Cost, f.Unpriced = f.Cost+g.Cost, f.Unpriced+g.Unpriced
}

// Fault is an unusable answer: a refusal, or an answer that is truncated or has another form than
// requested. If asked again, the model says the same.
type Fault struct {
	Why  string // a class, such as "refused"
	Step Step
	Err  error
}

func (f *Fault) Error() string { return fmt.Sprintf("%s: %v", f.Why, f.Err) }
func (f *Fault) Unwrap() error { return f.Err }

// Hash returns the SHA-256 of the JSON of some values, in hexadecimal.
func Hash(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic(fmt.Sprintf("curate: hash: %v", err)) // only own types, which can be encoded
	}
	return disk.Sum(text)
}
