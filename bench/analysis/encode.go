package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/bench/output"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/catalog"
)

// encodeOptions are the flags of encode.
type encodeOptions struct {
	textFlags
	catalog.ModelOptions
	as, out string
}

// EncodeCommand is the verb encode.
func EncodeCommand() *cobra.Command {
	var o encodeOptions
	cmd := &cobra.Command{
		Use:   "encode FILE|CORPUS|BENCHMARK --model MODEL --out VECTORS.npy",
		Short: "Write the vectors that a model computes for texts",
		Long: `Write the vectors that a model computes for the texts of a file, a training corpus or a
benchmark, as a numpy file with one row per text. A second file next to it records the
model, the weights and the texts, so that infbench data diversity can check them.

Fields of a corpus: instruction, query and passage, including those of the poisoned
triples, or one of its columns by name. Fields of a benchmark: instruction, query,
document.`,
		Example: `  infbench encode mini-infir --field query --model path/to/model --out vectors.npy
  infbench encode inf-ir --sample 10000 --model path/to/e5-mistral-7b-instruct --out infir.npy
  infbench data diversity inf-ir --sample 10000 --embeddings infir.npy`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], cmd.OutOrStdout())
		},
	}
	o.textFlags.add(cmd)
	flags.Encoder(cmd, &o.ModelOptions)
	flags.Group(cmd.Flags(), flags.DataFlags, func() {
		cmd.Flags().StringVar(&o.as, "as", "", "role of the texts: query or document (default: by the field; query for files)")
	})
	flags.Group(cmd.Flags(), flags.OutputFlags, func() { cmd.Flags().StringVar(&o.out, "out", "", "numpy file to write") })
	return cmd
}

// run encodes the texts and prints where their vectors are.
func (o encodeOptions) run(ctx context.Context, name string, out io.Writer) (err error) {
	if o.Model == "" || o.out == "" {
		return usage.Errorf("encode needs --model and --out; see infbench encode --help")
	}
	if o.as != "" && !slices.Contains(textRoles(), o.as) {
		return usage.Error{Err: nearest.Unknown("role", o.as, textRoles())}
	}
	vectors := output.File{Path: o.out, Kind: output.Numpy, Inputs: []string{name, o.Model}}
	if err := vectors.Check(); err != nil {
		return err
	}
	if !disk.IsStream(o.out) {
		if err := aboutOutput(vectors).Check(); err != nil {
			return err
		}
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
	about := vectorsAbout{
		Model: o.Name(), Weights: opener.Weights(), Source: name, Field: set.Field, As: cmp.Or(textRole(o.as), set.As),
		Of: len(set.Texts), Sample: o.sample > 0, Seed: o.seed, Command: usage.CommandLine(),
	}
	if err := about.Write(ctx, vectors, enc, set.Pick(chosen), func(int) {}); err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	fmt.Fprintf(out, "%d of %d texts, field %s, encoded as %s by %s: %d values each in %s\n%s",
		about.Texts, about.Of, about.Field, about.As, about.Model, about.Dim, o.out, opener.Use())
	for _, remark := range opener.Remarks {
		fmt.Fprintln(out, words.Clean(remark))
	}
	return nil
}
