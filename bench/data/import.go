package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/spec"
)

func importCommand(o *Options) *cobra.Command {
	var name string
	var private, dropSelf bool
	cmd := &cobra.Command{
		Use:   "import DIR",
		Short: "Register a local folder under a name",
		Long: `Open the collection in DIR (BEIR, mteb or TREC layout) or its training data (as in
data:), hash its files and store both in the lock file under a name for evaluate and
experiment files. The files stay where they are. A benchmark that no hub serves
(followtable, excluir, multiconir: infbench data show NAME names their source) is
imported under its own name.

With --private the texts of a collection are never shown or written: not in reports and
pages, not by query, not in stored answers of a language model. Outputs have only IDs and
numbers. A file .infbench-private in its folder marks it, and your settings keep its
hashes: copies of its files and older runs are private, too. --private=false undoes this;
the files of suites that are private by themselves always stay private.

With --drop-self no query ranks the document with its own ID, as in BEIR's evaluator;
remembered until --drop-self=false, like --private.`,
		Example: "  infbench data import path/to/beir/scifact --name scifact\n  infbench data import MultiConIR/datasets --name multiconir\n  infbench data import path/to/own --name own --private\n  infbench evaluate --model bm25 --data scifact",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked := askedOf{flag{private, cmd.Flags().Changed("private")}, flag{dropSelf, cmd.Flags().Changed("drop-self")}}
			return register(cmd.Context(), o, args[0], name, asked, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the collection (default: the folder's)")
	cmd.Flags().BoolVar(&private, "private", false, "never show or write its texts, only IDs and numbers")
	flags.DropSelf(cmd.Flags(), &dropSelf)
	return cmd
}

// flag is the value of a flag that may be absent.
type flag struct{ on, given bool }

// or returns the flag, or the earlier value if the flag is absent.
func (f flag) or(before bool) bool { return f.on || !f.given && before }

// askedOf are the flags that describe a collection.
type askedOf struct{ private, dropSelf flag }

// register checks that a folder can be opened and then registers it.
func register(ctx context.Context, o *Options, dir, name string, asked askedOf, stdout, stderr io.Writer) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if name == "" {
		name = datasets.FolderName(abs)
	}
	b, err := openImport(abs)
	if err != nil {
		return err
	}
	if slices.Contains(datasets.Names(), name) && datasets.SuiteInFolder(abs) == name {
		if lacks := missing(name, b); lacks != nil {
			return usage.Errorf("%s has a part of %s, without %s: import the folder above or a complete one, or import this one under another --name", abs, name, words.Listed(lacks))
		}
	}
	if name != results.FileName(name) || slices.Contains(datasets.Names(), name) && datasets.SuiteInFolder(abs) != name || catalog.IsCorpus(name) {
		return usage.Errorf("name %q is taken, or has more than %d characters or other characters than letters, digits, '-', '_' and '.'; give another with --name", name, results.MostFileName)
	}
	if b == nil && (asked.private.on || asked.dropSelf.on) {
		return usage.Errorf("--private and --drop-self are for collections: %s holds training data", abs)
	}
	folder, err := hub.LockFolder(name, abs)
	if err != nil {
		return err
	}
	marked, err := datasets.IsPrivate(abs)
	if err != nil {
		return err
	}
	err = hub.ChangeLock(ctx, o.lock, func(l *hub.Lock) error {
		before, _ := l.Folder(name)
		folder.Private = b != nil && isPrivate(l, &folder, marked, asked.private)
		folder.DropSelf = b != nil && asked.dropSelf.or(before.DropSelf)
		l.PutFolder(folder)
		return nil
	})
	if err != nil {
		return err
	}
	if err := mark(ctx, b, &folder, marked); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %d files in %s\n", name, len(folder.Files), abs)
	if folder.Private {
		fmt.Fprintln(stdout, "its texts are private: outputs have only IDs and numbers")
	}
	if b == nil {
		return writeTrainingStats(stdout, &spec.Cell{Data: name, World: 1}, "table", "")
	}
	counts, err := countBenchmark(b)
	if err != nil {
		return err
	}
	printCounts(stdout, b, counts)
	if folder.DropSelf {
		note, err := catalog.DropSelf(b)
		if err != nil {
			return err
		}
		fmt.Fprintln(stdout, words.Clean(cmp.Or(note, "the document with a query's own ID is dropped from its ranking")))
	}
	warn(stderr, b)
	return nil
}

// isPrivate reports whether the texts of a collection are private. Those of a private suite
// always are, also in a copy of the fetched files. For others the flag decides, or else whether
// the name or the folder was private before.
func isPrivate(l *hub.Lock, f *hub.LockedFolder, marked bool, asked flag) bool {
	if datasets.IsPrivateFolder(f.Path) || slices.ContainsFunc(l.Repos, func(r hub.LockedRepo) bool { return datasets.IsPrivateRepository(r.ID) && shareData(f.Files, r.Files) }) {
		return true
	}
	before, _ := l.Folder(f.Name)
	return asked.or(before.Private || marked || l.IsPrivate(f.Path))
}

// mark marks a private collection in its folder and in the user's settings, and removes the
// mark of a collection that is no longer private. Training data, for which b is nil, have no
// mark.
func mark(ctx context.Context, b *datasets.Benchmark, f *hub.LockedFolder, marked bool) error {
	if b == nil || !f.Private && !marked {
		return nil
	}
	sizes := map[string]int64{}
	for _, file := range f.Files {
		if file.Size > 0 && !isAbout(file.Path) {
			sizes[file.SHA256] = file.Size
		}
	}
	p, err := datasets.HashPrivate(b, sizes)
	if err != nil {
		return err
	}
	if f.Private {
		return p.Mark(ctx, f.Path)
	}
	return p.Unmark(ctx, f.Path)
}

// isAbout reports whether a file has none of a collection's texts: judgments, which have only
// IDs, and files such as a licence, which other collections have with the same content.
func isAbout(file string) bool {
	name := strings.ToLower(path.Base(file))
	return strings.Contains(strings.ToLower(file), "qrels") || strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "readme") || strings.HasPrefix(name, "licen") || strings.HasPrefix(name, ".")
}

// shareData reports whether two lists of files share a file with data.
func shareData(a, b []hub.LockedFile) bool {
	sums := map[string]bool{}
	for _, f := range a {
		if f.Size > 0 && datasets.IsDataFile(f.Path) {
			sums[f.SHA256] = true
		}
	}
	return slices.ContainsFunc(b, func(f hub.LockedFile) bool { return sums[f.SHA256] && datasets.IsDataFile(f.Path) })
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

// openImport opens a folder as a collection; nil if it holds training data.
func openImport(dir string) (*datasets.Benchmark, error) {
	b, err := datasets.OpenFolder(dir)
	if err == nil || datasets.SuiteInFolder(dir) != "" || errors.Is(err, datasets.ErrJudgedAbsent) {
		return b, err
	}
	if _, other := (datasets.TrainingSource{}).In(dir); other != nil {
		return nil, fmt.Errorf("%w; nor is it training data: %w", err, other)
	}
	return nil, nil
}
