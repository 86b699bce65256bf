package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/experiments"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/internal/usage"
	"infbench/runners/catalog"
)

// initOptions are the flags of init.
type initOptions struct {
	mini     bool
	paper    string
	data     string
	evaluate []string
	backbone string
}

// initCommand is the verb init: it writes an experiment file to start from, which plan
// accepts: a small one that runs at once, one for a table of the paper, or one for the user's
// own data. Its comments are the meanings in package bench/keys.
func initCommand() *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use:   "init [NAME]",
		Short: "Write a commented experiment file to start from",
		Long: `Write NAME.yaml, an experiment file with a comment on each key, which infbench plan
accepts and infbench sweep runs. Existing files are never overwritten.

--mini, the default, trains two losses on the generated world in about a
minute. --paper TABLE writes the file for a table of the paper (` + strings.Join(paperTables(), ", ") + `).
--data FILE and --evaluate FOLDER are for your own data: triplets (JSONL, CSV, TSV or
parquet with query, positive and optionally instruction, or a folder that curate made), and a
collection in BEIR's layout (corpus.jsonl, queries.jsonl, qrels).`,
		Example: `  infbench init first
  infbench init --paper losses
  infbench init mine --data trip.jsonl --evaluate scifact/beir --backbone intfloat/e5-base-v2`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(strings.Join(args, ""), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.mini, "mini", false, "the generated world, which needs no downloads")
	f.StringVar(&o.paper, "paper", "", "TABLE of the paper: "+strings.Join(paperTables(), ", "))
	f.StringVar(&o.data, "data", "", "your own training data: a FILE or folder of triplets, or ORG/NAME of the hub")
	f.StringArrayVar(&o.evaluate, "evaluate", nil, "your own test collection: a FOLDER in BEIR's layout, or a benchmark; may be repeated")
	f.StringVar(&o.backbone, "backbone", "tiny-bert", "network to train, with --data: a HuggingFace folder, or ORG/NAME after infbench models fetch")
	return cmd
}

// paperTables lists the experiment files of the tables of the paper.
func paperTables() []string { return experiments.Names("paper-") }

// run writes the file and prints the next steps.
func (o initOptions) run(name string, stdout io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	name = strings.TrimSuffix(name, ".yaml")
	if name == "" {
		name = o.name()
	}
	file := name + ".yaml"
	text, err := o.text(filepath.Base(name))
	if err != nil {
		return err
	}
	if err := writeNew(file, text); err != nil {
		return err
	}
	quoted := usage.Quote(file)
	if note := unreadColumns(o.data); note != "" {
		fmt.Fprintln(stdout, "note:", note)
	}
	_, err = fmt.Fprintf(stdout, "%s\nnext: infbench plan %s     its trials and what they need\n      infbench sweep %s    run it and report\n", file, quoted, quoted)
	return err
}

// check refuses flags that exclude each other.
func (o initOptions) check() error {
	switch {
	case o.mini && (o.paper != "" || o.own()), o.paper != "" && o.own():
		return usage.Errorf("init: --mini, --paper and --data with --evaluate make three different files; give one of them")
	case o.own() && (o.data == "" || len(o.evaluate) == 0):
		return usage.Errorf("init: --data names the training data and --evaluate the test collection; give both")
	case o.paper != "" && !slices.Contains(paperTables(), o.paper):
		return usage.Error{Err: nearest.Unknown("table", o.paper, paperTables())}
	}
	return nil
}

// own reports whether the user's own data is named.
func (o initOptions) own() bool { return o.data != "" || len(o.evaluate) > 0 }

// name returns the experiment's default name.
func (o initOptions) name() string {
	switch {
	case o.paper != "":
		return "paper-" + o.paper
	case o.own():
		return "mine"
	}
	return "first"
}

// nameLine is the line of a file with the experiment's name.
var nameLine = regexp.MustCompile(`(?m)^name: .*$`)

// text returns the file, checked by making its plan.
func (o initOptions) text(name string) (string, error) {
	switch {
	case o.paper != "":
		text := withMeanings(nameLine.ReplaceAllLiteralString(experiments.Text("paper-"+o.paper), "name: "+name))
		return text, checkPlan(name, text)
	case !o.own():
		text := miniDraft(name).String()
		return text, checkPlan(name, text)
	}
	return o.fitting(name)
}

// fitting returns a file for the user's own data with the largest possible batches and the
// losses for which the data has records and columns. The file names the losses left out.
func (o initOptions) fitting(name string) (string, error) {
	var first, left error
	for _, losses := range [][]string{{"uni:P", "multi:P+I"}, {"uni:P"}} {
		for _, rows := range []int{12, 6, 3} {
			text := ownDraft(name, o, losses, rows, left).String()
			err := checkPlan(name, text)
			if err == nil {
				return text, nil
			}
			if first == nil {
				first = err
			}
		}
		left = first
	}
	return "", first
}

// checkPlan checks that plan accepts a text. Its errors leave out the place, since the file
// does not exist yet.
func checkPlan(name, text string) error {
	e, err := catalog.Parse(name+".yaml", []byte(text))
	if err == nil {
		found := catalog.Gaps{Found: catalog.Revisions{}}
		_, _, err = catalog.Expand(e, found.Resolve)
	}
	if faults, ok := errors.AsType[strict.Errors](err); ok {
		var bare []error
		for _, f := range faults {
			bare = append(bare, f.Err)
		}
		return usage.Errorf("init: %w", errors.Join(bare...))
	}
	return err
}

// writeNew writes a file that must not exist, into a folder that must exist.
func writeNew(file, text string) error {
	if _, err := disk.Stat(filepath.Dir(file)); err != nil {
		return fmt.Errorf("init: write %s: %w", file, err)
	}
	err := disk.WriteNew(file, []byte(text))
	if errors.Is(err, fs.ErrExist) {
		return usage.Errorf("init: %s exists: give another NAME, or remove it", file)
	}
	return err
}

// isHere reports whether a bare name is that of a file or folder in the current folder.
func isHere(name string) bool {
	if strings.HasPrefix(name, ".") || filepath.IsAbs(name) {
		return false
	}
	_, err := disk.Stat(name)
	return err == nil
}
