package annotate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"infbench/datasets/annotate"
	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports/page"
)

// keyFile is the file of a sheet folder that annotators must not get.
const keyFile = "key.json"

func sheetCommand() *cobra.Command {
	var p annotate.Plan
	var out string
	cmd := &cobra.Command{
		Use:   "sheet JUDGED.jsonl|CORPUS-FOLDER --out DIR",
		Short: "Draw a sample of a judged corpus and make a sheet for each annotator",
		Long: `Draw records with a seed and write for each annotator DIR/sheet-NAME.html, a page that
works offline and by keyboard alone, and DIR/sheet-NAME.csv, the same for a spreadsheet.
The annotator fills in one of them. DIR/key.json is needed to read the picks: keep it.

Sheets are double-blind: they have no ID, role, judge or order of the corpus, and each
has its own order of questions and passages. Each has the seal of the key, so picks can
be read only with the unchanged key of their sheets. If run again, the command writes
missing sheets and never overwrites a filled-in sheet.

Each record is asked in one scenario, in turn, like the paper's 100 samples;
--scenarios all asks all of them, and so shows whether all parts of a record are right.`,
		Example: `  infbench data annotate sheet corpora/inf-ir --sample 100 --seed 1 --out study
  infbench data annotate sheet judged.jsonl --annotators ann,bob,eve --scenarios all --out study`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usage.Errorf("data annotate sheet needs --out DIR")
			}
			if err := p.Check(); err != nil {
				return usage.Error{Err: err}
			}
			file, err := annotate.FileOf(args[0])
			if err != nil {
				return err
			}
			k, err := annotate.Draw(file, p)
			if err != nil {
				return err
			}
			if err := writeSheets(k, out); err != nil {
				return err
			}
			printSheets(cmd.OutOrStdout(), k, out)
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&p.Sample, "sample", 100, "records to draw")
	f.Uint64Var(&p.Seed, "seed", 1, "seed of the sample and of all orders")
	f.StringVar(&p.Scenarios, "scenarios", annotate.One, "scenarios to ask of each record: one, in turn, or all")
	f.StringSliceVar(&p.Annotators, "annotators", []string{"annotator-1", "annotator-2", "annotator-3"}, "names of the annotators, which their sheets and picks carry")
	f.StringVar(&out, "out", "", "folder of sheets and key")
	return cmd
}

// writeSheets writes the key and then the sheets. It overwrites nothing: without its key nobody
// can read the picks, and a sheet with other content may have been filled in.
func writeSheets(k *annotate.Key, dir string) error {
	key, err := k.Encode()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, keyFile)
	files := []file{{path, key, "is the key of other sheets, whose picks could not be read without it: give another --out"}}
	for _, o := range k.Sheets {
		s, name := k.Sheet(o), filepath.Join(dir, "sheet-"+o.Annotator)
		var table, html bytes.Buffer
		if err := errors.Join(s.WriteCSV(&table), page.WriteSheet(&html, s)); err != nil {
			return err
		}
		const other = "has other content than this sheet and may hold picks: move it away, or give another --out"
		files = append(files, file{name + ".csv", table.Bytes(), other}, file{name + ".html", html.Bytes(), other})
	}
	var missing []file
	for _, f := range files {
		before, err := disk.ReadFile(f.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, f)
		case err != nil:
			return err
		case !bytes.Equal(before, f.content):
			return fmt.Errorf("%s %s", f.path, f.other)
		}
	}
	if err := disk.MkdirAll(disk.OS{}, dir); err != nil {
		return err
	}
	for _, f := range missing {
		if err := disk.WriteBytes(f.path, f.content); err != nil {
			return err
		}
	}
	return nil
}

// file is a file of a sheet folder.
type file struct {
	path    string
	content []byte
	other   string // the error if a file of this name has other content
}

// printSheets prints the size of the sample and what to do with the sheets.
func printSheets(w io.Writer, k *annotate.Key, dir string) {
	fmt.Fprintf(w, "%s of %s records of %s (SHA-256 %s), seed %d: %s, scenarios: %s\n",
		words.Group(k.Sample), words.Group(k.Records), words.Clean(k.Source), words.Shorten(k.SHA256), k.Seed,
		words.Plural(len(k.Items), "question", "questions"), k.Scenarios)
	for _, o := range k.Sheets {
		fmt.Fprintf(w, "for %s: %s or .csv\n", o.Annotator, filepath.Join(dir, "sheet-"+o.Annotator+".html"))
	}
	key := filepath.Join(dir, keyFile)
	fmt.Fprintf(w, "to keep: %s, seal %s\n", key, words.Shorten(k.Seal))
	fmt.Fprintf(w, "then: infbench data annotate read %s picks-*.json\n", usage.Quote(key))
}
