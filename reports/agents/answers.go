// Package agents scores the answers of search agents by the measures that BrowseComp-Plus
// and BRIGHT-Pro report. It reads the answers from a file; it runs no agent and asks no
// judge.
package agents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"infbench/datasets/format"
	"infbench/internal/nearest"
	"infbench/internal/words"
)

// Answer is an agent's answer to a query, with a judge's grades. A nil field was not
// recorded.
type Answer struct {
	Query      answerID   `json:"query_id"`
	Status     string     `json:"status"` // "completed" or another way to end; "" means completed
	Text       string     `json:"answer"`
	Retrieved  []answerID `json:"retrieved_docids"` // all documents that any search returned
	Cited      []answerID `json:"cited_docids"`     // nil: the numbers in brackets in Text
	Rounds     []Round    `json:"rounds"`
	Confidence *float64   `json:"confidence"` // percent
	Correct    *bool      `json:"correct"`
	Quality    *float64   `json:"quality"` // 1 to 5
	Aspects    []Aspect   `json:"aspects"`
}

// Round is one round of retrieval. Number counts from 1.
type Round struct {
	Number    int        `json:"round"`
	Documents []answerID `json:"docids"`
}

// Aspect is a point that an answer should cover, with the judge's grade for it.
type Aspect struct {
	ID     answerID `json:"id"`
	Weight float64  `json:"weight"`
	Score  *float64 `json:"score"` // 0 to 1; nil: not graded
}

// Keys lists the keys of an answer for help and errors; keysOf lists the keys of the
// entries of its lists.
var Keys = []string{"query_id", "status", "answer", "retrieved_docids", "cited_docids", "rounds", "confidence", "correct", "quality", "aspects"}

var keysOf = map[string][]string{"rounds": {"round", "docids"}, "aspects": {"id", "weight", "score"}}

// answerID is an ID that is written as a text or a whole number.
type answerID string

// UnmarshalJSON implements json.Unmarshaler.
func (i *answerID) UnmarshalJSON(data []byte) error {
	if number := bytes.TrimPrefix(data, []byte("-")); len(bytes.Trim(number, "0123456789")) == 0 {
		*i = answerID(data)
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil || text == "" {
		return fmt.Errorf("ID %s is not a text or a whole number", data)
	}
	*i = answerID(text)
	return nil
}

// idTexts converts IDs to the type that the measures take.
func idTexts(ids []answerID) []string {
	out := make([]string, len(ids))
	for i, one := range ids {
		out[i] = string(one)
	}
	return out
}

// completed reports whether the agent finished with an answer.
func (a *Answer) completed() bool { return a.Status == "" || a.Status == "completed" }

// rounds returns the number of the last retrieval round.
func (a *Answer) rounds() int {
	n := 0
	for _, r := range a.Rounds {
		n = max(n, r.Number)
	}
	return n
}

// Read reads a file with one answer per line.
func Read(file string) ([]Answer, error) {
	var all []Answer
	seen := map[answerID]int{}
	for line, err := range format.Lines(file) {
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line.Text)) == 0 {
			continue
		}
		a, err := parseAnswer(line.Text)
		if err == nil && seen[a.Query] > 0 {
			err = fmt.Errorf("query %q was answered on line %d", a.Query, seen[a.Query])
		}
		if err != nil {
			return nil, line.Pos.Errorf("%w", err)
		}
		seen[a.Query] = line.Pos.Line
		all = append(all, a)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no answers", file)
	}
	return all, nil
}

// parseAnswer parses one line.
func parseAnswer(line []byte) (a Answer, err error) {
	if err := json.Unmarshal(line, &a); err != nil {
		return a, wrongType(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return a, err
	}
	if err := checkKeys(members, Keys); err != nil {
		return a, err
	}
	for _, list := range words.SortedKeys(keysOf) {
		var items []map[string]json.RawMessage
		if err := json.Unmarshal([]byte(cmp.Or(string(members[list]), "null")), &items); err != nil {
			return a, err
		}
		for _, item := range items {
			if err := checkKeys(item, keysOf[list]); err != nil {
				return a, fmt.Errorf("%s: %w", list, err)
			}
		}
	}
	return a, a.check()
}

// checkKeys rejects members of an object that are not among the keys. It compares case,
// which encoding/json ignores.
func checkKeys(members map[string]json.RawMessage, keys []string) error {
	for _, key := range words.SortedKeys(members) {
		if !slices.Contains(keys, key) {
			return nearest.Unknown("key", key, keys)
		}
	}
	return nil
}

// wrongType returns the error for a value whose type does not match its key.
func wrongType(err error) error {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	want := cmp.Or(map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number", reflect.String: "a text", reflect.Slice: "a list",
	}[e.Type.Kind()], "an object")
	if e.Field == "" {
		return fmt.Errorf("%s where %s is wanted", e.Value, want)
	}
	return fmt.Errorf("%s: %s where %s is wanted", e.Field, e.Value, want)
}

// check returns an error if a value is out of range.
func (a *Answer) check() error {
	switch {
	case a.Query == "":
		return errors.New("no query_id")
	case a.Confidence != nil && (*a.Confidence < 0 || *a.Confidence > 100):
		return fmt.Errorf("confidence %v is not from 0 to 100", *a.Confidence)
	case a.Quality != nil && (*a.Quality < 1 || *a.Quality > 5):
		return fmt.Errorf("quality %v is not from 1 to 5", *a.Quality)
	case a.Quality != nil && a.rounds() == 0:
		return errors.New("quality without rounds: the discount depends on the number of rounds")
	}
	for _, r := range a.Rounds {
		if r.Number < 1 {
			return fmt.Errorf("round %d: rounds count from 1", r.Number)
		}
	}
	total := 0.0
	for i, s := range a.Aspects {
		switch total += s.Weight; {
		case s.ID == "":
			return errors.New("an aspect has no id")
		case slices.ContainsFunc(a.Aspects[:i], func(before Aspect) bool { return before.ID == s.ID }):
			return fmt.Errorf("aspect %q comes twice", s.ID)
		case s.Weight < 0:
			return fmt.Errorf("aspect %q: weight %v is negative", s.ID, s.Weight)
		case s.Score != nil && (*s.Score < 0 || *s.Score > 1):
			return fmt.Errorf("aspect %q: score %v is not from 0 to 1", s.ID, *s.Score)
		}
	}
	if len(a.Aspects) > 0 && total == 0 {
		return errors.New("no aspect has a weight")
	}
	return nil
}
