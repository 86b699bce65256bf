// Package paperview shows results like the InF-IR paper: its tables, and those figures
// whose numbers a program can compute, from own runs, from the printed numbers, and side
// by side. It averages nothing that the tables do not average, tests nothing, and shows
// printed numbers with their printed digits.
package paperview

import (
	"fmt"
	"slices"

	"infbench/internal/nearest"
	"infbench/reports/beside"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/runners/results"
)

// Options are the inputs of a view in addition to the trials.
type Options struct {
	Published    []*published.Collection
	Repositories map[string]string // repositories of models that configurations call by another name
	Studies      []*results.Study
}

// view is one table or figure of the paper, with the name used to request it.
type view struct {
	name, shows, about string
	forms              []form // tables of the view; none for figures
	made               func(*builder) ([]section.Section, error)
	missing, command   string // the missing data if there is nothing to show, and the command that makes it
	verb               string // the verb that measures its studies, if it has another name
}

// views lists all views, in the order of the help.
func views() []view {
	return []view{
		{name: "main", shows: "Table 2", about: "each backbone, untrained and trained", forms: []form{mainForm}, made: (*builder).main,
			missing: "no trained system", command: "infbench sweep bench/experiments/mini-main.yaml"},
		{name: "losses", shows: "Tables 3 and 6", about: "each loss on each backbone", forms: []form{lossForm, detailForm}, made: (*builder).losses,
			missing: "no two losses", command: "infbench sweep bench/experiments/demo.yaml"},
		{name: "designs", shows: "Table 4", about: "encoders, pooling and epochs", forms: []form{designForm}, made: (*builder).designs,
			missing: "no two designs (encoders, pooling, epochs)", command: "infbench sweep bench/experiments/mini-designs.yaml"},
		{name: "baselines", shows: "Table 5", about: "baselines and trained systems by size", forms: []form{baselineForm}, made: (*builder).baselines,
			missing: "no baseline", command: "infbench evaluate --model bm25 --data mini-followir"},
		{name: "sizes", shows: "figure 5", about: "the rank of each model among those of its size", forms: []form{sizeForm}, made: (*builder).sizes,
			missing: "no number of a model whose size is known", command: "infbench sweep bench/experiments/demo.yaml"},
		{name: "quality", shows: "figure 6", about: "training on the records that a judge approved, compared with all records", made: (*builder).quality,
			missing: "no pair of trained systems, one on the filtered and one on all records", command: "infbench sweep bench/experiments/mini-filtering.yaml"},
		{name: "agreement", shows: "figure 4", about: "how well judges agree with people", made: (*builder).agreement,
			missing: "judgments of people and of models", command: "infbench data agreement PICKS.csv --models MODEL --keep NAME"},
		{name: "map", shows: "figure 3a", about: "maps of the texts of corpora", made: (*builder).mapped,
			missing: "a map of texts", command: "infbench data map mini-infir --model MODEL --keep NAME"},
		{name: "diversity", shows: "figure 3b", about: "the diversity of the texts of a corpus", made: (*builder).diversity,
			missing: "a study of texts", command: "infbench data diversity TEXTS.jsonl --keep NAME"},
		{name: "data", shows: "Table 1", about: "counts of the contents of collections", forms: []form{dataForm}, made: (*builder).data,
			missing: "a count of a collection", command: "infbench data stats mini-infir --keep NAME"},
		{name: "funnel", shows: "section 4", about: "how many records of a corpus were dropped at each stage, and why", made: (*builder).funnel, verb: "curate",
			missing: "a corpus that was made here", command: "infbench curate bench/corpora/mini.yaml --keep NAME"},
	}
}

// aliases are other names of views.
var aliases = map[string]string{"ablation": "losses"}

// Names lists the names of the views, aliases last.
func Names() []string {
	var names []string
	for _, v := range views() {
		names = append(names, v.name)
	}
	return append(names, "ablation")
}

// OfStudies lists the views that show studies and need no trial.
func OfStudies() []string { return []string{"agreement", "map", "diversity", "data", "funnel"} }

