package catalog

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"infbench/datasets"
	"infbench/datasets/chat"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/metrics/trec"
	"infbench/runners"
	"infbench/runners/chatrank"
	"infbench/runners/device"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// chatModel is the model name for a language model that orders documents.
const chatModel = spec.ChatModel

// ChatAnswers is the default folder for the answers of language models, which are paid for.
var ChatAnswers = filepath.Join("runs", "chat")

// language returns the settings of a language model: from the flags, with the address that they
// share with other remote models, or from a cell.
func (o *ModelOptions) language() spec.Chat {
	c := o.Language
	if c.URL == "" {
		c.URL = o.Remote.URL
	}
	return c
}

// ranking returns the options for package chatrank.
func ranking(c *spec.Chat) (o chatrank.Options, err error) {
	o = chatrank.Options{Model: c.Model, How: chatrank.How(c.How), Window: c.Window, Step: c.Step, Orders: c.Orders, Passes: c.Passes, Bytes: c.Bytes, Tokens: c.Tokens,
		Words: c.Reasoning || c.Tokens > 0}
	if c.Recipe != "" {
		if o.Recipe, err = chatrank.OpenRecipe(c.Recipe); o.Recipe != nil {
			o.Words = false
		}
	}
	return o, err
}

// complete fills in the way and the hash of the prompts. infbench's own recipe is the default.
func complete(c *spec.Chat, o *chatrank.Options) {
	if o.Recipe == nil {
		c.How, c.Recipe = string(o.How.Or()), ""
	}
	c.Prompts = o.Prompts()
}

// endpoint returns the options for the endpoint of a language model and the form of its
// answers.
func endpoint(c *spec.Chat) chat.Options {
	return chat.Options{BaseURL: c.URL, Structure: chat.Structure(c.Structure), Reasoning: c.Reasoning}
}

// checkChat fills in the default method and the hash of the prompts, and returns an error for
// invalid settings.
func checkChat(c *spec.Chat) error {
	given := c.Prompts
	o, err := ranking(c)
	if err == nil {
		err = o.Check()
	}
	if err != nil {
		return err
	}
	complete(c, &o)
	if given != "" && given != c.Prompts {
		return fmt.Errorf("prompts %s differ from the prompts of this infbench or its recipe, %s", given, c.Prompts)
	}
	if c.URL == "" {
		return errNoURL(c.Model)
	}
	_, err = chat.NewClient(endpoint(c))
	return err
}

// errNoURL is the error for a language model without an endpoint.
func errNoURL(model string) error {
	return fmt.Errorf("language model %s has no url: infbench cannot run models that write text. Serve it with an OpenAI-compatible server (vLLM, Ollama, llama.cpp's llama-server) and give its address (--url, or url: in a file); or use a model that scores instead, such as a reranker, or a language model with a judge section in infbench.json of its folder", model)
}

// addChatTo adds the settings that affect results, under the keys of cells.
func (o *ModelOptions) addChatTo(c results.Config) {
	language := o.language()
	if language.Model == "" {
		return
	}
	asked, err := ranking(&language)
	if err != nil {
		return // openChat has returned it
	}
	complete(&language, &asked)
	for key, value := range (spec.Cell{Chat: language}).Settings() {
		if strings.HasPrefix(key, "chat.") {
			c[key] = value
		}
	}
}

// chatRevision is the revision of a language model that a plan describes.
func chatRevision(described string) (string, error) {
	var c spec.Chat
	if err := json.Unmarshal([]byte(described), &c); err != nil {
		return "", fmt.Errorf("language model: %w", err)
	}
	return revisionOfChat(&c)
}

// revisionOfChat is a hash of the requests to a language model and its address.
func revisionOfChat(c *spec.Chat) (string, error) {
	client, err := chat.NewClient(endpoint(c))
	if err != nil {
		return "", err
	}
	o, err := ranking(c)
	if err != nil {
		return "", err
	}
	return disk.Sum(client.Origin() + "\n" + o.Fingerprint()), nil
}

// openChat makes a retriever whose documents a language model orders.
func (m *Opener) openChat() (runners.Retriever, error) {
	c := m.language()
	atMost := 1.0
	if c.Recipe != "" {
		atMost = usuallyUnusable
	}
	atMost, err := m.Remote.unusable(atMost)
	if err != nil {
		return nil, err
	}
	if err := checkChat(&c); err != nil {
		return nil, usage.Error{Err: err}
	}
	setup, asker, err := m.asker(&c)
	if err != nil {
		return nil, err
	}
	revision, err := revisionOfChat(&c)
	if err != nil {
		return nil, err
	}
	m.read = append(m.read, revision)
	o, err := ranking(&c)
	if err != nil {
		return nil, err
	}
	o.Ordered = m.First != ""
	ranker, err := chatrank.New(asker, o)
	if err != nil {
		return nil, err
	}
	m.pairs = ranker.Name()
	m.Chat = &results.Chat{Model: c.Model, How: c.How}
	if o.Recipe != nil {
		m.Chat.How, m.Chat.Recipe = string(o.Recipe.How), o.Recipe.Name
	}
	by := &chatted{ranker: ranker, opts: o, said: m.Chat, answers: m.answers, atMost: atMost, thoughts: &m.Thoughts}
	if m.Candidates = m.First == ""; !m.Candidates {
		if by.first, err = m.finder(m.First); err != nil {
			return nil, fmt.Errorf("--first: %w", err)
		}
	}
	by.depth, by.setup, by.batch, by.forecast = m.Depth, setup, m.Remote.Batch, m.Forecast
	return by, by.checkBatch()
}

