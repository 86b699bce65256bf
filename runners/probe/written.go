package probe

import (
	"fmt"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/datasets/format"
	"infbench/internal/nearest"
)

// ReadVariants reads instructions that were written for the queries of a benchmark. The file
// has a JSON object on each line, or is any table that package format reads, with the fields
// query, kind (one of datasets.VariantKinds), instruction and, if several tasks have the query,
// task. A line whose query does not exist is an error.
func ReadVariants(file string, b *datasets.Benchmark) ([]datasets.Variant, error) {
	columns := []format.Column{{Name: "query", Kind: format.ID}, {Name: "kind"}, {Name: "instruction"}, {Name: "task", Optional: true}}
	tasks := map[string][]string{}
	for i := range b.Tasks {
		for _, q := range b.Tasks[i].Queries {
			tasks[q.ID] = append(tasks[q.ID], b.Tasks[i].Name)
		}
	}
	var out []datasets.Variant
	for row, err := range format.Rows([]string{file}, columns) {
		if err != nil {
			return nil, err
		}
		v := datasets.Variant{Query: row.Text(0), Kind: datasets.VariantKind(row.Text(1)), Instruction: row.Text(2), Task: row.Text(3)}
		if v.Task, err = checked(v, tasks[v.Query], b.Name); err != nil {
			return nil, row.Pos.Errorf("%w", err)
		}
		out = append(out, v)
	}
	return out, nil
}

// checked returns the task of a variant: the task it names, or the only one in tasks, which
// lists the tasks with its query.
func checked(v datasets.Variant, tasks []string, benchmark string) (task string, err error) {
	switch {
	case !slices.Contains(datasets.VariantKinds(), v.Kind):
		return "", nearest.Unknown("kind of instruction", string(v.Kind), kindNames())
	case v.Instruction == "":
		return "", fmt.Errorf("empty instruction: queries are asked without one anyway")
	case len(tasks) == 0:
		return "", fmt.Errorf("%s has no query %q", benchmark, v.Query)
	case v.Task == "" && len(tasks) > 1:
		return "", fmt.Errorf("query %q is in several tasks (%s): name one as task", v.Query, strings.Join(tasks, ", "))
	case v.Task == "":
		return tasks[0], nil
	case !slices.Contains(tasks, v.Task):
		return "", nearest.Unknown(fmt.Sprintf("task with query %q", v.Query), v.Task, tasks)
	}
	return v.Task, nil
}

func kindNames() []string {
	var names []string
	for _, k := range datasets.VariantKinds() {
		names = append(names, string(k))
	}
	return names
}
