// Command infbench trains, runs and compares instruction-following retrievers.
//
// Each verb lives in the file of its name and only joins packages; the logic is
// in metrics, datasets, runners, training and reports.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"infbench/bench/analysis"
	"infbench/bench/annotate"
	"infbench/bench/curate"
	"infbench/bench/data"
	"infbench/bench/device"
	"infbench/bench/discard"
	"infbench/bench/gpucheck"
	"infbench/bench/models"
	"infbench/bench/ratings"
	"infbench/bench/usage"
	"infbench/bench/version"
	"infbench/datasets/room"
	"infbench/metrics/nearest"
	"infbench/reports/words"
)

const (
	exitOK      = 0
	exitFailure = 1 // the data, the disk or a computation said no
	exitGate    = 3 // the numbers do not meet the gate
)

func main() {
	if len(os.Args) > 1 && slices.Contains(neuralVerbs, os.Args[1]) {
		device.RestartForSIMD()
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// neuralVerbs run networks in their own process.
var neuralVerbs = []string{"curate", "diversity", "encode", "evaluate", "map", "probe", "repeat", "train", "trial"}

// run executes one command line and returns its exit code; every error becomes
// one line on stderr.
func run(args []string, stdout, stderr io.Writer) int {
	defer room.Limit(0)()
	ctx, stop := usage.UntilSignal(context.Background())
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	code, hasty := stopCode(args)
	if hasty {
		defer usage.Hasten(ctx, code, stderr)()
	}
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(stderr, "infbench:", cleanLines(err.Error()))
	if errors.Is(err, context.Canceled) {
		return code
	}
	var coder usage.ExitCoder
	if errors.As(err, &coder) {
		return coder.ExitCode()
	}
	return exitFailure
}

// stopCode is the exit code of a verb that a signal stops. One that is not hasty takes
// its time, to save the step that it is at.
func stopCode(args []string) (code int, hasty bool) {
	switch verb := strings.Join(args[:min(len(args), 1)], ""); {
	case slices.Contains(savingVerbs, verb):
		return usage.ExitStopped, false
	case slices.Contains(resumedVerbs, verb):
		return usage.ExitStopped, true
	}
	return usage.ExitInterrupted, true
}

// What goes on where it was when the same command is given again.
var (
	savingVerbs  = []string{"sweep", "retry", "train", "trial", "repeat"}
	resumedVerbs = []string{"curate", "data", "evaluate", "models", "probe"} // from their caches
)

// cleanLines is clean for text of several lines, as that of several errors.
func cleanLines(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(words.CleanAll(lines), "\n")
}

// newRoot builds the command tree afresh, so that no state survives a run.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "infbench",
		Short:         "Train, run and compare instruction-following retrievers",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usage.Error{Err: nearest.Unknown("verb", args[0], verbNames(cmd))}
		},
	}
	root.SetFlagErrorFunc(flagError)
	device.LimitMemory(root)
	root.AddCommand(
		sweepCommand(), planCommand(), statusCommand(), retryCommand(), discard.Command(), repeatCommand(), trialCommand(), device.OpenDeviceCommand(), trainCommand(), gpucheck.Command(), evaluateCommand(), probeCommand(), importCommand(), reportCommand(), gateCommand(), verifyCommand(), diffCommand(), exportCommand(), publishCommand(), listCommand(), data.Command(),
		curate.Command(), claimsCommand(), compareCommand(), ratings.Command(), annotate.Command(), analysis.DiversityCommand(), analysis.EncodeCommand(), analysis.MapCommand(),
		scoreCommand(), measuresCommand(), cacheCommand(), models.Command(), version.Command(),
	)
	for _, cmd := range root.Commands() {
		wrapArgs(cmd)
	}
	return root
}

// flagError turns a complaint about a flag into a usage error with the nearest
// flag of the verb.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && unknown.GetSpecifiedShortnames() == "" {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				known = append(known, f.Name)
			}
		})
		if near, ok := nearest.Of(unknown.GetSpecifiedName(), known); ok {
			return usage.Errorf("%w; did you mean --%s? see %s --help", err, near, cmd.CommandPath())
		}
	}
	return usage.Errorf("%w; see %s --help", err, cmd.CommandPath())
}

// wrapArgs turns a verb's complaint about its arguments into a usage error.
func wrapArgs(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		wrapArgs(sub)
	}
	check := cmd.Args
	if check == nil {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usage.Errorf("%s: %w; see %s --help", cmd.Name(), err, cmd.CommandPath())
		}
		return nil
	}
}

// verbNames lists the verbs a user may type.
func verbNames(root *cobra.Command) []string {
	var names []string
	for _, cmd := range root.Commands() {
		if !cmd.Hidden && !strings.HasPrefix(cmd.Name(), "__") {
			names = append(names, cmd.Name())
		}
	}
	return names
}
