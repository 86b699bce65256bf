package command

import (
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/bench/submit"
	"infbench/reports/foreign"
)

func importCommand() *cobra.Command {
	var o submit.ImportOptions
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Import results of other programs",
		Long: `Import results of other programs into a run folder, which report, verify, diff, gate and
export then read like any other. The format is recognised from the content, or set by --as:

  mteb              MTEB's result files: one, a folder (a clone) or a .tar.gz
  mteb-predictions  rankings that mteb saves for a task
  trec              a TREC run file
  ranx              a run that ranx saves as JSON: {query: {document: score}}
  ranx-report       a comparison that ranx saves
  ir_measures       output of ir_measures, with or without -q, or the same as JSON Lines
  trec_eval         output of trec_eval, with or without -q

Rankings are scored here, against --qrels (TREC, or JSON of ranx) or against the
judgments of --data if that benchmark is on this machine, and stored. Values by query are
imported unchanged. Means without values by query are marked on the board and
are neither tested nor ranked. Files that name the same model become one system.

Tasks of FollowIR, BRIGHT and MAIR are recognised by MTEB's names, FollowIR's exchanged
judgments by the version; for other files --data names the benchmark. Entries without a
counterpart are left out and reported.`,
		Example: `  infbench import path/to/mteb/results --out runs/published
  infbench import old.run --qrels path/to/beir/scifact/qrels.txt --model team/old --out runs/old
  infbench import run.json --as ranx --qrels qrels.json --measure nDCG@10 --model team/old
  infbench import values.tsv --data scifact --model team/old`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.Run(args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.As, "as", "", "format, instead of recognising it: "+strings.Join(foreign.Formats(), ", "))
	f.StringVar(&o.Out, "out", "", "run folder to write (default runs/import-FILE)")
	f.StringVar(&o.Name, "name", "", "name of the experiment (default: the run folder's)")
	f.StringVar(&o.Model, "model", "", "name of the system, if the files are of one system")
	f.StringVar(&o.Data, "data", "", "benchmark of the numbers, if the files do not name it; if it is on this machine, it scores rankings")
	f.StringVar(&o.Task, "task", "", "task of that benchmark (default: its only one)")
	f.StringVar(&o.Revision, "data-revision", "", "revision of the data, if the files do not name it")
	f.StringVar(&o.Qrels, "qrels", "", "judgments for scoring rankings")
	f.StringArrayVar(&o.Measures, "measure", nil, "measure for scoring rankings, or to take from MTEB's results besides the score; may be repeated")
	flags.DropSelf(f, &o.DropSelf)
	f.Uint64Var(&o.World, "world", 1, "seed of the generated world of mini benchmarks")
	return cmd
}
