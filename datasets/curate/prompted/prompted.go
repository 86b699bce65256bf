// Package prompted has language models write and judge records: what they are asked, how
// their answers are read, and which cannot be used. Which model answers, and where it
// is, it does not know.
package prompted

import (
	"context"
	"encoding/json"
	"errors"

	"infbench/datasets/chat"
	"infbench/datasets/curate"
)

// Voice is a model with the settings that it is asked with.
type Voice struct {
	Name        string     // in lineages and verdicts
	Model       chat.Model // who answers
	Asked       string     // the model's name in requests
	Origin      string     // where it is asked, where that has a say in answers
	Temperature float64
	MaxTokens   int // of an answer
	Seed        int64
	Price       *chat.Price // nil: not known
}

// identity tells all settings that have a say in what is answered.
func (v *Voice) identity(role string) string {
	return curate.Hash(role, v.Name, v.Asked, v.Origin, v.Temperature, v.MaxTokens, v.Seed)
}

// request builds a question of two messages.
func (v *Voice) request(system, user string, schema json.RawMessage) chat.Request {
	return chat.Request{Model: v.Asked, Temperature: v.Temperature, MaxTokens: v.MaxTokens, Seed: v.Seed, Schema: schema,
		Messages: []chat.Message{{Role: chat.System, Text: system}, {Role: chat.User, Text: user}}}
}

// forecast is what a request will take.
func (v *Voice) forecast(r chat.Request) curate.Forecast {
	f := curate.Forecast{Questions: 1, Input: r.Estimate(), Output: r.MaxTokens}
	if v.Price == nil {
		f.Unpriced = 1
	} else {
		f.Cost = v.Price.Of(f.Input, f.Output)
	}
	return f
}

// ask asks, and holds the answer to checks. An answer that was given and is of no use is
// a *curate.Fault.
func (v *Voice) ask(ctx context.Context, part curate.Part, r chat.Request, into any, checks ...chat.Check) (curate.Step, error) {
	hash, err := r.Hash()
	if err != nil {
		return curate.Step{}, err
	}
	answer, err := v.Model.Ask(ctx, r)
	if err == nil {
		err = chat.CheckForm(&r, answer.Text)
	}
	for _, check := range checks {
		if err == nil {
			err = check(answer)
		}
	}
	if err == nil {
		err = answer.Decode(into)
	}
	step := curate.Step{Part: part, By: v.Name, Model: r.Model, Prompt: curate.Hash(r.Messages[0].Text, r.Schema), Request: hash,
		Response: curate.Hash(answer.Text), Input: answer.Input, Output: answer.Output}
	if v.Price != nil {
		step.Cost = v.Price.Of(answer.Input, answer.Output)
	}
	if class := chat.ClassOf(err); class.Said() {
		return step, &curate.Fault{Why: string(class), Step: step, Err: err}
	}
	return step, err
}

// Fatal says whether after an error no other question can succeed.
func Fatal(err error) bool {
	return errors.Is(err, context.Canceled) || chat.ClassOf(err).Fatal()
}

// Author has a model write.
type Author struct{ Voice }

var _ curate.Author = (*Author)(nil)

// Name, Identity, Synthetic and Fits implement curate.Author. Whether a poison fits a
// pair is for the model to find out.
func (a *Author) Name() string                            { return a.Voice.Name }
func (a *Author) Identity() string                        { return a.identity("author") }
func (a *Author) Synthetic() bool                         { return false }
func (a *Author) Fits(*curate.Record, curate.Poison) bool { return true }
func (a *Author) Forecast(r *curate.Record, p curate.Part) curate.Forecast {
	return a.forecast(a.of(r, p))
}

func (a *Author) of(r *curate.Record, part curate.Part) chat.Request {
	return a.request(systemOf(part, r.Kind), userOf(r, part), schema(textSchema))
}

// Write implements curate.Author.
func (a *Author) Write(ctx context.Context, r *curate.Record, part curate.Part) (curate.Reply, error) {
	var said struct {
		Text string `json:"text"`
	}
	step, err := a.ask(ctx, part, a.of(r, part), &said, chat.OfRecord("id", r.ID), chat.InScriptOf(r.QueryPositive+r.Positive))
	return curate.Reply{Text: said.Text, Step: step}, err
}

// Judge has a model choose.
type Judge struct{ Voice }

var _ curate.Judge = (*Judge)(nil)

// Name, Identity and Forecast implement curate.Judge.
func (j *Judge) Name() string     { return j.Voice.Name }
func (j *Judge) Identity() string { return j.identity("judge") }
func (j *Judge) Forecast(q *curate.Question) curate.Forecast {
	return j.forecast(j.of(q))
}

func (j *Judge) of(q *curate.Question) chat.Request {
	return j.request(judgeSystem, judgeUser(q), schema(choiceSchema(len(q.Candidates))))
}

// Choose implements curate.Judge.
func (j *Judge) Choose(ctx context.Context, q *curate.Question) (curate.Pick, curate.Step, error) {
	var said struct {
		Passage int  `json:"passage"`
		Sure    bool `json:"sure"`
	}
	step, err := j.ask(ctx, curate.Verdict, j.of(q), &said, chat.OfRecord("id", blind(q.ID)))
	pick := curate.Pick{Candidate: said.Passage - 1, Unsure: !said.Sure}
	if said.Passage == 0 {
		pick = curate.Pick{Candidate: curate.None, Why: curate.NoneFits, Unsure: !said.Sure}
	}
	return pick, step, err
}
