package curate

import (
	"context"
	"fmt"
	"slices"

	"infbench/datasets"
)

// OfflineJudge answers questions by the words of a generated world, with a given error rate.
type OfflineJudge struct {
	Person bool // counts as a person

	name          string
	errors, doubt float64
	world, seed   uint64
	language      *datasets.MiniLanguage
}

var _ Judge = (*OfflineJudge)(nil)

// NewOfflineJudge returns a judge for records of a world. With probability errors it chooses a
// wrong candidate, each equally likely. It claims to be unsure with probability doubt for wrong
// answers, and doubt/10 for right ones. Both are drawn independently for each question.
func NewOfflineJudge(name string, errors, doubt float64, world, seed uint64) *OfflineJudge {
	return &OfflineJudge{name: name, errors: errors, doubt: doubt, world: world, seed: seed, language: datasets.NewMiniLanguage(world)}
}

// Name, Identity and Forecast implement curate.Judge.
func (j *OfflineJudge) Name() string { return j.name }
func (j *OfflineJudge) Identity() string {
	return fmt.Sprintf("offline judge %s, world %d, errors %v, doubt %v, seed %d, person %v", j.name, j.world, j.errors, j.doubt, j.seed, j.Person)
}
func (j *OfflineJudge) Forecast(*Question) Forecast { return Forecast{Questions: 1} }

// Choose implements curate.Judge. Orders within candidates have no effect: only the words of the
// world count.
func (j *OfflineJudge) Choose(_ context.Context, q *Question) (Pick, Step, error) {
	pick := Pick{Candidate: j.answer(q), Human: j.Person}
	random := Random(j.seed, "judge "+j.name, q.ID)
	doubt := j.doubt / 10
	if random.Float64() < j.errors {
		pick.Candidate, doubt = another(pick.Candidate, len(q.Candidates), random.IntN), j.doubt
	}
	pick.Unsure = random.Float64() < doubt
	if pick.Candidate == None {
		pick.Why = NoneFits
	}
	step := Step{Part: Verdict, By: j.name, Model: "offline", Request: Hash(j.Identity(), q), Response: Hash(pick.Candidate)}
	return pick, step, nil
}

// another draws a candidate other than one.
func another(than, of int, draw func(int) int) int {
	if than == None {
		return draw(of)
	}
	n := draw(of - 1)
	if n >= than {
		n++
	}
	return n
}

// answer returns the only candidate on the query's topic that meets the instruction; None if there
// is none or more than one.
func (j *OfflineJudge) answer(q *Question) int {
	d, topics, found := read(j.language, q.Instruction), j.language.Topics(q.Query), None
	for i, c := range q.Candidates {
		if slices.Equal(j.language.Topics(c.Text), topics) && d.accepts(j.language, c.Text) {
			if found != None {
				return None
			}
			found = i
		}
	}
	return found
}
