package main

import (
	"github.com/spf13/cobra"

	"infbench/datasets/secret"
	"infbench/runners"
)

// remoteModel is the model that is an endpoint.
const remoteModel = "remote"

// remoteOptions name an OpenAI-compatible endpoint for embeddings and bound its
// use.
type remoteOptions struct {
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
	f.StringVar(&o.url, "url", "", "address of the endpoint of --model remote, without /embeddings")
	f.StringVar(&o.model, "remote-model", "", "model that the endpoint is asked for")
	f.IntVar(&o.dim, "dim", 0, "values of the remote model's vectors")
	f.StringVar(&o.template, "query-template", "", `how a remote model's queries are joined (default "{query} {instruction}")`)
	f.StringVar(&o.keyEnv, "key-env", "", "environment variable that holds the endpoint's key")
	f.Float64Var(&o.rate, "rate", 0, "requests to the endpoint in a second (0: no limit)")
	f.Int64Var(&o.budget, "budget", 0, "tokens after which the endpoint is asked no more (0: no limit)")
}

// check finds options that lack others. used says whether a remote model is
// named.
func (o *remoteOptions) check(used bool) error {
	switch {
	case !used && *o != remoteOptions{}:
		return usagef("--url, --remote-model, --dim, --query-template, --key-env, --rate and --budget are of --model %s", remoteModel)
	case used && (o.url == "" || o.model == "" || o.dim == 0):
		return usagef("--model %s needs --url, --remote-model and --dim", remoteModel)
	}
	return nil
}

// openRemote makes a dense retriever whose vectors an endpoint computes.
func (m *modelOpener) openRemote() (runners.Retriever, error) {
	o := m.remote
	opts := runners.RemoteOptions{
		BaseURL: o.url, Model: o.model, Dim: o.dim, QueryTemplate: o.template, PerSecond: o.rate, MaxTokens: o.budget,
	}
	if o.keyEnv != "" {
		var err error
		if opts.Key, err = secret.FromEnvironment(o.keyEnv); err != nil {
			return nil, err
		}
	}
	remote, err := runners.NewRemote(opts)
	if err != nil {
		return nil, usageError{err}
	}
	if m.cache == "" {
		return m.newDense(remoteModel+"/"+o.model, remote), nil
	}
	cached, err := m.cached(remote, remote.Fingerprint())
	if err != nil {
		return nil, err
	}
	return m.newDense(remoteModel+"/"+o.model, cached), nil
}
