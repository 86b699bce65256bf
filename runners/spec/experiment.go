// Package spec turns an experiment file into a frozen plan: YAML -> Experiment -> Plan of
// Trials. It is strict: unknown keys and names, fractions for integers, a second document and
// alias bombs are errors. Parse reads the syntax and records the place of each name;
// catalog.Resolve looks up all names at once. Together they report all mistakes in one pass,
// each with file:line:column and the nearest known name.
//
// The package decides which trials run, never where or how.
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

// maxTrials limits the trials of one file. More is a mistake or an attack.
const maxTrials = 20_000

// Experiment is a parsed experiment file: variations of one base cell.
type Experiment struct {
	Name      string
	Question  string // question that it answers; "" if the file has none
	Base      Cell
	Bases     []Base // starts of cells, instead of Base if there are any
	Axes      []Axis
	Include   []Overrides
	Exclude   []Overrides
	Baselines []Cell // only the model and the settings of its ranking
	Evaluate  []string
	Source    string // the file's text

	Overridden []string // "key=value" of the command line

	Select     Select
	Stop       StopHopeless
	Forgetting Forgetting

	places map[string]strict.Error // places of its sections and training data
	keys   []string                // dotted keys of the settings in base and --set

	// Until Complete: the names, how the file was read, and the checks to make then.
	parsers []*parser
	names   []*Name
	found   map[named]Model
	entries []*Entry
	checks  []func()

	labels   []*label
	narrowed bool // by --set: labels may name values that are left out

	Resources     Resources // a cell's cluster requests, unless a rule fits it
	ResourceRules []ResourceRule
}

// Axis is one row of the matrix: a configuration key (dotted if nested) and its values, in file
// order.
type Axis struct {
	Key    string
	Values []Cell // cells with the value at Key; the rest is unset
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

// Parse reads the syntax of an experiment file; errors contain name. It does not look up the
// names in the file: catalog.Resolve does, and returns all errors in the file and its names
// together. Parse returns an error, of type strict.Errors, only for a text that is not YAML.
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

// plainLoss returns the name of a loss in the form that YAML accepts without quotes; "" if the
// text is not a loss.
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

// newParser returns a parser that records its errors in the experiment.
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
		case "bases": // read last: they start from base, wherever it is
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
		case "labels":
			p.labels(value)
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

// folderName matches names that are valid for folders on any file system.
var folderName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// name reads the experiment's name, which must be valid for a folder on any file system.
func (p *parser) name(n *yaml.Node, into *string) {
	if !p.Into(n, reflect.ValueOf(into).Elem(), "name") {
		return
	}
	if !folderName.MatchString(*into) {
		p.Fail(n, "name: want up to 64 letters, digits, '.', '_' or '-', not beginning with '.' or '-', found %q", *into)
	}
}

// cell decodes a mapping of settings into c, which keeps its other settings; section names the
// mapping in errors.
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
		return fmt.Errorf("%s is a setting of baselines: write baselines: [{model: NAME, %s: ...}]", section, section)
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
		return fmt.Errorf("model is not set here: list baselines under %q; all other cells are trained", "baselines")
	case "design":
		return c.Design.Check()
	case "train":
		if of := c.Train.StepsOf; of != "" {
			p.look(n, NameOfData, of, prefixed("steps_of"))
		}
		p.checkJudge(n, "false_negatives: guide", c.Train.FalseNegatives.Guide, training.Self)
		p.checkJudge(n, "distill: teacher", c.Train.Distill.Teacher, training.Taught)
		if c.Train.LoRA.Keep == encoder.KeepMerged {
			c.Train.LoRA.Keep = "" // the default
		}
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
			p.e.checks = append(p.e.checks, func() {
				if c.Compares() != "" {
					p.Refuse(n, fmt.Errorf("similarity %s with design.score %s, by which evaluation compares vectors too: leave one out", runners.Cosine, c.Design.Score))
				}
			})
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

// checkJudge refuses a guide or a teacher that is neither of the general form nor a model that
// gives vectors.
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

// oneOf returns an error for a name that is not among the known ones.
func oneOf(kind, name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	return nearest.Unknown(kind, name, known)
}

// FaultOfForgetting returns an error that only the collections reveal.
func (e *Experiment) FaultOfForgetting(err error) error { return e.fault(err, "forgetting") }

// fault returns an error that the expansion of an experiment reveals. It is placed at the first
// of the sections that the file has.
func (e *Experiment) fault(err error, sections ...string) error {
	for _, section := range sections {
		if at, ok := e.places[section]; ok {
			at.Err = err
			return strict.Errors{at}
		}
	}
	return fmt.Errorf("experiment %s: %w", e.Name, err)
}
