package data

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/runners/catalog"
)

func fetchCommand(o *Options) *cobra.Command {
	var tasks []string
	cmd := &cobra.Command{
		Use:   "fetch NAME...",
		Short: "Fetch benchmarks and corpora, pinned and hashed",
		Long: `Fetch the files of each NAME (infbench list benchmarks, corpora) into the HuggingFace
cache and lock them: commits and SHA-256 of every file. Interrupted fetches continue
where they stopped. $HF_TOKEN and $HF_ENDPOINT are honoured. With --offline, or with
$HF_HUB_OFFLINE set to 1, ON, YES or TRUE, nothing is fetched: the files must be in the
cache already. --task fetches single tasks of MAIR,
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
	progress *Progress
}

// Fetcher opens the hub and the lock file.
func (o *Options) Fetcher(stdout, stderr io.Writer) (*Fetcher, error) {
	client, err := o.client()
	if err != nil {
		return nil, err
	}
	p := FollowClient(client, stderr)
	_, err = hub.ReadLock(o.lock) // report an invalid lock file before fetching anything
	return &Fetcher{client, o.lock, stdout, stderr, p}, err
}

// AddFlags declares the flags; lock and offline are their help texts.
func (o *Options) AddFlags(flags *pflag.FlagSet, lock, offline string) {
	flags.StringVar(&o.lock, "lock", hub.LockFile, lock)
	flags.BoolVar(&o.offline, "offline", false, offline)
}

// Fetch fetches the files of a repository that choose selects; nil selects all.
func (f *Fetcher) Fetch(ctx context.Context, repo hub.Repo, choose func(files []string) []string) error {
	if f.client.Offline {
		return f.cached(repo)
	}
	var snapshot *hub.Snapshot
	err := f.progress.during("waiting for the file list of "+repo.ID, func() (err error) {
		snapshot, err = f.client.Resolve(ctx, repo)
		return err
	})
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
	var dir string
	var files []hub.LockedFile
	err = f.progress.during("fetching "+repo.ID, func() (err error) {
		dir, files, err = f.client.Fetch(ctx, snapshot, wanted)
		return err
	})
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

// cached checks a repository without a connection: the files in its lock entry or, if it was fetched
// by another program, those in the cache.
func (f *Fetcher) cached(repo hub.Repo) error {
	lock, err := hub.ReadLock(f.lockFile)
	if err != nil {
		return err
	}
	if locked, ok := lock.Find(repo); ok {
		return locked.Verify(f.client.Cache)
	}
	dir, commit, err := f.client.Local(repo)
	if err == nil {
		fmt.Fprintf(f.stdout, "%s at %.12s: not in %s, but cached in %s\n", repo.ID, commit, f.lockFile, dir)
		return nil
	}
	if name := hub.OfflineByEnvironment(); name != "" {
		return fmt.Errorf("%s is not in %s, and %s=%s forbids connections: unset it to fetch the files (%w)", repo, f.lockFile, name, os.Getenv(name), err)
	}
	return fmt.Errorf("%s is not in %s: fetch it without --offline first (%w)", repo, f.lockFile, err)
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
	var counts map[string]hub.Counts
	err = f.progress.during("counting "+name, func() (err error) {
		counts, err = countBenchmark(b)
		return err
	})
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
