package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/datasets/chat"
	"infbench/internal/nearest"
	"infbench/internal/secret"
	"infbench/internal/usage"
	"infbench/runners"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// remoteModel is the model that is an endpoint.
const remoteModel = spec.RemoteModel

// remoteOptions name an endpoint for embeddings and bound its use.
type remoteOptions struct {
	spec.Remote
	RemoteUse
}

// RemoteUse bounds how endpoints are asked, and says where their keys are. No number
// depends on it.
type RemoteUse struct {
	keyEnv  string // VARIABLE, or API=VARIABLE,API=VARIABLE
	keyFile string
	rate    float64
	budget  int64

	indexURL string // of the server that searches vectors

	// Of language models alone.
	price   string // of a million tokens, INPUT,OUTPUT
	cost    float64
	replay  string
	answers string
	batch   bool
}

// AddFlags declares the options.
func (u *RemoteUse) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	usage.Group(f, usage.AskingFlags, func() {
		f.StringVar(&u.keyEnv, "key-env", "", "environment variable that holds the key of a remote model's endpoint, or API=VARIABLE,... of several")
		f.StringVar(&u.keyFile, "key-file", "", "file that holds the key of a remote model's endpoint and nothing else")
		f.Float64Var(&u.rate, "rate", 0, "requests to an endpoint in a second (0: no limit)")
		f.Int64Var(&u.budget, "budget", 0, "tokens of one evaluation after which an endpoint is asked no more (0: no limit)")
		f.StringVar(&u.price, "price", "", "what a million tokens of a language model cost, INPUT,OUTPUT as in 0.15,0.6")
		f.Float64Var(&u.cost, "max-cost", 0, "money of one evaluation that no question to a language model may pass, in the currency of --price (0: no limit)")
		f.StringVar(&u.answers, "answers", "", "folder that keeps the answers of language models, so that nothing is paid twice, or off (default "+ChatAnswers+")")
		f.BoolVar(&u.batch, "batch", false, "ask the pointwise and graded questions of a task to a language model by the endpoint's batches, which are slower and cheaper")
		f.StringVar(&u.replay, "replay", "", "folder of recorded answers that a language model is replaced by; nothing is sent")
	})
	usage.Group(f, usage.IndexFlags, func() {
		f.StringVar(&u.indexURL, "index-url", "", "address of the server that an index is searched by, such as http://localhost:8000")
	})
}

// Args are the flags that say the same to another process; keys are not among them.
func (u *RemoteUse) Args() []string {
	var args []string
	if u.keyEnv != "" {
		args = append(args, "--key-env", u.keyEnv)
	}
	for _, flag := range [][2]string{{"--key-file", u.keyFile}, {"--price", u.price}, {"--replay", u.replay}, {"--answers", u.answers}, {"--index-url", u.indexURL}} {
		if flag[1] != "" {
			args = append(args, flag[0], flag[1])
		}
	}
	if u.batch {
		args = append(args, "--batch")
	}
	if u.cost != 0 {
		args = append(args, "--max-cost", fmt.Sprint(u.cost))
	}
	if u.rate != 0 {
		args = append(args, "--rate", fmt.Sprint(u.rate))
	}
	if u.budget != 0 {
		args = append(args, "--budget", fmt.Sprint(u.budget))
	}
	return args
}

