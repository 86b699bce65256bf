package catalog

import (
	"fmt"
	"iter"
	"path/filepath"

	"infbench/datasets"
	"infbench/datasets/curate"
	"infbench/datasets/hub"
	"infbench/internal/disk"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// openJudged opens the records of a curated corpus that a judge keeps. judged reports whether a
// judge is named and the source has verdicts.
func openJudged(name, judge string) (c Corpus, judged bool, err error) {
	dir, err := curated(name)
	if judge == "" || dir == "" || err != nil {
		return c, false, err
	}
	path := filepath.Join(dir, curate.UnfilteredFile)
	records, err := datasets.OpenOwn(name, []string{path})
	if err != nil {
		return c, true, err
	}
	c = corpusOf(records)
	if judge == curate.Nobody {
		return c, true, nil
	}
	kept, err := curate.Kept(curate.ReadJudged(filepath.Join(dir, curate.JudgedFile)), judge)
	if err != nil {
		return c, true, &spec.Fault{Key: results.Judge, Err: fmt.Errorf("%s: %w", name, err)}
	}
	c.All = keptOf(c.All, kept, func(records int) error {
		return &spec.Fault{Key: results.Judge, Err: fmt.Errorf("judge %s keeps none of the %d records of %s", judge, records, name)}
	})
	return c, true, nil
}

// keptOf streams the records with those IDs; if there are none, it calls none for the error.
func keptOf(all iter.Seq2[datasets.Record, error], kept map[string]bool, none func(records int) error) iter.Seq2[datasets.Record, error] {
	return func(yield func(datasets.Record, error) bool) {
		records, left := 0, 0
		for r, err := range all {
			records++
			if err == nil && !kept[r.ID] {
				continue
			}
			left++
			if !yield(r, err) {
				return
			}
		}
		if left == 0 {
			yield(datasets.Record{}, none(records))
		}
	}
}

// curated is the folder of a source that has verdicts, "" for other sources.
func curated(name string) (dir string, err error) {
	lock, err := hub.ReadLock(hub.LockFile)
	if err != nil {
		return "", err
	}
	dir = name
	if f, ok := lock.Folder(name); ok {
		dir = f.Path
	}
	for _, file := range []string{curate.JudgedFile, curate.UnfilteredFile} {
		if info, err := disk.Stat(filepath.Join(dir, file)); err != nil || info.IsDir() {
			return "", nil
		}
	}
	return dir, nil
}

// noVerdicts is the error if a cell's data has no verdicts.
func noVerdicts(c *spec.Cell) error {
	return &spec.Fault{Key: results.Judge, Err: fmt.Errorf("judge %s: %s has no verdicts: want a folder that infbench curate made, with %s and %s",
		c.Judge, c.Data, curate.UnfilteredFile, curate.JudgedFile)}
}
