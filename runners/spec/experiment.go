// Package spec turns an experiment file into a frozen plan: YAML -> Experiment
// -> Plan of Trials. It is strict (unknown keys and names, fractions for
// integers, a second document, alias bombs are errors). Parse reads the syntax and keeps
// where each name stands; catalog.Resolve looks the names up in one pass. Together they
// report all mistakes at once, each with file:line:column and the nearest known name.
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
	"infbench/runners"
	"infbench/training"
	"infbench/training/encoder"
)

// maxTrials bounds what one file can plan. More is a mistake or an attack.
const maxTrials = 20_000

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

	// Until Complete: what its names are, how it was read, and what is to be done then.
	parsers []*parser
	names   []*Name
	found   map[named]Model
	entries []*Entry
	checks  []func()

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

// ReadFile parses the experiment file at path as Parse does.
func ReadFile(path string) (*Experiment, error) {
	f, err := disk.Open(path)
	if err != nil {
		hint := ""
		if errors.Is(err, fs.ErrNotExist) {
			hint = nearest.Path(path, disk.Siblings(path))
		}
		return nil, strict.Errors{{File: path, Err: fmt.Errorf("open experiment file: %w%s", errors.Unwrap(err), hint)}}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, strict.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read experiment file %s: %w", path, err)
	}
	return Parse(path, data)
}

// Parse reads the syntax of an experiment file; name stands in errors. It asks nothing of
// the names that the file has: catalog.Resolve does, and returns what is wrong with the
// file and with its names at once. The error, of type strict.Errors, is of a text that is
// no YAML.
func Parse(name string, data []byte) (*Experiment, error) {
	d, root, err := strict.Parse(name, data)
	if err != nil {
		return nil, err
	}
	e := &Experiment{Base: DefaultCell(), Source: string(data), places: map[string]strict.Error{}, found: map[named]Model{}}
	p := e.newParser(d)
	p.Rejoin(root, plainLoss)
	p.experiment(root)
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
	e *Experiment
}

// newParser is a parser whose mistakes are the experiment's.
func (e *Experiment) newParser(d *strict.Decoder) *parser {
	p := &parser{d, e}
	e.parsers = append(e.parsers, p)
	return p
}

func (p *parser) experiment(root *yaml.Node) {
	e := p.e
	given := map[string]*yaml.Node{}
	for _, f := range p.Fields(root, "experiment") {
		value, ok := p.Resolve(f.Value)
		if !ok {
			return
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
			p.baselines(value)
		case "evaluate":
			p.tests(value, "evaluate", &e.Evaluate)
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
	e.checks = append(e.checks, func() { p.checkForgetting(e, given["forgetting"]) })
	for _, need := range []string{"name", "evaluate"} {
		if root.Kind == yaml.MappingNode && given[need] == nil {
			p.Fail(root, "missing key %q", need)
		}
	}
	if e.size() > maxTrials {
		p.Fail(cmp.Or(given["include"], given["bases"], given["matrix"], root), "more than %d cells", maxTrials)
	}
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

// checkKey checks the value at n, which a cell has at a top-level key.
func (p *parser) checkKey(n *yaml.Node, key string, c *Cell) error {
	section, _, _ := strings.Cut(key, ".")
	if slices.Contains(ofBaselines, section) {
		return fmt.Errorf("%s is of a baseline and stands there: baselines: [{model: NAME, %s: ...}]", section, section)
	}
	switch section {
	case "data":
		p.look(n, NameOfData, c.Data, nil)
	case "drop", "share", "judge":
		return c.checkAblation(section)
	case "backbone":
		p.look(n, NameOfBackbone, c.Backbone, nil)
	case "interaction":
		return oneOf("interaction", c.Interaction, encoder.Interactions())
	case "loss":
		p.look(n, NameOfLoss, c.Loss, nil)
	case "model":
		return fmt.Errorf("model is not set here: name baselines under %q, everything else is trained", "baselines")
	case "design":
		return c.Design.Check()
	case "train":
		if of := c.Train.StepsOf; of != "" {
			p.look(n, NameOfData, of, prefixed("steps_of"))
		}
		p.checkJudge(n, "false_negatives: guide", c.Train.FalseNegatives.Guide, training.Self)
		p.checkJudge(n, "distill: teacher", c.Train.Distill.Teacher, training.Taught)
		return c.Train.Validate()
	case "dims":
		if c.Dims < 0 {
			return fmt.Errorf("dims %d: want at least 0", c.Dims)
		}
		return nil
	case similarityKey:
		err := nearest.OneOf(similarityKey, c.Similarity, string(runners.Cosine), string(runners.Dot))
		if c.Similarity == string(runners.Cosine) {
			c.Similarity = "" // the default
		}
		return err
	case "precision":
		err := c.Precision.Check()
		if c.Precision == training.Float32 {
			c.Precision = ""
		}
		return err
	case "validate":
		if err := c.Validate.complete(); err != nil {
			return err
		}
		if v := c.Validate; v.Task != "" {
			p.look(n, NameOfTask, v.Task, prefixed("validate: %s", v.Data)).Of = v.Data
		}
	}
	return nil
}

// checkJudge refuses a guide or a teacher that is not what every one can be and gives no
// vectors.
func (p *parser) checkJudge(n *yaml.Node, what, name, every string) {
	if name == "" || name == every {
		return
	}
	judge := p.look(n, NameOfModel, name, func(err error) error {
		if of, ok := errors.AsType[*nearest.UnknownError](err); ok {
			err = nearest.Unknown(of.Kind, of.Name, append([]string{every}, of.Known...))
		}
		return fmt.Errorf("%s: want %s, or a model that gives vectors: %w", what, every, err)
	})
	p.e.checks = append(p.e.checks, func() {
		if m := p.e.found[named{NameOfModel, name}]; !judge.failed && (m.Weightless || m.Pairs || m.Stages || !m.Finds) {
			judge.failed = true
			p.Refuse(n, fmt.Errorf("%s %s: want %s, or a model that gives vectors", what, name, every))
		}
	})
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
