package command

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/datasets/chat"
	"infbench/datasets/curate"
	"infbench/internal/nearest"
	"infbench/internal/secret"
	"infbench/runners/catalog"
	"infbench/runners/device"
)

// voiceSpec is an author or a judge: rules on the generated world, a model behind an endpoint
// or, for judges only, a model that scores pairs.
type voiceSpec struct {
	Name   string `yaml:"name"`
	Person bool   `yaml:"person,omitempty"` // an offline judge that stands for a person: it approves nothing

	Offline bool    `yaml:"offline,omitempty"`
	Errors  float64 `yaml:"errors,omitempty"` // the share of records, or of questions, that it gets wrong
	Doubt   float64 `yaml:"doubt,omitempty"`  // of a judge: how often it reports being unsure when it is wrong

	Rerank string `yaml:"rerank,omitempty"` // of a judge: folder, card or ORG/NAME of a model that scores pairs

	Chat      string         `yaml:"chat,omitempty"`
	URL       string         `yaml:"url,omitempty"`
	KeyEnv    string         `yaml:"key_env,omitempty"`
	KeyFile   string         `yaml:"key_file,omitempty"`
	Structure chat.Structure `yaml:"structure,omitempty"`
	Reasoning bool           `yaml:"reasoning,omitempty"`
	Price     *chat.Price    `yaml:"price,omitempty"` // of a million tokens
	PerSecond float64        `yaml:"per_second,omitempty"`

	Temperature float64 `yaml:"temperature,omitempty"`
	MaxTokens   int     `yaml:"max_tokens,omitempty"`

	Prompts promptSpec `yaml:"prompts,omitempty"`
}

// promptSpec are prompts that replace the built-in ones.
type promptSpec struct {
	Instruction         string `yaml:"instruction,omitempty"`
	PoisonedInstruction string `yaml:"poisoned_instruction,omitempty"`
	PoisonedQuery       string `yaml:"poisoned_query,omitempty"`
	Passage             string `yaml:"passage,omitempty"`
	Verdict             string `yaml:"verdict,omitempty"` // of a judge; the others are of the author
}

// byPart returns the given prompts by the part they ask for.
func (p promptSpec) byPart() map[curate.Part]string {
	all := map[curate.Part]string{curate.Instruction: p.Instruction, curate.NegativeInstruction: p.PoisonedInstruction, curate.NegativeQuery: p.PoisonedQuery,
		curate.Passage1: p.Passage, curate.Verdict: p.Verdict}
	maps.DeleteFunc(all, func(_ curate.Part, text string) bool { return text == "" })
	return all
}

// bare is the voice without the settings that do not affect its answers.
func (v voiceSpec) bare() voiceSpec {
	v.KeyEnv, v.KeyFile, v.PerSecond = "", "", 0
	return v
}

// answerTokens limits an answer if the file sets no limit: a passage of 700 words.
const answerTokens = 1024

// voice decodes "offline" or a mapping.
func (p *specParser) voice(n *yaml.Node, what string) voiceSpec {
	v := voiceSpec{}
	if n.Kind == yaml.ScalarNode {
		if n.Value != "offline" {
			p.Fail(n, "%s: %w", what, nearest.Unknown("author or judge", n.Value, []string{"offline", "a mapping with chat and url"}))
		}
		v.Offline = true
	} else if at := keyOf(n, "model"); at != nil {
		p.Fail(at, "%s: model: infbench cannot run models that write text. Serve it with an OpenAI-compatible server (vLLM, Ollama, llama.cpp's llama-server) and give chat: MODEL with url: ADDRESS. For a judge that scores pairs, such as a cross-encoder or a language model with a judge section in its folder's infbench.json, give rerank: MODEL", what)
		return voiceSpec{Name: what}
	} else {
		p.Into(n, reflect.ValueOf(&v).Elem(), what)
	}
	if err := v.check(what == "author"); err != nil && n.Kind == yaml.MappingNode {
		p.Refuse(n, err)
	} else if v.Rerank != "" {
		if err := catalog.CheckPairJudge(v.Rerank); err != nil {
			p.Fail(keyOf(n, "rerank"), "%s: rerank: %w", what, err)
		}
	}
	v.Name = cmp.Or(v.Name, v.Chat, rerankName(v.Rerank), "offline")
	if v.MaxTokens == 0 && v.Chat != "" {
		v.MaxTokens = answerTokens
	}
	return v
}

// rerankName is the default name of a model that judges: FollowIR-7B for
// jhu-clsp/FollowIR-7B@main; "" if there is none.
func rerankName(model string) string {
	if model == "" {
		return ""
	}
	name, _, _ := strings.Cut(filepath.Base(model), "@")
	return name
}

// keyOf returns the node of a mapping's key; nil if it has none.
func keyOf(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i]
		}
	}
	return nil
}

