package spec

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/internal/nearest"
	"infbench/internal/parallel"
)

// planFormat is part of every trial ID. Raise it when the same cell would give other numbers or
// other files than before. Plans of other formats are refused.
const planFormat = 1

// Plan is a frozen list of trials. Running and reporting only read the plan, never the
// experiment file again.
type Plan struct {
	Format int     `yaml:"format"`
	Name   string  `yaml:"name"`
	Source string  `yaml:"source"` // content of the experiment file, for the report
	Trials []Trial `yaml:"trials"`

	// The question, the rule of selection and the rules for ending cells early; no trial ID
	// depends on them.
	Question   string       `yaml:"question,omitempty"`
	Select     Select       `yaml:"select,omitempty"`
	Stop       StopHopeless `yaml:"stop_hopeless,omitempty"`
	Forgetting Forgetting   `yaml:"forgetting,omitempty"`

	Set  []string `yaml:"set,omitempty"`  // "key=value" of the command line, in order; already in the cells
	Part Part     `yaml:"part,omitempty"` // the larger plan, if this is a part of it

	Contents []Content `yaml:"contents,omitempty"` // of the hub's repositories
}

// Trial is one cell of a plan.
type Trial struct {
	ID        string     `yaml:"id"`                   // hash of everything below except its labels and Resources
	Label     string     `yaml:"label"`                // distinguishes it from its neighbours
	Long      string     `yaml:"long_label,omitempty"` // Label with complete values, if some of them are shortened
	Cell      Cell       `yaml:"cell"`
	Evaluate  []string   `yaml:"evaluate"`
	Revisions []Revision `yaml:"revisions"` // of its data and benchmarks

	Labels    []ValueLabel `yaml:"labels,omitempty"`    // of its values; not part of the hash
	Resources Resources    `yaml:"resources,omitempty"` // cluster requests; not part of the hash

	base     string    // name of the base that it was expanded from; not saved
	contents []Content // of the plan
}

// Revision pins one input of a trial.
type Revision struct {
	Name     string `yaml:"name"`
	Revision string `yaml:"revision"`
}

// Resolver finds the current revision of a benchmark in a world, or of the input in a name that
// begins with one of the ...Input constants; "" if there is nothing to pin.
type Resolver func(name string, world uint64) (revision string, err error)

// Expand makes the plan of an experiment. First comes the matrix in file order, for one base
// after the other, with the first axis slowest and without the excluded cells. Then come the
// included cells, each combined with the axes that it does not name, and then the baselines,
// each once for every combination of the settings that it depends on. An experiment that trains
// nothing (Trains) only has baselines.
func (e *Experiment) Expand(resolve Resolver) (*Plan, error) {
	if len(e.names)+len(e.checks) > 0 {
		panic("spec: Expand before catalog.Resolve")
	}
	if e.size() > maxTrials {
		return nil, e.fault(fmt.Errorf("more than %d cells", maxTrials))
	}
	var cells []start
	for _, base := range e.starts() {
		cells = append(cells, spread(base, e.Axes, nil)...)
	}
	cells = dropExcluded(cells, e.Exclude)
	for _, inc := range e.Include {
		for _, base := range e.starts() {
			cells = append(cells, spread(base, e.Axes, &inc)...)
		}
	}
	for i := range cells {
		cells[i].complete()
		e.validateBySelection(&cells[i].Cell)
	}
	trained := cells
	if !e.Trains() {
		trained = nil
	}
	if err := e.checkStarts(trained, resolve); err != nil {
		return nil, err
	}
	var baselines []start
	for _, b := range e.references() {
		label := e.entryLabel(&b)
		for _, c := range cells {
			baselines = append(baselines, start{c.asBaseline(b), c.base, label})
		}
		if len(cells) == 0 {
			for _, base := range e.starts() {
				baselines = append(baselines, start{base.asBaseline(b), base.base, label})
			}
		}
	}
	cells = distinct(slices.Concat(trained, baselines))
	if len(cells) == 0 {
		return nil, e.fault(errors.New("no cell is left to run"), "exclude")
	}
	if len(cells) > maxTrials {
		return nil, e.fault(fmt.Errorf("more than %d cells, baselines included", maxTrials), "baselines")
	}
	if err := cmp.Or(e.checkLengths(cells), e.checkValidated(cells)); err != nil {
		return nil, err
	}
	plan := &Plan{Format: planFormat, Name: e.Name, Source: e.Source, Question: e.Question, Select: e.Select, Stop: e.Stop, Forgetting: e.Forgetting, Set: e.Overridden, Trials: make([]Trial, 0, len(cells))}
	for _, c := range cells {
		t, err := newTrial(c.Cell, e.tests(&c.Cell), resolve)
		if errors.As(err, new(*nearest.UnknownError)) { // an unknown task, which only the data reveals
			return nil, e.fault(err, "evaluate")
		}
		if err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		t.Resources, t.base, t.Labels = e.resourcesFor(&t.Cell), c.base, e.labelsOf(&t.Cell, c.label)
		plan.Trials = append(plan.Trials, t)
	}
	parallel.Each(len(plan.Trials), func(i int) { plan.Trials[i].ID = plan.Trials[i].Hash() })
	plan.dropRepeated()
	if err := e.checkLabels(plan); err != nil {
		return nil, err
	}
	plan.label()
	return plan, nil
}

