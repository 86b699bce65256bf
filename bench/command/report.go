package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"infbench/bench/flags"
	"infbench/bench/heap"
	"infbench/bench/output"
	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/usage"
	"infbench/reports"
	"infbench/reports/chart"
	"infbench/reports/export"
	"infbench/reports/page"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/terminal"
	"infbench/runners/contamination"
	"infbench/runners/results"
	"infbench/runners/runs"
	"infbench/training"
	"infbench/training/encoder"
)

// reportOptions are the flags of report.
type reportOptions struct {
	format, out, picture string
	view                 string
	table, row, col      []string
	filters              []string
	published            []string
	claims               []string
	comment              commentOptions
	ablation             bool
	all                  bool
	sort, reference      string
	measures             []string

	pages []pageFile // those of the arguments
}

func reportCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report [RUN...]",
		Short: "Show the results of run folders as a leaderboard",
		Long: `Show the results in run folders, made by sweep (runs/NAME) or by evaluate. Without RUN,
every run folder below runs/ is shown. Every number is computed from the per-query values
in the folders. RUN may also be an HTML report, which carries them, too. A note in the
report then names the records that only the run folder has, such as costs.

A terminal shows the leaderboard and three sentences about it; --all prints every section,
as other formats do. Tables fit the width of the terminal, or $COLUMNS if the output is
not a terminal; columns that do not fit follow in a second block. Colours are for
terminals: NO_COLOR turns them off, FORCE_COLOR on. Values of measures and differences are
times 100 in every table and page, and 0 to 1 in CSV and JSON; p-values, correlations and
kappas are not scaled.

--sort COLUMN sorts the leaderboard, or your own table, by a heading, measure or
benchmark; --measure shows only those measures; --reference compares with another system
than the untrained encoder. Tests stay corrected over all measures of the board.

With --row and --col the report is your own table: any configuration key, benchmark, task,
side or measure can be a row, a column or (--table) a table. The key number stands for the
numbers on leaderboards, including means over tasks such as FollowIR's score.
With --ablation, the report shows the gain from training for each loss and backbone;
--claims adds a section that judges the claims of a paper (see infbench claims).

--published shows published numbers next to the runs, or alone: a folder or .tar.gz of
MTEB's result files, a .csv of the newer suites' numbers (suite, task, system, measure,
value, source), or "paper" for the tables of the InF-IR paper. A measured number with a
published counterpart gets a delta and a verdict, unless settings, judgments or excluded
documents differ, or the saved rankings leave ties open: then the report names that reason
instead. Trained systems are compared with a prediction interval for one more run
(three or more seeds); others must match the printed digits.

--view scaling draws quality against the number of training records. Any other --view
shows a table or figure of the paper in its layout: from the runs, as printed
(--published paper), and both side by side.`,
		Example: `  infbench report runs/demo
  infbench report runs/demo --format html --out report.html
  infbench report runs/demo --sort mini-bright --reference bm25
  infbench report runs/demo --row loss --col measure --filter benchmark=mini-followir --filter task=headline --filter side=original
  infbench report runs/demo --picture ablation --out ablation.svg
  infbench report runs/demo --picture leaderboard --out board.pdf
  infbench report runs/ablation-mini --ablation
  infbench report runs/demo --view designs --published paper
  infbench report --published paper`,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := o.writer()
			if err != nil {
				return err
			}
			file := output.File{Path: o.out, Kind: o.kind(), Inputs: o.inputs(args)}
			if err := file.Check(); o.out != "" && err != nil {
				return err
			}
			g := &given{}
			if len(args) > 0 || len(o.published) == 0 && !o.aboutData() {
				if g, err = loadMeasured(args); err != nil {
					return err
				}
			}
			if len(o.published) > 0 {
				if err := g.checkTies(); err != nil {
					return err
				}
			}
			g.noteLacking()
			o.pages = g.pages
			exps := g.exps
			if o.out == "" {
				return write(cmd.OutOrStdout(), exps)
			}
			err = file.Write(func(w io.Writer) error {
				read := exps
				exps = nil // frees the records once they are in the report
				return write(w, read)
			})
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), o.out)
			return nil
		},
	}
	f := cmd.Flags()
	flags.Group(f, flags.ShownFlags, func() {
		f.BoolVar(&o.all, "all", false, "print every section on a terminal, not only the leaderboard")
		f.StringVar(&o.view, "view", "", "a predefined view; all except scaling are in the paper: "+strings.Join(reports.Views(), ", "))
		f.BoolVar(&o.ablation, "ablation", false, "show gains over the untrained encoder by loss and backbone")
		f.StringSliceVar(&o.measures, "measure", nil, "show only this `MEASURE`; may be repeated")
		f.StringArrayVar(&o.filters, "filter", nil, "KEY=VALUE[,VALUE...]: keep only these; may be repeated")
		f.StringVar(&o.reference, "reference", "", "the `SYSTEM` to compare the others with, by label, such as uni:P (default untrained)")
		f.StringVar(&o.sort, "sort", "", "`COLUMN` to sort by, best first")
		f.StringArrayVar(&o.published, "published", nil, "FOLDER or .tar.gz of MTEB result files, .csv of the newer suites' numbers, or paper; may be repeated")
		f.StringArrayVar(&o.claims, "claims", nil, "FILE of claims to judge in a section of their own (infbench claims); may be repeated")
	})
	flags.Group(f, flags.LayoutFlags, func() {
		f.StringSliceVar(&o.table, "table", nil, "keys that make tables")
		f.StringSliceVar(&o.row, "row", nil, "keys that make rows")
		f.StringSliceVar(&o.col, "col", nil, "keys that make columns")
	})
	flags.Group(f, flags.OutputFlags, func() {
		f.StringVar(&o.format, "format", "terminal", "one of "+strings.Join(export.Formats(), ", "))
		f.StringVar(&o.picture, "picture", "", "write one picture instead, as SVG, PNG or PDF by the ending of --out: "+strings.Join(reports.Pictures(), ", "))
		f.StringVar(&o.out, "out", "", "file to write instead of standard output")
	})
	flags.Group(f, flags.CommentFlags, func() { o.comment.addFlags(cmd) })
	return cmd
}

