// Package spec turns an experiment file into a frozen plan: YAML -> Experiment
// -> Plan of Trials. It is strict (unknown keys and names, fractions for
// integers, a second document, alias bombs are errors) and reports all mistakes
// at once, each with file:line:column and the nearest known name.
//
// It decides what is to be run, never where or how.
package spec

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"infbench/internal/disk"
	"infbench/internal/nearest"
	"infbench/internal/strict"
	"infbench/training"
)

// maxTrials bounds what one file can plan. More is a mistake or an attack.
const maxTrials = 20_000

// Known lists the names that an experiment file may use.
type Known struct {
	Losses       func(name string) (canonical string, err error)
	Data         func(text string) (canonical string, err error) // a mixture of training sources
	Backbone     func(name string) (canonical string, err error)
	Interactions []string
	Baselines    []string
	Benchmarks   []string

	Task       func(benchmark, task string) error              // refuses the name of a task; nil: none
	Model      func(name string) (Model, error)                // of a baseline; nil: one of Baselines
	Ranking    func(*Cell) error                               // finds what is wrong with a model's settings; nil: nothing
	Chat       func(*Chat) error                               // fills and checks how a language model is asked; nil: as it is
	Collection func(name string) (canonical string, err error) // a benchmark, or a collection by its folder or of the hub; nil: one of Benchmarks
}

// Experiment is a parsed experiment file: what to vary around one base cell.
type Experiment struct {
	Name      string
	Question  string // what it is to answer; "" where the file does not say
	Base      Cell
	Bases     []Base // what every cell starts from, instead of Base where there are any
	Axes      []Axis
	Include   []Overrides
	Exclude   []Overrides
	Baselines []Cell // of each the model and how it ranks
	Evaluate  []string
	Source    string // the file's text

	Overridden []string // "key=value" of the command line

	Select     Select
	Stop       StopHopeless
	Forgetting Forgetting

	places map[string]strict.Error // where its sections and training data stand
	keys   []string                // dotted keys of settings that base and --set name

	Resources     Resources // what a cell asks of a cluster, unless a rule fits it
	ResourceRules []ResourceRule
}

// Axis is one row of the matrix: a configuration key (dotted where nested) and
// its values, in file order.
type Axis struct {
	Key    string
	Values []Cell // a cell that has the value at Key; the rest is unset
}

// Overrides are the settings of one include or exclude entry.
type Overrides struct {
	Keys []string
	Cell Cell // has the values at Keys
}

// ReadFile parses the experiment file at path.
func ReadFile(path string, known Known) (*Experiment, error) {
	f, err := disk.Open(path)
	if err != nil {
		hint := ""
		if errors.Is(err, fs.ErrNotExist) {
			hint = nearest.Path(path, disk.Beside(path))
		}
		return nil, strict.Errors{{File: path, Err: fmt.Errorf("open experiment file: %w%s", errors.Unwrap(err), hint)}}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, strict.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read experiment file %s: %w", path, err)
	}
	return Parse(path, data, known)
}

// Parse parses an experiment file; name stands in errors. The error is of type
// strict.Errors and lists every mistake found.
func Parse(name string, data []byte, known Known) (*Experiment, error) {
	d, root, err := strict.Parse(name, data)
	if err != nil {
		return nil, err
	}
	p := &parser{d, known, map[string]strict.Error{}}
	p.Rejoin(root, plainLoss)
	e := p.experiment(root)
	e.Source = string(data)
	if err := p.Err(); err != nil {
		return nil, err
	}
	return e, nil
}

// plainLoss is the name of a loss as YAML takes it without quotes; "" of what is none.
func plainLoss(text string) string {
	l, err := training.ParseLoss(text)
	if err != nil {
		return ""
	}
	return training.PlainName(l)
}

// parser reads the sections of an experiment file.
type parser struct {
	*strict.Decoder
	known  Known
	places map[string]strict.Error // where sections and training data stand
}

func (p *parser) experiment(root *yaml.Node) *Experiment {
	e := &Experiment{Base: DefaultCell(), places: p.places}
	given := map[string]*yaml.Node{}
	for _, f := range p.Fields(root, "experiment") {
		value, ok := p.Resolve(f.Value)
		if !ok {
			return e
		}
		given[f.Name] = value
		e.places[f.Name] = p.At(value)
		switch f.Name {
		case "name":
			p.name(value, &e.Name)
		case "question":
			p.question(value, &e.Question)
		case "base":
			p.cell(value, "base", &e.Base)
			e.keys = leaves(value, "")
		case "bases": // read last: they start from base, wherever it stands
		case "matrix":
			e.Axes = p.matrix(value)
		case "include":
			e.Include = p.overrides(value, "include")
		case "exclude":
			e.Exclude = p.overrides(value, "exclude")
		case "baselines":
			e.Baselines = p.baselines(value)
		case "evaluate":
			e.Evaluate = p.tests(value, "evaluate")
		case "select":
			e.Select = p.selection(value)
		case "stop_hopeless":
			e.Stop = p.stopping(value)
		case "forgetting":
			e.Forgetting = p.forgetting(value)
		case "resources":
			e.Resources, e.ResourceRules = p.resources(value)
		default:
			p.Fail(f.Key, "%w", nearest.Unknown("key", f.Name, sections))
		}
	}
	if bases := given["bases"]; bases != nil {
		e.Bases = p.bases(bases, e.Base, e.Axes)
	}
	p.checkForgetting(e, given["forgetting"])
	for _, need := range []string{"name", "evaluate"} {
		if root.Kind == yaml.MappingNode && given[need] == nil {
			p.Fail(root, "missing key %q", need)
		}
	}
	if e.size() > maxTrials {
		p.Fail(cmp.Or(given["include"], given["bases"], given["matrix"], root), "more than %d cells", maxTrials)
	}
	return e
}

