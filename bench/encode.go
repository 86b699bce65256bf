package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"infbench/bench/catalog"
	"infbench/bench/texts"
	"infbench/bench/usage"
	"infbench/metrics/diversity"
	"infbench/metrics/nearest"
	"infbench/reports/words"
)

// textFlags are the flags that name texts, of encode and diversity.
type textFlags struct {
	texts.Options
	sample int
	seed   uint64
}

// add declares the flags.
func (o *textFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Field, "field", "", "field that holds the texts (default text of a file, instruction of a corpus or benchmark); a.b reaches into records of a file")
	f.StringArrayVar(&o.Tasks, "task", nil, "only this task, or group of tasks, of a benchmark; may be repeated")
	f.Uint64Var(&o.World, "world", 1, "seed of the generated world of mini data")
	f.IntVar(&o.sample, "sample", 0, "this many texts, drawn at random (default all)")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the sample")
}

// read reads the texts, and says which of them the flags ask for.
func (o *textFlags) read(name string) (set *texts.Set, chosen []int, err error) {
	if o.sample < 0 {
		return nil, nil, usage.Errorf("--sample %d: want at least 0", o.sample)
	}
	if set, err = texts.Read(name, o.Options); err != nil {
		return nil, nil, usage.AsError(err)
	}
	if o.sample > len(set.Texts) {
		return nil, nil, fmt.Errorf("%s: --sample %d of %d texts", name, o.sample, len(set.Texts))
	}
	return set, diversity.Sample(len(set.Texts), cmp.Or(o.sample, len(set.Texts)), o.seed), nil
}

// encodeOptions are the flags of encode.
type encodeOptions struct {
	textFlags
	catalog.ModelOptions
	as, out string
}

func encodeCommand() *cobra.Command {
	var o encodeOptions
	cmd := &cobra.Command{
		Use:   "encode FILE|CORPUS|BENCHMARK --model MODEL --out VECTORS.npy",
		Short: "Write the vectors that a model gives to texts",
		Long: `Write the vectors that a model gives to the texts of a file, a training corpus or a
benchmark, as a numpy file of a row for each. What they are of (model, weights, texts)
is written beside it, so that infbench diversity holds them to its texts.

Fields of a corpus: instruction, query and passage with those of the poisoned triples,
or one of its columns by name. Fields of a benchmark: instruction, query, document.`,
		Example: `  infbench encode mini-infir --field query --model path/to/model --out vectors.npy
  infbench encode inf-ir --sample 10000 --model path/to/e5-mistral-7b-instruct --out infir.npy
  infbench diversity inf-ir --sample 10000 --embeddings infir.npy`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], cmd.OutOrStdout())
		},
	}
	o.textFlags.add(cmd)
	o.AddEncoderFlags(cmd)
	cmd.Flags().StringVar(&o.as, "as", "", "what the model is to take the texts for: query or document (default by the field; query of files)")
	cmd.Flags().StringVar(&o.out, "out", "", "numpy file to write")
	return cmd
}

// run encodes the texts and says where their vectors are.
func (o encodeOptions) run(ctx context.Context, name string, out io.Writer) (err error) {
	if o.Model == "" || o.out == "" {
		return usage.Errorf("encode needs --model and --out; see infbench encode --help")
	}
	if o.as != "" && !slices.Contains(texts.Roles(), o.as) {
		return usage.Error{Err: nearest.Unknown("role", o.as, texts.Roles())}
	}
	set, chosen, err := o.read(name)
	if err != nil {
		return err
	}
	opener := catalog.Opener{ModelOptions: o.ModelOptions}
	defer func() { err = errors.Join(err, opener.Close()) }()
	enc, err := opener.OpenEncoder()
	if err != nil {
		return usage.AsError(err)
	}
	about := texts.About{
		Model: o.Name(), Weights: opener.Weights(), Source: name, Field: set.Field, As: cmp.Or(texts.Role(o.as), set.As),
		Of: len(set.Texts), Sample: o.sample > 0, Seed: o.seed, Command: usage.CommandLine(),
	}
	if err := about.Write(ctx, o.out, enc, set.Pick(chosen), func(int) {}); err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	fmt.Fprintf(out, "%d of %d texts, field %s, read as %s by %s: %d values each in %s\n%s",
		about.Texts, about.Of, about.Field, about.As, about.Model, about.Dim, o.out, opener.Use())
	for _, remark := range opener.Remarks {
		fmt.Fprintln(out, words.Clean(remark))
	}
	return nil
}