// key reads the key of an interface from its variable; none where none is named.
func (u *RemoteUse) key(api string) (secret.Secret, error) {
	if u.keyFile != "" {
		if u.keyEnv != "" {
			return secret.Secret{}, usage.Errorf("--key-env and --key-file: name one of them")
		}
		return secret.FromFile(u.keyFile)
	}
	known := append(runners.RemoteAPIs(), chatModel)
	for part := range strings.SplitSeq(u.keyEnv, ",") {
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

// addFlags declares the options.
func (o *remoteOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	usage.Group(f, usage.RemoteFlags, func() {
		f.StringVar(&o.API, "remote-api", "", "interface of --model remote: "+strings.Join(runners.RemoteAPIs(), ", ")+" (default openai, which many servers speak)")
		f.StringVar(&o.URL, "url", "", "address of the endpoint up to and with the version (default the provider's; openai has none)")
		f.StringVar(&o.Model, "remote-model", "", "model that the endpoint is asked for")
		f.IntVar(&o.Dim, "dim", 0, "values of the remote model's vectors")
		f.StringVar(&o.QueryTemplate, "query-template", "", `how a remote model's queries are joined (default its card's, else "{query} {instruction}")`)
	})
	o.RemoteUse.AddFlags(cmd)
}

// prices are those of the model; nil where no price is named.
func (u *RemoteUse) prices(model string) (map[string]chat.Price, error) {
	if u.price == "" {
		return nil, nil
	}
	input, output, two := strings.Cut(u.price, ",")
	in, err := strconv.ParseFloat(strings.TrimSpace(input), 64)
	out, err2 := strconv.ParseFloat(strings.TrimSpace(output), 64)
	if !two || err != nil || err2 != nil || !(in >= 0) || !(out >= 0) {
		return nil, usage.Errorf("--price %s: want what a million tokens cost, INPUT,OUTPUT as in 0.15,0.6", u.price)
	}
	return map[string]chat.Price{model: {Input: in, Output: out}}, nil
}

// checkRemote finds options of endpoints that lack others.
func (o *ModelOptions) checkRemote() error {
	remote, language := slices.Contains(o.models(), remoteModel), slices.Contains(o.models(), chatModel)
	given := o.remote
	given.indexURL = "" // which is of no remote model
	own := given        // what is of remote models for vectors alone
	own.RemoteUse, own.URL = RemoteUse{}, ""
	ofChat := RemoteUse{price: o.remote.price, cost: o.remote.cost, replay: o.remote.replay, answers: o.remote.answers, batch: o.remote.batch}
	switch {
	case !remote && !language && given != remoteOptions{}:
		return usage.Errorf("--remote-api, --url, --remote-model, --dim, --query-template, --key-env, --key-file, --rate and --budget are of --model %s; some and --price, --max-cost and --replay of --model %s", remoteModel, chatModel)
	case !remote && own != remoteOptions{}:
		return usage.Errorf("--remote-api, --remote-model, --dim and --query-template are of --model %s", remoteModel)
	case !language && (o.chat != spec.Chat{} || ofChat != RemoteUse{}):
		return usage.Errorf("--chat-model, --how, --price, --replay and their like are of --model %s, which asks a language model behind --url", chatModel)
	case remote && (o.remote.Model == "" || o.remote.Dim == 0):
		return usage.Errorf("--model %s needs --remote-model and --dim", remoteModel)
	case language && o.chat.Model == "":
		return usage.Errorf("--model %s needs --chat-model and --url", chatModel)
	case o.Model != chatModel && language:
		return usage.Errorf("%s orders what others find: name it by --model", chatModel)
	case language && o.language().URL == "":
		return usage.Error{Err: errNoURL(o.chat.Model)}
	}
	return nil
}

// addTo adds what has a say in the numbers.
func (o *remoteOptions) addTo(c results.Config) {
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

// queryTemplate is the one given, or the one on the card of the provider's model.
func (o *remoteOptions) queryTemplate() (string, error) {
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

// open makes the encoder behind the endpoint.
func (o *remoteOptions) open() (*runners.Remote, error) {
	template, err := o.queryTemplate()
	if err != nil {
		return nil, err
	}
	opts := runners.RemoteOptions{
		API: o.API, BaseURL: o.URL, Model: o.Model, Dim: o.Dim, QueryTemplate: template, PerSecond: o.rate, MaxTokens: o.budget,
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

// openRemote makes a dense retriever whose vectors an endpoint computes.
func (m *Opener) openRemote() (runners.Retriever, error) {
	enc, err := m.remoteEncoder()
	if err != nil {
		return nil, err
	}
	return m.finding(remoteModel+"/"+m.remote.Model, enc, runners.Similarity(m.similarity), func() (string, error) { return m.read[len(m.read)-1], nil })
}

// remoteEncoder asks an endpoint for vectors.
func (m *Opener) remoteEncoder() (runners.Encoder, error) {
	remote, err := m.remote.open()
	if err != nil {
		return nil, err
	}
	m.read = append(m.read, sumOf(remote.Fingerprint()))
	return m.put(remote, m.CacheFolder(), remote.Fingerprint())
}
