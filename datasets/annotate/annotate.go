// Package annotate puts the questions of the quality check to people and reads their picks. It
// draws a sample of judged records, makes one sheet per annotator, each in its own order, keeps the
// key that leads back, and joins the picks of people and judges. Other packages lay out the sheets
// and compute agreement.
//
// A sheet is double-blind: it contains texts and its own numbers, but no ID, role, model or corpus
// order, and no two annotators see the same order.
package annotate

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"infbench/datasets/curate"
	"infbench/internal/nearest"
)

// Item is a question that raters answer, with its record, scenario and judges' picks.
type Item struct {
	curate.Question
	Type string `json:"type,omitempty"` // poison type of its record; "" is not recorded

	line int // line number in its file
}

// check rejects a question that nobody can answer, and picks of candidates that it does not have.
func (it *Item) check() error {
	switch {
	case it.ID == "":
		return errors.New("a question without an id")
	case it.Record == "":
		return fmt.Errorf("question %s: no record", it.ID)
	case len(it.Candidates) < 2:
		return fmt.Errorf("question %s: %d candidates, want 2 or more", it.ID, len(it.Candidates))
	}
	if !slices.Contains(scenarios, it.Scenario) {
		return fmt.Errorf("question %s: %w", it.ID, nearest.Unknown("scenario", string(it.Scenario), names(scenarios)))
	}
	if it.Answer() == curate.None {
		return fmt.Errorf("question %s: scenario %s, and no candidate is %s", it.ID, it.Scenario, it.Scenario.Right())
	}
	var judges []string
	for _, p := range it.Picks {
		if p.Judge == "" || slices.Contains(judges, p.Judge) {
			return fmt.Errorf("question %s: judge %q has no name or picks twice", it.ID, p.Judge)
		}
		if p.Candidate < curate.None || p.Candidate >= len(it.Candidates) {
			return fmt.Errorf("question %s: judge %s picks candidate %d of %d, counted from 0", it.ID, p.Judge, p.Candidate, len(it.Candidates))
		}
		judges = append(judges, p.Judge)
	}
	return nil
}

// scenarios are the scenarios of the quality check, in the order in which a sample cycles through
// them.
var scenarios = curate.Scenarios()

// names converts values to strings.
func names[T ~string](values []T) []string {
	var out []string
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// countedAs returns the position under which a pick of a candidate counts. Candidates with the same text
// count as one; if one of them is the right one, a pick of any of them is right.
func (it *Item) countedAs(position int) int {
	if position < 0 {
		return position
	}
	text := it.Candidates[position].Text
	if right := it.Answer(); it.Candidates[right].Text == text {
		return right
	}
	return slices.IndexFunc(it.Candidates, func(c curate.Candidate) bool { return c.Text == text })
}

// reordered returns the item with its candidates permuted: position i gets the candidate that was
// at order[i].
func (it *Item) reordered(order []int) Item {
	out := *it
	out.Candidates, out.Picks = nil, slices.Clone(it.Picks)
	for _, at := range order {
		out.Candidates = append(out.Candidates, it.Candidates[at])
	}
	for i, p := range out.Picks {
		if p.Candidate != curate.None {
			out.Picks[i].Candidate = slices.Index(order, p.Candidate)
		}
	}
	return out
}

// shuffled returns a permutation of n, the same for the same seed and words.
func shuffled(n int, seed uint64, about ...string) []int {
	sum := sha256.Sum256([]byte(strings.Join(about, "\x00")))
	return rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(sum[:]))).Perm(n)
}
