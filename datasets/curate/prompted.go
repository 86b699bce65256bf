package curate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"infbench/datasets/chat"
)

// PromptedVoice is a model with the settings for asking it.
type PromptedVoice struct {
	Name        string     // in lineages and verdicts
	Model       chat.Model // the model that answers
	Asked       string     // the model's name in requests
	Origin      string     // the endpoint, if it influences answers
	Temperature float64
	MaxTokens   int // limit of an answer
	Seed        int64
	Price       *chat.Price // nil means unknown

	// Prompts replace the built-in prompts, by part (Passage1 for both passages). The rules of
	// answering are appended to them.
	Prompts map[Part]string
}

// identity returns a hash of all settings that answers depend on.
func (v *PromptedVoice) identity(role string) string {
	is := Hash(role, v.Name, v.Asked, v.Origin, v.Temperature, v.MaxTokens, v.Seed)
	if len(v.Prompts) > 0 {
		is = Hash(is, v.Prompts)
	}
	return is
}

// request builds a question of two messages.
func (v *PromptedVoice) request(system, user string, schema json.RawMessage) chat.Request {
	return chat.Request{Model: v.Asked, Temperature: v.Temperature, MaxTokens: v.MaxTokens, Seed: v.Seed, Schema: schema,
		Messages: []chat.Message{{Role: chat.System, Text: system}, {Role: chat.User, Text: user}}}
}

// forecast estimates the usage of a request.
func (v *PromptedVoice) forecast(r chat.Request) Forecast {
	f := Forecast{Questions: 1, Input: r.Estimate(), Output: r.MaxTokens}
	if v.Price == nil {
		f.Unpriced = 1
	} else {
		f.Cost = v.Price.Cost(f.Input, f.Output)
	}
	return f
}

// ask asks and applies checks to the answer. An unusable answer is a *curate.Fault.
func (v *PromptedVoice) ask(ctx context.Context, part Part, r chat.Request, into any, checks ...chat.Check) (Step, error) {
	hash, err := r.Hash()
	if err != nil {
		return Step{}, err
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
	step := Step{Part: part, By: v.Name, Model: r.Model, Prompt: Hash(r.Messages[0].Text, r.Schema), Request: hash,
		Response: Hash(answer.Text), Input: answer.Input, Output: answer.Output}
	if v.Price != nil {
		step.Cost = v.Price.Cost(answer.Input, answer.Output)
	}
	if class := chat.ClassOf(err); class.Said() {
		return step, &Fault{Why: string(class), Step: step, Err: err}
	}
	return step, err
}

// FatalAnswer reports whether no other question can succeed after an error.
func FatalAnswer(err error) bool {
	return errors.Is(err, context.Canceled) || chat.ClassOf(err).Fatal()
}

// PromptedAuthor writes with a model.
type PromptedAuthor struct{ PromptedVoice }

var _ Author = (*PromptedAuthor)(nil)

// Name, Identity, Synthetic and Fits implement curate.Author. The model has to decide whether a
// poison fits a pair.
func (a *PromptedAuthor) Name() string              { return a.PromptedVoice.Name }
func (a *PromptedAuthor) Identity() string          { return a.identity("author") }
func (a *PromptedAuthor) Synthetic() bool           { return false }
func (a *PromptedAuthor) Fits(*Record, Poison) bool { return true }
func (a *PromptedAuthor) Forecast(r *Record, p Part) Forecast {
	return a.forecast(a.of(r, p))
}

func (a *PromptedAuthor) of(r *Record, part Part) chat.Request {
	return a.request(a.systemOf(part, r.Kind), userOf(r, part), schema(textSchema))
}

// Write implements curate.Author.
func (a *PromptedAuthor) Write(ctx context.Context, r *Record, part Part) (Reply, error) {
	var said struct {
		Text string `json:"text"`
	}
	step, err := a.ask(ctx, part, a.of(r, part), &said, chat.OfRecord("id", r.ID), chat.InScriptOf(r.QueryPositive+r.Positive))
	return Reply{Text: said.Text, Step: step}, err
}

// PromptedJudge chooses with a model.
type PromptedJudge struct{ PromptedVoice }

var _ Judge = (*PromptedJudge)(nil)

// Name, Identity and Forecast implement curate.Judge.
func (j *PromptedJudge) Name() string     { return j.PromptedVoice.Name }
func (j *PromptedJudge) Identity() string { return j.identity("judge") }
func (j *PromptedJudge) Forecast(q *Question) Forecast {
	return j.forecast(j.of(q))
}

func (j *PromptedJudge) of(q *Question) chat.Request {
	return j.request(cmp.Or(j.Prompts[Verdict], judgeOrder)+judgeRules, judgeUser(q), schema(choiceSchema(len(q.Candidates))))
}

// Choose implements curate.Judge.
func (j *PromptedJudge) Choose(ctx context.Context, q *Question) (Pick, Step, error) {
	var said struct {
		Passage int  `json:"passage"`
		Sure    bool `json:"sure"`
	}
	step, err := j.ask(ctx, Verdict, j.of(q), &said, chat.OfRecord("id", blind(q.ID)))
	pick := Pick{Candidate: said.Passage - 1, Unsure: !said.Sure}
	if said.Passage == 0 {
		pick = Pick{Candidate: None, Why: NoneFits, Unsure: !said.Sure}
	}
	return pick, step, err
}
