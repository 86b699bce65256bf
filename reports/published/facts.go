package published

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// mtebModels is MTEB's table of models; its first line names the source.
//
//go:embed mteb_models.csv
var mtebModels string

// FactsSource names the source of the facts.
const FactsSource = "MTEB's descriptions of models (a905523d, 2026-08-22)"

// Facts are properties of a model other than its numbers.
type Facts struct {
	Parameters int64  // 0 if unknown, as for most services
	Kind       string // dense, sparse, cross-encoder, late-interaction, hybrid, router
	Instructed bool   // it takes instructions
	Closed     bool   // its weights are not published
}

// Type describes a model's kind: "dense, instructed, closed".
func (f Facts) Type() string {
	parts := []string{f.Kind}
	if f.Instructed {
		parts = append(parts, "instructed")
	}
	if f.Closed {
		parts = append(parts, "closed")
	}
	return strings.Join(parts, ", ")
}

// Size formats a number of parameters with two digits: "7.1B", "110M"; "" for 0.
func (f Facts) Size() string {
	v, unit := float64(f.Parameters)/1e6, "M"
	if f.Parameters >= 999_500_000 {
		v, unit = v/1e3, "B"
	}
	switch {
	case f.Parameters == 0:
		return ""
	case v < 9.95:
		return strconv.FormatFloat(v, 'f', 1, 64) + unit
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + unit
}

// FactsOf finds the facts of a model by its complete name in MTEB.
func FactsOf(model string) (Facts, bool) {
	f, ok := tabled()[model]
	return f, ok
}

// tabled reads the embedded table once. The table is part of this program; a test reads all of it.
var tabled = sync.OnceValue(func() map[string]Facts {
	all, err := readFacts(mtebModels)
	if err != nil {
		panic(err)
	}
	return all
})

func readFacts(text string) (map[string]Facts, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment, r.FieldsPerRecord = '#', 5
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("facts of models: %w", err)
	}
	out := make(map[string]Facts, len(rows))
	for _, row := range rows[1:] {
		f := Facts{Kind: row[2], Instructed: row[3] == "yes", Closed: row[4] == "closed"}
		if row[1] != "" {
			if f.Parameters, err = strconv.ParseInt(row[1], 10, 64); err != nil {
				return nil, fmt.Errorf("facts of %s: %w", row[0], err)
			}
		}
		out[row[0]] = f
	}
	return out, nil
}
