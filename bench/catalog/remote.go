package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/bench/usage"
	"infbench/datasets/secret"
	"infbench/metrics/nearest"
	"infbench/runners"
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
	keyEnv string // VARIABLE, or API=VARIABLE,API=VARIABLE
	rate   float64
	budget int64
}

// AddFlags declares the options.
func (u *RemoteUse) AddFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&u.keyEnv, "key-env", "", "environment variable that holds the key of a remote model's endpoint, or API=VARIABLE,... of several")
	f.Float64Var(&u.rate, "rate", 0, "requests to an endpoint in a second (0: no limit)")
	f.Int64Var(&u.budget, "budget", 0, "tokens of one evaluation after which an endpoint is asked no more (0: no limit)")
}

// Args are the flags that say the same to another process; keys are not among them.
func (u *RemoteUse) Args() []string {
	var args []string
	if u.keyEnv != "" {
		args = append(args, "--key-env", u.keyEnv)
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
	for part := range strings.SplitSeq(u.keyEnv, ",") {
		name, variable, several := strings.Cut(part, "=")
		switch {
		case !several && part != "":
			return secret.FromEnvironment(part)
		case several && !slices.Contains(runners.RemoteAPIs(), name):
			return secret.Secret{}, usage.Errorf("--key-env %s: %w", part, nearest.Unknown("interface", name, runners.RemoteAPIs()))
		case several && name == cmp.Or(api, "openai"):
			return secret.FromEnvironment(variable)
		}
	}
	return secret.Secret{}, nil
}

// addFlags declares the options.
func (o *remoteOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.API, "remote-api", "", "interface of --model remote: "+strings.Join(runners.RemoteAPIs(), ", ")+" (default openai, which many servers speak)")
	f.StringVar(&o.URL, "url", "", "address of the endpoint up to and with the version (default the provider's; openai has none)")
	f.StringVar(&o.Model, "remote-model", "", "model that the endpoint is asked for")
	f.IntVar(&o.Dim, "dim", 0, "values of the remote model's vectors")
	f.StringVar(&o.QueryTemplate, "query-template", "", `how a remote model's queries are joined (default its card's, else "{query} {instruction}")`)
	o.RemoteUse.AddFlags(cmd)
}

// check finds options that lack others. used says whether a remote model is
// named.
func (o *remoteOptions) check(used bool) error {
	switch {
	case !used && *o != remoteOptions{}:
		return usage.Errorf("--remote-api, --url, --remote-model, --dim, --query-template, --key-env, --rate and --budget are of --model %s", remoteModel)
	case used && (o.Model == "" || o.Dim == 0):
		return usage.Errorf("--model %s needs --remote-model and --dim", remoteModel)
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
	return m.newDense(remoteModel+"/"+m.remote.Model, enc, runners.Similarity(m.similarity)), nil
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
