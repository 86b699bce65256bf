package command

import (
	"cmp"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/metrics/trec"
	"infbench/reports/agents"
	"infbench/reports/foreign"
	"infbench/runners/catalog"
	"infbench/runners/results"
)

// agentsOptions are the flags of agents.
type agentsOptions struct {
	qrels, data, task, format string
	world                     uint64
}

// agentsCommand is the verb score agents: it computes from a file of answers the measures
// that BrowseComp-Plus and BRIGHT-Pro report for search agents. It runs no agent and asks no
// judge.
func agentsCommand() *cobra.Command {
	var o agentsOptions
	cmd := &cobra.Command{
		Use:   "agents ANSWERS.jsonl",
		Short: "Score the answers of agents that search",
		Long: `Score a file of an agent's answers, one JSON object a line:

  {"query_id": "12", "status": "completed", "answer": "It was X [4082].",
   "retrieved_docids": ["4082", "77"], "confidence": 85, "correct": true}

` + strings.Join(agents.Keys, ", ") + `: all fields except the
first are optional, and a measure without recorded fields is not printed. status is
"completed" or another way in which the agent ended; confidence is in percent; correct is
a judge's verdict. Cited documents are cited_docids, else the numbers in brackets.
rounds are [{"round": 1, "docids": [...]}], quality is a judge's 1 to 5, aspects are
[{"id": "a1", "weight": 3, "score": 0.5}] with a judge's score of 0 to 1, or null.

The evidence documents are the relevant ones of --qrels (TREC format) or of a benchmark's
task: --data browsecomp-plus --task evidence. The tasks of bright-pro also have the
aspects that the measures of rounds need.

Accuracy counts an incomplete answer as wrong. CalibrationError is over the
answers that have both a confidence and a judgment, in bins of 100;
CalibrationError(published) is the value of the released script, which leaves out the
last bin: 0 for up to 199 answers. The table has shares times 100; JSON and CSV have
unscaled values.`,
		Example: `  infbench score agents answers.jsonl --qrels qrel_evidence.txt
  infbench score agents answers.jsonl --data browsecomp-plus --task evidence --format json
  infbench score agents answers.jsonl --data bright-pro --task biology`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(args[0], cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.qrels, "qrels", "", "judgments `FILE` with the evidence documents")
	f.StringVar(&o.data, "data", "", "benchmark with the evidence documents and aspects")
	f.StringVar(&o.task, "task", "", "task of --data (default its only one)")
	f.Uint64Var(&o.world, "world", 1, "seed of the generated world of mini benchmarks")
	f.StringVar(&o.format, "format", "table", strings.Join(output.Formats, ", "))
	return cmd
}

// run reads the answers, scores them and prints the measures.
func (o agentsOptions) run(file string, out io.Writer) error {
	if err := output.CheckFormat(o.format); err != nil {
		return err
	}
	if o.task != "" && o.data == "" {
		return usage.Errorf("--task names a task of --data: name the benchmark, too")
	}
	if o.qrels != "" && o.data != "" {
		return usage.Errorf("--qrels FILE and --data NAME [--task TASK] both name the evidence: give one of them")
	}
	if err := results.Hold(file); err != nil {
		return err
	}
	answers, err := agents.Read(file)
	if err != nil {
		return err
	}
	task, err := o.judged()
	if err != nil {
		return err
	}
	values, notes := agents.Score(answers, task)
	rows := output.Sheet{Head: []string{"measure", "value", "over", "of"}, Left: 1}
	table := output.Sheet{Title: words.Clean(file), Head: []string{"measure", "value", "over"}, Left: 1, Notes: notes}
	for _, v := range values {
		rows.Rows = append(rows.Rows, []string{v.Measure, output.Exact(v.Value), strconv.Itoa(v.N), v.Of})
		shown := "undefined"
		if v.Value != nil {
			shown = words.Fixed(*v.Value*cmp.Or(v.Scale, 100), 2)
		}
		table.Rows = append(table.Rows, []string{v.Measure, shown, words.Plural(v.N, strings.Replace(v.Of, "answers", "answer", 1), v.Of)})
	}
	return output.Print(out, o.format, values, rows, table)
}

// judged returns the task whose judgments name the evidence documents; nil if no task is
// named.
func (o agentsOptions) judged() (*datasets.Task, error) {
	switch {
	case o.qrels != "":
		if err := results.Hold(o.qrels); err != nil {
			return nil, err
		}
		qrels, err := foreign.ReadQrels(o.qrels, trec.Options{})
		if err != nil {
			return nil, err
		}
		task := datasets.Judged(o.qrels, qrels)
		return &task, nil
	case o.data == "":
		return nil, nil
	}
	var tasks []string
	if o.task != "" {
		tasks = []string{o.task}
	}
	b, err := catalog.LoadBenchmark(o.data, o.world, tasks...)
	if err != nil {
		return nil, usage.AsError(err)
	}
	if len(b.Tasks) != 1 {
		var names []string
		for _, t := range b.Tasks {
			names = append(names, t.Name)
		}
		return nil, usage.Errorf("%s has %d tasks, but an agent's answers belong to one: name it with --task (%s)", o.data, len(names), words.Listed(names))
	}
	return &b.Tasks[0], nil
}
