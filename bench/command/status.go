package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"infbench/bench/output"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports/terminal"
	"infbench/runners/results"
	"infbench/runners/runs"
)

func statusCommand() *cobra.Command {
	var watch bool
	var format string
	var every time.Duration
	cmd := &cobra.Command{
		Use:   "status [RUN]",
		Short: "Show the progress of a sweep, from its files alone",
		Long: `Show the done, failed, running and waiting trials of a run folder, from its files and
leases alone: it needs no running sweep and disturbs none. Without RUN, it shows the sweep
below runs/ whose files changed last. Running trials are shown with
their loss so far, failed ones with their first error. A trial that was begun, but is not
held by a living process, is abandoned: the next sweep goes on with it. For processes of
other hosts it takes a few seconds to find out. Trials that only an earlier plan of the
folder had are listed as not planned; infbench retry RUN --discard unplanned removes them.

With --watch the table stays and follows the sweep until nothing is left to run; it can
be started before the sweep. If the output is not a terminal, a line is printed whenever
something changes. A stopped cell waits, and is shown with its progress.`,
		Example: "  infbench status\n  infbench status runs/demo\n  infbench status runs/demo --watch",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if every < 100*time.Millisecond {
				return usage.Errorf("--every: want at least 100ms, found %v", every)
			}
			if err := output.CheckFormat(format); err != nil {
				return err
			}
			if len(args) == 0 {
				newest, err := runs.Newest()
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.ErrOrStderr(), "%s, the newest run\n", words.Clean(newest))
				args = []string{newest}
			}
			s := newStatus(runs.At(args[0]))
			if !watch {
				return s.print(cmd.Context(), cmd.OutOrStdout(), format)
			}
			if format != "table" {
				return usage.Errorf("--watch prints a table, found --format %s", format)
			}
			return s.watch(cmd.Context(), cmd.OutOrStdout(), every)
		},
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "follow the sweep until nothing is left to run")
	cmd.Flags().StringVar(&format, "format", "table", strings.Join(output.Formats, ", "))
	cmd.Flags().DurationVar(&every, "every", 2*time.Second, "with --watch: time between two looks")
	return cmd
}

// status looks at a run folder, once or repeatedly.
type status struct {
	folder  runs.Folder
	watched *runs.Watch
}

func newStatus(folder runs.Folder) *status { return &status{folder, runs.NewWatch(folder)} }

// print shows the sweep's current progress.
func (s *status) print(ctx context.Context, w io.Writer, format string) error {
	v, err := s.look(ctx)
	if err != nil {
		return err
	}
	if format == "table" {
		return v.write(w)
	}
	all := v.output()
	return output.Print(w, format, all, all.sheet())
}

// watch prints until nothing is left to run or ctx ends.
func (s *status) watch(ctx context.Context, w io.Writer, every time.Duration) error {
	f, live := output.Terminal(w)
	last := ""
	if err := s.await(ctx, w, every); err != nil || ctx.Err() != nil {
		return err
	}
	for {
		v, err := s.look(ctx)
		if err != nil {
			return err
		}
		if live {
			if err := redraw(f, v); err != nil {
				return err
			}
		} else if line := v.Summary(); line != last {
			fmt.Fprintln(w, line)
			last = line
		}
		if v.Count[results.Running]+v.Todo() == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil // watching was all there was to stop
		case <-time.After(every):
		}
	}
}

// await waits until a sweep has written a plan into the folder, or ctx ends. It does not wait
// for a folder that import made, or anything else there.
func (s *status) await(ctx context.Context, w io.Writer, every time.Duration) error {
	for told := false; ; told = true {
		if _, err := disk.Stat(s.folder.PlanPath()); !errors.Is(err, fs.ErrNotExist) || s.folder.IsImport() {
			return nil // look reports the error
		}
		if !told {
			fmt.Fprintf(w, "waiting for a sweep to create %s\n", words.Clean(s.folder.Dir))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
	}
}

// redraw replaces the screen of a terminal, as far as it fits.
func redraw(f *os.File, v *statusView) error {
	var page strings.Builder
	screen := terminal.On(f)
	screen.W = &page
	if err := v.write(screen); err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(page.String(), "\n"), "\n")
	_, height, err := term.GetSize(int(f.Fd()))
	if err != nil || height < 3 {
		height = 24
	}
	if len(lines) > height-1 {
		lines = append(lines[:height-2], fmt.Sprintf("... and %d more lines", len(lines)-height+2))
	}
	_, err = fmt.Fprintf(f, "\x1b[H\x1b[2J%s\n", strings.Join(lines, "\n"))
	return err
}

// look reads the state of every trial.
func (s *status) look(ctx context.Context) (*statusView, error) {
	v, err := s.watched.Look(ctx)
	if err == nil {
		err = v.Fault
	}
	return &statusView{v, s.folder.Dir}, err
}