// kind is the output format.
func (o *reportOptions) kind() output.Kind {
	kinds := map[string]output.Kind{"markdown": output.Markdown, "latex": output.LaTeX, "csv": output.CSV, "json": output.JSON, "html": output.HTML}
	switch kind, ok := kinds[o.format]; {
	case o.picture != "":
		return map[string]output.Kind{"svg": output.SVG, "png": output.PNG, "pdf": output.PDF}[o.pictureFormat()]
	case ok:
		return kind
	}
	return output.Text
}

// pictureFormat is the format of the picture, by the ending of --out; an SVG without one.
func (o *reportOptions) pictureFormat() string {
	return cmp.Or(strings.ToLower(strings.TrimPrefix(filepath.Ext(o.out), ".")), "svg")
}

// inputs are the files that the report reads. A report may be written into a run folder, but
// must not replace a file that a trial or its plan wrote there.
func (o *reportOptions) inputs(dirs []string) []string {
	inputs := slices.Concat(o.published, o.claims)
	for _, dir := range dirs {
		if page, _, ok := splitPage(dir); ok {
			inputs = append(inputs, page)
			continue
		}
		for _, name := range runs.Kept() {
			inputs = append(inputs, filepath.Join(dir, name))
		}
	}
	return inputs
}

// writer checks the flags and returns a function that writes the requested report.
func (o *reportOptions) writer() (func(io.Writer, []*results.Experiment) error, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.comment.pr {
		return o.comment.write, nil
	}
	opts, err := o.options()
	if err != nil {
		return nil, err
	}
	return func(w io.Writer, exps []*results.Experiment) error { return o.write(w, exps, opts) }, nil
}

