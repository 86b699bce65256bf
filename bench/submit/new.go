package submit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/metrics/trec"
	"infbench/reports/published"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// draft are the flags of submit new.
type draft struct {
	declaration
	into                    string
	trainedOn, onBenchmarks []string
	set                     func(flag string) bool
}

func newCommand() *cobra.Command {
	var d draft
	cmd := &cobra.Command{
		Use:   "new RUN",
		Short: "Make a submission from a run folder",
		Long: `Make a submission from an evaluation, from a system of a sweep (RUN:SYSTEM) with all its
seeds, or from an import: its rankings, the means of its scores as claims, and a
submission.yaml with all known facts from the run folder. Give other facts by flags or fill
them in by hand; infbench submit check lists the missing ones.`,
		Example: `  infbench submit new runs/mine --system acme/embed-1 --revision 3f2a1c9 --by Ada --contact ada@acme.org
  infbench submit new runs/demo:3f2a1c9 --system acme/embed-1 --revision v1 --licence MIT`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d.set = cmd.Flags().Changed
			return d.run(args[0], time.Now(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&d.into, "into", "submissions", "`DIR` of all submissions")
	f.StringVar(&d.System, "system", "", "ORG/MODEL (default: the name of the model in the run, if it has this form)")
	f.StringVar(&d.Revision, "revision", "", "revision of the model")
	f.StringVar(&d.Model, "model-url", "", "where the model is, https://...")
	f.StringVar(&d.By, "by", "", "who made the system")
	f.StringVar(&d.Contact, "contact", "", "mail address or https://... for questions about the numbers")
	f.StringVar(&d.Licence, "licence", "", "licence of the model")
	f.StringVar(&d.Conventions.Prompts, "prompts", "", "text added to queries and documents, or none")
	f.StringVar(&d.Partial, "partial", "", "reason why tasks or queries are missing")
	f.StringVar(&d.Replaces, "replaces", "", "the revision that this one replaces on the board")
	f.StringSliceVar(&d.trainedOn, "training-data", nil, "training data, separated by commas; \"\" for none")
	f.StringSliceVar(&d.onBenchmarks, "training-benchmarks", nil, "benchmarks whose texts or judgments were in the training data; \"\" for none")
	return cmd
}

// run writes the folder.
func (d *draft) run(name string, now time.Time, out io.Writer) error {
	seeds, err := trialsOf(name)
	if err != nil {
		return err
	}
	d.fill(seeds[0].Trial, now)
	if err := errors.Join(checkSystem(d.System), checkName(d.Revision)); err != nil {
		return usage.Errorf("submit new: give the system and its revision with --system and --revision: %w", err)
	}
	dir := filepath.Join(d.into, folderOf(d.System), d.Revision)
	if err := free(dir); err != nil {
		return err
	}
	if err := d.make(dir, seeds); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: see infbench submit check %s\n", words.Clean(dir), usage.Quote(dir))
	if missing := d.missing(); len(missing) > 0 {
		fmt.Fprintf(out, "to fill in, in %s: %s\n", words.Clean(filepath.Join(dir, DeclarationFile)), strings.Join(missing, ", "))
	}
	return nil
}

// make writes the folder under a temporary name and moves it into place when it is complete.
func (d *draft) make(dir string, seeds []trained) error {
	made, system := disk.Temporary(dir), disk.OS{}
	err := d.write(made, seeds)
	if err == nil {
		err = disk.RenameDir(system, made, dir)
		if there := free(dir); err != nil && there != nil {
			err = there // another process was faster
		}
	}
	if err != nil {
		return errors.Join(err, system.RemoveAll(made))
	}
	return nil
}

// free returns an error if a folder exists.
func free(dir string) error {
	there, err := disk.Exists(dir)
	if there && err == nil {
		err = usage.Errorf("%s exists already, and a revision does not change: give another with --revision", dir)
	}
	return err
}

// trained is a finished trial with its folder.
type trained struct {
	*results.Trial
	at results.Folder
}

// trialsOf returns the finished trials of the only system that a name can mean, which differ in
// their seed.
func trialsOf(name string) (out []trained, err error) {
	exps, err := runs.LoadAll([]string{name})
	if err != nil {
		return nil, err
	}
	for i := range exps[0].Trials {
		t := &exps[0].Trials[i]
		if t.State != results.Done {
			continue
		}
		at, err := runs.FolderOf(exps[0], t)
		if err != nil {
			return nil, err
		}
		out = append(out, trained{t, at})
	}
	if len(out) == 0 {
		return nil, usage.Errorf("%s has no finished trial", name)
	}
	seen := map[string]bool{}
	for _, t := range out {
		seed := t.Config[results.Seed]
		if !t.Config.SameSystem(out[0].Config) || seen[seed] {
			return nil, usage.Errorf("%s has %d finished trials, but a submission has one system: name it as RUN:SYSTEM, or a trial by its ID; infbench status lists them", name, len(out))
		}
		seen[seed] = true
	}
	return out, nil
}

// fill copies facts from a trial that no flag gave.
func (d *draft) fill(t *results.Trial, now time.Time) {
	d.Format, d.Date, d.Command = declarationForm, now.UTC().Format(time.DateOnly), t.Provenance.Command
	if !t.Provenance.Started.IsZero() {
		d.Date = t.Provenance.Started.UTC().Format(time.DateOnly)
	}
	d.Conventions.Ties = published.TiesByID
	model := t.Config[results.Model]
	if d.System == "" && checkSystem(model) == nil {
		d.System = model
	}
	if d.Revision == "" {
		d.Revision = t.Config[results.Revision]
	}
	for _, b := range t.Provenance.Benchmarks {
		d.Benchmarks = append(d.Benchmarks, declaredBench{b.Name, b.Revision})
	}
	if d.Training.Data = named(d.trainedOn); !d.set("training-data") && t.Config[results.Data] != "" {
		d.Training.Data = []string{t.Config[results.Data]}
	}
	d.Training.Benchmarks = named(d.onBenchmarks)
}

// named are the names of a list that are not empty.
func named(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return strings.TrimSpace(name) == "" })
}

