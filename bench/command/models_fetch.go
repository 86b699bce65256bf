package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"infbench/bench/data"
	"infbench/datasets/hub"
	"infbench/internal/usage"
	"infbench/runners/catalog"
	"infbench/training/encoder"
)

func modelsFetchCommand() *cobra.Command {
	var o data.Options
	cmd := &cobra.Command{
		Use:   "fetch NAME...",
		Short: "Fetch the files of models that networks are read from, pinned and hashed",
		Long: `Fetch models into the HuggingFace cache and lock them as data fetch does. NAME is
a card's name or ORG/NAME[@REVISION]; without a revision it is the card's, else
main. If weights exist in several formats, only the safetensors are fetched;
older models have PyTorch's pickles alone (pytorch_model.bin, adapter_model.bin).
A pickle may hold any program: infbench reads tables of dense tensors from it, refuses
a file that asks for anything else by its name, and executes nothing. An adapter is
fetched with its base model. An experiment then names the model ORG/NAME as its
backbone. $HF_TOKEN is needed for gated models.`,
		Example: "  infbench models fetch Qwen2.5-1.5B\n  infbench models fetch intfloat/e5-base-v2",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return fetchModels(cmd.Context(), &o, args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.AddFlags(cmd.Flags(), "lock file: commits and hashes", "open no connection: all locked files must exist")
	return cmd
}

// fetchModels fetches every named model.
func fetchModels(ctx context.Context, o *data.Options, names []string, stdout, stderr io.Writer) error {
	var repos []hub.Repo
	for _, name := range names {
		repo, err := modelRepository(name)
		if err != nil {
			return usage.Error{Err: err}
		}
		repos = append(repos, repo)
	}
	f, err := o.Fetcher(stdout, stderr)
	if err != nil {
		return err
	}
	for _, repo := range repos {
		if err := fetchOne(ctx, f, repo); err != nil {
			return err
		}
	}
	return nil
}

// fetchOne fetches a model, and an adapter's base model.
func fetchOne(ctx context.Context, f *data.Fetcher, repo hub.Repo) error {
	if err := f.Fetch(ctx, repo, catalog.ModelFiles); err != nil {
		return err
	}
	base, err := catalog.FetchedBase(repo)
	if base == nil || err != nil {
		return err
	}
	return f.Fetch(ctx, *base, catalog.ModelFiles)
}

// modelRepository finds the repository of a card's name or of ORG/NAME[@REVISION].
func modelRepository(name string) (hub.Repo, error) {
	if repo, ok := catalog.HubModel(name); ok {
		return repo, nil
	}
	card, err := encoder.CardOf(name)
	if err != nil {
		return hub.Repo{}, err
	}
	repo, ok := catalog.HubModel(card.Repository)
	if !ok || card.Kind == "remote" {
		return hub.Repo{}, fmt.Errorf("model %s has no repository on the hub", name)
	}
	return repo, nil
}