// folderName fits names of folders on any file system.
var folderName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// name reads the experiment's name, which must be usable as a folder on any file
// system.
func (p *parser) name(n *yaml.Node, into *string) {
	if !p.Into(n, reflect.ValueOf(into).Elem(), "name") {
		return
	}
	if !folderName.MatchString(*into) {
		p.Fail(n, "name: want up to 64 letters, digits, '.', '_' or '-', beginning with none of '.' and '-', found %q", *into)
	}
}

// cell decodes a mapping of settings over what c holds already; section names it
// in errors.
func (p *parser) cell(n *yaml.Node, section string, c *Cell) {
	known := strict.FieldNames(reflect.TypeFor[Cell]())
	for _, f := range p.Fields(n, section) {
		if !slices.Contains(known, f.Name) {
			p.Fail(f.Key, "%w", nearest.Unknown("key", f.Name, topKeys()))
			continue
		}
		p.setting(f.Value, c, f.Name)
	}
}

// checkKey checks the value that a cell has at a top-level key.
func (p *parser) checkKey(key string, c *Cell) error {
	section, _, _ := strings.Cut(key, ".")
	if slices.Contains(ofBaselines, section) {
		return fmt.Errorf("%s is of a baseline and stands there: baselines: [{model: NAME, %s: ...}]", section, section)
	}
	switch section {
	case "data":
		canonical, err := p.known.Data(c.Data)
		if err == nil {
			c.Data = canonical
		}
		return err
	case "drop", "share", "judge":
		return c.checkAblation(section)
	case "backbone":
		canonical, err := p.known.Backbone(c.Backbone)
		if err == nil {
			c.Backbone = canonical
		}
		return err
	case "interaction":
		return oneOf("interaction", c.Interaction, p.known.Interactions)
	case "loss":
		canonical, err := p.known.Losses(c.Loss)
		if err == nil {
			c.Loss = canonical
		}
		return err
	case "model":
		return fmt.Errorf("model is not set here: name baselines under %q, everything else is trained", "baselines")
	case "design":
		return c.Design.Check()
	case "train":
		return cmp.Or(p.checkStepsOf(c), p.checkJudge("false_negatives: guide", &c.Train.FalseNegatives.Guide, training.Self), p.checkJudge("distill: teacher", &c.Train.Distill.Teacher, training.Taught), c.Train.Validate())
	case "dims":
		if c.Dims < 0 {
			return fmt.Errorf("dims %d: want at least 0", c.Dims)
		}
		return nil
	case "precision":
		err := c.Precision.Check()
		if c.Precision == training.Float32 {
			c.Precision = ""
		}
		return err
	case "validate":
		if err := c.Validate.complete(p.known.Benchmarks); err != nil {
			return err
		}
		if err := p.known.checkTask(c.Validate.Data, c.Validate.Task); err != nil {
			return fmt.Errorf("validate: %s: %w", c.Validate.Data, err)
		}
		return nil
	}
	return nil
}

// checkJudge refuses a guide or a teacher that is not what every one can be and gives no
// vectors, and keeps its canonical name.
func (p *parser) checkJudge(what string, name *string, every string) error {
	if *name == "" || *name == every || p.known.Model == nil {
		return nil
	}
	m, err := p.known.Model(*name)
	switch {
	case err != nil:
		if of, ok := errors.AsType[*nearest.UnknownError](err); ok {
			err = nearest.Unknown(of.Kind, of.Name, append([]string{every}, of.Known...))
		}
		return fmt.Errorf("%s: want %s, or a model that gives vectors: %w", what, every, err)
	case m.Weightless || m.Pairs || m.Stages || !m.Finds:
		return fmt.Errorf("%s %s: want %s, or a model that gives vectors", what, *name, every)
	}
	*name = m.Name
	return nil
}

// oneOf holds a name to the known ones.
func oneOf(kind, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	return nearest.Unknown(kind, name, known)
}

// FaultOfForgetting is a mistake that shows once the collections are read.
func (e *Experiment) FaultOfForgetting(err error) error { return e.fault(err, "forgetting") }

// fault is a mistake that shows once an experiment is expanded, at the first of the
// sections that the file has.
func (e *Experiment) fault(err error, sections ...string) error {
	for _, section := range sections {
		if at, ok := e.places[section]; ok {
			at.Err = err
			return strict.Errors{at}
		}
	}
	return fmt.Errorf("experiment %s: %w", e.Name, err)
}
