package export

import (
	"infbench/internal/words"
	"infbench/metrics/stats"
	"infbench/reports"
	"infbench/reports/published"
)

// jsonPublished is a source of published numbers: those on its leaderboard, and its missing
// results.
type jsonPublished struct {
	Name    string        `json:"name"`
	Numbers []jsonNumber  `json:"numbers"`
	Missing []jsonMissing `json:"missing"`
	Doubts  []string      `json:"doubts"`
}

// jsonNumber is one published number with its conventions; an absent convention is unknown.
type jsonNumber struct {
	Source    string   `json:"source"`
	Model     string   `json:"model"`
	Revision  string   `json:"revision,omitempty"`
	Config    string   `json:"config,omitempty"`
	Task      string   `json:"task"`
	Split     string   `json:"split,omitempty"`
	Subset    string   `json:"subset,omitempty"`
	Side      string   `json:"side,omitempty"`
	Measure   string   `json:"measure"`
	Value     float64  `json:"value"`
	Printed   string   `json:"printed,omitempty"` // to the letter, ×100
	Tolerance float64  `json:"tolerance"`
	Judgments string   `json:"judgments,omitempty"`
	Ties      string   `json:"ties,omitempty"`
	Excluded  string   `json:"excluded_documents,omitempty"`
	MadeBy    string   `json:"made_by,omitempty"`
	Footnotes []string `json:"footnotes,omitempty"`
	File      string   `json:"file"`
}

type jsonMissing struct {
	Model    string `json:"model"`
	Revision string `json:"revision,omitempty"`
	Task     string `json:"task"`
	File     string `json:"file"`
	Reason   string `json:"reason"`
}

// jsonBeside is a pair of a measured and a published number. Delta is null if the two are not
// comparable; Verdict gives the reason.
type jsonBeside struct {
	System    string     `json:"system"`
	Benchmark string     `json:"benchmark"`
	Task      string     `json:"task"`
	Side      string     `json:"side,omitempty"`
	Measure   string     `json:"measure"`
	Measured  float64    `json:"measured"`
	Trials    int        `json:"trials"`
	Published jsonNumber `json:"published"`
	Delta     *float64   `json:"delta"`
	Verdict   string     `json:"verdict"`

	Range stats.Interval `json:"further_run"`    // range of one more training run; null if the same run is meant or there are too few runs
	Ties  string         `json:"ties,omitempty"` // how far the order of ties decides the number
}

// publishedNumber returns a cell with cleaned texts.
func publishedNumber(c *published.Cell) jsonNumber {
	return jsonNumber{
		Source: words.Clean(c.Source), Model: words.Clean(c.Model), Revision: words.Clean(c.Revision), Config: words.Clean(c.Config),
		Task: words.Clean(c.Task), Split: words.Clean(c.Split), Subset: words.Clean(c.Subset), Side: c.Side, Measure: words.Clean(c.Measure),
		Value: c.Value, Printed: words.Clean(c.Raw), Tolerance: c.Tolerance, Judgments: c.Conventions.Qrels, Ties: c.Conventions.Ties,
		Excluded: c.Conventions.Excluded, MadeBy: words.Clean(c.Conventions.Version), Footnotes: words.CleanAll(c.Footnotes), File: words.Clean(c.File),
	}
}

func publishedJSON(r *reports.Report) []jsonPublished {
	var out []jsonPublished
	for _, b := range r.Published {
		p := jsonPublished{Name: b.Name, Numbers: []jsonNumber{}, Missing: []jsonMissing{}, Doubts: b.Doubts}
		for _, c := range b.Shown {
			p.Numbers = append(p.Numbers, publishedNumber(c))
		}
		for _, m := range b.Lacking {
			p.Missing = append(p.Missing, jsonMissing{words.Clean(m.Model), words.Clean(m.Revision), words.Clean(m.Task), words.Clean(m.File), words.Clean(m.Reason)})
		}
		out = append(out, p)
	}
	return out
}

func besideJSON(r *reports.Report) []jsonBeside {
	var out []jsonBeside
	for _, c := range r.Counterparts {
		b := jsonBeside{
			System: c.System.Label, Benchmark: c.Quantity.Benchmark, Task: c.Quantity.Called(), Side: c.Quantity.Side, Measure: c.Quantity.Measure,
			Measured: c.Measured.Value, Trials: c.Measured.Trials, Published: publishedNumber(c.Other), Verdict: c.Verdict(),
			Range: c.Range, Ties: c.TiesText(),
		}
		if d, ok := c.Delta(); ok {
			b.Delta = &d
		}
		out = append(out, b)
	}
	return out
}