// write fills the folder: rankings of each seed, claims, and the declaration, which has the depth
// of the longest ranking and the hashes of the other files.
func (d *draft) write(dir string, seeds []trained) error {
	files := disk.NewSummed(disk.OS{})
	declare := func(name string) {
		d.Files = append(d.Files, declaredFile{name, files.Sum(filepath.Join(dir, filepath.FromSlash(name)))})
	}
	var means [][]results.Result
	for _, t := range seeds {
		below := ""
		if len(seeds) > 1 {
			below = folderOfSeed(t.Config[results.Seed])
		}
		to := results.Folder{Dir: filepath.Join(dir, below), Files: files}
		for _, task := range tasksOf(t.Results) {
			run, err := t.at.Reader().Run(task.benchmark, task.task)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			d.Conventions.Depth = max(d.Conventions.Depth, deepest(run))
			if err := to.Writer().Run(task.benchmark, task.task, run, d.System); err != nil {
				return err
			}
			declare(path.Join(below, results.RunName(task.benchmark, task.task)))
		}
		means = append(means, meansOf(t.Results))
	}
	if err := (results.Folder{Dir: dir, Files: files}).Writer().Scores(averaged(means)); err != nil {
		return err
	}
	declare(results.ScoresFile)
	slices.SortFunc(d.Files, func(a, b declaredFile) int { return strings.Compare(a.Name, b.Name) })
	return disk.WriteBytes(filepath.Join(dir, DeclarationFile), []byte(d.text()))
}

// averaged averages means over seeds, for the numbers that every seed has.
func averaged(seeds [][]results.Result) (out []results.Result) {
	for _, r := range seeds[0] {
		sum, n := 0.0, 0
		for _, of := range seeds {
			for _, other := range of {
				if other.Benchmark == r.Benchmark && other.Task == r.Task && other.Side == r.Side && other.Measure == r.Measure {
					sum, n = sum+*other.Value, n+1
				}
			}
		}
		if n == len(seeds) {
			mean := sum / float64(n)
			r.Value = &mean
			out = append(out, r)
		}
	}
	return out
}

