package submit

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports/foreign"
	"infbench/runners/catalog"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// ImportOptions are the flags of import.
type ImportOptions struct {
	As, Out, Name   string
	Model           string
	Data, Task      string
	Revision, Qrels string
	Measures        []string
	World           uint64
	DropSelf        bool
}

// Run reads the files and writes a run folder.
func (o ImportOptions) Run(files []string, out, warnings io.Writer) error {
	if err := o.check(files); err != nil {
		return err
	}
	in := newImporter(o)
	for _, file := range append(slices.Clone(files), o.Qrels) {
		if err := results.Hold(file); err != nil {
			return err
		}
	}
	for _, file := range files {
		c, err := foreign.Read(file, o.As, foreign.Options{Measures: o.Measures})
		if err != nil {
			return usage.AsError(err)
		}
		for _, text := range c.Warnings {
			fmt.Fprintln(warnings, "infbench:", words.Clean(text))
		}
		if err := in.add(file, c); err != nil {
			return usage.AsError(err)
		}
	}
	if o.DropSelf && in.dropped == 0 {
		in.warnings = append(in.warnings, "--drop-self changes nothing: no ranking has the document with its query's own ID")
	}
	var models []string
	for _, t := range in.order {
		models = append(models, t.model)
	}
	for _, text := range slices.Concat(in.judges.warnings, in.warnings, words.LookAlikes(models)) {
		fmt.Fprintln(warnings, "infbench:", words.Clean(text))
	}
	dir := o.Out
	if dir == "" {
		dir = runs.In("import-" + results.FileName(strings.TrimSuffix(filepath.Base(files[0]), filepath.Ext(files[0]))))
	}
	if o.Name == "" {
		o.Name = filepath.Base(filepath.Clean(dir))
	}
	if err := in.write(runs.At(dir), o.Name); err != nil {
		return err
	}
	fmt.Fprintln(out, words.Clean(in.summary()))
	fmt.Fprintf(out, "%s: see infbench report %s\n", words.Clean(dir), usage.Quote(dir))
	return nil
}

// check returns an error for flags that do not go together.
func (o *ImportOptions) check(files []string) error {
	if len(files) == 0 {
		return usage.Errorf("import needs a FILE; see infbench import --help")
	}
	if o.As != "" && !slices.Contains(foreign.Formats(), o.As) {
		return usage.Error{Err: nearest.Unknown("format", o.As, foreign.Formats())}
	}
	for i, name := range o.Measures {
		m, err := catalog.CanonicalMeasure(name)
		if err != nil {
			return usage.Error{Err: err}
		}
		o.Measures[i] = m
	}
	if o.Task != "" && o.Data == "" && o.Qrels == "" {
		return usage.Errorf("import: --task needs --data or --qrels")
	}
	return nil
}