// size returns the number of cells of the matrix and the included entries before any is
// dropped, without baselines; at most one more than maxTrials.
func (e *Experiment) size() int {
	total := 0
	add := func(named []string) {
		n := max(1, len(e.Bases))
		for _, a := range e.Axes {
			if !slices.Contains(named, a.Key) {
				n = min(n*len(a.Values), maxTrials+1)
			}
		}
		total = min(total+n, maxTrials+1)
	}
	add(nil)
	for _, inc := range e.Include {
		add(inc.Keys)
	}
	return total
}

// spread combines base with every value of the axes. Settings of an include entry take
// precedence, and its axes are not varied.
func spread(base start, axes []Axis, inc *Overrides) []start {
	cells := []start{base}
	for _, axis := range axes {
		if inc != nil && slices.Contains(inc.Keys, axis.Key) {
			continue
		}
		var next []start
		for _, c := range cells {
			for i := range axis.Values {
				d := c
				setAt(&d.Cell, &axis.Values[i], axis.Key)
				next = append(next, d)
			}
		}
		cells = next
	}
	if inc != nil {
		for i := range cells {
			for _, key := range inc.Keys {
				setAt(&cells[i].Cell, &inc.Cell, key)
			}
		}
	}
	return cells
}

func dropExcluded(cells []start, exclude []Overrides) []start {
	var kept []start
	for _, c := range cells {
		if !matchesAny(&c.Cell, exclude) {
			kept = append(kept, c)
		}
	}
	return kept
}

func matchesAny(c *Cell, entries []Overrides) bool {
	return slices.ContainsFunc(entries, func(o Overrides) bool { return o.match(c) })
}

// match reports whether a cell has all the values.
func (o Overrides) match(c *Cell) bool {
	return len(o.Keys) > 0 && !slices.ContainsFunc(o.Keys, func(key string) bool { return !equalAt(c, &o.Cell, key) })
}

// IdleExcludes lists the entries of exclude, counted from 1, that leave out no cell of the
// matrix. The entry is a mistake in the file, or Set has removed its cells.
func (e *Experiment) IdleExcludes() []int {
	var cells []start
	for _, base := range e.starts() {
		cells = append(cells, spread(base, e.Axes, nil)...)
	}
	var idle []int
	for i, entry := range e.Exclude {
		if !slices.ContainsFunc(cells, func(c start) bool { return entry.match(&c.Cell) }) {
			idle = append(idle, i+1)
		}
	}
	return idle
}

