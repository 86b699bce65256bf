package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infbench/datasets"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/metrics/trec"
	"infbench/runners"
	"infbench/runners/engine"
	"infbench/runners/results"
)

// ShardOptions are the flags that divide an evaluation.
type ShardOptions struct {
	Of    int  // shards; 0: the evaluation is not divided
	Only  int  // the shard to rank here; 0: all missing ones
	Named bool // Only was given, even as 0
}

// most limits the number of shards: each is a process, or could be one.
const most = 9999

// CountArgs returns the flag for a process that joins the shards.
func (o ShardOptions) CountArgs() []string {
	if o.Of == 0 {
		return nil
	}
	return []string{fmt.Sprintf("--shards=%d", o.Of)}
}

// Check finds errors in the flags.
func (o *ShardOptions) Check() error {
	switch {
	case o.Of < 0 || o.Of > most:
		return usage.Errorf("--shards %d: want 1 to %d", o.Of, most)
	case o.Only != 0 && o.Of == 0:
		return usage.Errorf("--shard %d: give the number of shards with --shards, too", o.Only)
	case o.Only < 0 || o.Only > o.Of || o.Of > 0 && o.Only == 0 && o.Named:
		return usage.Errorf("--shard %d: want 1 to %d, as --shards says", o.Only, o.Of)
	}
	return nil
}

// ShardSet is the shards of one evaluation; nil if it is not divided. Each corpus is divided
// into shards of consecutive documents. Any number of processes and machines that share the
// output folder rank the shards. The joined rankings have the same bytes as those of one
// process. Rerankers and fusion use the joined rankings. The retrievers decide how a shard is
// ranked (datasets.Task.Shard).
type ShardSet struct {
	ShardOptions
	finders    []*finder
	evaluation *results.Trial
	data       []*datasets.Benchmark
	of         map[*datasets.Task]string // benchmark of each task
	at         results.Folder            // folder of the evaluation
	depth      int                       // smallest number of documents to save of a ranking
	tell       func(sentence string)
}

// New returns the set that the flags ask for, without its evaluation; nil if they ask for none.
func (o ShardOptions) New() *ShardSet {
	if o.Of == 0 {
		return nil
	}
	return &ShardSet{ShardOptions: o}
}

// Divide returns a retriever that joins the rankings of its shards, which Rank makes. A nil set
// returns model unchanged.
func (s *ShardSet) Divide(model runners.Retriever) runners.Retriever {
	if s == nil {
		return model
	}
	f := &finder{model, s, len(s.finders) + 1}
	s.finders = append(s.finders, f)
	return f
}

// folder returns the folder of a shard.
func (s *ShardSet) folder(number int, files disk.FS) results.Folder {
	return results.Folder{Dir: s.at.Dir, Files: files}.Shards().Folder(datasets.Shard{Number: number, Of: s.Of})
}

// leases returns the claims of processes on shards.
func (s *ShardSet) leases() engine.Leases {
	return engine.Leases{Dir: filepath.Join(s.at.Shards().Dir(s.Of), ".lease")}
}

// name returns a shard's name for messages.
func (s *ShardSet) name(number int) string {
	return "shard " + datasets.Shard{Number: number, Of: s.Of}.String()
}

// list formats the numbers of shards.
func list(numbers []int) string {
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = strconv.Itoa(n)
	}
	return strings.Join(names, ", ")
}

// Command returns this process's command line without the flag for one shard. It repeats the
// evaluation.
func (o ShardOptions) Command() string {
	args := slices.Clone(os.Args[1:])
	for i, a := range args {
		if a == "--shard" && o.Only > 0 {
			return usage.Line(slices.Delete(args, i, i+2))
		}
		if strings.HasPrefix(a, "--shard=") {
			return usage.Line(slices.Delete(args, i, i+1))
		}
	}
	return usage.Line(args)
}

// ranked returns the shards' rankings of a task by a finder, in the order of the shards.
func (s *ShardSet) ranked(f *finder, task *datasets.Task) ([]trec.Run, error) {
	all := make([]trec.Run, s.Of)
	for i := range all {
		run, err := s.folder(i+1, disk.OS{}).Reader().Run(f.key(s.of[task]), task.Name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(i+1), err)
		}
		all[i] = run
	}
	return all, nil
}