// asker connects to the language model, or to a recording of it.
func (m *Opener) asker(c *spec.Chat) (setup chat.Setup, asker *chat.Asker, err error) {
	use := &m.Remote.RemoteUse
	prices, err := use.prices(c.Model)
	if err != nil {
		return setup, nil, err
	}
	setup = chat.Setup{Prices: prices, Replay: use.Replay}
	if setup.Replay == "" {
		setup.Cache, setup.Endpoint = cmp.Or(use.Answers, ChatAnswers), endpoint(c)
		setup.Endpoint.PerSecond = use.Rate
	}
	if setup.Cache == device.NoCache {
		setup.Cache = ""
	}
	if setup.Replay != "" {
		asker, err = setup.Open()
		return setup, asker, err
	}
	if m.Forecast {
		m.forecaster, err = setup.Forecaster()
		return setup, chat.NewAsker(m.forecaster, nil), err
	}
	m.answers = setup.Cache
	if setup.Endpoint.Key, err = use.key(chatModel); err != nil {
		return setup, nil, err
	}
	if use.Budget > 0 || use.Cost > 0 {
		if setup.Endpoint.Budget, err = chat.NewBudget(chat.Limits{Tokens: use.Budget, Money: use.Cost, Prices: prices}); err != nil {
			return setup, nil, usage.Error{Err: err}
		}
	}
	asker, err = setup.Open()
	return setup, asker, err
}

// Estimate reports how much a language model will be asked in an evaluation, if Forecast is
// set: nothing is sent. The first stage finds its documents; the windows of a listwise ranking
// assume that it changes nothing.
func (m *Opener) Estimate(ctx context.Context, model runners.Retriever, b *datasets.Benchmark) (string, error) {
	if m.forecaster == nil {
		return "", usage.Errorf("--estimate requires --model %s", chatModel)
	}
	found := 0
	for i := range b.Tasks {
		run, err := model.Retrieve(ctx, &b.Tasks[i], RetrieveDepth)
		if err != nil {
			return "", err
		}
		for _, ranking := range run {
			found += len(ranking)
		}
	}
	f := m.forecaster.Forecast()
	text := f.String()
	if c, ok := model.(*chatted); ok && c.opts.Recipe != nil {
		text += recipeForecast(c.opts.Recipe, &f)
	} else if ok && found > 0 && c.opts.How.Or() == chatrank.Pointwise && c.ranker.Scale() == "" {
		text += "\nThe answers have one token with its log-probabilities. An endpoint that does not give these is asked in words instead: up to 100 tokens an answer"
	}
	if found == 0 && m.First != "" {
		text += fmt.Sprintf("\n--first %s finds no document for any query, so there are no questions: try another first stage", m.First)
	}
	return text, nil
}

// recipeForecast reports what the forecast of a recipe's questions assumes.
func recipeForecast(r *chatrank.Recipe, f *chat.Forecast) (text string) {
	if r.Think.Budget > 0 {
		text = fmt.Sprintf("\nThe maximum has the full budget of thoughts for each question (recipe %s: %d tokens, or those of --answer-tokens)", r.Name, r.Think.Budget)
		if f.Known > 0 {
			text += fmt.Sprintf("; the answers kept so far have %.0f tokens on average", float64(f.KnownOutput)/float64(f.Known))
		}
	}
	if r.How == chatrank.Setwise {
		text += "\nThe number of questions is the largest that heap sort can take; it depends on the answers"
	}
	return text
}

// usuallyUnusable is the share of a task's answers to a recipe that may be unusable. A ranking with
// more is that of the first stage in too many places.
const usuallyUnusable = 0.05

// chatted is retrieval by a language model. It records the costs and answers.
type chatted struct {
	first    runners.Retriever // nil: it orders the candidates
	depth    int
	ranker   *chatrank.Ranker
	opts     chatrank.Options
	said     *results.Chat
	answers  string // folder for the answers, "" to keep none
	setup    chat.Setup
	batch    bool               // send questions in batches first
	atMost   float64            // share of a task's answers that may be unusable
	thoughts *[]results.Thought // of the last task
	// forecast means that nothing is sent, so that no question has an answer.
	forecast bool
}

// Name joins the names of the stages.
func (c *chatted) Name() string { return runners.NewRerank(c.first, c.ranker, c.depth).Name() }

