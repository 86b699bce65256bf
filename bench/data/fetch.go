package data

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/internal/words"
	"infbench/runners/catalog"
)

func fetchCommand(o *Options) *cobra.Command {
	var tasks []string
	cmd := &cobra.Command{
		Use:   "fetch NAME...",
		Short: "Fetch benchmarks and corpora, pinned and hashed",
		Long: `Fetch the files of each NAME (infbench list benchmarks, corpora) into the HuggingFace
cache and lock them: commits and SHA-256 of every file. Interrupted fetches continue
where they stopped. $HF_TOKEN and $HF_ENDPOINT are honoured. With --offline nothing is
fetched: locked files must be in the cache already. --task fetches single tasks of MAIR,
which has 9 million documents, and of BRIGHT. A part is evaluated as a part, and reports
name it so.`,
		Example: `  infbench data fetch followir bright
  infbench data fetch mair --task DD_2015 --task FairRanking_2021
  infbench data fetch followir --offline`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return fetch(cmd.Context(), o, args, tasks, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringArrayVar(&tasks, "task", nil, "only this task, or group of tasks, of each NAME; may be repeated")
	return cmd
}

// fetch fetches every repository of the named sources and counts the contents. It writes the
// lock after each repository, so that an interruption loses none.
func fetch(ctx context.Context, o *Options, names, tasks []string, stdout, stderr io.Writer) error {
	f, err := o.Fetcher(stdout, stderr)
	if err != nil {
		return err
	}
	for _, name := range names {
		repos, wanted, err := catalog.FilesOf(name, tasks)
		if err != nil {
			return err
		}
		for _, r := range repos {
			if err := f.Fetch(ctx, hub.Repo{Kind: hub.Dataset, ID: r.ID, Revision: r.Revision}, those(wanted)); err != nil {
				return err
			}
		}
		if err := f.keepCounts(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// those returns a function that selects the wanted files; nil selects all.
func those(wanted func(file string) bool) func(files []string) []string {
	if wanted == nil {
		return nil
	}
	return func(files []string) []string {
		return slices.DeleteFunc(slices.Clone(files), func(file string) bool { return !wanted(file) })
	}
}

// Fetcher fetches repositories into the cache and locks them.
type Fetcher struct {
	client   *hub.Client
	lockFile string
	stdout   io.Writer
	stderr   io.Writer
}

// Fetcher opens the hub and the lock file.
func (o *Options) Fetcher(stdout, stderr io.Writer) (*Fetcher, error) {
	client, err := o.client()
	if err != nil {
		return nil, err
	}
	client.Progress = fetchProgress(stderr)
	_, err = hub.ReadLock(o.lock) // report an invalid lock file before fetching anything
	return &Fetcher{client, o.lock, stdout, stderr}, err
}

// AddFlags declares the flags; lock and offline are their help texts.
func (o *Options) AddFlags(flags *pflag.FlagSet, lock, offline string) {
	flags.StringVar(&o.lock, "lock", hub.LockFile, lock)
	flags.BoolVar(&o.offline, "offline", false, offline)
}

// Fetch fetches the files of a repository that choose selects; nil selects all.
func (f *Fetcher) Fetch(ctx context.Context, repo hub.Repo, choose func(files []string) []string) error {
	if f.client.Offline {
		lock, err := hub.ReadLock(f.lockFile)
		if err != nil {
			return err
		}
		locked, ok := lock.Find(repo)
		if !ok {
			return fmt.Errorf("%s is not in %s: fetch it without --offline first", repo, f.lockFile)
		}
		return locked.Verify(f.client.Cache)
	}
	snapshot, err := f.client.Resolve(ctx, repo)
	if err != nil {
		return err
	}
	var wanted func(string) bool
	if choose != nil {
		var names []string
		for _, file := range snapshot.Files {
			names = append(names, file.Path)
		}
		chosen := choose(names)
		wanted = func(file string) bool { return slices.Contains(chosen, file) }
	}
	dir, files, err := f.client.Fetch(ctx, snapshot, wanted)
	if err != nil {
		return err
	}
	err = hub.ChangeLock(ctx, f.lockFile, func(l *hub.Lock) error {
		l.Put(snapshot, files)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(f.stdout, "%s at %.12s: %d files in %s\n", repo.ID, snapshot.Commit, len(files), dir)
	return nil
}

// keepCounts opens a fetched benchmark and stores its counts.
func (f *Fetcher) keepCounts(ctx context.Context, name string) error {
	if !slices.Contains(datasets.Names(), name) {
		return nil // a training corpus; its records are counted by data stats
	}
	b, err := catalog.LoadBenchmark(name, 1)
	if err != nil {
		return err
	}
	counts, err := countBenchmark(b)
	if err != nil {
		return err
	}
	err = hub.ChangeLock(ctx, f.lockFile, func(l *hub.Lock) error {
		if l.Counts == nil {
			l.Counts = map[string]hub.Counts{}
		}
		maps.DeleteFunc(l.Counts, func(key string, _ hub.Counts) bool { return strings.HasPrefix(key, name+"/") })
		maps.Copy(l.Counts, counts)
		return nil
	})
	if err != nil {
		return err
	}
	printCounts(f.stdout, b, counts)
	warn(f.stderr, b)
	return nil
}

// fetchProgress prints a line for each tenth of a file, and one line for a small file.
func fetchProgress(w io.Writer) func(file string, written, size int64) {
	var mu sync.Mutex
	shown := map[string]int64{}
	return func(file string, written, size int64) {
		mu.Lock()
		defer mu.Unlock()
		tenth := written * 10 / max(size, 1)
		if tenth == shown[file] {
			return
		}
		shown[file] = tenth
		fmt.Fprintf(w, "%s  %d%% of %.1f MB\n", words.Clean(file), tenth*10, float64(size)/1e6)
	}
}