// check refuses unknown names and flags that exclude each other.
func (o *reportOptions) check() error {
	if !slices.Contains(export.Formats(), o.format) {
		return usage.Error{Err: nearest.Unknown("format", o.format, export.Formats())}
	}
	if o.picture != "" && !slices.Contains(reports.Pictures(), o.picture) {
		if filepath.Ext(o.picture) != "" {
			return usage.Errorf("--picture %s: want the name of a picture (%s); the file is named by --out, as in --picture %s --out %s", o.picture, strings.Join(reports.Pictures(), ", "), reports.Pictures()[0], o.picture)
		}
		return usage.Error{Err: nearest.Unknown("picture", o.picture, reports.Pictures())}
	}
	if o.picture != "" && !disk.IsStream(o.out) && !slices.Contains(chart.PictureFormats(), o.pictureFormat()) {
		return usage.Errorf("--out %s: a picture is written as .svg, .png or .pdf", o.out)
	}
	other := o.ablation || o.picture != "" || o.projects() || len(o.published)+len(o.claims) > 0
	if err := o.comment.check(o.format, other); err != nil || o.comment.pr {
		return err
	}
	if o.view != "" && !slices.Contains(reports.Views(), o.view) {
		return usage.Error{Err: nearest.Unknown("view", o.view, reports.Views())}
	}
	if o.sort != "" && !slices.Contains([]string{"terminal", "markdown", "latex"}, o.format) {
		return usage.Errorf("--sort is for the formats terminal, markdown and latex, found --format %s: a page sorts by a click", o.format)
	}
	if len(o.measures) > 0 && o.view != "" {
		return usage.Errorf("report: --view shows the measures of the paper; leave out --measure")
	}
	if o.view != "" && (o.ablation || o.projects()) {
		return usage.Errorf("report: --view is a projection of its own; leave out --ablation, --table, --row, --col and --filter")
	}
	if o.ablation && o.projects() {
		return usage.Errorf("report: --ablation has tables of its own; leave out --table, --row, --col and --filter")
	}
	return nil
}

// projects reports whether the flags ask for a projection.
func (o *reportOptions) projects() bool {
	return len(o.row)+len(o.col)+len(o.table)+len(o.filters) > 0
}

// options reads the files and names in the flags.
func (o *reportOptions) options() (reports.Options, error) {
	opts := reports.Options{Heap: heap.Small, View: o.view, Ablation: o.ablation, Reference: o.reference, Measures: o.measures}
	var err error
	switch {
	case len(o.claims) > 0:
		opts.Studies, err = allStudies()
	case o.aboutData():
		opts.Studies, err = runs.ReadStudies(o.view)
	}
	if err != nil {
		return opts, err
	}
	for _, name := range o.claims {
		f, err := readClaims(name)
		if err != nil {
			return opts, err
		}
		opts.Claims = append(opts.Claims, f)
	}
	if o.projects() {
		opts.Projection = &scores.Projection{Table: o.table, Row: o.row, Col: o.col}
		for _, text := range o.filters {
			f, err := scores.ParseFilter(text)
			if err != nil {
				return opts, usage.Error{Err: err}
			}
			for i, value := range f.Values {
				switch f.Key {
				case results.Loss:
					f.Values[i] = lossName(value)
				case scores.KeyVariant:
					f.Values[i] = results.AsLabel(value)
				}
			}
			opts.Projection.Filters = append(opts.Projection.Filters, f)
		}
	}
	for _, name := range o.published {
		c, err := readPublished(name)
		if err != nil {
			return opts, err
		}
		opts.Published = append(opts.Published, c)
	}
	return opts, nil
}

// lossName writes the name of a loss as results have it: multi:P+I, which needs no quotes in
// a shell, becomes multi(P,I), and margin becomes margin@1. Other names stay unchanged.
func lossName(name string) string {
	if l, err := training.ParseLoss(name); err == nil {
		return training.NameOf(l)
	}
	return name
}

