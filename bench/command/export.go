package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/heap"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/export"
	"infbench/runners/rescore"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// exportOptions are the flags of export.
type exportOptions struct {
	format, out string
	schema      bool
	inputs      []string // as given; empty if all run folders are meant
}

func exportCommand() *cobra.Command {
	var o exportOptions
	formats := append(export.ExportFormats(), "trec", "qrels")
	cmd := &cobra.Command{
		Use:   "export --format FORMAT [--out DIR] [RUN...]",
		Short: "Write results for other programs",
		Long: `Write the results in run folders or HTML reports in a format of other programs:

  mteb          results/<model>/<revision>/<Task>.json and model_meta.json, as MTEB
                and its public repository have them; each trial is a revision
  model-index   YAML for the front matter of a model card, one file a trial
  eval-results  the YAML that replaced model-index
  trec          the saved rankings as plain run files (from run folders only)
  qrels         the judgments they were scored against, also of generated benchmarks:
                qrels (of pairs for each side), candidates, excluded and moved documents
  csv, parquet  every per-query value, one a row
  json          the same; --schema prints its JSON Schema
  tensorboard   an event file a trial: training curve, final scores (32-bit numbers)
  latex         leaderboards as booktabs tables with marks of significance

With trec and qrels anyone can recompute a board with another program. With infbench,
for a pair and for any other task:

  infbench score --complete --changed TASK.moved --run TASK.trec --run-before TASK.trec --measure p-MRR
  infbench score --complete --qrels TASK.changed.qrels --run TASK.trec --measure AP@1000
  infbench score --complete --qrels TASK.qrels --run TASK.trec --measure nDCG@10

Without --out a single file goes to standard output.`,
		Example: `  infbench export --format json runs/demo > results.json
  infbench export --format mteb --out mteb runs/demo
  infbench export --format qrels --out judgments runs/demo
  infbench export --schema`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.schema {
				_, err := cmd.OutOrStdout().Write(export.Schema)
				return err
			}
			o.inputs = args
			switch o.format {
			case "trec":
				return o.trec(cmd.Context(), args, cmd.OutOrStdout())
			case "qrels":
				return o.qrels(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return o.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "one of "+strings.Join(formats, ", "))
	f.StringVar(&o.out, "out", "", "folder to write into")
	f.BoolVar(&o.schema, "schema", false, "print the JSON Schema of --format json")
	return cmd
}

// run writes the files of a format.
func (o exportOptions) run(ctx context.Context, args []string, out, warnings io.Writer) (err error) {
	if o.format == "" {
		return usage.Errorf("export: --format is required")
	}
	if args, err = runs.NamedOrAll(args); err != nil {
		return err
	}
	exps, err := loadSets(args)
	if err != nil {
		return err
	}
	files, lacking, err := export.Export(o.format, exps, reports.Options{Heap: heap.Small})
	if unknown, ok := errors.AsType[*nearest.UnknownError](err); ok && unknown.Kind == "format" {
		return usage.Error{Err: nearest.Unknown("format", o.format, append(export.ExportFormats(), "trec", "qrels"))}
	}
	if err != nil {
		return err
	}
	for _, text := range lacking {
		fmt.Fprintln(warnings, "infbench:", words.Clean(text))
	}
	if o.out != "" {
		return o.write(ctx, files, out)
	}
	if len(files) != 1 {
		return usage.Errorf("export: %d files: name a folder with --out", len(files))
	}
	_, err = out.Write(files[0].Data)
	return err
}

// fill makes the output folder and counts its files.
func (o exportOptions) fill(ctx context.Context, write func(dir string) (files int, err error)) (files int, err error) {
	_, at, err := runs.ClaimOutput(ctx, o.out)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, at.Release()) }()
	err = at.Fill(runs.Made{Verb: "export --format " + o.format, Inputs: o.inputs}, func(dir string) error {
		files, err = write(dir)
		return err
	})
	return files, err
}

// write writes files below the output folder; a name that leads outside is refused.
func (o exportOptions) write(ctx context.Context, files []export.File, out io.Writer) error {
	_, err := o.fill(ctx, func(dir string) (int, error) {
		for _, f := range files {
			if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
				return 0, fmt.Errorf("file name %q leads out of the folder", f.Name)
			}
			if err := disk.WriteBytes(filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data); err != nil {
				return 0, err
			}
		}
		return len(files), nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", words.Clean(o.out), words.Plural(len(files), "file", "files"))
	return nil
}

// finished lists the finished trials of run folders, for a format that is written into a
// folder.
func (o exportOptions) finished(args []string) ([]results.Folder, error) {
	if o.out == "" {
		return nil, usage.Errorf("export: --format %s needs --out", o.format)
	}
	dirs, err := runs.NamedOrAll(args)
	if err != nil {
		return nil, err
	}
	var all []results.Folder
	for _, dir := range dirs {
		trials, _, err := runs.At(dir).Reader().Finished()
		if err != nil {
			return nil, err
		}
		all = append(all, trials...)
	}
	return all, nil
}

// qrels writes the judgments that the rankings of run folders were scored against.
func (o exportOptions) qrels(ctx context.Context, args []string, out, warnings io.Writer) error {
	trials, err := o.finished(args)
	if err != nil {
		return err
	}
	var lacking []string
	files, err := o.fill(ctx, func(dir string) (files int, err error) {
		if files, lacking, err = rescore.WriteJudgments(dir, trials); err == nil && files == 0 {
			err = errors.New("export: no judgments of these run folders are on this machine")
		}
		return files, err
	})
	for _, text := range lacking {
		fmt.Fprintln(warnings, "infbench: not written:", words.Clean(text))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", words.Clean(o.out), words.Plural(files, "file", "files"))
	return nil
}

// trec writes the saved rankings of run folders as plain files, below the
// trial's ID.
func (o exportOptions) trec(ctx context.Context, args []string, out io.Writer) error {
	trials, err := o.finished(args)
	if err != nil {
		return err
	}
	files, err := o.fill(ctx, func(dir string) (files int, err error) {
		for _, trial := range trials {
			n, err := trial.Reader().CopyRuns(filepath.Join(dir, results.FileName(filepath.Base(filepath.Clean(trial.Dir)))))
			if err != nil {
				return files, err
			}
			files += n
		}
		if files == 0 {
			return 0, errors.New("export: no rankings are saved in these run folders")
		}
		return files, nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n", words.Clean(o.out), words.Plural(files, "file", "files"))
	return nil
}
