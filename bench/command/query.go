package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/reports/queries"
	"infbench/reports/scores"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// queryOptions are the flags of the verb.
type queryOptions struct {
	search, measure, sort, format string
	tasks, systems                []string
	limit, top                    int
	limited                       bool // --limit was given
	reverse, full                 bool
}

// queryCommand is the verb query: it shows on which queries of a run two systems differ and,
// for one query, its texts and how documents moved. It computes no value; package
// reports/queries also collects the data of the page.
func queryCommand() *cobra.Command {
	var o queryOptions
	cmd := &cobra.Command{
		Use:   "query RUN [ID]",
		Short: "Find the queries where two systems differ, and look at one",
		Long: `List the queries of a run folder with the values of two systems, starting with those where
A is furthest behind B; with an ID (or TASK/ID, BENCHMARK/TASK/ID), show that query: its
instructions, the values of all measures, the ranks of judged documents under each
instruction, and the texts if the data are on this machine. RUN may also be an HTML
report. It carries the documents whose relevance changes, with shortened texts.

A and B are systems as a report lists them, by label (uni:P, bm25) or the ID of a trial.
Without --systems, A is the best trained system (else the best) of the first task, and B
the model it was trained from (untrained), else the next best. Values are means over
training runs; ranks are those of one run. Values are ×100 on the terminal, 0 to 1 in csv
and json.`,
		Example: `  infbench query runs/demo --systems uni:P,untrained --task headline
  infbench query runs/demo --search "only records" --sort A --limit 5
  infbench query runs/demo headline-001 --systems uni:P,multi:P+I`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.limited = cmd.Flags().Changed("limit")
			return o.run(args[0], strings.Join(args[1:], ""), len(args) > 1, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.search, "search", "", "queries with all of these `words` in their text, instructions or name")
	f.StringArrayVar(&o.tasks, "task", nil, "queries of this `TASK`, BENCHMARK or BENCHMARK/TASK; may be repeated")
	f.StringArrayVar(&o.systems, "systems", nil, "`A,B`: the systems to compare, by label or ID")
	f.StringVar(&o.measure, "measure", "", "`MEASURE` to compare by, with its side if it has one (\"AP@1000 changed\"); default p-MRR, or the first of the task")
	f.StringVar(&o.sort, "sort", queries.ByDifference, "difference, A, B (the worst first) or id")
	f.BoolVar(&o.reverse, "reverse", false, "reverse the order")
	f.IntVar(&o.limit, "limit", 20, "queries to list; 0: all (the default of csv and json)")
	f.IntVar(&o.top, "top", 5, "documents at the top of each ranking to show")
	f.BoolVar(&o.full, "full", false, "complete texts and all judged documents")
	f.StringVar(&o.format, "format", "table", "table, csv or json")
	return cmd
}

// check refuses flags that make no sense.
func (o *queryOptions) check(single bool) error {
	if err := output.CheckFormat(o.format); err != nil {
		return err
	}
	if err := nearest.OneOf("order", o.sort, queries.Orders()...); err != nil {
		return usage.Error{Err: err}
	}
	switch {
	case o.limit < 0:
		return usage.Errorf("query: --limit %d: want 0 or more", o.limit)
	case o.top < 0:
		return usage.Errorf("query: --top %d: want 0 or more", o.top)
	case single && o.format == "csv":
		return usage.Errorf("query: one query is shown as table or json, not as csv")
	}
	if !o.limited && o.format != "table" {
		o.limit = 0
	}
	return nil
}

// run lists queries or shows the one that is named.
func (o *queryOptions) run(name, id string, single bool, w io.Writer) error {
	if err := o.check(single); err != nil {
		return err
	}
	s, err := openQueries(name)
	if err != nil {
		return err
	}
	all, err := s.chosen(o)
	if err != nil {
		return err
	}
	if single {
		if all, err = queriesNamed(all, id, name); err != nil {
			return err
		}
	}
	pair, err := s.pair(o.systems, all[0])
	if err != nil {
		return err
	}
	if single {
		return o.showOne(s, all[0], pair, w)
	}
	return o.list(s, all, pair, w)
}

// querySet holds the queries of a run folder or page.
type querySet struct {
	exp *results.Experiment // of a page: all its trials, with its file as Dir
	*scores.Set
	trials []results.Named // in the order of Set.Trials
	page   *pageFile       // nil for a run folder
}

// openQueries reads a run folder or page, or one system of it.
func openQueries(name string) (*querySet, error) {
	if _, _, ok := splitPage(name); ok {
		return openPageQueries(name)
	}
	dir, _ := runs.Split(name)
	exps, err := runs.LoadAll([]string{name})
	if err != nil {
		return nil, err
	}
	if err := runs.AddQueries(exps); err != nil {
		return nil, err
	}
	v, err := scores.New(exps)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	labelled, err := runs.At(dir).Reader().NamesOf(exps[0])
	if err != nil {
		return nil, err
	}
	return &querySet{exps[0], v, withSystems(v, labelled), nil}, nil
}

// openPageQueries reads an HTML report, or one system of it.
func openPageQueries(name string) (*querySet, error) {
	g, err := loadMeasured([]string{name})
	if err != nil {
		return nil, err
	}
	v, err := scores.New(g.exps)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	page := g.pages[0]
	all := &results.Experiment{Name: page.Title, Dir: page.name}
	for _, e := range g.exps {
		all.Trials = append(all.Trials, e.Trials...)
	}
	return &querySet{all, v, withSystems(v, nil), &page}, nil
}

// chosen lists the queries that the flags select.
func (s *querySet) chosen(o *queryOptions) ([]*queries.Query, error) {
	all := queries.All(s.Set)
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no value of a single query", s.exp.Dir)
	}
	all, err := ofTasks(all, o.tasks)
	if err != nil {
		return nil, err
	}
	var out []*queries.Query
	for _, q := range all {
		if q.Has(o.search) {
			out = append(out, q)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: none of %d queries contains all words of %q", s.exp.Dir, len(all), o.search)
	}
	return out, nil
}

// ofTasks selects the queries of some tasks or benchmarks; all if none is named.
func ofTasks(all []*queries.Query, tasks []string) ([]*queries.Query, error) {
	names := func(q *queries.Query) []string { return []string{q.Task, q.Test(), q.Benchmark} }
	return filterQueries("task", all, tasks, names)
}
