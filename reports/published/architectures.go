package published

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strings"
	"sync"

	"infbench/internal/nearest"
)

// architectures is what is known of models beyond their cards; its first line names the
// source.
//
//go:embed architectures.csv
var architectures string

// Architecture is what a published model is built of.
type Architecture struct {
	Kind     string // network, interface (of a provider, which publishes no weights), baseline
	Name     string // model_type of transformers, the interface, or the baseline
	Obstacle string // what keeps it from being run though its network is known; "": nothing known
	Source   string
}

// The kinds of architectures.
const (
	Network   = "network"
	Interface = "interface"
	Baseline  = "baseline"
)

// ArchitectureOf finds what is recorded of a model by its whole name, as MTEB writes
// it. Models whose cards say it are not among them.
func ArchitectureOf(model string) (Architecture, bool) {
	a, ok := recorded()[model]
	return a, ok
}

// recorded reads the embedded table once. What it holds is this program's; a test reads
// all of it.
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
