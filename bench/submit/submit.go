// Package submit takes results of other people's systems to a board. It writes the folder
// of a submission; it checks one against the form, the benchmark and its own claims; and
// it turns submissions that pass, and files that other programs wrote, into run folders.
// Package reports/foreign reads the formats of those files; what a board shows is for
// package reports.
//
// A stranger wrote what is in a submission. Nothing of it is run, no name in it is
// followed out of its folder, and its size is bounded before it is read.
package submit

import (
	"github.com/spf13/cobra"
)

// Names in a submission; its rankings lie where those of a trial do.
const (
	DeclarationFile = "submission.yaml"
	claimsDir       = "scores" // result files of MTEB's
	declarationForm = "infbench-submission/1"
)

// Command is the verb.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "submit",
		Short: "Bring a system's rankings or scores to somebody's board",
		Long: `Bring rankings or scores of your system to a board that others publish.

A submission is one folder of the board's repository:

  submissions/ORG__MODEL/REVISION/
    submission.yaml               what it is, who made it, how, on what it was trained
    runs/BENCHMARK.TASK.trec.gz   rankings (TREC, packed or not): scored again there
    scores.jsonl                  and/or your scores, as infbench writes them,
    scores/TASK.json              or as MTEB does

Of tasks with rankings the board shows what it computes from them: "recomputed".
Of tasks with scores alone it shows the means under the mark "as claimed"; they are
neither tested nor ranked. Where both are there, they have to agree.

  1. infbench evaluate --model ORG/MODEL --data BENCHMARK --out runs/mine
     (or rank with any program, and infbench import its run files with --data)
  2. infbench submit new runs/mine --system ORG/MODEL --revision REVISION
     and fill in what it lists
  3. infbench submit check submissions/ORG__MODEL/REVISION
  4. open a pull request with that folder and nothing else

A revision that is published does not change: bring the next one in a folder beside
it, with "replaces: REVISION" in its submission.yaml; the board then shows the new one.

Whoever keeps a board copies .github/workflows/submission.yaml, which checks pull
requests, and publishes what was merged:

  infbench submit check submissions --out runs/submissions
  infbench publish site runs/mine runs/submissions`,
	}
	cmd.AddCommand(newCommand(), checkCommand())
	return cmd
}