// tasksOf lists the tasks of values, in their order.
func tasksOf(values []results.Result) (out []taskName) {
	for _, r := range values {
		out = words.AddNew(out, taskName{r.Benchmark, r.Task})
	}
	return out
}

// meansOf averages values over queries.
func meansOf(values []results.Result) (out []results.Result) {
	for _, one := range results.ByScoring(values) {
		if mean, n := results.Mean(one); n > 0 {
			out = append(out, results.Result{Benchmark: one[0].Benchmark, Task: one[0].Task, Side: one[0].Side, Measure: one[0].Measure, Value: &mean, Aggregate: true})
		}
	}
	return out
}

// deepest is the length of the longest ranking.
func deepest(run trec.Run) (n int) {
	for _, ranking := range run {
		n = max(n, len(ranking))
	}
	return n
}

// given reports for each key with a list whether a flag gave it.
func (d *draft) given() map[string]bool {
	return map[string]bool{
		"training.data":       len(d.Training.Data) > 0 || d.set("training-data"),
		"training.benchmarks": d.set("training-benchmarks"),
	}
}

// values are the values of all single-valued keys, as they are written.
func (d *draft) values() map[string]any {
	given := d.given()
	out := map[string]any{
		"format": d.Format, "system": d.System, "revision": d.Revision, "model": d.Model, "by": d.By, "contact": d.Contact, "licence": d.Licence,
		"date": d.Date, "command": d.Command, "conventions.depth": d.Conventions.Depth, "conventions.ties": d.Conventions.Ties, "conventions.prompts": d.Conventions.Prompts,
		"partial": d.Partial, "replaces": d.Replaces, "notes": d.Notes, "training.data": "", "training.benchmarks": "",
	}
	if given["training.data"] {
		out["training.data"] = d.Training.Data
	}
	if given["training.benchmarks"] {
		out["training.benchmarks"] = d.Training.Benchmarks
	}
	return out
}

// missing are the keys that are not filled in.
func (d *draft) missing() (out []string) {
	values := d.values()
	for _, k := range keys() {
		if v, ok := values[k.path]; ok && !k.optional && (v == "" || v == 0) {
			out = append(out, k.path)
		}
	}
	return out
}

// text is submission.yaml, with an explanation of each key.
func (d *draft) text() string {
	var b strings.Builder
	values := d.values()
	for _, k := range keys() {
		depth := strings.Count(k.path, ".")
		name := k.path[strings.LastIndexByte(k.path, '.')+1:]
		value, single := values[k.path]
		switch {
		case k.optional && value == "":
			continue
		case k.path == "files":
			fmt.Fprintf(&b, "%s: # %s\n", name, k.what)
			for _, one := range d.Files {
				fmt.Fprintf(&b, "  - {name: %s, sha256: %s}\n", scalar(one.Name), scalar(one.SHA256))
			}
		case !single && k.path == "benchmarks":
			fmt.Fprintf(&b, "%s:\n", name)
			for _, one := range d.Benchmarks {
				fmt.Fprintf(&b, "  - {name: %s, revision: %s}\n", scalar(one.Name), scalar(one.Revision))
			}
		case !single:
			fmt.Fprintf(&b, "%s:\n", name)
		default:
			fmt.Fprintf(&b, "%s%s:%s # %s\n", strings.Repeat("  ", depth), name, written(value), k.what)
		}
	}
	return b.String()
}

// written formats a value after its key; "" if there is none.
func written(value any) string {
	switch v := value.(type) {
	case []string:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = scalar(item)
		}
		return " [" + strings.Join(items, ", ") + "]"
	case string:
		if v == "" {
			return ""
		}
		return " " + scalar(v)
	}
	return fmt.Sprintf(" %v", value)
}

// scalar formats a text as one line of YAML, also within brackets.
func scalar(text string) string {
	if plainName.MatchString(text) && !strings.HasSuffix(text, ".") {
		if node := (yaml.Node{}); yaml.Unmarshal([]byte(text), &node) == nil && node.Content[0].Tag == "!!str" {
			return text
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(words.Clean(text)) + `"`
}