// named finds a view by its name or alias.
func named(name string) (view, error) {
	if full, ok := aliases[name]; ok {
		name = full
	}
	all := views()
	i := slices.IndexFunc(all, func(v view) bool { return v.name == name })
	if i < 0 {
		return view{}, nearest.Unknown("view", name, Names())
	}
	return all[i], nil
}

// Title returns the title of a view: "The paper's Table 2".
func Title(name string) string {
	v, err := named(name)
	if err != nil {
		return ""
	}
	return "The paper's " + v.shows
}

// builder makes the sections of a view.
type builder struct {
	view
	Options
	paper    *published.Collection // source of the forms, shown or not
	set      *scores.Set
	measured []beside.Quantity
	said     []string // notes on the shown runs
	own      []grid   // in the layout of the paper's tables, by form
	other    *grid    // in columns that are not in the paper; nil if there are none
}

// Sections returns the sections of a view: the runs, the paper's printed numbers if
// requested, both side by side if there are both, and missing data.
func Sections(name string, set *scores.Set, o Options) ([]section.Section, error) {
	v, err := named(name)
	if err != nil {
		return nil, err
	}
	paper, err := published.Paper()
	if err != nil {
		return nil, fmt.Errorf("view %s: %w", v.name, err)
	}
	b := &builder{view: v, Options: o, paper: paper, set: set, measured: beside.Quantities(set)}
	out, err := v.made(b)
	if err != nil {
		return nil, fmt.Errorf("view %s: %w", v.name, err)
	}
	lacks := len(out) == 0
	for i, c := range o.Published {
		printed, err := b.printed(i+1, c)
		if err != nil {
			return nil, fmt.Errorf("view %s: %w", v.name, err)
		}
		out = append(out, printed...)
	}
	if lacks && (len(set.Trials) > 0 || len(out) == 0 || len(b.forms) == 0) {
		out = append(out, section.Missing(v.name, fmt.Sprintf("This view (%s of the paper) needs data that the runs do not have.", v.shows), v.missing, v.command))
	}
	return out, nil
}

// printed shows the paper's tables of the view, and the measured numbers next to them.
// Other sources have no such tables.
func (b *builder) printed(at int, c *published.Collection) (out []section.Section, err error) {
	if c.Source != published.SourcePaper {
		return nil, nil
	}
	for i, f := range b.forms {
		id := fmt.Sprintf("printed-%d-%s", at, f.number)
		source := published.SourcePaper + ", table " + f.number
		s := section.Section{ID: id, Title: "Printed in " + source, Source: beside.SourceOf(c)}
		both := section.Section{ID: id + "-beside", Title: "Comparison with " + source, Source: beside.SourceOf(c)}
		if p := c.Table(f.number); p != nil {
			g := f.laidOut(p)
			s.Tables = g.tables(id, s.Title, map[bool]string{false: printedCaption, true: countedCaption}[f.counts])
			if s.Figures, err = g.rankFigures(id); err != nil {
				return nil, err
			}
			s.Grid = gridOf(s.Figures)
			switch {
			case i == 0 && len(b.own) == 0 && b.other != nil && f.models:
				both.Tables = besideOther(*b.other, g).tables(both.ID, both.Title, besideOtherCaption)
			case i < len(b.own):
				both.Tables = sideBySide(g, b.own[i]).tables(both.ID, both.Title, besideCaption)
			}
		}
		if out = append(out, s); len(both.Tables) > 0 {
			out = append(out, both)
		}
	}
	if len(b.forms) == 0 {
		out = append(out, section.Section{ID: fmt.Sprintf("printed-%d", at), Title: "Printed in " + published.SourcePaper, Source: beside.SourceOf(c),
			Notes: []string{fmt.Sprintf("The paper shows this as %s without printing its values.", b.shows)}})
	}
	return out, nil
}

const printedCaption = "Values ×100 exactly as printed; nothing here was measured by this program. FollowIR's scores evaluate the original instructions with the changed judgments, as mteb 1.x did."

const countedCaption = "Exactly as printed; nothing here was counted by this program."

const besideCaption = "Values ×100: each line as printed, with the values measured here below it. For verdicts see the comparison with published numbers."

const besideOtherCaption = "Values ×100. The values measured here come first, then the paper's columns as printed. The benchmarks differ, and possibly the backbones: compare the order of losses, not the numbers."
