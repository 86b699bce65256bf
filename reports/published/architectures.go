package published

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"
	"sync"

	"infbench/internal/nearest"
)

// architectures is information about models that their cards lack; its first line names the source.
//
//go:embed architectures.csv
var architectures string

// Architecture is the construction of a published model.
type Architecture struct {
	Kind     string // network, interface (of a provider, which publishes no weights), baseline
	Name     string // model_type of transformers, the interface, or the baseline
	Obstacle string // why the model cannot be run although its network is known; "" if no reason is known
	Source   string
}

// The kinds of architectures.
const (
	Network   = "network"
	Interface = "interface"
	Baseline  = "baseline"
)

// ArchitectureOf finds the record of a model by its complete name in MTEB. Models are not recorded
// if their cards have the information.
func ArchitectureOf(model string) (Architecture, bool) {
	a, ok := recorded()[model]
	return a, ok
}

// recorded reads the embedded table once. The table is part of this program; a test reads all of
// it.
var recorded = sync.OnceValue(func() map[string]Architecture {
	all, err := readArchitectures(architectures)
	if err != nil {
		panic(err)
	}
	return all
})

func readArchitectures(text string) (map[string]Architecture, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment, r.FieldsPerRecord = '#', 5
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("architectures of models: %w", err)
	}
	out := make(map[string]Architecture, len(rows))
	for _, row := range rows[1:] {
		model, a := row[0], Architecture{Kind: row[1], Name: row[2], Obstacle: row[3], Source: row[4]}
		if err := nearest.OneOf("kind", a.Kind, Network, Interface, Baseline); err != nil {
			return nil, fmt.Errorf("architecture of %s: %w", model, err)
		}
		if _, twice := out[model]; twice || a.Name == "" || a.Source == "" {
			return nil, fmt.Errorf("architecture of %s: listed twice, or without name or source", model)
		}
		out[model] = a
	}
	return out, nil
}
