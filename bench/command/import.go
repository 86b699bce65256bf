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
		Short: "Put results of other programs on the same board",
		Long: `Take over results of other programs into a run folder, which report, verify, diff,
gate and export then read as any other. The format is told by the content, or by --as:

  mteb              MTEB's result files: one, a folder (a clone) or a .tar.gz
  mteb-predictions  rankings that mteb saves for a task
  trec              a TREC run file
  ranx              a run that ranx saves as JSON: {query: {document: score}}
  ranx-report       what ranx saves of a comparison
  ir_measures       what ir_measures prints, with -q or without, or the same as JSON Lines
  trec_eval         what trec_eval prints, with -q or without

Rankings are scored here, against --qrels (TREC, or JSON of ranx) or against the
judgments of --data where that benchmark is at hand, and kept. Values by query are
taken as they are. Means without values by query stand on the board under a mark and
are neither tested nor ranked. Files that name the same model become one system.

Tasks of FollowIR, BRIGHT and MAIR are recognised by MTEB's names, FollowIR's exchanged
judgments by the version; for other files --data names the benchmark. What has no
counterpart is left out and said.`,
		Example: `  infbench import path/to/mteb/results --out runs/published
  infbench import old.run --qrels path/to/beir/scifact/qrels.txt --model team/old --out runs/old
  infbench import run.json --as ranx --qrels qrels.json --measure nDCG@10 --model team/old
  infbench import values.tsv --data scifact --model team/old`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.Run(args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.As, "as", "", "format, where it is not to be recognised: "+strings.Join(foreign.Formats(), ", "))
	f.StringVar(&o.Out, "out", "", "run folder to write (default runs/import-FILE)")
	f.StringVar(&o.Name, "name", "", "name of the experiment (default: the run folder's)")
	f.StringVar(&o.Model, "model", "", "name of the system, where the files are of one")
	f.StringVar(&o.Data, "data", "", "benchmark that the numbers are of, where the files do not say; at hand it scores rankings")
	f.StringVar(&o.Task, "task", "", "task of that benchmark (default: its only one)")
	f.StringVar(&o.Revision, "data-revision", "", "revision of the data, where the files do not say")
	f.StringVar(&o.Qrels, "qrels", "", "judgments that score rankings")
	f.StringArrayVar(&o.Measures, "measure", nil, "measure to score rankings by, or to take of MTEB's results beside the score; may be repeated")
	flags.DropSelf(f, &o.DropSelf)
	f.Uint64Var(&o.World, "world", 1, "seed of the generated world of mini benchmarks")
	return cmd
}