// distinct drops repeated cells, keeping the first.
func distinct(cells []start) []start {
	seen := map[string]bool{}
	var out []start
	for _, c := range cells {
		key := string(canonical(c.Cell))
		if !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	return out
}

// dropRepeated keeps the first of equal trials: newTrial may give a cell the explicit settings
// of another.
func (p *Plan) dropRepeated() {
	seen := map[string]bool{}
	p.Trials = slices.DeleteFunc(p.Trials, func(t Trial) bool {
		again := seen[t.ID]
		seen[t.ID] = true
		return again
	})
}

// newTrial pins the inputs of a cell. The ID, which depends on all of it, comes later.
func newTrial(c Cell, evaluate []string, resolve Resolver) (Trial, error) {
	t := Trial{Cell: c, Evaluate: evaluate}
	if c.Model == Untrained && c.Compares() == "" { // trained models are trained for cosines
		how, err := resolve(SimilarityInput+c.Backbone, 0)
		if err != nil {
			return Trial{}, fmt.Errorf("resolve %s: %w", c.Backbone, err)
		}
		t.Cell.Similarity = how
	}
	if err := t.Cell.writeEqual(resolve); err != nil {
		return Trial{}, err
	}
	for _, in := range c.inputs(evaluate) {
		rev, err := resolve(in.data, in.world)
		if err != nil {
			return Trial{}, fmt.Errorf("resolve %s: %w", in.name, err)
		}
		if rev == "" {
			continue
		}
		t.Revisions = append(t.Revisions, Revision{Name: in.name, Revision: rev})
	}
	return t, nil
}

// label names each trial by its model or loss and the settings that vary within the plan. It
// distinguishes trials with the same name also by the settings that only some of them have.
func (p *Plan) label() {
	settings := make([]map[string]string, len(p.Trials))
	values, set := map[string]map[string]bool{}, map[string]int{}
	trained := 0
	parallel.Each(len(p.Trials), func(i int) {
		settings[i] = p.Trials[i].Cell.Settings()
		if label := p.Trials[i].DataLabel(); label != "" {
			settings[i]["data"] = label
		}
	})
	for i := range p.Trials {
		for k, v := range settings[i] {
			if values[k] == nil {
				values[k] = map[string]bool{}
			}
			values[k][v] = true
			if p.Trials[i].Cell.Model == Trained {
				set[k]++
			}
		}
		if p.Trials[i].Cell.Model == Trained {
			trained++
		}
	}
	var varying []string
	for k, v := range values {
		left := set[k] < trained && (slices.Contains(placed, k) || k == stepsKey) // by some cells
		if (len(v) > 1 || left || k == similarityKey || slices.Contains(ofBaselines, k)) && k != "model" && k != "loss" {
			varying = append(varying, k)
		}
	}
	keys := func(*Trial) []string { return varying }
	p.labelBy(settings, keys)
	if out := p.unlike(settings); len(out) > 0 {
		by := map[string][]string{} // by ID: labels change
		for i := range p.Trials {
			by[p.Trials[i].ID] = append(slices.Clone(varying), out[p.Trials[i].Label]...)
		}
		keys = func(t *Trial) []string { return by[t.ID] }
		p.labelBy(settings, keys)
	}
	p.shorten(settings, keys)
}

// shorten replaces values by their labels, and paths by their last parts. Trials whose short
// labels are equal keep the long ones.
func (p *Plan) shorten(settings []map[string]string, keys func(*Trial) []string) {
	short, said := ShortModels(settings), make([]map[string]string, len(settings))
	for i := range p.Trials {
		p.Trials[i].Long, said[i] = p.Trials[i].Label, Said(settings[i], short, p.Trials[i].Labels)
	}
	ofEntry := func(t *Trial) []string {
		if !t.isNamed() {
			return keys(t)
		}
		return slices.DeleteFunc(slices.Clone(keys(t)), func(key string) bool {
			section, _, _ := strings.Cut(key, ".")
			return slices.Contains(ofBaselines, section) || key == similarityKey
		})
	}
	for _, by := range []func(*Trial) []string{ofEntry, keys} {
		p.labelBy(said, by)
		if len(p.alike()) == 0 {
			break
		}
	}
	for _, i := range p.alike() {
		p.Trials[i].Label = p.Trials[i].Long
	}
	for i := range p.Trials {
		if t := &p.Trials[i]; t.Long == t.Label {
			t.Long = ""
		}
	}
}

// isNamed reports whether a trial is of an entry of baselines with a label.
func (t *Trial) isNamed() bool {
	return slices.ContainsFunc(t.Labels, func(l ValueLabel) bool { return l.Key == SystemKey })
}

// alike lists the trials that have the label of a trial with another long label.
func (p *Plan) alike() (all []int) {
	long := map[string]map[string]bool{}
	for _, t := range p.Trials {
		if long[t.Label] == nil {
			long[t.Label] = map[string]bool{}
		}
		long[t.Label][t.Long] = true
	}
	for i, t := range p.Trials {
		if len(long[t.Label]) > 1 {
			all = append(all, i)
		}
	}
	return all
}

// labelBy names each trial by its model or loss and those of the given keys that it has.
func (p *Plan) labelBy(settings []map[string]string, keys func(*Trial) []string) {
	for i := range p.Trials {
		t := &p.Trials[i]
		parts := []string{cmp.Or(settings[i][SystemKey], settings[i][modelKey])}
		if t.Cell.Model == Trained {
			parts[0] = settings[i]["loss"]
		}
		shown := keys(t)
		slices.Sort(shown)
		for _, k := range slices.Compact(shown) {
			if v, ok := settings[i][k]; ok && t.Cell.dependsOn(k) {
				parts = append(parts, k+"="+v)
			}
		}
		t.Label = strings.Join(parts, " ")
	}
}

// unlike lists the keys that some trials with the same label have and others lack.
func (p *Plan) unlike(settings []map[string]string) map[string][]string {
	of := map[string][]map[string]string{}
	for i, t := range p.Trials {
		of[t.Label] = append(of[t.Label], settings[i])
	}
	out := map[string][]string{}
	for label, alike := range of {
		has := map[string]int{}
		for _, s := range alike {
			for k := range s {
				has[k]++
			}
		}
		for k, n := range has {
			if n < len(alike) {
				out[label] = append(out[label], k)
			}
		}
	}
	return out
}

// canonical renders v as JSON with sorted keys, by its YAML names.
func canonical(v any) []byte { return asJSON(plain(reflect.ValueOf(v))) }

// asJSON renders plain values.
func asJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("spec: canonical form: %v", err)) // plain values only
	}
	return data
}

// Trial finds a trial by ID.
func (p *Plan) Trial(id string) (*Trial, bool) {
	for i := range p.Trials {
		if p.Trials[i].ID == id {
			return &p.Trials[i], true
		}
	}
	return nil, false
}

// WriteYAML prints one trial with every setting resolved, for people to read. It leaves out the
// cluster requests: the same trial is the same text wherever it ran.
func (t *Trial) WriteYAML(w io.Writer) error {
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	shown := struct {
		Trial   `yaml:",inline"`
		Weights string `yaml:"weights"` // finds this trial for later ones
	}{*t, t.WeightsID()}
	shown.Resources = Resources{}
	if err := enc.Encode(&shown); err != nil {
		return err
	}
	return enc.Close()
}
