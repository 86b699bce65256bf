// Package annotate lays questions of the quality check before people and reads what they
// picked: it draws a sample of judged records, makes a sheet for each annotator in an
// order of its own, keeps the key that leads back, and joins the picks of people and
// judges. How sheets look, and what the picks say of agreement, is for others.
//
// A sheet is double-blind: it holds texts and numbers of its own, no ID, role, model or
// order of the corpus, and no two annotators see the same order.
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

// Item is a question that raters answer, with what else is known of it.
type Item struct {
	curate.Question
	Type string `json:"type,omitempty"` // of the poison of its record; "" is not recorded

	line int // of the file that it was read from
}

// check refuses a question that nobody can answer, and picks of candidates that it does
// not have.
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

// scenarios are those of the quality check, in the order in which a sample takes turns.
var scenarios = curate.Scenarios()

// names are values as texts.
func names[T ~string](values []T) []string {
	var out []string
	for _, v := range values {
		out = append(out, string(v))
	}
	return out
}

// as is the position under which a pick of a candidate counts: candidates of one text
// are one, and where that is the right one's, it is right.
func (it *Item) as(position int) int {
	if position < 0 {
		return position
	}
	text := it.Candidates[position].Text
	if right := it.Answer(); it.Candidates[right].Text == text {
		return right
	}
	return slices.IndexFunc(it.Candidates, func(c curate.Candidate) bool { return c.Text == text })
}

// reordered is the item with its candidates in another order: at place i stands the one
// that was at order[i].
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

// shuffled is an order of n things, the same for the same seed and words.
func shuffled(n int, seed uint64, about ...string) []int {
	sum := sha256.Sum256([]byte(strings.Join(about, "\x00")))
	return rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(sum[:]))).Perm(n)
}