// checkBatch returns an error if batches are impossible.
func (c *chatted) checkBatch() error {
	if !c.batch {
		return nil
	}
	if c.opts.Recipe != nil {
		return usage.Errorf("--batch: the questions of recipe %s are not sent in batches", c.opts.Recipe.Name)
	}
	if c.opts.How == chatrank.Pairwise || c.opts.How == chatrank.Listwise {
		return usage.Errorf("--batch: the questions of a %s ranking depend on answers; batches need pointwise or graded questions", c.opts.How)
	}
	if c.setup.Replay != "" || c.setup.Cache == "" {
		return usage.Errorf("--batch needs an endpoint and a folder of --answers")
	}
	return nil
}

// prefetch asks the unanswered questions of a task in batches. Whether the endpoint gives
// log-probabilities determines the questions, so the first one that needs them is asked by itself.
func (c *chatted) prefetch(ctx context.Context, task *datasets.Task, depth int) error {
	unknown, err := c.unknown(ctx, task, depth)
	if err == nil && len(unknown) > 0 && unknown[0].Logprobs > 0 {
		var asker *chat.Asker
		if asker, err = c.setup.Open(); err != nil {
			return err
		}
		if _, err := asker.Ask(ctx, unknown[0]); err != nil && !chat.ClassOf(err).Said() {
			return err
		}
		unknown, err = c.unknown(ctx, task, depth)
	}
	if err != nil {
		return err
	}
	batcher, err := c.setup.Batcher(0)
	if err != nil {
		return err
	}
	_, err = batcher.Prefetch(ctx, unknown) // questions that remain are asked one by one and counted there
	return err
}

// unknown lists the questions of a task without a kept answer.
func (c *chatted) unknown(ctx context.Context, task *datasets.Task, depth int) ([]chat.Request, error) {
	counter, err := c.setup.Forecaster()
	if err != nil {
		return nil, err
	}
	ranker, err := chatrank.New(chat.NewAsker(counter, nil), c.opts)
	if err != nil {
		return nil, err
	}
	_, err = runners.NewRerank(c.first, ranker, c.depth).Retrieve(ctx, task, depth)
	return counter.Unknown(), err
}

// checkPrivate returns an error if answers to questions with private texts would be kept: each
// answer is kept with its question.
func (c *chatted) checkPrivate(task *datasets.Task) error {
	if !task.Private || c.answers == "" {
		return nil
	}
	return fmt.Errorf("the texts of task %s are private, and %s would keep them with the answers: use --answers %s", task.Name, c.answers, device.NoCache)
}

// rank orders the documents of a task.
func (c *chatted) rank(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	if c.batch {
		if err := c.prefetch(ctx, task, depth); err != nil {
			return nil, err
		}
	}
	return runners.NewRerank(c.first, c.ranker, c.depth).Retrieve(ctx, task, depth)
}

// Retrieve implements runners.Retriever.
func (c *chatted) Retrieve(ctx context.Context, task *datasets.Task, depth int) (trec.Run, error) {
	if err := c.checkPrivate(task); err != nil {
		return nil, err
	}
	run, err := c.rank(ctx, task, depth)
	seen := c.ranker.Take()
	if err == nil && !c.forecast {
		if err = cmp.Or(seen.Err(), c.tooMany(&seen)); err != nil {
			return nil, fmt.Errorf("task %s: %s: %w", task.Name, c.Name(), err)
		}
	}
	*c.thoughts = nil
	if !task.Private {
		for _, t := range seen.Thoughts {
			*c.thoughts = append(*c.thoughts, results.Thought(t))
		}
	}
	c.said.Usage = c.ranker.Usage()
	c.said.Scale = string(seen.Scale)
	t := results.ChatTask{Task: task.Name, Documents: seen.Documents, Bounded: seen.Bounded, Asked: seen.Answered + seen.Failed,
		Cut: seen.Cut, Unclosed: seen.Unclosed, Incomplete: seen.Incomplete}
	if seen.Failed > 0 {
		t.Unusable = seen.Unusable
	}
	for _, pattern := range seen.Addressing {
		if t.Addressing == nil {
			t.Addressing = map[string]int{}
		}
		t.Addressing[pattern]++
	}
	for query, verdicts := range seen.Verdicts {
		for doc, relevant := range verdicts {
			if grade, judged := task.Qrels[query][doc]; judged {
				t.Verdicts[bit(grade > 0)][bit(relevant)]++
			}
		}
	}
	c.said.Tasks = append(c.said.Tasks, t)
	if err != nil && c.answers != "" {
		err = fmt.Errorf("%w; answers so far are in %s, and the same command continues from there", err, c.answers)
	}
	return run, err
}

// tooMany returns an error if more answers than allowed could not be used.
func (c *chatted) tooMany(seen *chatrank.Seen) error {
	all := seen.Answered + seen.Failed
	share := float64(seen.Failed) / float64(max(all, 1))
	if share <= c.atMost {
		return nil
	}
	return fmt.Errorf("%d of %d answers (%.1f %%) cannot be used (%s), more than %.3g %%, so nothing is written; the first: %w; --unusable %.0f%% accepts them",
		seen.Failed, all, 100*share, strings.Join(chat.ByClass(seen.Unusable), ", "), 100*c.atMost, seen.Failure, math.Ceil(100*share))
}

// bit is 1 for true.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
