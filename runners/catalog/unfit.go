package catalog

import (
	"fmt"

	"infbench/internal/disk"
	"infbench/internal/usage"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// Unfit returns for each cell why a model that it reads cannot be run with its settings; nil if
// it can, or is not here. Like models check it reads configurations and headers but no weights,
// once for each model.
func Unfit(cells []spec.Cell) []error {
	looked := map[string]*inspected{}
	faults := make([]error, len(cells))
	for i := range cells {
		faults[i] = whyUnfit(&cells[i], looked)
	}
	return faults
}

// inspected is the result of models check; empty for a model that is not a folder here.
type inspected struct {
	found *encoder.Inspection
	fault error
}

func whyUnfit(c *spec.Cell, looked map[string]*inspected) error {
	names := c.Weights()
	if c.Model == spec.Trained || c.Model == spec.Untrained {
		names = []string{c.Backbone}
	}
	for _, name := range names {
		if looked[name] == nil {
			looked[name] = inspectModel(name)
		}
		m := looked[name]
		if m.fault != nil {
			return m.fault
		}
		if m.found == nil || name != c.Backbone {
			continue
		}
		for _, most := range []int{c.Design.MaxQuery, c.Design.MaxDocument} {
			if m.found.Positions > 0 && most > m.found.Positions {
				return fmt.Errorf("%s cannot be run with texts of %d tokens: it has positions for %d", name, most, m.found.Positions)
			}
		}
	}
	return nil
}

// inspectModel inspects a model and, for an adapter, its base model.
func inspectModel(name string) *inspected {
	if tiny, made := encoder.Tiny()[name]; made {
		return &inspected{found: &encoder.Inspection{Positions: tiny.MaxPositionEmbeddings}}
	}
	m, err := FindModel(name)
	if err != nil || m.Folder == "" {
		return &inspected{} // it is absent, which is reported elsewhere
	}
	var whole *encoder.Inspection
	for _, dir := range []string{m.Folder, m.Base} {
		if info, err := disk.Stat(dir); err != nil || !info.IsDir() {
			continue // rankings, or not an adapter
		}
		found, err := m.Card.Inspect(dir)
		if err == nil && found.Runs() {
			if dir == m.Folder {
				whole = found
			}
			continue
		}
		if err == nil {
			err = fmt.Errorf("%s", found.Faults()[0])
		}
		return &inspected{fault: fmt.Errorf("%s cannot be run: %w; see infbench models check %s", name, err, usage.Quote(name))}
	}
	return &inspected{found: whole}
}
