package paperview

import (
	"fmt"
	"strings"
)

// StudyFormat names the shape of a Study in JSON.
const StudyFormat = "infbench-study/1"

// Study holds numbers about data rather than about systems: how far raters agree,
// or how varied texts are. No trial has them; views of the paper's figures do.
type Study struct {
	Format string       `json:"format"`
	Kind   string       `json:"kind"` // the view that shows it: agreement, data, diversity, map
	Name   string       `json:"name"`
	File   string       `json:"file"`   // that was measured, its base name
	SHA256 string       `json:"sha256"` // of it
	Facts  []string     `json:"facts"`  // what the numbers depend on, a few words each
	Level  float64      `json:"level"`  // of the intervals
	Values []StudyValue `json:"values"`
	Map    *StudyMap    `json:"map,omitempty"` // of maps

	Disagreements []Disagreement `json:"disagreements,omitempty"` // of raters
}

// StudyValue is one number of a study; nil is undefined.
type StudyValue struct {
	Measure   string   `json:"measure"`
	Of        string   `json:"of"` // raters, or what it is counted over
	Direction string   `json:"direction,omitempty"`
	N         int      `json:"n"`
	Observed  *float64 `json:"observed,omitempty"`
	Expected  *float64 `json:"expected,omitempty"`
	Value     *float64 `json:"value"`
	Low       *float64 `json:"low,omitempty"`
	High      *float64 `json:"high,omitempty"`
}

// Disagreement is an item that raters answered differently.
type Disagreement struct {
	Item        int           `json:"item"` // from 1
	ID          string        `json:"question"`
	Record      string        `json:"record"`
	Scenario    string        `json:"scenario"`
	Type        string        `json:"type,omitempty"` // of its record's poison
	Instruction string        `json:"instruction"`
	Query       string        `json:"query"`
	Candidates  []DisagreedOn `json:"candidates"`
	None        []string      `json:"none,omitempty"` // raters who found none fit
}

// DisagreedOn is a candidate with who picked it.
type DisagreedOn struct {
	Role   string   `json:"role"`
	Right  bool     `json:"right,omitempty"`
	Text   string   `json:"text"`
	Raters []string `json:"raters,omitempty"`
}

// Picks says who picked what: "2 P1-: ann, bob".
func (d *Disagreement) Picks() []string {
	var out []string
	for i, c := range d.Candidates {
		if len(c.Raters) > 0 {
			out = append(out, fmt.Sprintf("%d %s: %s", i+1, c.Role, strings.Join(c.Raters, ", ")))
		}
	}
	if len(d.None) > 0 {
		out = append(out, "none: "+strings.Join(d.None, ", "))
	}
	return out
}
