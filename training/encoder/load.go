package encoder

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"infbench/training/weights"
)

// load fills the store from the weights of a folder and an adapter (nil: none). Every tensor of
// the network must occur once with its shape. Every other tensor of the folder must be one that
// the architecture knows to leave out.
func (p *parameters) load(weights *weights.Folder, a *adapter) error {
	whole, err := a.replaced(p)
	if err != nil {
		return fmt.Errorf("adapter %s: %w", a.dir, err)
	}
	m := p.match(weights)
	m.missing = slices.DeleteFunc(m.missing, func(name string) bool { _, ok := whole[name]; return ok })
	if err := m.err(p.config.ModelType); err != nil {
		return err
	}
	for _, t := range p.tensors() {
		var values []float32
		if info, ok := whole[t.name]; !ok {
			values, err = weights.Float32(m.source[t.name])
		} else if slices.Equal(info.Shape, t.shape) {
			values, err = a.file.Float32(info)
		} else {
			err = fmt.Errorf("adapter %s: tensor %q has shape %v, but the model needs %v", a.dir, info.Name, info.Shape, t.shape)
			if t.start == embedding || t.start == stream {
				err = fmt.Errorf("%w: the vocabulary was resized in training; merge it with PEFT into a base that is resized", err)
			}
		}
		if err != nil {
			return err
		}
		if err := p.create(t.name, t.shape, values); err != nil {
			return err
		}
	}
	if a == nil {
		return nil
	}
	if err := a.merge(p); err != nil {
		return fmt.Errorf("merge adapter %s: %w", a.dir, err)
	}
	return nil
}

// matching compares the tensors of a folder with those of a network.
type matching struct {
	file      string            // the file that lists the tensors
	source    map[string]string // canonical name -> name in the file
	unknown   []string          // in the folder, not in the network
	missing   []string          // in the network, not in the folder
	doubled   []string          // errors: two names in the folder for one weight
	misshapen []string          // errors: in both, but with different shapes
	useless   []string          // entries of leave_out in infbench.json that leave out no tensor
}

// match compares names and shapes, reading no weights.
func (p *parameters) match(weights *weights.Folder) matching {
	m := matching{file: weights.File(""), source: map[string]string{}}
	wanted := map[string]bool{}
	for _, t := range p.tensors() {
		wanted[t.name] = true
	}
	useless := strings.Split(p.config.Text.leftOut, "\n")
	for _, name := range weights.Names() {
		canonical := p.arch.canonical(strings.TrimPrefix(name, p.config.Text.prefix))
		switch {
		case !wanted[canonical]:
			if of := p.config.Text.leaves(name); of != "" {
				useless = slices.DeleteFunc(useless, func(start string) bool { return start == of })
			} else if !p.leavesOut(canonical) {
				m.unknown = append(m.unknown, name)
			}
		case m.source[canonical] != "":
			m.doubled = append(m.doubled, fmt.Sprintf("%s: tensors %q and %q are the same weight", m.file, m.source[canonical], name))
		default:
			m.source[canonical] = name
		}
	}
	if p.config.Text.leftOut != "" {
		m.useless = useless
	}
	for _, t := range p.tensors() {
		info, ok := weights.Info(m.source[t.name])
		if !ok {
			m.missing = append(m.missing, t.name)
		} else if !slices.Equal(info.Shape, t.shape) {
			m.misshapen = append(m.misshapen, fmt.Sprintf("%s: tensor %q has shape %v, but the configuration needs %v",
				weights.File(info.Name), info.Name, info.Shape, t.shape))
		}
	}
	return m
}

// err returns all mismatches as one error, with a few names of each kind.
func (m *matching) err(modelType string) error {
	var errs []error
	for _, text := range m.doubled {
		errs = append(errs, errors.New(text))
	}
	if len(m.unknown) > 0 {
		errs = append(errs, fmt.Errorf("%s: unknown tensors for model_type %s: %s; %s", m.file, modelType, list(m.unknown), m.hint()))
	}
	if len(m.useless) > 0 {
		errs = append(errs, fmt.Errorf("%s: leave_out: no unneeded tensor begins with %s", ownFile, list(m.useless)))
	}
	if len(m.missing) > 0 {
		errs = append(errs, fmt.Errorf("%s: missing tensors: %s", m.file, list(m.missing)))
	}
	if len(m.misshapen) > 0 {
		errs = append(errs, errors.New(list(m.misshapen)))
	}
	return errors.Join(errs...)
}

// hint suggests an infbench.json with which unknown tensors are read, or left out.
func (m *matching) hint() string {
	var starts []string
	for _, name := range m.unknown {
		for _, missing := range m.missing {
			if prefix, ok := strings.CutSuffix(name, missing); ok && strings.HasSuffix(prefix, ".") {
				return fmt.Sprintf("to read names without the prefix, write {\"tensor_prefix\": %q} into %s", prefix, ownFile)
			}
		}
		start, rest, ok := strings.Cut(name, ".")
		if ok && rest != "" {
			start += "."
		}
		if !slices.Contains(starts, fmt.Sprintf("%q", start)) {
			starts = append(starts, fmt.Sprintf("%q", start))
		}
	}
	return fmt.Sprintf("to leave them out, write {\"leave_out\": [%s]} into %s", list(starts), ownFile)
}

// leaves is the prefix in infbench.json that leaves a tensor out, or "" if none does.
func (t *Text) leaves(name string) string {
	for _, start := range strings.Split(t.leftOut, "\n") {
		if strings.HasPrefix(name, start) {
			return start
		}
	}
	return ""
}

// list joins names, at most twenty of them.
func list(names []string) string {
	const most = 20
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
