package command

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"infbench/bench/output"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/runners"
)

func cacheCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Inspect, verify and prune an embedding cache of evaluate --cache",
	}
	cmd.AddCommand(cacheListCommand(), cacheVerifyCommand(), cachePruneCommand())
	return cmd
}

func cacheListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "ls DIR",
		Short:   "List the models whose vectors a cache holds",
		Example: "  infbench models cache ls vectors",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			models, err := runners.ListCache(args[0])
			if err != nil {
				return err
			}
			s := output.Sheet{Title: "embedding cache " + args[0], Head: []string{"model", "holds", "last used", "files", "MiB"}, Left: 3}
			for _, m := range models {
				s.Rows = append(s.Rows, []string{m.ID, firstLine(m.Fingerprint), m.Used.UTC().Format(time.DateTime),
					strconv.Itoa(m.Segments), fmt.Sprintf("%.1f", float64(m.Bytes)/(1<<20))})
			}
			return s.WriteTable(cmd.OutOrStdout())
		},
	}
}

// firstLine returns the summary at the start of a fingerprint.
func firstLine(fingerprint string) string {
	line, _, _ := strings.Cut(fingerprint, "\n")
	return line
}

func cacheVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "verify DIR",
		Short:   "Read every vector of a cache and compare its checksum",
		Long:    "Read every vector of a cache and compare its checksum. A damaged vector is never used: its text is encoded again. A truncated record is left by a killed process and is not an error.",
		Example: "  infbench models cache verify vectors",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verifyCache(args[0], cmd.OutOrStdout())
		},
	}
}

// verifyCache checks all models before it returns an error.
func verifyCache(dir string, stdout io.Writer) error {
	models, err := runners.ListCache(dir)
	if err != nil {
		return err
	}
	damaged := 0
	var faults []error
	for _, m := range models {
		check, err := m.Verify()
		if err != nil {
			faults = append(faults, err)
			continue
		}
		fmt.Fprintf(stdout, "%s: %d vectors, %d repeated, %d damaged, %d bytes cut short\n", m.ID, check.Vectors, check.Repeated, len(check.Damaged), check.Torn)
		for _, where := range check.Damaged {
			fmt.Fprintf(stdout, "  damaged: %s\n", words.Clean(where))
		}
		damaged += len(check.Damaged)
	}
	if damaged > 0 {
		faults = append(faults, fmt.Errorf("%d damaged vectors; remove them with infbench models cache prune %s", damaged, usage.Quote(dir)))
	}
	return errors.Join(faults...)
}

func cachePruneCommand() *cobra.Command {
	var older string
	cmd := &cobra.Command{
		Use:   "prune DIR",
		Short: "Merge the files of a cache, drop damaged vectors and unused models",
		Long: `Merge the files that runs have left into one file for each model, without damaged and
repeated vectors. With --older, models that were not opened for that long are removed
first. The command names each model it removes and skips models in use.`,
		Example: "  infbench models cache prune vectors\n  infbench models cache prune --older 30d vectors",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			age, err := parseAge(older)
			if err != nil {
				return err
			}
			return pruneCache(args[0], age, time.Now(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&older, "older", "", "remove models unused for this time: 12h, 30d")
	return cmd
}

// parseAge reads a duration that may be in days; "" is 0.
func parseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	var age time.Duration
	var err error
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		age = time.Duration(n) * 24 * time.Hour
	} else {
		age, err = time.ParseDuration(text)
	}
	if err != nil || age <= 0 {
		return 0, usage.Errorf("--older %q: want a duration such as 12h or 30d", text)
	}
	return age, nil
}

// pruneCache removes the models that were last used before now-older, unless older is 0, and
// merges the files of the others.
func pruneCache(dir string, older time.Duration, now time.Time, stdout io.Writer) error {
	models, err := runners.ListCache(dir)
	if err != nil {
		return err
	}
	for _, m := range models {
		if older > 0 && now.Sub(m.Used) > older {
			err := m.Remove()
			if errors.Is(err, runners.ErrCacheBusy) {
				fmt.Fprintf(stdout, "%s: in use, skipped\n", m.ID)
				continue
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(stdout, "%s: removed, last used %s\n", m.ID, m.Used.UTC().Format(time.DateTime))
			continue
		}
		removed, check, err := m.Compact()
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %d files merged, %d vectors kept, %d damaged dropped\n", m.ID, len(removed), check.Vectors, len(check.Damaged))
		for _, path := range removed {
			fmt.Fprintf(stdout, "  removed: %s\n", words.Clean(path))
		}
	}
	return nil
}
