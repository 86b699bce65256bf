package command

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners/contamination"
	"infbench/runners/runs"
)

// mergeSweeps joins run folders that --only split over machines, and reports.
func mergeSweeps(ctx context.Context, dirs []string, o sweepOptions, stdout, stderr io.Writer) error {
	if len(o.narrow.set)+len(o.narrow.only) > 0 {
		return usage.Errorf("--merge joins existing folders: it takes neither --set nor --only")
	}
	if o.active.On {
		return usage.Errorf("--merge joins existing folders and runs nothing: leave out --active")
	}
	if err := o.active.Check(true); err != nil {
		return err
	}
	var parts []runs.Folder
	for _, dir := range dirs {
		parts = append(parts, runs.At(dir))
	}
	first, err := parts[0].Plan()
	if err != nil {
		return err
	}
	into := runs.At(filepath.Join(o.runs, first.Name))
	merged, err := runs.Merge(ctx, into, parts)
	if err != nil {
		return fmt.Errorf("merge into %s: %w", into.Dir, err)
	}
	fmt.Fprintf(stderr, "%s: %d trials copied, %d already there, %d not finished in any folder\n", first.Name, merged.Copied, merged.Had, len(merged.Absent))
	for _, dir := range merged.Aside {
		fmt.Fprintf(stderr, "%s: files of an unfinished trial were moved to %s\n", first.Name, words.Clean(dir))
	}
	for i, label := range merged.Absent {
		if i == shownWaiting {
			fmt.Fprintf(stderr, "%s: ... and %d more\n", first.Name, len(merged.Absent)-i)
			break
		}
		fmt.Fprintf(stderr, "%s: not finished: %s\n", first.Name, words.Clean(label))
	}
	if merged.Plan.Part.Given() {
		fmt.Fprintf(stderr, "%s: %s\n", first.Name, words.Clean(strings.Join(merged.Plan.Remarks(), " ")))
	}
	if err := contamination.OfRun(into, func(text string) { fmt.Fprintf(stderr, "%s: %s\n", first.Name, words.Clean(text)) }); err != nil {
		return err
	}
	return reportSweep(into, stdout)
}
