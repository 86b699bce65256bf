package curate

import (
	"context"
	"fmt"
	"slices"

	"infbench/datasets"
)

// OfflineJudge chooses by the words of a generated world what answers a question, and errs as
// often as it is told to.
type OfflineJudge struct {
	Person bool // it stands for a person

	name          string
	errors, doubt float64
	world, seed   uint64
	language      *datasets.MiniLanguage
}

var _ Judge = (*OfflineJudge)(nil)

// NewOfflineJudge is a judge for records of a world. With probability errors it chooses another
// candidate than the one that answers, each as likely; doubt is the probability that it
// says that it is unsure where it errs, a tenth of that where it does not. Both are drawn
// for each question by itself.
func NewOfflineJudge(name string, errors, doubt float64, world, seed uint64) *OfflineJudge {
	return &OfflineJudge{name: name, errors: errors, doubt: doubt, world: world, seed: seed, language: datasets.NewMiniLanguage(world)}
}

// Name, Identity and Forecast implement curate.Judge.
func (j *OfflineJudge) Name() string { return j.name }
func (j *OfflineJudge) Identity() string {
	return fmt.Sprintf("offline judge %s, world %d, errors %v, doubt %v, seed %d, person %v", j.name, j.world, j.errors, j.doubt, j.seed, j.Person)
}
func (j *OfflineJudge) Forecast(*Question) Forecast { return Forecast{Questions: 1} }

// Choose implements curate.Judge. What a candidate says of how to answer is a text as
// any other: only the words of the world count.
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

// another draws a candidate beside one.
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

// answer is the one candidate on the topic of the query that has what the instruction
// asks for; None where there is none or more than one.
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
