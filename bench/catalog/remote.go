package catalog

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/results"
	"infbench/bench/usage"
	"infbench/datasets/secret"
	"infbench/runners"
	"infbench/training/encoder"
)

// remoteModel is the model that is an endpoint.
const remoteModel = "remote"

// remoteOptions name an endpoint for embeddings and bound its use.
type remoteOptions struct {
	api      string
	url      string
	model    string
	dim      int
	template string
	keyEnv   string
	rate     float64
	budget   int64
}

// addFlags declares the options.
func (o *remoteOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.api, "remote-api", "", "interface of --model remote: "+strings.Join(runners.RemoteAPIs(), ", ")+" (default openai, which many servers speak)")
	f.StringVar(&o.url, "url", "", "address of the endpoint up to and with the version (default the provider's; openai has none)")
	f.StringVar(&o.model, "remote-model", "", "model that the endpoint is asked for")
	f.IntVar(&o.dim, "dim", 0, "values of the remote model's vectors")
	f.StringVar(&o.template, "query-template", "", `how a remote model's queries are joined (default its card's, else "{query} {instruction}")`)
	f.StringVar(&o.keyEnv, "key-env", "", "environment variable that holds the endpoint's key")
	f.Float64Var(&o.rate, "rate", 0, "requests to the endpoint in a second (0: no limit)")
	f.Int64Var(&o.budget, "budget", 0, "tokens after which the endpoint is asked no more (0: no limit)")
}

// check finds options that lack others. used says whether a remote model is
// named.
func (o *remoteOptions) check(used bool) error {
	switch {
	case !used && *o != remoteOptions{}:
		return usage.Errorf("--remote-api, --url, --remote-model, --dim, --query-template, --key-env, --rate and --budget are of --model %s", remoteModel)
	case used && (o.model == "" || o.dim == 0):
		return usage.Errorf("--model %s needs --remote-model and --dim", remoteModel)
	}
	return nil
}

// addTo adds what has a say in the numbers.
func (o *remoteOptions) addTo(c results.Config) {
	for key, value := range map[string]string{
		results.RemoteAPI: o.api, results.RemoteURL: o.url, results.RemoteModel: o.model, results.QueryTemplate: o.template,
	} {
		if value != "" {
			c[key] = value
		}
	}
}

// queryTemplate is the one given, or the one on the card of the provider's model.
func (o *remoteOptions) queryTemplate() (string, error) {
	if o.template != "" {
		return o.template, nil
	}
	cards, err := encoder.Cards()
	if err != nil {
		return "", err
	}
	repository := cmp.Or(o.api, "openai") + "/" + o.model
	for _, c := range cards {
		if c.Kind == "remote" && c.Repository == repository {
			return c.Query, nil
		}
	}
	return "", nil
}

// openRemote makes a dense retriever whose vectors an endpoint computes.
func (m *Opener) openRemote() (runners.Retriever, error) {
	enc, err := m.remoteEncoder()
	if err != nil {
		return nil, err
	}
	return m.newDense(remoteModel+"/"+m.remote.model, enc, runners.Similarity(m.similarity)), nil
}

// remoteEncoder asks an endpoint for vectors.
func (m *Opener) remoteEncoder() (runners.Encoder, error) {
	o := m.remote
	template, err := o.queryTemplate()
	if err != nil {
		return nil, err
	}
	opts := runners.RemoteOptions{
		API: o.api, BaseURL: o.url, Model: o.model, Dim: o.dim, QueryTemplate: template, PerSecond: o.rate, MaxTokens: o.budget,
	}
	if o.keyEnv != "" {
		if opts.Key, err = secret.FromEnvironment(o.keyEnv); err != nil {
			return nil, err
		}
	}
	remote, err := runners.NewRemote(opts)
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	m.read = append(m.read, sumOf(remote.Fingerprint()))
	return m.put(remote, m.CacheFolder(), remote.Fingerprint())
}
