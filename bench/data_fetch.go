package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"infbench/bench/catalog"
	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/reports/words"
)

func dataFetchCommand(o *dataOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "fetch NAME...",
		Short: "Fetch benchmarks and corpora, pinned and hashed",
		Long: `Fetch what each NAME is read from (infbench list benchmarks, corpora) into the
HuggingFace cache and lock it: commits and SHA-256 of every file. Interrupted
fetches go on where they stopped. $HF_TOKEN and $HF_ENDPOINT are honoured. With
--offline nothing is fetched: what is locked must be there already.`,
		Example: `  infbench data fetch followir bright
  infbench data fetch followir --offline`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return dataFetch(cmd.Context(), o, args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

// dataFetch fetches every repository of the named sources, then counts what
// came. The lock is written after each repository, so that nothing fetched is
// forgotten.
func dataFetch(ctx context.Context, o *dataOptions, names []string, stdout, stderr io.Writer) error {
	client, err := o.client()
	if err != nil {
		return err
	}
	lock, err := hub.ReadLock(o.lock)
	if err != nil {
		return err
	}
	client.Progress = fetchProgress(stderr)
	for _, name := range names {
		repos, err := catalog.Repositories(name)
		if err != nil {
			return err
		}
		for _, r := range repos {
			if err := fetchRepo(ctx, client, lock, o.lock, hub.Repo{Kind: hub.Dataset, ID: r.ID, Revision: r.Revision}, nil, stdout); err != nil {
				return err
			}
		}
		if err := lockCounts(lock, name, stdout); err != nil {
			return err
		}
		if err := lock.Write(o.lock); err != nil {
			return err
		}
	}
	return nil
}

// fetchRepo brings the wanted files of one repository, nil for all, into the cache
// and locks it.
func fetchRepo(ctx context.Context, client *hub.Client, lock *hub.Lock, lockFile string, repo hub.Repo, wanted func(file string) bool, stdout io.Writer) error {
	if client.Offline {
		locked, ok := lock.Find(repo)
		if !ok {
			return fmt.Errorf("%s is not in %s: fetch it without --offline first", repo, lockFile)
		}
		return locked.Verify(client.Cache)
	}
	snapshot, err := client.Resolve(ctx, repo)
	if err != nil {
		return err
	}
	dir, files, err := client.Fetch(ctx, snapshot, wanted)
	if err != nil {
		return err
	}
	lock.Put(snapshot, files)
	if err := lock.Write(lockFile); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s at %.12s: %d files in %s\n", repo.ID, snapshot.Commit, len(files), dir)
	return nil
}

// lockCounts opens a fetched benchmark and keeps how much is in it.
func lockCounts(lock *hub.Lock, name string, stdout io.Writer) error {
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
	if lock.Counts == nil {
		lock.Counts = map[string]hub.Counts{}
	}
	maps.DeleteFunc(lock.Counts, func(key string, _ hub.Counts) bool { return strings.HasPrefix(key, name+"/") })
	maps.Copy(lock.Counts, counts)
	printCounts(stdout, b, counts)
	return nil
}

// fetchProgress prints a line for each tenth of a file, and small files whole.
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
