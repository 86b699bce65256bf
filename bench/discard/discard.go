// Package discard is the verb that removes what sweeps moved out of their way. Nothing
// else removes what was paid for.
package discard

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"infbench/bench/runs"
	"infbench/reports/words"
)

// Command is the verb.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "discard RUN [TRIAL...]",
		Short: "Remove the damaged trials that a sweep moved aside",
		Long: `Remove the folders of damaged trials, all or those named by an ID, the beginning
of one or a label. A sweep that finds a finished trial damaged moves its folder aside, below
RUN/trials/.damaged, and computes it again; infbench status counts them.`,
		Example: "  infbench discard runs/demo\n  infbench discard runs/demo 68",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return run(runs.At(args[0]), args[1:], cmd.OutOrStdout())
		},
	}
}

func run(folder runs.Folder, names []string, stdout io.Writer) error {
	plan, err := folder.Plan()
	if err != nil {
		return err
	}
	var prefixes []string
	for _, name := range names {
		found, err := runs.Trials(plan, name)
		if err != nil {
			prefixes = append(prefixes, name) // what is damaged need not be planned any more
		}
		for _, t := range found {
			prefixes = append(prefixes, t.ID)
		}
	}
	removed, err := folder.Discard(prefixes)
	for _, dir := range removed {
		fmt.Fprintln(stdout, "removed", words.Clean(dir))
	}
	if err == nil && len(removed) == 0 {
		fmt.Fprintln(stdout, "no damaged trial was moved aside")
	}
	return err
}