// write builds the report of experiments and writes it, or one picture of it.
func (o *reportOptions) write(w io.Writer, exps []*results.Experiment, opts reports.Options) error {
	if o.format == "html" {
		if err := runs.AddQueries(exps); err != nil {
			return err
		}
	}
	if len(opts.Published) > 0 {
		opts.Repositories = cardRepositories(exps)
		for _, p := range o.pages {
			maps.Copy(opts.Repositories, p.Options.Repositories)
		}
		if err := runs.AddTies(exps); err != nil {
			return err
		}
	}
	read := &given{exps, o.pages}
	pages := read.onlyPages()
	var err error
	if opts.Overlaps, err = read.overlaps(); err != nil {
		return err
	}
	opts.Studies = append(opts.Studies, read.studies(func(kind string) bool { return kind == o.view || len(o.claims) > 0 && isClaimed(kind) })...)
	if err := nameSystems(exps, &opts); err != nil {
		return err
	}
	if opts.Brief = o.brief(); o.format == "html" {
		opts.Room, opts.Taken = page.RowsAtMost, true
	}
	r, err := reports.Build(exps, opts)
	if err != nil {
		return usage.AsError(err)
	}
	if pages {
		if err := r.DropRuns(); err != nil {
			return read.lacking(err)
		}
	}
	if o.reference != "" {
		if err := r.CheckReference(); err != nil {
			return usage.Errorf("--reference: %w", err)
		}
	}
	if o.picture == "" {
		return o.print(w, r)
	}
	picture, err := r.Picture(o.picture)
	switch {
	case errors.Is(err, reports.ErrNoPicture) && pages:
		return read.lacking(fmt.Errorf("%w: %w", err, reports.ErrNeedsRuns))
	case err != nil:
		return err
	}
	format := o.pictureFormat()
	if disk.IsStream(o.out) {
		format = "svg"
	}
	data, err := picture.Encode(format)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// nameSystems replaces the names of systems in filters by labels, as other verbs do. An
// unknown name stays; a name of several systems selects them all.
func nameSystems(exps []*results.Experiment, opts *reports.Options) error {
	if opts.Projection == nil {
		return nil
	}
	filters := opts.Projection.Filters
	bySystem := func(f scores.Filter) bool { return f.Key == scores.KeySystem }
	if !slices.ContainsFunc(filters, bySystem) {
		return nil
	}
	v, err := scores.New(exps)
	if err != nil {
		return err
	}
	for i, f := range filters {
		var labels []string
		for _, name := range f.Values {
			for _, at := range results.Find(v.Names(), name) {
				labels = append(labels, v.Systems[at].Label)
			}
		}
		if bySystem(f) && labels != nil {
			filters[i].Values = labels
		}
	}
	return nil
}

// print sorts the report if --sort asks for that, and writes it in its format.
func (o *reportOptions) print(w io.Writer, r *reports.Report) error {
	if o.sort != "" {
		if err := r.Sort(o.sort); err != nil {
			return usage.Errorf("--sort: %w", err)
		}
	}
	switch {
	case o.brief():
		r = r.Brief()
	case o.format == "terminal":
		r = r.Full()
	}
	return export.Write(w, r, o.format)
}

// brief reports whether only the first screen is printed.
func (o *reportOptions) brief() bool { return o.format == "terminal" && !o.all && o.picture == "" }

// aboutData reports whether the view shows studies of data, which need no run.
func (o *reportOptions) aboutData() bool { return slices.Contains(reports.StudyViews(), o.view) }

// readPublished reads published numbers.
func readPublished(name string) (*published.Collection, error) {
	if name == "paper" {
		return published.Paper()
	}
	if _, err := disk.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, usage.Error{Err: nearest.Unknown("published numbers", name, []string{"paper", "a FOLDER or .tar.gz of MTEB result files", "a .csv file"})}
	}
	if filepath.Ext(name) == ".csv" {
		return published.ReadSuites(name)
	}
	return published.ReadMTEB(name)
}

// cardRepositories finds the repository of each model of the experiments that has a card,
// under its name or under the name of its folder.
func cardRepositories(exps []*results.Experiment) map[string]string {
	found, seen := map[string]string{}, map[string]bool{"": true}
	for _, exp := range exps {
		for i := range exp.Trials {
			for _, name := range []string{exp.Trials[i].Config[results.Model], exp.Trials[i].Config[results.Backbone]} {
				if seen[name] {
					continue
				}
				seen[name] = true
				for _, known := range []string{filepath.Base(name), name} {
					if card, err := encoder.CardOf(known); err == nil {
						found[name] = card.Repository
					}
				}
			}
		}
	}
	return found
}

// reportSweep writes the HTML report of a sweep and prints its leaderboard.
func reportSweep(folder runs.Folder, stdout io.Writer) error {
	exps, err := runs.LoadAll([]string{folder.Dir})
	if err != nil {
		return err
	}
	if err := runs.AddQueries(exps); err != nil {
		return err
	}
	overlaps, err := contamination.Shown(exps)
	if err != nil {
		return err
	}
	r, err := reports.Build(exps, reports.Options{Overlaps: overlaps, Room: page.RowsAtMost, Taken: true, Heap: heap.Small})
	if err != nil {
		return err
	}
	report := folder.Report()
	if err := disk.WriteTo(folder.Files, report, func(w io.Writer) error { return export.Write(w, r, "html") }); err != nil {
		return err
	}
	if err := export.Write(stdout, r.Brief(), "terminal"); err != nil {
		return err
	}
	screen := terminal.On(stdout)
	for _, line := range append(screen.Lines("report: ", report), screen.Lines("every section here: ", "infbench report --all "+usage.Quote(folder.Dir))...) {
		fmt.Fprintln(stdout, line)
	}
	return nil
}
