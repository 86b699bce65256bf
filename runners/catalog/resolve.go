package catalog

import (
	"fmt"

	"infbench/runners/spec"
	"infbench/training"
)

// ReadFile reads the experiment file at path and resolves its names.
func ReadFile(path string) (*spec.Experiment, error) { return resolved(spec.ReadFile(path)) }

// Parse parses an experiment file and resolves its names; name is for errors.
func Parse(name string, data []byte) (*spec.Experiment, error) {
	return resolved(spec.Parse(name, data))
}

func resolved(e *spec.Experiment, err error) (*spec.Experiment, error) {
	if err == nil {
		err = Resolve(e)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Resolve looks up every name of an experiment that was read, or changed by Set or Override,
// and replaces it by its canonical name. The error, of type strict.Errors, lists all mistakes
// in the text and the names.
func Resolve(e *spec.Experiment) error {
	for n := range e.Names() {
		n.Found(find(n))
	}
	for b := range e.Rankings() {
		b.Refuse(checkEntry(&b.Cell))
	}
	return e.Complete()
}

// find looks up a name.
func find(n *spec.Name) (m spec.Model, err error) {
	m.Name = n.Text
	switch n.Kind {
	case spec.NameOfLoss:
		m.Name, err = checkLoss(n.Text)
	case spec.NameOfData:
		m.Name, err = CheckData(n.Text)
	case spec.NameOfBackbone:
		m.Name, err = modelName(n.Text), CheckBackbone(n.Text)
	case spec.NameOfCollection:
		m.Name, err = checkCollection(n.Text)
	case spec.NameOfTask:
		err = checkTask(n.Of, n.Text)
	case spec.NameOfModel:
		m, err = checkModel(n.Text)
	}
	return m, err
}

// Canonical is the canonical spelling of a name of some kind.
func Canonical(kind spec.NameKind, text string) (string, error) {
	m, err := find(&spec.Name{Kind: kind, Text: text})
	return m.Name, err
}

// checkLoss returns the canonical spelling of a loss, or an error if it is not a loss.
func checkLoss(name string) (canonical string, err error) {
	l, err := training.ParseLoss(name)
	if err != nil {
		return "", err
	}
	return training.NameOf(l), nil
}

// checkEntry completes the settings of a baseline with ranking settings, and returns an error
// for invalid ones.
func checkEntry(c *spec.Cell) error {
	if c.Model == chatModel {
		if err := checkChat(&c.Chat); err != nil {
			return fmt.Errorf("rerank: %w", err)
		}
	}
	return checkRanking(c)
}
