// Package data has the verb data: it fetches, verifies, counts and describes benchmarks and
// corpora, and makes training records and finds hard negatives. Package datasets reads their
// formats.
package data

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/internal/words"
	"infbench/runners/results"
)

// Options are the flags of all verbs that read or write the lock file.
type Options struct {
	lock    string
	offline bool
}

// Command is the verb data.
func Command() *cobra.Command {
	var o Options
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Fetch, verify, count and describe benchmarks and corpora",
		Long: `Benchmarks and corpora are fetched into the usual HuggingFace cache
($HF_HUB_CACHE, $HF_HOME/hub or ~/.cache/huggingface/hub), pinned to commits and
hashed in a lock file. Everything but fetch works without a network.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, verb := range []*cobra.Command{fetchCommand(&o), verifyCommand(&o), importCommand(&o)} {
		o.AddFlags(verb.Flags(), "lock file of commits, hashes and registered folders", "open no connection")
		cmd.AddCommand(verb)
	}
	cmd.AddCommand(showCommand(), statsCommand(), overlapCommand(), recordsCommand(), mineCommand())
	return cmd
}

// client opens the hub client with the settings of the environment.
func (o *Options) client() (*hub.Client, error) {
	c, err := hub.NewClient()
	if err != nil {
		return nil, err
	}
	c.Offline = c.Offline || o.offline
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

// warn prints doubts about a benchmark.
func warn(w io.Writer, b *datasets.Benchmark) {
	for _, doubt := range results.Doubts(b.Name, results.WarningsOf(b)) {
		fmt.Fprintln(w, "warning:", words.Clean(doubt))
	}
}

// printCounts prints one line per task.
func printCounts(w io.Writer, b *datasets.Benchmark, counts map[string]hub.Counts) {
	for i := range b.Tasks {
		name := b.Name + "/" + b.Tasks[i].Name
		c := counts[name]
		fmt.Fprintf(w, "%s: %d documents, %d queries, %d judgments\n", name, c.Documents, c.Queries, c.Judgments)
	}
}
