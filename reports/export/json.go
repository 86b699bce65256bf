package export

import (
	"encoding/json"
	"io"

	"infbench/metrics/stats"
	"infbench/reports"
	"infbench/reports/contrast"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
)

// jsonReport is the structure of a report in JSON. Values are in their native range, not times 100;
// null means no value, and state gives the reason.
type jsonReport struct {
	Title       string           `json:"title"`
	Findings    []string         `json:"findings"`
	Cells       []jsonCell       `json:"cells"`
	Comparisons []jsonComparison `json:"comparisons"`
	Sections    []jsonSection    `json:"sections"`
	Beside      []jsonBeside     `json:"beside_published,omitempty"`
	Published   []jsonPublished  `json:"published,omitempty"`
}

type jsonCell struct {
	Keys  map[string]string `json:"keys"`
	Value *float64          `json:"value"`
	scores.Cell
}

type jsonComparison struct {
	Benchmark  string         `json:"benchmark"`
	Task       string         `json:"task"`
	Number     string         `json:"number"` // the task, or the name of the mean over several
	Side       string         `json:"side,omitempty"`
	Measure    string         `json:"measure"`
	System     string         `json:"system"`
	Reference  string         `json:"reference"`
	Queries    int            `json:"queries"`
	Difference *float64       `json:"mean_difference"`
	Interval   stats.Interval `json:"interval"`
	Holm       *float64       `json:"p_holm"`
	OneRun     bool           `json:"one_run,omitempty"` // a system was trained once, so the result is limited to that run
	Method     string         `json:"method,omitempty"`
	Why        string         `json:"untested,omitempty"` // why there is no test
}

// WriteJSON prints the grids and comparisons of a report as indented JSON, with
// <, > and & escaped.
func WriteJSON(w io.Writer, r *reports.Report) error {
	out := jsonReport{Title: r.Title, Findings: r.Said(), Cells: []jsonCell{}, Comparisons: []jsonComparison{}}
	grids, err := r.Grids()
	if err != nil {
		return err
	}
	for _, g := range grids {
		for i, row := range g.Rows {
			for j, col := range g.Cols {
				c := jsonCell{Keys: keys(g, row, col), Cell: g.Cells[i][j]}
				if c.State == scores.Unplanned {
					continue
				}
				if c.State.Valued() {
					c.Value = &c.Cell.Value
				}
				out.Cells = append(out.Cells, c)
			}
		}
	}
	for _, b := range r.Boards {
		for _, f := range b.Families {
			for _, c := range f.Contrasts {
				if b.Shows(c.On) {
					out.Comparisons = append(out.Comparisons, comparisonJSON(c))
				}
			}
		}
	}
	out.Sections = sectionsJSON(r.Printed())
	out.Beside, out.Published = besideJSON(r), publishedJSON(r)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// jsonSection is a section in the form of other formats.
type jsonSection struct {
	ID     string        `json:"id"`
	Title  string        `json:"title"`
	Text   []string      `json:"text,omitempty"`
	Tables []jsonTable   `json:"tables,omitempty"`
	Parts  []jsonSection `json:"parts,omitempty"`
}

func sectionsJSON(sections []section.Section) []jsonSection {
	out := []jsonSection{}
	for i := range sections {
		if s := &sections[i]; !s.Empty() {
			out = append(out, jsonSection{s.ID, s.Title, append(about(s), linesOf(s)...), tablesJSON(tablesOf(s)), sectionsJSON(s.Parts)})
		}
	}
	return out
}

// jsonTable is a table in the form of other formats. Value is null for entries that are not
// numbers.
type jsonTable struct {
	Title   string        `json:"title"`
	Caption string        `json:"caption"`
	Columns []string      `json:"columns"`
	Rows    [][]jsonEntry `json:"rows"`
	Notes   []string      `json:"notes"`
}

type jsonEntry struct {
	Text  string   `json:"text"`
	Value *float64 `json:"value"`
}

func tablesJSON(tables []*table.Table) []jsonTable {
	var out []jsonTable
	for _, t := range tables {
		j := jsonTable{Title: t.Title, Caption: t.Caption, Columns: []string{}, Rows: [][]jsonEntry{}, Notes: append([]string{}, t.Notes...)}
		for _, c := range t.Columns {
			j.Columns = append(j.Columns, c.Flat())
		}
		for _, row := range t.Rows {
			entries := make([]jsonEntry, len(row.Entries))
			for i, e := range row.Entries {
				entries[i] = jsonEntry{e.Text, e.Sort}
			}
			j.Rows = append(j.Rows, entries)
		}
		out = append(out, j)
	}
	return out
}

// keys returns the values of one cell's keys.
func keys(g *scores.Grid, row, col []string) map[string]string {
	out := map[string]string{}
	values := append(append(append([]string{}, g.Table...), row...), col...)
	for i, key := range g.Keys {
		out[key] = values[i]
	}
	return out
}

func comparisonJSON(c *contrast.Contrast) jsonComparison {
	out := jsonComparison{
		Benchmark: c.On.Benchmark, Number: c.On.Called(), Side: c.On.Side, Measure: c.On.Measure,
		System: c.B.Label, Reference: c.A.Label, Queries: c.N, Method: contrast.Method, OneRun: c.OneRun, Why: c.Why,
	}
	if len(c.On.Tasks) == 1 {
		out.Task = c.On.Tasks[0]
	}
	if c.Why == "" {
		out.Difference, out.Interval = &c.Difference, c.Interval()
		out.Holm = &c.Adjusted
	}
	return out
}
