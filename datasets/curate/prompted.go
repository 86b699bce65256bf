package curate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"infbench/datasets/chat"
)

// PromptedVoice is a model with the settings that it is asked with.
type PromptedVoice struct {
	Name        string     // in lineages and verdicts
	Model       chat.Model // who answers
	Asked       string     // the model's name in requests
	Origin      string     // where it is asked, where that has a say in answers
	Temperature float64
	MaxTokens   int // of an answer
	Seed        int64
	Price       *chat.Price // nil: not known

	// Prompts replace what the model is told to do, by part (Passage1 for both passages). How
	// to answer is added to them.
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

// forecast is what a request will take.
func (v *PromptedVoice) forecast(r chat.Request) Forecast {
	f := Forecast{Questions: 1, Input: r.Estimate(), Output: r.MaxTokens}
	if v.Price == nil {
		f.Unpriced = 1
	} else {
		f.Cost = v.Price.Cost(f.Input, f.Output)
	}
	return f
}

// ask asks, and holds the answer to checks. An answer that was given and is of no use is
// a *curate.Fault.
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

// FatalAnswer says whether after an error no other question can succeed.
func FatalAnswer(err error) bool {
	return errors.Is(err, context.Canceled) || chat.ClassOf(err).Fatal()
}

// PromptedAuthor has a model write.
type PromptedAuthor struct{ PromptedVoice }

var _ Author = (*PromptedAuthor)(nil)

// Name, Identity, Synthetic and Fits implement curate.Author. Whether a poison fits a
// pair is for the model to find out.
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

// PromptedJudge has a model choose.
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
