package data

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/runners/catalog"
)

func verifyCommand(o *Options) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Hash and count again everything in the lock file",
		Long: `Hash every locked file and count every locked benchmark again. The command names each
file that is missing or changed and each count that differs; the exit code is then 1.`,
		Example: "  infbench data verify\n  infbench data verify --lock other.lock",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return verify(o, cmd.OutOrStdout()) },
	}
}

// verify checks a complete lock file and reports every difference at once.
func verify(o *Options, stdout io.Writer) error {
	lock, err := hub.ReadLock(o.lock)
	if err != nil {
		return err
	}
	if len(lock.Repos)+len(lock.Folders) == 0 {
		return fmt.Errorf("%s locks nothing: run infbench data fetch NAME, or data import DIR", o.lock)
	}
	client, err := o.client()
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range lock.Repos {
		if err := r.Verify(client.Cache); err != nil {
			errs = append(errs, err)
			continue
		}
		fmt.Fprintf(stdout, "%s at %.12s: %d files as locked\n", r.ID, r.Commit, len(r.Files))
	}
	for _, f := range lock.Folders {
		if err := f.Verify(); err != nil {
			errs = append(errs, err)
			continue
		}
		fmt.Fprintf(stdout, "%s: %d files as locked\n", f.Name, len(f.Files))
	}
	errs = append(errs, verifyCounts(lock, stdout))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", o.lock, err)
	}
	return nil
}

// verifyCounts opens every benchmark with locked counts and counts it again.
func verifyCounts(lock *hub.Lock, stdout io.Writer) error {
	var errs []error
	for _, name := range datasets.Names() {
		locked := slices.DeleteFunc(slices.Sorted(maps.Keys(lock.Counts)), func(task string) bool { return !strings.HasPrefix(task, name+"/") })
		if len(locked) == 0 {
			continue
		}
		b, err := catalog.LoadBenchmark(name, 1)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		counts, err := countBenchmark(b)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		same := true
		for _, task := range locked {
			if counts[task] != lock.Counts[task] {
				same = false
				errs = append(errs, fmt.Errorf("%s has %+v, locked were %+v", task, counts[task], lock.Counts[task]))
			}
		}
		if same {
			printCounts(stdout, b, counts)
		}
	}
	return errors.Join(errs...)
}
