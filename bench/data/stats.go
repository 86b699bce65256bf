package data

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/datasets"
	"infbench/internal/usage"
	"infbench/runners/catalog"
	"infbench/runners/runs"
	"infbench/runners/spec"
)

func statsCommand() *cobra.Command {
	var format, keep string
	var cell spec.Cell // the data to count
	cmd := &cobra.Command{
		Use:   "stats NAME|DIR|MIXTURE",
		Short: "Count a benchmark as mteb does, or training data as the paper does",
		Long: `Count a benchmark, or a collection in a folder, under the names and definitions
of mteb's published descriptive statistics; or training data (a corpus, a file, a
folder, ORG/NAME, or a mixture of them) like the paper's Table 1: instructions,
queries, passages and their mean lengths in words. --judge, --share, --seed and --drop
count the data that an experiment's cell with these settings would train on.`,
		Example: "  infbench data stats mini-bright\n  infbench data stats inf-ir\n  infbench data stats ./train.jsonl\n  infbench data stats mini-infir --share 0.3 --drop I-\n  infbench data stats path/to/beir/scifact --format json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(output.CheckFormat(format), runs.CheckName(keep)); err != nil {
				return err
			}
			if err := cell.CheckAblation(); err != nil {
				return usage.Error{Err: err}
			}
			cell.Data = args[0]
			is, b := isTraining(args[0], cell.World)
			if is {
				return usage.AsError(writeTrainingStats(cmd.OutOrStdout(), &cell, format, keep))
			}
			if cell.IsAblated() {
				return usage.Errorf("--judge, --share, --drop: %s is not training data", args[0])
			}
			if b == nil {
				var err error
				if b, err = catalog.LoadBenchmark(args[0], cell.World); err != nil {
					return usage.AsError(unknownData(args[0], err))
				}
			}
			warn(cmd.ErrOrStderr(), b)
			if err := writeStats(cmd.OutOrStdout(), b, format); err != nil || keep == "" {
				return err
			}
			return keepBenchmark(keep, args[0], b)
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", "table, json or csv")
	cmd.Flags().StringVar(&keep, "keep", "", "save the counts as NAME in runs/data, for report --view data and for claims")
	cmd.Flags().StringVar(&cell.Judge, "judge", "", "count the records of a curated folder that a judge keeps: a judge's name, majority, unanimous or none")
	cmd.Flags().Float64Var((*float64)(&cell.Share), "share", 0, "count a share of the records, up to 1, or a number of them (default all)")
	cmd.Flags().Int64Var(&cell.Seed, "seed", 1, "seed of the draw by --share")
	cmd.Flags().StringVar(&cell.Drop, "drop", "", "count without poisoned parts: I-, Q-, P- or several, as in I-,Q-")
	cmd.Flags().Uint64Var(&cell.World, "world", 1, "seed of the generated world of mini benchmarks")
	return cmd
}

// writeStats prints the counts of every task.
func writeStats(w io.Writer, b *datasets.Benchmark, format string) error {
	all := map[string]*datasets.Statistics{}
	s := output.Sheet{Title: b.Name, Left: 1, Head: []string{
		"task", "documents", "queries", "judged relevant", "relevant/query", "ranked/query", "document characters", "query characters"}}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		n, err := datasets.StatisticsOf(t)
		if err != nil {
			return err
		}
		all[t.Name] = n
		ranked := "all"
		if n.TopRanked != nil {
			ranked = fmt.Sprintf("%.1f", n.TopRanked.Average)
		}
		s.Rows = append(s.Rows, []string{
			t.Name, strconv.Itoa(n.NumDocuments), strconv.Itoa(n.NumQueries), strconv.Itoa(n.RelevantDocs.Num),
			fmt.Sprintf("%.2f", n.RelevantDocs.Average), ranked,
			fmt.Sprintf("%.1f", n.Documents.Average), fmt.Sprintf("%.1f", n.Queries.Average),
		})
	}
	switch format {
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "    ")
		return enc.Encode(all)
	case "csv":
		return s.WriteCSV(w)
	}
	return s.WriteTable(w)
}
