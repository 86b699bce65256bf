package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/datasets/atomicfile"
	"infbench/metrics/nearest"
	"infbench/reports/foreign"
)

// importOptions are the flags of import.
type importOptions struct {
	as, out, name   string
	model           string
	data, task      string
	revision, qrels string
	measures        []string
	world           uint64
}

func importCommand() *cobra.Command {
	var o importOptions
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
			return o.run(args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.as, "as", "", "format, where it is not to be recognised: "+strings.Join(foreign.Formats(), ", "))
	f.StringVar(&o.out, "out", "", "run folder to write (default runs/import-FILE)")
	f.StringVar(&o.name, "name", "", "name of the experiment (default: the run folder's)")
	f.StringVar(&o.model, "model", "", "name of the system, where the files are of one")
	f.StringVar(&o.data, "data", "", "benchmark that the numbers are of, where the files do not say; at hand it scores rankings")
	f.StringVar(&o.task, "task", "", "task of that benchmark (default: its only one)")
	f.StringVar(&o.revision, "data-revision", "", "revision of the data, where the files do not say")
	f.StringVar(&o.qrels, "qrels", "", "judgments that score rankings")
	f.StringArrayVar(&o.measures, "measure", nil, "measure to score rankings by, or to take of MTEB's results beside the score; may be repeated")
	f.Uint64Var(&o.world, "world", 1, "seed of the generated world of mini benchmarks")
	return cmd
}

// run is the straight line from files to a run folder.
func (o importOptions) run(files []string, out, warnings io.Writer) error {
	if err := o.check(files); err != nil {
		return err
	}
	in := newImporter(o)
	for _, file := range files {
		c, err := foreign.Read(file, o.as, foreign.Options{Measures: o.measures})
		if err != nil {
			return asUsage(err)
		}
		for _, text := range c.Warnings {
			fmt.Fprintln(warnings, "infbench:", clean(text))
		}
		if err := in.add(file, c); err != nil {
			return asUsage(err)
		}
	}
	for _, text := range in.warnings {
		fmt.Fprintln(warnings, "infbench:", clean(text))
	}
	dir := o.out
	if dir == "" {
		dir = filepath.Join("runs", "import-"+safeName(strings.TrimSuffix(filepath.Base(files[0]), filepath.Ext(files[0]))))
	}
	if o.name == "" {
		o.name = filepath.Base(filepath.Clean(dir))
	}
	if err := checkOutput(dir); err != nil {
		return err
	}
	if err := in.write(atomicfile.OS{}, dir, o.name); err != nil {
		return err
	}
	fmt.Fprintln(out, clean(in.summary()))
	fmt.Fprintf(out, "%s: see infbench report %s\n", clean(dir), shellQuote(dir))
	return nil
}

// check refuses flags that make no sense.
func (o *importOptions) check(files []string) error {
	if len(files) == 0 {
		return usagef("import needs a FILE; see infbench import --help")
	}
	if o.as != "" && !slices.Contains(foreign.Formats(), o.as) {
		return usageError{nearest.Unknown("format", o.as, foreign.Formats())}
	}
	for i, name := range o.measures {
		m, err := canonicalMeasure(name)
		if err != nil {
			return usageError{err}
		}
		o.measures[i] = m
	}
	if o.task != "" && o.data == "" && o.qrels == "" {
		return usagef("import: --task is one of --data or --qrels")
	}
	return nil
}

// checkOutput refuses an output folder that holds anything but an earlier import.
func checkOutput(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read output folder: %w", err)
	}
	if !isImport(dir) {
		return usagef("output folder %s holds %s, which no import wrote; name another with --out", dir, entries[0].Name())
	}
	return nil
}
