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
	Only  int  // the one that is ranked here; 0: all that are missing
	Named bool // Only was given, be it 0
}

// most bounds the number of shards: each is a process, or could be one.
const most = 9999

// CountArgs are the flag of a process that joins the shards.
func (o ShardOptions) CountArgs() []string {
	if o.Of == 0 {
		return nil
	}
	return []string{fmt.Sprintf("--shards=%d", o.Of)}
}

// Check finds the faults of the flags.
func (o *ShardOptions) Check() error {
	switch {
	case o.Of < 0 || o.Of > most:
		return usage.Errorf("--shards %d: want 1 to %d", o.Of, most)
	case o.Only != 0 && o.Of == 0:
		return usage.Errorf("--shard %d: of how many? Give --shards, too", o.Only)
	case o.Only < 0 || o.Only > o.Of || o.Of > 0 && o.Only == 0 && o.Named:
		return usage.Errorf("--shard %d: want 1 to %d, as --shards says", o.Only, o.Of)
	}
	return nil
}

// ShardSet is the shards of one evaluation; nil if it is not divided. Each corpus is divided
// into shards of documents that follow each other, which are ranked apart, by as many
// processes and machines as share the output folder. Their rankings are then joined to the
// same bytes as those of one process. Rankings of rerankers and of fusion are made of the
// joined rankings. How a shard is ranked is up to the retrievers (datasets.Task.Shard).
type ShardSet struct {
	ShardOptions
	finders []*finder
	is      *results.Trial
	data    []*datasets.Benchmark
	of      map[*datasets.Task]string // benchmark that a task is of
	at      results.Folder            // of the evaluation
	depth   int                       // documents that are kept of a ranking at least
	tell    func(sentence string)
}

// New is the set that the flags ask for, before it is known of what; nil where they ask
// for none.
func (o ShardOptions) New() *ShardSet {
	if o.Of == 0 {
		return nil
	}
	return &ShardSet{ShardOptions: o}
}

// Divide is a retriever whose rankings are joined from those of its shards, which Rank
// makes. nil divides nothing.
func (s *ShardSet) Divide(model runners.Retriever) runners.Retriever {
	if s == nil {
		return model
	}
	f := &finder{model, s, len(s.finders) + 1}
	s.finders = append(s.finders, f)
	return f
}

// folder is where a shard is kept.
func (s *ShardSet) folder(number int, files disk.FS) results.Folder {
	return results.Folder{Dir: s.at.Dir, Files: files}.Shards().Folder(datasets.Shard{Number: number, Of: s.Of})
}

// leases are the claims of processes on shards.
func (s *ShardSet) leases() engine.Leases {
	return engine.Leases{Dir: filepath.Join(s.at.Shards().Dir(s.Of), ".lease")}
}

// name is what messages call a shard.
func (s *ShardSet) name(number int) string {
	return "shard " + datasets.Shard{Number: number, Of: s.Of}.String()
}

// list names shards.
func list(numbers []int) string {
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = strconv.Itoa(n)
	}
	return strings.Join(names, ", ")
}

// Command is this process's, without the flag that names one shard: what repeats the
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

// ranked are the shards' rankings of a task by a finder, in their order.
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
