package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"infbench/datasets/chat"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/secret"
	"infbench/internal/usage"
	"infbench/runners"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// remoteModel is the model name for an endpoint.
const remoteModel = spec.RemoteModel

// RemoteOptions select an endpoint for embeddings and limit its use.
type RemoteOptions struct {
	spec.Remote
	RemoteUse
}

// RemoteUse has limits for requests to endpoints, and the places of their keys. Results do not
// depend on it.
type RemoteUse struct {
	KeyEnv  string // VARIABLE, or API=VARIABLE,API=VARIABLE
	KeyFile string
	Rate    float64
	Budget  int64

	IndexURL string // address of the server that searches vectors

	// Only for language models.
	Price   string // of a million tokens, INPUT,OUTPUT
	Cost    float64
	Replay  string
	Answers string
	Batch   bool
	// Unusable is the share of a task's answers that may be unusable, as in 10%; "" means 5% for a
	// named recipe, else 100%.
	Unusable string
}

// Args returns the flags that pass these settings to another process; keys are not among them.
func (u *RemoteUse) Args() []string {
	var args []string
	if u.KeyEnv != "" {
		args = append(args, "--key-env", u.KeyEnv)
	}
	for _, flag := range [][2]string{{"--key-file", u.KeyFile}, {"--price", u.Price}, {"--replay", u.Replay}, {"--answers", u.Answers}, {"--index-url", u.IndexURL}, {"--unusable", u.Unusable}} {
		if flag[1] != "" {
			args = append(args, flag[0], flag[1])
		}
	}
	if u.Batch {
		args = append(args, "--batch")
	}
	if u.Cost != 0 {
		args = append(args, "--max-cost", fmt.Sprint(u.Cost))
	}
	if u.Rate != 0 {
		args = append(args, "--rate", fmt.Sprint(u.Rate))
	}
	if u.Budget != 0 {
		args = append(args, "--budget", fmt.Sprint(u.Budget))
	}
	return args
}

// key reads the key of an interface from its variable; it is empty if no variable is named.
func (u *RemoteUse) key(api string) (secret.Secret, error) {
	if u.KeyFile != "" {
		if u.KeyEnv != "" {
			return secret.Secret{}, usage.Errorf("give only one of --key-env and --key-file")
		}
		return secret.FromFile(u.KeyFile)
	}
	known := append(runners.RemoteAPIs(), chatModel)
	for part := range strings.SplitSeq(u.KeyEnv, ",") {
		name, variable, several := strings.Cut(part, "=")
		switch {
		case !several && part != "":
			return secret.FromEnvironment(part)
		case several && !slices.Contains(known, name):
			return secret.Secret{}, usage.Errorf("--key-env %s: %w", part, nearest.Unknown("interface", name, known))
		case several && name == cmp.Or(api, "openai"):
			return secret.FromEnvironment(variable)
		}
	}
	return secret.Secret{}, nil
}

// unusable is the share of answers that may be unusable; usual is that without the option.
func (u *RemoteUse) unusable(usual float64) (float64, error) {
	if u.Unusable == "" {
		return usual, nil
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(u.Unusable, "%"), 64)
	if err != nil || !strings.HasSuffix(u.Unusable, "%") || !(percent >= 0 && percent <= 100) {
		return 0, usage.Errorf("--unusable %s: want a percentage from 0%% to 100%%, as in 10%%", u.Unusable)
	}
	return percent / 100, nil
}

// prices are the prices of the model; nil if there is no price.
func (u *RemoteUse) prices(model string) (map[string]chat.Price, error) {
	if u.Price == "" {
		return nil, nil
	}
	input, output, two := strings.Cut(u.Price, ",")
	in, err := strconv.ParseFloat(strings.TrimSpace(input), 64)
	out, err2 := strconv.ParseFloat(strings.TrimSpace(output), 64)
	if !two || err != nil || err2 != nil || !(in >= 0) || !(out >= 0) {
		return nil, usage.Errorf("--price %s: want the price of a million tokens, INPUT,OUTPUT as in 0.15,0.6", u.Price)
	}
	return map[string]chat.Price{model: {Input: in, Output: out}}, nil
}

