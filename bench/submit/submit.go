// Package submit brings results of other people's systems to a board. It writes the folder of a
// submission; it checks a submission against its format, the benchmark and its own claims; and
// it turns valid submissions, and files of other programs, into run folders. Package
// reports/foreign reads the formats of those files; package reports decides what a board shows.
//
// Submissions come from strangers. Nothing in them is run, no name in them is followed out of
// their folder, and their size is limited before they are read.
package submit

import (
	"github.com/spf13/cobra"
)

// Names in a submission; its rankings have the same place as those of a trial.
const (
	DeclarationFile = "submission.yaml"
	claimsDir       = "scores" // result files of MTEB
	declarationForm = "infbench-submission/1"
)

// Command is the verb submit.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "submit",
		Short: "Bring rankings or scores of a system to a public board",
		Long: `Bring rankings or scores of your system to a board that others publish.

A submission is one folder of the board's repository:

  submissions/ORG__MODEL/REVISION/
    submission.yaml               the system, its makers, its training data and settings
    runs/BENCHMARK.TASK.trec.gz   rankings (TREC, compressed or not), scored by the board
    seed-2/runs/...               rankings of each seed, instead of runs, if there are several;
                                  the board shows one row, with their mean
    scores.jsonl                  and/or your scores, in infbench's format,
    scores/TASK.json              or in MTEB's

For tasks with rankings the board shows the values computed from them: "recomputed".
For tasks with scores alone it shows the means, marked "as claimed"; they are neither
tested nor ranked. If a task has both, they must agree.

  1. infbench evaluate --model ORG/MODEL --data BENCHMARK --out runs/mine
     (or rank with any program, and infbench import its run files with --data)
  2. infbench submit new runs/mine --system ORG/MODEL --revision REVISION
     and fill in the keys that it lists
  3. infbench submit check submissions/ORG__MODEL/REVISION
  4. open a pull request with only that folder

A published revision does not change: submit the next one in another folder of the same
system, with "replaces: REVISION" in its submission.yaml; the board then shows the new one.

The owner of a board copies .github/workflows/submission.yaml, which checks pull
requests, and publishes merged submissions:

  infbench submit check submissions runs/mine --out runs/submissions
  infbench publish site runs/mine runs/submissions`,
	}
	cmd.AddCommand(newCommand(), checkCommand())
	return cmd
}
