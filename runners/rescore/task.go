package rescore

import (
	"slices"

	"infbench/datasets"
	"infbench/runners/results"
)

// Task returns a task that a finished trial was scored on, in the same revision and content,
// with its texts. found is nil if it is not available. lacking lists, in sentences, the missing
// parts and the reasons.
func Task(at results.Folder, t *results.Trial, benchmark, task string) (found *datasets.Task, lacking []string, err error) {
	i := slices.IndexFunc(t.Provenance.Benchmarks, func(b results.Benchmark) bool { return b.Name == benchmark })
	if i < 0 {
		return nil, []string{"texts and judgments of " + benchmark + ": their source is not recorded"}, nil
	}
	b := t.Provenance.Benchmarks[i]
	if qrels, err := at.Reader().Judgments(b.Name, task); err != nil {
		return nil, nil, err
	} else if qrels != nil {
		judged := datasets.Judged(task, qrels)
		return &judged, []string{"texts of " + benchmark + "/" + task + ": only judgments were imported"}, nil
	}
	if of, recorded := b.Content[task]; recorded {
		b.Content = map[string]datasets.ContentHashes{task: of}
	}
	c := New()
	c.what = "texts and judgments of"
	loaded, err := c.load(b, t.Config[results.World], task)
	if err != nil || loaded == nil {
		return nil, c.NotChecked(), err
	}
	for i := range loaded.Tasks {
		if loaded.Tasks[i].Name == task {
			return &loaded.Tasks[i], c.NotChecked(), nil
		}
	}
	return nil, c.NotChecked(), nil
}
