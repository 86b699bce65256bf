package data

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"infbench/bench/catalog"
	"infbench/bench/results"
	"infbench/bench/spec"
	"infbench/bench/usage"
	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/datasets/suites"
	"infbench/reports/words"
)

func importCommand(o *Options) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "import DIR",
		Short: "Register a local folder under a name",
		Long: `Open the collection in DIR (BEIR, mteb or TREC layout) or the training data in it (as
data: takes it), hash its files and keep both in the lock file under a name that
evaluate and experiment files then take. The files stay where they are. A benchmark that
no hub serves (followtable, excluir, multiconir: infbench data show NAME says where its
files are) is imported under its own name.`,
		Example: "  infbench data import path/to/beir/scifact --name scifact\n  infbench data import MultiConIR/datasets --name multiconir\n  infbench evaluate --model bm25 --data scifact",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return register(cmd.Context(), o, args[0], name, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the collection (default: the folder's)")
	return cmd
}

// register checks that a folder can be opened before it registers it.
func register(ctx context.Context, o *Options, dir, name string, stdout io.Writer) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if name == "" {
		name = filepath.Base(abs)
	}
	b, err := openImport(abs)
	if err != nil {
		return err
	}
	if slices.Contains(datasets.Names(), name) && suites.In(abs) == name {
		if lacks := missing(name, b); lacks != nil {
			return usage.Errorf("%s has a part of %s, without %s: import the folder above or a whole one, or this one under another --name", abs, name, words.Listed(lacks))
		}
	}
	if name != results.FileName(name) || slices.Contains(datasets.Names(), name) && suites.In(abs) != name || catalog.IsCorpus(name) {
		return usage.Errorf("name %q is taken or holds other than letters, digits, '-', '_' and '.'; give another with --name", name)
	}
	folder, err := hub.LockFolder(name, abs)
	if err != nil {
		return err
	}
	err = hub.ChangeLock(ctx, o.lock, func(l *hub.Lock) error {
		l.PutFolder(folder)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %d files in %s\n", name, len(folder.Files), abs)
	if b == nil {
		return writeTrainingStats(stdout, &spec.Cell{Data: name, World: 1}, "table", "")
	}
	counts, err := countBenchmark(b)
	if err != nil {
		return err
	}
	printCounts(stdout, b, counts)
	return nil
}

// missing are the tasks of the benchmark of that name that were not opened.
func missing(name string, b *datasets.Benchmark) (lacks []string) {
	known, _ := datasets.TaskNames(name)
	for _, task := range known {
		if !slices.ContainsFunc(b.Tasks, func(t datasets.Task) bool { return t.Name == task }) {
			lacks = append(lacks, task)
		}
	}
	return lacks
}

// openImport opens a folder as a collection; nil where it holds training data.
func openImport(dir string) (*datasets.Benchmark, error) {
	b, err := datasets.OpenFolder(dir)
	if err == nil || suites.In(dir) != "" {
		return b, err
	}
	if _, other := (datasets.TrainingSource{}).In(dir); other != nil {
		return nil, fmt.Errorf("%w; nor is it training data: %w", err, other)
	}
	return nil, nil
}
