package submit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/runners/provenance"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// identify describes the benchmarks of a trial and returns its ID: a hash of its contents and
// of its source files.
func (in *importer) identify(t *importedTrial) (id string, err error) {
	if t.benchmarks, err = in.describe(t); err != nil {
		return "", err
	}
	data, err := json.Marshal([]any{runs.ImportFormat, t.config(), t.files, pinning(t.benchmarks), t.scores()})
	return disk.Sum(data)[:16], err
}

// pinning are benchmarks without their paths, and without the content hashes that a revision
// already determines.
func pinning(all []results.Benchmark) []results.Benchmark {
	out := slices.Clone(all)
	for i := range out {
		if out[i].Path = ""; out[i].IsPinned() {
			out[i].Content = nil
		}
	}
	return out
}

// write makes the run folder.
func (in *importer) write(to runs.Folder, name string) error {
	x := &runs.ImportIndex{Name: name}
	for _, t := range in.order {
		id, err := in.identify(t)
		if err != nil {
			return err
		}
		x.Trials = append(x.Trials, id)
	}
	return to.Import().Write(x, func(made runs.Folder) error {
		var writing errgroup.Group
		writing.SetLimit(writtenAtOnce)
		for i, t := range in.order {
			writing.Go(func() error {
				if err := in.writeTrial(made.Trial(x.Trials[i]), t); err != nil {
					return fmt.Errorf("%s: %w", t.model, err)
				}
				return nil
			})
		}
		return writing.Wait()
	})
}

// writtenAtOnce trials are synced to disk together. Syncing hundreds of small files one after
// the other takes minutes on a busy disk.
const writtenAtOnce = 16

// writeTrial fills the folder of a trial: rankings, with their judgments unless a benchmark has
// them, values, and the sources of both.
func (in *importer) writeTrial(at results.Folder, t *importedTrial) error {
	for _, task := range t.tasks {
		if task.source.Run == nil {
			continue
		}
		if err := at.Writer().Run(task.benchmark, task.task, task.source.Run, t.model); err != nil {
			return err
		}
		if in.Qrels != "" {
			if err := at.Writer().Judgments(task.benchmark, task.task, task.judged.Qrels); err != nil {
				return err
			}
			continue // these judgments have only the IDs of queries
		}
		records, err := results.DescribeQueries(task.benchmark, task.judged, task.source.Run)
		if err != nil {
			return err
		}
		if err := at.Writer().Queries(task.benchmark, task.task, records); err != nil {
			return err
		}
	}
	p := provenance.New(usage.CommandLine(), time.Time{})
	p.Imported, p.Inputs = strings.Join(t.formats, "+"), maps.Clone(t.files)
	p.Benchmarks, p.Submission = t.benchmarks, t.submission
	return at.Writer().Complete(t.config(), t.scores(), p)
}

// summary counts the imported results.
func (in *importer) summary() string {
	values, means, runs := 0, 0, 0
	for _, t := range in.order {
		for _, task := range t.tasks {
			if task.source.Run != nil {
				runs += len(task.source.Run)
			}
			for _, r := range task.results {
				if r.Aggregate {
					means++
				} else {
					values++
				}
			}
		}
	}
	return fmt.Sprintf("systems: %d; values by query: %d; rankings: %d; means without values by query: %d", len(in.order), values, runs, means)
}
