package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/scores"
	"infbench/runners/contamination"
	"infbench/runners/results"
	"infbench/runners/runs"
)

// pageFile is an HTML report that a verb takes in place of a run folder.
type pageFile struct {
	name string
	*reports.Data
}

// given is what the arguments of a verb name: run folders and HTML reports.
type given struct {
	exps  []*results.Experiment
	pages []pageFile
}

// loadGiven reads run folders and HTML reports; if none is named, every run folder below runs/.
func loadGiven(names []string) (*given, error) {
	g := &given{}
	if len(names) == 0 {
		var err error
		g.exps, err = runs.LoadAll(nil)
		return g, err
	}
	for _, name := range names {
		exps, page, err := loadOne(name)
		if err != nil {
			return nil, err
		}
		g.exps = append(g.exps, exps...)
		if page != nil {
			g.pages = append(g.pages, *page)
		}
	}
	return g, nil
}

// loadMeasured is like loadGiven, and refuses a page that shows only published numbers.
func loadMeasured(names []string) (*given, error) {
	g, err := loadGiven(names)
	if err != nil {
		return nil, err
	}
	for _, p := range g.pages {
		if len(p.Trials) == 0 {
			return nil, usage.Errorf("%s carries no measured values: it shows numbers of others, which --published reads from their files, or studies of data, which --view shows", p.name)
		}
	}
	return g, nil
}

// loadSets reads run folders and HTML reports.
func loadSets(names []string) ([]*results.Experiment, error) {
	if len(names) == 0 {
		return nil, nil
	}
	g, err := loadGiven(names)
	if err != nil {
		return nil, err
	}
	return g.exps, nil
}

// loadSet reads a run folder, or the values that an HTML report carries.
func loadSet(name string) ([]*results.Experiment, error) { return loadSets([]string{name}) }

// loadOne reads a run folder, or the values that an HTML report carries, with its single queries;
// FOLDER:SYSTEM and PAGE:SYSTEM are one system of it. page is nil for a folder.
func loadOne(name string) (exps []*results.Experiment, page *pageFile, err error) {
	file, system, ok := splitPage(name)
	if !ok {
		exps, err = runs.LoadAll([]string{name})
		return exps, nil, err
	}
	text, err := disk.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	d, err := reports.ReadData(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	page = &pageFile{file, d}
	if len(d.Left) > 0 {
		return nil, nil, fmt.Errorf("%s carries only a part of its values: it has no room for %s; give %s instead", file, page.left(), page.folder())
	}
	exps = d.Experiments()
	if err := d.AddQueries(text, exps); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	if system != "" {
		err = narrowPage(exps, file, system)
	}
	return exps, page, err
}

// splitPage splits the name of an HTML report, which may be followed by a colon and a system.
func splitPage(name string) (file, system string, ok bool) {
	ends := func(at int) bool { return at >= 5 && strings.EqualFold(name[at-5:at], ".html") }
	isFile := func(file string) bool {
		info, err := disk.Stat(file)
		return err != nil || !info.IsDir()
	}
	if ends(len(name)) {
		return name, "", isFile(name)
	}
	for i, r := range name {
		if r == ':' && ends(i) {
			return name[:i], name[i+1:], isFile(name[:i])
		}
	}
	return "", "", false
}

// narrowPage keeps the trials of one system.
func narrowPage(exps []*results.Experiment, file, system string) error {
	v, err := scores.New(exps)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	q := &querySet{exp: &results.Experiment{Dir: file}, Set: v, trials: withSystems(v, nil)}
	of, err := q.find(system)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, t := range of.Trials {
		kept[t.ID] = true
	}
	for _, e := range exps {
		e.Trials = slices.DeleteFunc(e.Trials, func(t results.Trial) bool { return !kept[words.Clean(t.ID)] })
	}
	return nil
}

// left names the numbers whose values the page leaves out.
func (p *pageFile) left() string {
	var names []string
	for _, l := range p.Left {
		s := p.Slots[l.Slot]
		names = words.AddNew(names, strings.Join(slices.DeleteFunc([]string{s.Benchmark, s.Task, s.Side, s.Measure}, func(t string) bool { return t == "" }), " "))
	}
	return words.First(3, names)
}

// folder names the run folder that a page was made from. A page does not record its path.
func (p *pageFile) folder() string {
	var names []string
	for _, t := range p.Trials {
		names = words.AddNew(names, words.Clean(cmp.Or(t.Experiment, "its trials")))
	}
	return "the run folder of " + words.Listed(names)
}

// onlyPages reports whether everything was read from pages.
func (g *given) onlyPages() bool {
	return len(g.pages) > 0 && !slices.ContainsFunc(g.exps, func(e *results.Experiment) bool { return e.Dir != "" })
}

// lacking returns err with the name of the page and of the run folder to use instead.
func (g *given) lacking(err error) error {
	p := g.pages[0]
	return usage.Errorf("%s: %w; give %s instead", p.name, err, p.folder())
}

// noteLacking adds a note on the data that pages lack, if everything was read from pages.
func (g *given) noteLacking() {
	if !g.onlyPages() || len(g.exps) == 0 {
		return
	}
	p := g.pages[0]
	e := g.exps[0]
	e.Notes = words.AddNew(slices.Clone(e.Notes), fmt.Sprintf("Made from an HTML report, which carries no times, memory, training curves, machines and experiment files; %s has them.", p.folder()))
}

// checkTies refuses a comparison with published numbers by a page without the ties of its
// rankings.
func (g *given) checkTies() error {
	for _, p := range g.pages {
		if len(p.Options.Published) == 0 && slices.ContainsFunc(p.Trials, func(t reports.DataTrial) bool { return t.State == results.Done }) {
			return usage.Errorf("%s carries no ties of rankings, so its numbers cannot be compared with published ones; give %s instead, or a page made with --published", p.name, p.folder())
		}
	}
	return nil
}

// overlaps are the counts of test texts in training data.
func (g *given) overlaps() ([]results.Overlap, error) {
	out, err := contamination.Shown(g.exps)
	for _, p := range g.pages {
		out = append(out, p.Options.Overlaps...)
	}
	return out, err
}

// studies are the studies of data on pages, for kinds that wanted accepts.
func (g *given) studies(wanted func(kind string) bool) (out []*results.Study) {
	for _, p := range g.pages {
		for _, s := range p.Options.Studies {
			if wanted(s.Kind) {
				out = append(out, s)
			}
		}
	}
	return out
}
