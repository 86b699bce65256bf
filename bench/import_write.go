package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"infbench/bench/results"
	"infbench/datasets/atomicfile"
)

// identify describes the benchmarks of a trial and returns its ID: a hash of what
// it says and of the files that say it.
func (in *importer) identify(t *importedTrial) (id string, err error) {
	if t.benchmarks, err = in.describe(t); err != nil {
		return "", err
	}
	data, err := json.Marshal([]any{importFormat, t.settings(), t.files, t.benchmarks, t.scores()})
	return sha256Text(string(data))[:16], err
}

// sha256Text is the SHA-256 of a text in hexadecimal.
func sha256Text(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// write makes the run folder.
func (in *importer) write(fsys atomicfile.FS, dir, name string) error {
	x := &importIndex{Name: name}
	return writeImport(fsys, dir, x, func(dir string) error {
		var writing errgroup.Group
		writing.SetLimit(writtenAtOnce)
		for _, t := range in.order {
			id, err := in.identify(t)
			if err != nil {
				return errors.Join(err, writing.Wait())
			}
			x.Trials = append(x.Trials, id)
			writing.Go(func() error {
				if err := in.writeTrial(fsys, trialDir(dir, id), t); err != nil {
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
		name := runFile(task.benchmark, task.task)
		if err := writeRun(fsys, filepath.Join(dir, results.RunsDir, name+packedRuns), task.source.Run, runTag(t.model)); err != nil {
			return err
		}
		if in.qrels != "" {
			if err := writeJudgments(fsys, filepath.Join(dir, judgmentsDir, name+packedJudgments), task.judged.Qrels); err != nil {
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
	p := newProvenance(commandLine(), time.Time{})
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
