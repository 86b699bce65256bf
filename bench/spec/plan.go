package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/datasets/atomicfile"
)

// planFormat is part of every trial ID: raise it when the same cell would give
// other numbers or other files than before.
const planFormat = 1

// Plan is a frozen list of trials. Running and reporting read only it, never
// the experiment file again.
type Plan struct {
	Format int     `yaml:"format"`
	Name   string  `yaml:"name"`
	Source string  `yaml:"source"` // the experiment file as it was, for the report
	Trials []Trial `yaml:"trials"`
}

// Trial is one cell of a plan.
type Trial struct {
	ID        string     `yaml:"id"`    // hash of everything below but Label
	Label     string     `yaml:"label"` // what tells it apart from its neighbours
	Cell      Cell       `yaml:"cell"`
	Evaluate  []string   `yaml:"evaluate"`
	Revisions []Revision `yaml:"revisions"` // of its data and benchmarks
}

// Revision pins one input of a trial.
type Revision struct {
	Name     string `yaml:"name"`
	Revision string `yaml:"revision"`
}

// Resolver finds the present revision of a corpus or benchmark in a world.
type Resolver func(name string, world uint64) (revision string, err error)

// Expand makes the plan of an experiment: the matrix in file order, first axis
// slowest, less the excluded cells; then the included ones, each spread over the
// axes it does not name; then the baselines, each once per combination of the
// settings it depends on.
func (e *Experiment) Expand(resolve Resolver) (*Plan, error) {
	size := 1
	for _, a := range e.Axes {
		if size *= len(a.Values); size > maxTrials {
			return nil, fmt.Errorf("experiment %s: the matrix has more than %d cells", e.Name, maxTrials)
		}
	}
	cells := spread(e.Base, e.Axes, nil)
	cells = dropExcluded(cells, e.Exclude)
	for _, inc := range e.Include {
		cells = append(cells, spread(e.Base, e.Axes, &inc)...)
	}
	var baselines []Cell
	for _, name := range e.Baselines {
		for _, c := range cells {
			baselines = append(baselines, c.asBaseline(name))
		}
		if len(cells) == 0 {
			baselines = append(baselines, e.Base.asBaseline(name))
		}
	}
	cells = distinct(append(cells, baselines...))
	if len(cells) == 0 {
		return nil, fmt.Errorf("experiment %s: no cell is left to run", e.Name)
	}
	plan := &Plan{Format: planFormat, Name: e.Name, Source: e.Source}
	for _, c := range cells {
		t, err := newTrial(c, e.Evaluate, resolve)
		if err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		plan.Trials = append(plan.Trials, t)
	}
	plan.label()
	return plan, nil
}

// spread combines base with every value of the axes; settings of an include
// entry win, and the axes it names are not spread.
func spread(base Cell, axes []Axis, inc *Overrides) []Cell {
	cells := []Cell{base}
	for _, axis := range axes {
		if inc != nil && slices.Contains(inc.Keys, axis.Key) {
			continue
		}
		var next []Cell
		for _, c := range cells {
			for i := range axis.Values {
				d := c
				setAt(&d, &axis.Values[i], axis.Key)
				next = append(next, d)
			}
		}
		cells = next
	}
	if inc != nil {
		for i := range cells {
			for _, key := range inc.Keys {
				setAt(&cells[i], &inc.Cell, key)
			}
		}
	}
	return cells
}

func dropExcluded(cells []Cell, exclude []Overrides) []Cell {
	var kept []Cell
	for _, c := range cells {
		if !matchesAny(&c, exclude) {
			kept = append(kept, c)
		}
	}
	return kept
}

func matchesAny(c *Cell, entries []Overrides) bool {
	for i := range entries {
		matches := len(entries[i].Keys) > 0
		for _, key := range entries[i].Keys {
			matches = matches && equalAt(c, &entries[i].Cell, key)
		}
		if matches {
			return true
		}
	}
	return false
}