// check refuses settings that do not go together.
func (v *voiceSpec) check(author bool) error {
	var errs []error
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	kinds := 0
	for _, given := range []bool{v.Offline, v.Chat != "", v.Rerank != "" && !author} {
		if given {
			kinds++
		}
	}
	refuse(author && v.Rerank != "", "rerank is for judges: a model that scores pairs writes nothing")
	refuse(author && v.Rerank == "" && kinds != 1, "give one of offline: true, and chat: MODEL with url: ADDRESS")
	refuse(!author && kinds != 1, "give one of offline: true, chat: MODEL with url: ADDRESS, and rerank: MODEL")
	refuse(v.Rerank != "" && (v.Structure != "" || v.Reasoning || v.Price != nil || v.PerSecond != 0 || v.Temperature != 0 || v.MaxTokens != 0),
		"structure, reasoning, price, per_second, temperature and max_tokens are for chat")
	refuse(v.Chat != "" && v.URL == "", "chat needs url: the address of the endpoint up to its version, such as http://localhost:11434/v1")
	refuse(v.Chat == "" && (v.URL != "" || v.KeyEnv != "" || v.KeyFile != ""), "url, key_env and key_file are for chat")
	refuse(v.KeyEnv != "" && v.KeyFile != "", "key_file and key_env: give one")
	refuse(!v.Offline && (v.Errors != 0 || v.Doubt != 0), "errors and doubt are for offline voices")
	refuse(!(v.Errors >= 0 && v.Errors <= 1), "errors %v is not between 0 and 1", v.Errors)
	refuse(!(v.Doubt >= 0 && v.Doubt <= 1), "doubt %v is not between 0 and 1", v.Doubt)
	refuse(v.Person && !v.Offline, "person is for offline judges: to use the answers of people, see annotate")
	refuse(v.MaxTokens < 0 || v.Temperature < 0 || v.PerSecond < 0, "max_tokens, temperature and per_second cannot be negative")
	refuse(v.Chat == "" && v.Prompts != promptSpec{}, "prompts are for chat")
	refuse(author && v.Prompts.Verdict != "", "prompts: verdict is for judges")
	refuse(!author && v.Prompts != promptSpec{Verdict: v.Prompts.Verdict}, "prompts: a judge's prompt is called verdict")
	if err := nearest.OneOf("structure", v.Structure, chat.BySchema, chat.AsObject, chat.InWords); err != nil {
		errs = append(errs, fmt.Errorf("structure: %w", err))
	}
	return errors.Join(errs...)
}

// voiceOpener opens the author and the judges of a file.
type voiceOpener struct {
	f        *corpusSpec
	budget   *chat.Budget
	cache    string
	parallel int
	dry      bool // nothing will be asked: no key is needed
	device   device.Options
}

func (o *voiceOpener) author() (curate.Author, error) {
	v := o.f.Author
	if v.Offline {
		return curate.NewOfflineAuthor(v.Name, v.Errors, o.f.World, o.f.Seed), nil
	}
	spoken, err := o.open(v)
	return &curate.PromptedAuthor{PromptedVoice: spoken}, err
}

func (o *voiceOpener) judges() ([]curate.Judge, error) {
	var all []curate.Judge
	for _, v := range o.f.Judges {
		if v.Offline {
			judge := curate.NewOfflineJudge(v.Name, v.Errors, v.Doubt, o.f.World, o.f.Seed)
			judge.Person = v.Person
			all = append(all, judge)
			continue
		}
		if v.Rerank != "" {
			judge, err := catalog.NewPairJudge(v.Name, v.Rerank, o.device)
			if err != nil {
				return nil, err
			}
			all = append(all, judge)
			continue
		}
		spoken, err := o.open(v)
		if err != nil {
			return nil, err
		}
		all = append(all, &curate.PromptedJudge{PromptedVoice: spoken})
	}
	return all, nil
}

// open opens a model.
func (o *voiceOpener) open(v voiceSpec) (curate.PromptedVoice, error) {
	spoken := curate.PromptedVoice{Name: v.Name, Asked: v.Chat, Temperature: v.Temperature, MaxTokens: v.MaxTokens, Seed: int64(o.f.Seed), Price: v.Price, Prompts: v.Prompts.byPart()}
	key, err := v.key(o.dry)
	if err != nil {
		return spoken, fmt.Errorf("%s: %w", v.Name, err)
	}
	prices := map[string]chat.Price{}
	if v.Price != nil {
		prices[v.Chat] = *v.Price
	}
	spoken.Origin = v.URL + " " + string(v.Structure)
	spoken.Model, err = chat.Setup{Prices: prices, Cache: o.cache, Endpoint: chat.Options{BaseURL: v.URL, Key: key, Structure: v.Structure,
		Reasoning: v.Reasoning, Parallel: o.parallel, PerSecond: v.PerSecond, Budget: o.budget}}.Open()
	return spoken, err
}

func (v *voiceSpec) key(dry bool) (secret.Secret, error) {
	switch {
	case dry:
	case v.KeyEnv != "":
		return secret.FromEnvironment(v.KeyEnv)
	case v.KeyFile != "":
		return secret.FromFile(v.KeyFile)
	}
	return secret.Secret{}, nil
}

// newBudget returns one budget for all models of a file; nil if the file has none.
func (f *corpusSpec) newBudget() (*chat.Budget, error) {
	if f.Budget == (budgetSpec{}) {
		return nil, nil
	}
	limits := chat.Limits{Tokens: f.Budget.Tokens, Money: f.Budget.Money, Prices: map[string]chat.Price{}}
	for _, v := range append([]voiceSpec{f.Author}, f.Judges...) {
		if v.Price != nil {
			limits.Prices[v.Chat] = *v.Price
		}
	}
	return chat.NewBudget(limits)
}
