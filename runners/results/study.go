package results

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strings"

	"infbench/internal/memory"
)

// StudyFormat is the name of the JSON format of a Study.
const StudyFormat = "infbench-study/1"

// Measures of studies of kind funnel: how many records are left after a stage, and how many a
// stage removed for the reason of the value.
const (
	FunnelLeft = "records after "
	FunnelFell = "fell at "
)

// Study contains numbers about data rather than systems, such as the agreement of raters or the
// diversity of texts. They do not come from trials. Views of the paper's figures show them.
type Study struct {
	Format string       `json:"format"`
	Kind   string       `json:"kind"` // its view: agreement, data, diversity, map
	Name   string       `json:"name"`
	File   string       `json:"file"`   // base name of the file that was measured
	SHA256 string       `json:"sha256"` // of that file
	Facts  []string     `json:"facts"`  // conditions of the numbers, a few words each
	Level  float64      `json:"level"`  // confidence level of the intervals
	Values []StudyValue `json:"values"`
	Map    *StudyMap    `json:"map,omitempty"` // for kind map

	Disagreements []Disagreement `json:"disagreements,omitempty"` // between raters
}

// StudyValue is one number of a study; nil is undefined.
type StudyValue struct {
	Measure   string   `json:"measure"`
	Of        string   `json:"of"` // raters, or the counted items
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
	Type        string        `json:"type,omitempty"` // type of its record's poison
	Instruction string        `json:"instruction"`
	Query       string        `json:"query"`
	Candidates  []DisagreedOn `json:"candidates"`
	None        []string      `json:"none,omitempty"` // raters who chose none
}

// DisagreedOn is a candidate with the raters who picked it.
type DisagreedOn struct {
	Role   string   `json:"role"`
	Right  bool     `json:"right,omitempty"`
	Text   string   `json:"text"`
	Raters []string `json:"raters,omitempty"`
}

// Picks formats the picks of each candidate: "2 P1-: ann, bob".
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

// StudyMap is a two-dimensional map of texts.
type StudyMap struct {
	Method string     `json:"method"` // description, with the parameters
	X      string     `json:"x"`      // titles of the axes
	Y      string     `json:"y"`
	Groups []MapGroup `json:"groups"`
}

// MapGroup is the texts of one field of one source.
type MapGroup struct {
	Source string `json:"source"`
	Field  string `json:"field"`
	N      int    `json:"n"`
	Of     int    `json:"texts_in_source"`
	Points []byte `json:"points"` // packed by PackPoints: texts are long and similar
}

// MapPoint is a text, possibly shortened, and its position.
type MapPoint struct {
	X, Y float64
	Text string
}

// mostPacked limits the unpacked size of a group's points, in bytes.
const mostPacked = 64 << 20

// PackPoints compresses points: gzip of a JSON list of [x, y, text].
func PackPoints(points []MapPoint) ([]byte, error) {
	rows := make([][3]any, len(points))
	for i, p := range points {
		rows[i] = [3]any{p.X, p.Y, p.Text}
	}
	var out bytes.Buffer
	to := gzip.NewWriter(&out)
	if err := json.NewEncoder(to).Encode(rows); err != nil {
		return nil, err
	}
	err := to.Close()
	return out.Bytes(), err
}

// Unpack returns the points of a group.
func (g MapGroup) Unpack() ([]MapPoint, error) {
	from, err := gzip.NewReader(bytes.NewReader(g.Points))
	if err != nil {
		return nil, fmt.Errorf("points of %s: %w", g.Name(), err)
	}
	text, err := memory.ReadAll(from, mostPacked)
	if err == nil {
		err = memory.ForJSON(text)
	}
	if err != nil {
		return nil, fmt.Errorf("points of %s: %w", g.Name(), err)
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("points of %s: %w", g.Name(), err)
	}
	out := make([]MapPoint, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal(row, &[3]any{&out[i].X, &out[i].Y, &out[i].Text}); err != nil {
			return nil, fmt.Errorf("point %d of %s: %w", i+1, g.Name(), err)
		}
	}
	return out, nil
}

// Name returns the name of a group in a legend.
func (g MapGroup) Name() string { return g.Source + ", " + g.Field }
