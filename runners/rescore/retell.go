package rescore

import (
	"fmt"
	"slices"

	"infbench/datasets"
	"infbench/metrics/trec"
	"infbench/runners/results"
)

// retell compares a trial's records of the queries of a task, their texts and the ranks of
// changed documents, with the data and the saved rankings. It does not compare a text that
// either side lacks because it is private or was not imported. It does not compare the texts of
// documents.
func (c *Rescorer) retell(at results.Folder, name string, task *datasets.Task, run trec.Run, saved []results.QueryRecord) (differ []string, err error) {
	bare := *task
	bare.Corpus = nil
	again, err := results.DescribeQueries(name, &bare, run)
	if err != nil || len(again) == 0 {
		return nil, err
	}
	place := map[string]int{}
	for i, r := range again {
		place[r.Query] = i
	}
	other := func(was, now string) bool { return was != "" && now != "" && was != now }
	for _, was := range saved {
		if was.Benchmark != name || was.Task != task.Name {
			continue
		}
		i, known := place[was.Query]
		if !known {
			differ = append(differ, fmt.Sprintf("%s: %s/%s has no query %s, but the trial records texts for it", at.Dir, name, task.Name, was.Query))
			continue
		}
		now := again[i]
		if other(was.Text, now.Text) || other(was.Instruction, now.Instruction) || other(was.Changed, now.Changed) {
			differ = append(differ, fmt.Sprintf("%s: the text of query %s of %s/%s differs from the data", at.Dir, was.Query, name, task.Name))
		}
		for _, d := range was.Documents {
			moved := slices.ContainsFunc(now.Documents, func(n results.MovedDocument) bool {
				return n.ID == d.ID && (n.Before != d.Before || n.After != d.After)
			})
			if moved {
				differ = append(differ, fmt.Sprintf("%s: ranks of document %s, query %s of %s/%s, differ from the saved rankings", at.Dir, d.ID, was.Query, name, task.Name))
			}
		}
	}
	return differ, nil
}
