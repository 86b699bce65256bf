package adopt

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"infbench/bench/provenance"
	"infbench/bench/results"
	"infbench/bench/runs"
	"infbench/bench/usage"
	"infbench/datasets/atomicfile"
)

// identify describes the benchmarks of a trial and returns its ID: a hash of what
// it says and of the files that say it.
func (in *importer) identify(t *importedTrial) (id string, err error) {
	if t.benchmarks, err = in.describe(t); err != nil {
		return "", err
	}
	data, err := json.Marshal([]any{runs.ImportFormat, t.settings(), t.files, t.benchmarks, t.scores()})
	return runs.Sha256Text(string(data))[:16], err
}

// write makes the run folder.
func (in *importer) write(fsys atomicfile.FS, dir, name string) error {
	x := &runs.ImportIndex{Name: name}
	return runs.WriteImport(fsys, dir, x, func(dir string) error {
		var writing errgroup.Group
		writing.SetLimit(writtenAtOnce)
		for _, t := range in.order {
			id, err := in.identify(t)
			if err != nil {
				return errors.Join(err, writing.Wait())
			}
			x.Trials = append(x.Trials, id)
			writing.Go(func() error {
				if err := in.writeTrial(fsys, runs.TrialDir(dir, id), t); err != nil {
					return fmt.Errorf("%s: %w", t.model, err)
				}
				return nil
			})
		}
		return writing.Wait()
	})
}

// writtenAtOnce trials wait for the disk together, which hundreds of small files
// one after the other do for minutes where it is busy.
const writtenAtOnce = 16

// writeTrial fills the folder of a trial: rankings with the judgments that scored
// them where those are in no benchmark, values, and where all of it is from.
func (in *importer) writeTrial(fsys atomicfile.FS, dir string, t *importedTrial) error {
	for _, task := range t.tasks {
		if task.source.Run == nil {
			continue
		}
		name := runs.RunFile(task.benchmark, task.task)
		if err := runs.WriteRun(fsys, filepath.Join(dir, results.RunsDir, name+runs.PackedRuns), task.source.Run, runs.RunTag(t.model)); err != nil {
			return err
		}
		if in.Qrels != "" {
			if err := runs.WriteJudgments(fsys, filepath.Join(dir, runs.JudgmentsDir, name+runs.PackedJudgments), task.judged.Qrels); err != nil {
				return err
			}
			continue // the judgments say no more of queries than their names
		}
		records, err := results.DescribeQueries(task.benchmark, task.judged, task.source.Run)
		if err != nil {
			return err
		}
		if err := results.WriteQueries(fsys, dir, name, records); err != nil {
			return err
		}
	}
	p := provenance.New(usage.CommandLine(), time.Time{})
	p.Imported, p.Inputs = strings.Join(t.formats, "+"), maps.Clone(t.files)
	p.Benchmarks = t.benchmarks
	return results.Complete(fsys, dir, t.settings(), t.scores(), p)
}

// summary counts what was taken over.
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
