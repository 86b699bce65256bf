package curate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// questions asks about each record in the three scenarios. The candidates are its passages and
// those of other pairs, shuffled.
func (c *Corpus) questions(records, seeds []Record) []Question {
	var all []Question
	for i := range records {
		r := &records[i]
		others := c.distractors(r, seeds)
		for _, s := range Scenarios() {
			q := Question{ID: r.ID + "/" + string(s), Record: r.ID, Scenario: s, Instruction: r.InstructionPositive, Query: r.QueryPositive}
			switch s {
			case PoisonedInstruction:
				q.Instruction = r.InstructionNegative
			case PoisonedQuery:
				q.Query = r.QueryNegative
			}
			q.Candidates = append([]Candidate{{Positive, r.Positive}, {HardNegative1, r.HardNegative1}, {HardNegative2, r.HardNegative2}}, others...)
			c.random("order", q.ID).Shuffle(len(q.Candidates), func(i, j int) {
				q.Candidates[i], q.Candidates[j] = q.Candidates[j], q.Candidates[i]
			})
			all = append(all, q)
		}
	}
	return all
}

// distractors draws passages of other pairs.
func (c *Corpus) distractors(r *Record, seeds []Record) []Candidate {
	var drawn []Candidate
	random := c.random("distractors", r.ID)
	for _, i := range random.Perm(len(seeds)) {
		if len(drawn) == c.Distractors {
			break
		}
		if other := &seeds[i]; other.ID != r.ID && other.Positive != r.Positive {
			drawn = append(drawn, Candidate{Distractor, other.Positive})
		}
	}
	return drawn
}

// Questions reads the judges' questions and picks of a finished corpus.
func (c *Corpus) Questions() ([]Question, error) {
	return readLines[Question](filepath.Join(c.Dir, JudgedFile))
}

// judged has the judges answer the questions, or reads their answers.
func (c *Corpus) judged(ctx context.Context, records, seeds []Record) ([]Question, error) {
	questions, err := readLines[Question](filepath.Join(c.Dir, Judged.File()))
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return questions, errors.Join(err, c.removePartial(Judged))
	}
	questions = c.questions(records, seeds)
	j, err := openJournal(filepath.Join(c.Dir, Judged.partial()))
	if err != nil {
		return nil, err
	}
	err = c.ask(ctx, j, questions)
	if err := errors.Join(err, j.close()); err != nil {
		return nil, err
	}
	return questions, c.finish(Judged, fmt.Sprintf("%d questions are answered", len(questions)), func(path string) error { return writeLines(path, questions) })
}

// ask asks all judges, or with Active one after the other while the earlier ones are unsure.
func (c *Corpus) ask(ctx context.Context, j *journal, questions []Question) error {
	var tasks []task[Pick]
	var of []int
	put := func() error {
		picks, err := askAll(ctx, j, tasks, c.AtATime, c.fatal)
		for i, p := range picks {
			q := &questions[of[i]]
			q.Picks = append(q.Picks, p)
		}
		tasks, of = nil, nil
		return err
	}
	for _, judge := range c.Judges {
		for i := range questions {
			if !c.Active || open(&questions[i]) {
				tasks, of = append(tasks, choosing(judge, questions[i])), append(of, i)
			}
		}
		if c.Active {
			if err := put(); err != nil {
				return err
			}
		}
	}
	return put()
}

// open reports whether no judge is sure of an answer yet.
func open(q *Question) bool {
	for _, p := range q.Picks {
		if p.Candidate != None && !p.Unsure {
			return false
		}
	}
	return true
}

func choosing(judge Judge, q Question) task[Pick] {
	q.Picks = nil
	return task[Pick]{Hash(judge.Identity(), q), func(ctx context.Context) (Pick, error) {
		pick, step, err := judge.Choose(ctx, &q)
		if fault, ok := errors.AsType[*Fault](err); ok {
			pick, step, err = Pick{Candidate: None, Why: fault.Why}, fault.Step, nil
			step.Fault = fault.Why
		}
		pick.Judge, pick.Lineage = judge.Name(), &step
		return pick, err
	}}
}
