package reports

import (
	"infbench/reports/published"
)

// jsonPublished is a source of published numbers: those on its leaderboard, and
// the results it lacks.
type jsonPublished struct {
	Name    string        `json:"name"`
	Numbers []jsonNumber  `json:"numbers"`
	Missing []jsonMissing `json:"missing"`
	Doubts  []string      `json:"doubts"`
}

// jsonNumber is one published number with the conventions it follows; a convention
// that is absent is unknown.
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

// jsonBeside is a measured number beside a published one. Delta is null where the
// two do not compare, which Verdict says.
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
}

// publishedNumber is a cell with clean texts.
func publishedNumber(c *published.Cell) jsonNumber {
	return jsonNumber{
		Source: clean(c.Source), Model: clean(c.Model), Revision: clean(c.Revision), Config: clean(c.Config),
		Task: clean(c.Task), Split: clean(c.Split), Subset: clean(c.Subset), Side: c.Side, Measure: clean(c.Measure),
		Value: c.Value, Tolerance: c.Tolerance, Judgments: c.Conventions.Qrels, Ties: c.Conventions.Ties,
		Excluded: c.Conventions.Excluded, MadeBy: clean(c.Conventions.Version), Footnotes: cleanAll(c.Footnotes), File: clean(c.File),
	}
}

func (r *Report) publishedJSON() []jsonPublished {
	var out []jsonPublished
	for _, b := range r.Published {
		p := jsonPublished{Name: b.Name, Numbers: []jsonNumber{}, Missing: []jsonMissing{}, Doubts: b.Doubts}
		for _, c := range b.shown {
			p.Numbers = append(p.Numbers, publishedNumber(c))
		}
		for _, m := range b.lacking {
			p.Missing = append(p.Missing, jsonMissing{clean(m.Model), clean(m.Revision), clean(m.Task), clean(m.File), clean(m.Reason)})
		}
		out = append(out, p)
	}
	return out
}

func (r *Report) besideJSON() []jsonBeside {
	var out []jsonBeside
	for _, c := range r.comparisons {
		b := jsonBeside{
			System: c.system.label, Benchmark: c.quantity.columns[0].Benchmark, Task: c.quantity.task, Side: c.quantity.side, Measure: c.quantity.measure,
			Measured: c.measured.Value, Trials: c.measured.Trials, Published: publishedNumber(c.other), Verdict: c.verdict(),
		}
		if d, ok := c.delta(); ok {
			b.Delta = &d
		}
		out = append(out, b)
	}
	return out
}
