package runs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/reports/contrast"
	"infbench/training/encoder"
)

// AddParameters notes how many parameters the models of an experiment have in
// use, where their weights are still there: once a backbone, since all trials of
// one backbone have as many.
func AddParameters(exp *results.Experiment) {
	known := map[string]int64{}
	for i := range exp.Trials {
		t := &exp.Trials[i]
		if t.State != results.Done {
			continue
		}
		folder := filepath.Join(FolderOf(exp, t), results.ModelDir)
		if t.Config["loss"] == "" {
			folder = t.Config["model"] // of an evaluation: a folder, or a name that is none
		}
		backbone := cmp.Or(t.Config["backbone"], folder)
		if _, seen := known[backbone]; !seen {
			found, err := encoder.Inspect(folder)
			if err != nil {
				continue // unknown, and the report says so
			}
			known[backbone] = found.Parameters
		}
		t.Parameters = known[backbone]
	}
}

// FolderOf is where a trial of an experiment lies: an evaluation is a trial by
// itself.
func FolderOf(exp *results.Experiment, t *results.Trial) string {
	dir := TrialDir(exp.Dir, t.ID)
	if _, err := os.Stat(dir); err != nil {
		return exp.Dir
	}
	return dir
}

// askedAtMost is the number of trials of which a page shows single queries.
const askedAtMost = 60

// AddQueries reads what the trials say of single queries: one of those that
// differ in their seed only, and no more than a page can show.
func AddQueries(exps []*results.Experiment) error {
	seen := map[string]bool{}
	for _, exp := range exps {
		if exp.Dir == "" {
			continue // read from an HTML report
		}
		for i := range exp.Trials {
			t := &exp.Trials[i]
			if t.State != results.Done || len(seen) >= askedAtMost {
				continue
			}
			var cell strings.Builder
			for _, key := range slices.Sorted(maps.Keys(t.Config)) {
				if key != "seed" {
					cell.WriteString(key + "\x00" + t.Config[key] + "\x00")
				}
			}
			if seen[cell.String()] {
				continue
			}
			seen[cell.String()] = true
			var err error
			if t.Queries, err = results.ReadQueries(FolderOf(exp, t)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReadOverlaps reads what data overlap counted, in the folder where it keeps its
// counts.
func ReadOverlaps() ([]contrast.Overlap, error) {
	files, err := filepath.Glob(filepath.Join("runs", "overlap", "*.json"))
	if err != nil {
		return nil, err
	}
	var out []contrast.Overlap
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read overlap: %w", err)
		}
		var f OverlapFile
		if err := json.Unmarshal(data, &f); err != nil {
			return nil, fmt.Errorf("read overlap %s: %w", path, err)
		}
		for _, c := range f.Counts {
			out = append(out, contrast.Overlap{Train: filepath.Base(f.Train), Test: f.Test, Group: c.Group, Words: f.Words, Texts: c.Texts, Exact: c.Exact, Partial: c.Partial})
		}
	}
	return out, nil
}