// distinct drops repeated cells, keeping the first.
func distinct(cells []Cell) []Cell {
	seen := map[string]bool{}
	var out []Cell
	for _, c := range cells {
		key := string(canonical(c))
		if !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	return out
}

// newTrial pins the inputs of a cell and derives its ID from all of it.
func newTrial(c Cell, evaluate []string, resolve Resolver) (Trial, error) {
	t := Trial{Cell: c, Evaluate: evaluate}
	inputs := evaluate
	if c.Data != "" {
		inputs = append([]string{c.Data}, evaluate...)
	}
	for _, name := range inputs {
		rev, err := resolve(name, c.World)
		if err != nil {
			return Trial{}, fmt.Errorf("resolve %s: %w", name, err)
		}
		t.Revisions = append(t.Revisions, Revision{Name: name, Revision: rev})
	}
	t.ID = t.hash()
	return t, nil
}

// hash is the trial's ID: what determines its numbers, never where it ran.
func (t *Trial) hash() string {
	sum := sha256.Sum256(canonical(struct {
		Format    int        `yaml:"format"`
		Cell      Cell       `yaml:"cell"`
		Evaluate  []string   `yaml:"evaluate"`
		Revisions []Revision `yaml:"revisions"`
	}{planFormat, t.Cell, t.Evaluate, t.Revisions}))
	return hex.EncodeToString(sum[:])[:16]
}

// label names each trial by its model or loss and the settings that vary within
// the plan.
func (p *Plan) label() {
	settings := make([]map[string]string, len(p.Trials))
	values := map[string]map[string]bool{}
	for i, t := range p.Trials {
		settings[i] = t.Cell.Settings()
		for k, v := range settings[i] {
			if values[k] == nil {
				values[k] = map[string]bool{}
			}
			values[k][v] = true
		}
	}
	var varying []string
	for k, v := range values {
		if len(v) > 1 && k != "model" && k != "loss" {
			varying = append(varying, k)
		}
	}
	slices.Sort(varying)
	for i := range p.Trials {
		t := &p.Trials[i]
		parts := []string{t.Cell.Model}
		if t.Cell.Model == Trained {
			parts[0] = t.Cell.Loss
		}
		for _, k := range varying {
			if v, ok := settings[i][k]; ok && t.Cell.dependsOn(k) {
				parts = append(parts, k+"="+v)
			}
		}
		t.Label = strings.Join(parts, " ")
	}
}

// canonical renders v as JSON with sorted keys, by its YAML names.
func canonical(v any) []byte {
	data, err := json.Marshal(plain(reflect.ValueOf(v)))
	if err != nil {
		panic(fmt.Sprintf("spec: canonical form: %v", err)) // plain values only
	}
	return data
}

// Write stores the plan as JSON at path.
func (p *Plan) Write(path string) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(plain(reflect.ValueOf(p).Elem()))
	})
}

// ReadPlan reads a plan that Write stored and refuses one whose trials do not
// hash to their IDs: it was edited or damaged.
func ReadPlan(path string) (*Plan, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil || len(root.Content) != 1 {
		return nil, fmt.Errorf("read plan %s: not a plan file: %v", path, err)
	}
	var p Plan
	var errs Errors
	d := decoder{file: path, errs: &errs, visits: -len(data)} // our own file: bounded by its size
	d.into(root.Content[0], reflect.ValueOf(&p).Elem(), "")
	if err := errs.orNil(); err != nil {
		return nil, err
	}
	if p.Format != planFormat {
		return nil, fmt.Errorf("plan %s: format %d, this infbench reads format %d; plan again", path, p.Format, planFormat)
	}
	for i := range p.Trials {
		if got := p.Trials[i].hash(); got != p.Trials[i].ID {
			return nil, fmt.Errorf("plan %s: trial %s hashes to %s: the file was changed, or made by another version; plan again", path, p.Trials[i].ID, got)
		}
	}
	return &p, nil
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

// WriteYAML prints one trial, every setting resolved, for people to read.
func (t *Trial) WriteYAML(w io.Writer) error {
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	if err := enc.Encode(t); err != nil {
		return err
	}
	return enc.Close()
}