// checkRemote returns an error for options of endpoints without others that they need.
func (o *ModelOptions) checkRemote() error {
	remote, language := slices.Contains(o.models(), remoteModel), slices.Contains(o.models(), chatModel)
	given := o.Remote
	given.IndexURL = "" // not an option of remote models
	own := given        // options of remote models for vectors only
	own.RemoteUse, own.URL = RemoteUse{}, ""
	ofChat := RemoteUse{Price: o.Remote.Price, Cost: o.Remote.Cost, Replay: o.Remote.Replay, Answers: o.Remote.Answers, Batch: o.Remote.Batch, Unusable: o.Remote.Unusable}
	switch {
	case !remote && !language && given != RemoteOptions{}:
		return usage.Errorf("--remote-api, --url, --remote-model, --dim, --query-template, --key-env, --key-file, --rate and --budget require --model %s; some of these, and --price, --max-cost and --replay, require --model %s", remoteModel, chatModel)
	case !remote && own != RemoteOptions{}:
		return usage.Errorf("--remote-api, --remote-model, --dim and --query-template require --model %s", remoteModel)
	case !language && (o.Language != spec.Chat{} || ofChat != RemoteUse{}):
		return usage.Errorf("--chat-model, --how, --recipe, --price, --replay and similar flags require --model %s, which uses a language model behind --url", chatModel)
	case remote && (o.Remote.Model == "" || o.Remote.Dim == 0):
		return usage.Errorf("--model %s needs --remote-model and --dim", remoteModel)
	case language && o.Language.Model == "":
		return usage.Errorf("--model %s needs --chat-model and --url", chatModel)
	case o.Model != chatModel && language:
		return usage.Errorf("%s orders documents that others find: use it as --model", chatModel)
	case language && o.language().URL == "":
		return usage.Error{Err: errNoURL(o.Language.Model)}
	}
	return nil
}

// addTo adds the settings that affect results.
func (o *RemoteOptions) addTo(c results.Config) {
	for key, value := range map[string]string{
		results.RemoteAPI: o.API, results.RemoteURL: o.URL, results.RemoteModel: o.Model, results.QueryTemplate: o.QueryTemplate,
	} {
		if value != "" {
			c[key] = value
		}
	}
	if o.Dim != 0 {
		c[results.Dim] = fmt.Sprint(o.Dim)
	}
}

// queryTemplate is the given template, or the one on the card of the provider's model.
func (o *RemoteOptions) queryTemplate() (string, error) {
	if o.QueryTemplate != "" {
		return o.QueryTemplate, nil
	}
	cards, err := encoder.Cards()
	if err != nil {
		return "", err
	}
	repository := cmp.Or(o.API, "openai") + "/" + o.Model
	for _, c := range cards {
		if c.Kind == "remote" && c.Repository == repository {
			return c.Query, nil
		}
	}
	return "", nil
}

// open makes the encoder for the endpoint.
func (o *RemoteOptions) open() (*runners.Remote, error) {
	template, err := o.queryTemplate()
	if err != nil {
		return nil, err
	}
	opts := runners.RemoteOptions{
		API: o.API, BaseURL: o.URL, Model: o.Model, Dim: o.Dim, QueryTemplate: template, PerSecond: o.Rate, MaxTokens: o.Budget,
	}
	if opts.Key, err = o.key(o.API); err != nil {
		return nil, err
	}
	remote, err := runners.NewRemote(opts)
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	return remote, nil
}

// openRemote makes a dense retriever with vectors from an endpoint.
func (m *Opener) openRemote() (runners.Retriever, error) {
	enc, err := m.remoteEncoder()
	if err != nil {
		return nil, err
	}
	m.compared = m.compared || m.Similarity == string(runners.Dot)
	return m.finding(remoteModel+"/"+m.Remote.Model, enc, runners.Similarity(m.Similarity), func() (string, error) { return m.read[len(m.read)-1], nil })
}

// remoteEncoder makes an encoder with vectors from an endpoint.
func (m *Opener) remoteEncoder() (runners.Encoder, error) {
	remote, err := m.Remote.open()
	if err != nil {
		return nil, err
	}
	m.read = append(m.read, disk.Sum(remote.Fingerprint()))
	return m.put(remote, m.CacheFolder(), remote.Fingerprint())
}
