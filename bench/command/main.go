// Package command is the command line of infbench: one file for each verb, which turns flags
// into one call of a lower package and prints the result. It computes nothing itself. Main
// runs it; another program calls it with losses of its own (docs/library.md).
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"infbench/bench/analysis"
	"infbench/bench/annotate"
	"infbench/bench/data"
	"infbench/bench/flags"
	"infbench/bench/gpucheck"
	"infbench/bench/keys"
	"infbench/bench/output"
	"infbench/bench/shell"
	"infbench/bench/submit"
	"infbench/bench/version"
	"infbench/internal/disk"
	"infbench/internal/memory"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/device"
	"infbench/runners/provenance"
	"infbench/runners/runs"
	"infbench/training"
)

const (
	exitOK      = usage.ExitOK
	exitFailure = usage.ExitFailure
	exitGate    = usage.ExitGate
)

// Main runs the command line of this process and ends the process with its exit code.
// Experiment files name a program's own losses like the built-in ones; the processes of a
// sweep run this same program.
func Main(losses ...training.Loss) {
	log.SetFlags(0) // of warnings
	log.SetPrefix("infbench: ")
	if err := training.Register(losses...); err != nil {
		log.Fatal(err)
	}
	if device.BuiltWithXLA {
		if err := device.Relaunch(namedDevices(os.Args[1:]), namedAutotuning(os.Args[1:])); err != nil {
			log.Fatal(err)
		}
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit code; every error becomes one line on
// stderr.
func run(args []string, stdout, stderr io.Writer) int {
	defer memory.Limit(0)()
	defer device.KeepKernels()()
	ctx, ending := untilSignal(context.Background())
	defer ending.done()
	root, out := newRoot(), output.New(stdout)
	args, moved := shell.Current(args)
	if moved != "" {
		fmt.Fprintln(stderr, "infbench:", moved)
	}
	if shell.Asks(args) {
		shell.Complete(root)
	}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	say := func(err error) {
		err = withNearest(err, args)
		fmt.Fprintln(stderr, "infbench:", cleanLines(err.Error()))
	}
	if err := shell.CheckVerb(root, args); err != nil {
		say(err)
		return usage.ExitUsage
	}
	stopped := stoppedCode(root, args)
	ending.hasten(stopped, func() { say(withResumption(ctx, root, args, context.Cause(ctx))) })
	err := out.Blame(root.ExecuteContext(ctx))
	if err == nil {
		return exitOK
	}
	if !errors.Is(err, context.Canceled) {
		say(err)
		if coder, ok := errors.AsType[usage.ExitCoder](err); ok {
			return coder.ExitCode()
		}
		return exitFailure
	}
	say(withResumption(ctx, root, args, err))
	return stopped
}

// withNearest suggests existing names when a file named on the command line does not exist.
func withNearest(err error, args []string) error {
	missing, ok := errors.AsType[*fs.PathError](err)
	if !ok || !errors.Is(missing, fs.ErrNotExist) {
		return err
	}
	named := slices.ContainsFunc(args, func(arg string) bool {
		_, value, _ := strings.Cut(arg, "=")
		return arg == missing.Path || value == missing.Path
	})
	if !named {
		return err
	}
	return fmt.Errorf("%w%s", err, nearest.Path(missing.Path, disk.Siblings(missing.Path)))
}

// keptByVerb lists what a verb keeps when a signal stops it, for verbs that continue when the
// same command is given again.
var keptByVerb = map[string]string{
	"curate":       "all answers so far",
	"data fetch":   "downloaded files",
	"evaluate":     "answers of endpoints, and vectors in a cache",
	"models fetch": "downloaded files",
	"probe":        "answers of endpoints, and vectors in a cache",
	"retry":        "finished trials, and the last checkpoint of each unfinished one",
	"sweep":        "finished trials, and the last checkpoint of each unfinished one",
	"train":        "the last checkpoint",
	"trial":        "the last checkpoint",
}

// keptBy returns what the verb of a command line keeps; "" if it starts over.
func keptBy(root *cobra.Command, args []string) string {
	cmd, _, err := root.Find(args)
	if err != nil {
		return ""
	}
	return keptByVerb[strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")]
}

// stoppedCode is the exit code of a command that a signal stops.
func stoppedCode(root *cobra.Command, args []string) int {
	if keptBy(root, args) == "" {
		return usage.ExitInterrupted
	}
	return usage.ExitStopped
}

// withResumption adds to the error of a stopped command the list of kept results and the
// command that goes on.
func withResumption(ctx context.Context, root *cobra.Command, args []string, err error) error {
	what := keptBy(root, args)
	switch {
	case usage.Signal(ctx) == nil:
		return err
	case what == "":
		return fmt.Errorf("%w; nothing is kept, and the same command starts over: %s", err, usage.Line(args))
	}
	return fmt.Errorf("%w; kept: %s; the same command goes on: %s", err, what, usage.Line(args))
}

// cleanLines is clean for text of several lines, such as several errors.
func cleanLines(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(words.CleanAll(lines), "\n")
}

// newRoot builds the command tree for every run, so that no state survives a run.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "infbench",
		Short:         "Train, run and compare instruction-following retrievers",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       provenance.BuildVersion(),
		Args:          cobra.ArbitraryArgs, // CheckVerb has checked them
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return errors.Join(limitMemory(cmd), flags.FixKernels(cmd), findModel(cmd))
		},
	}
	root.SetFlagErrorFunc(flagError)
	addMemoryFlag(root)
	root.AddCommand(
		initCommand(), planCommand(), sweepCommand(), reportCommand(), evaluateCommand(), under(scoreCommand(), agentsCommand()),
		under(data.Command(), annotate.Command(), annotate.AgreementCommand(), analysis.DiversityCommand(), analysis.MapCommand()),
		under(modelsCommand(), cacheCommand()),
		trainCommand(), statusCommand(), retryCommand(), repeatCommand(), serveCommand(), probeCommand(), analysis.EncodeCommand(), trialCommand(),
		compareCommand(), diffCommand(), queryCommand(), claimsCommand(), verifyCommand(), importCommand(), exportCommand(),
		gateCommand(loadSets), publishCommand(), submit.Command(), boardCommand(),
		curateCommand(), listCommand(),
		openDeviceCommand(), gpucheck.Command(), version.Command(device.GoName), shell.ManCommand(), keys.HelpTopic(),
	)
	shell.Group(root)
	for _, cmd := range root.Commands() {
		wrapArgs(cmd)
	}
	root.AddCommand(&cobra.Command{Use: "exit-codes", Short: "Exit codes of every verb", Example: "  infbench help exit-codes", Long: "Every verb ends with one of these:\n\n" + usage.ListExitCodes()})
	return root
}

// under adds subcommands to a verb.
func under(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(verbs...)
	return cmd
}

// findModel replaces RUN:SYSTEM in --model by the model's folder; evaluate takes every seed
// of the system.
func findModel(cmd *cobra.Command) error {
	model := cmd.Flags().Lookup("model")
	if model == nil || model.Value.Type() != "string" || cmd.Name() == "evaluate" {
		return nil
	}
	dir, err := runs.ModelFolder(model.Value.String())
	if err != nil || dir == model.Value.String() {
		return err
	}
	return model.Value.Set(dir)
}

// flagError turns a flag error into a usage error with the nearest flag of the verb.
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

// wrapArgs turns an argument error of a verb into a usage error.
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
