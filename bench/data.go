package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"infbench/datasets"
	"infbench/datasets/hub"
)

// dataOptions are the flags that all data verbs share.
type dataOptions struct {
	lock    string
	offline bool
}

func dataCommand() *cobra.Command {
	var o dataOptions
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Fetch, verify, count and describe benchmarks and corpora",
		Long: `Benchmarks and corpora are fetched into the usual HuggingFace cache
($HF_HUB_CACHE, $HF_HOME/hub or ~/.cache/huggingface/hub), pinned to commits and
hashed in a lock file. Everything but fetch works without a network.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&o.lock, "lock", hub.LockFile, "lock file: commits, hashes, registered folders")
	cmd.PersistentFlags().BoolVar(&o.offline, "offline", false, "open no connection")
	cmd.AddCommand(
		dataFetchCommand(&o), dataVerifyCommand(&o), dataShowCommand(), dataStatsCommand(),
		dataImportCommand(&o), dataOverlapCommand(),
	)
	return cmd
}

// client opens the hub client of the environment.
func (o *dataOptions) client() (*hub.Client, error) {
	c, err := hub.NewClient()
	if err != nil {
		return nil, err
	}
	c.Offline = o.offline
	return c, nil
}

// countBenchmark counts every task of a benchmark.
func countBenchmark(b *datasets.Benchmark) (map[string]hub.Counts, error) {
	counts := map[string]hub.Counts{}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		c := hub.Counts{Queries: len(t.Queries), Documents: t.Corpus.Len()}
		for _, judged := range t.Qrels {
			c.Judgments += len(judged)
		}
		if c.Documents < 0 {
			c.Documents = 0
			for _, err := range t.Corpus.Documents() {
				if err != nil {
					return nil, fmt.Errorf("count %s/%s: %w", b.Name, t.Name, err)
				}
				c.Documents++
			}
		}
		counts[b.Name+"/"+t.Name] = c
	}
	return counts, nil
}

// printCounts prints one line a task.
func printCounts(w io.Writer, b *datasets.Benchmark, counts map[string]hub.Counts) {
	for i := range b.Tasks {
		name := b.Name + "/" + b.Tasks[i].Name
		c := counts[name]
		fmt.Fprintf(w, "%s: %d documents, %d queries, %d judgments\n", name, c.Documents, c.Queries, c.Judgments)
	}
}
