package export

import (
	_ "embed"
	"math"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/table"
	"infbench/runners/results"
)

// Schema is the JSON Schema (draft 2020-12) of Export's format "json".
//
//go:embed schema.json
var Schema []byte

// exportFormat is the version of the export's structure; every change of the structure changes it.
const exportFormat = "infbench-results/1"

// exportedResults has all results, with every per-query value.
type exportedResults struct {
	Format string          `json:"format"`
	Trials []exportedTrial `json:"trials"`
}

type exportedTrial struct {
	ID         string              `json:"id"`
	Experiment string              `json:"experiment"`
	System     string              `json:"system"`
	Kind       table.Kind          `json:"kind"`
	State      results.State       `json:"state"`
	Error      string              `json:"error,omitempty"`
	Config     map[string]string   `json:"config"`
	Marker     string              `json:"done_sha256,omitempty"`
	Parameters int64               `json:"parameters,omitempty"`
	Standing   results.Standing    `json:"standing,omitempty"` // for submitted numbers
	Benchmarks []exportedBenchmark `json:"benchmarks"`
	Scores     []exportedScore     `json:"scores"`
	Means      []exportedMean      `json:"means,omitempty"`
}

// exportedMean is a leaderboard's mean over several tasks of a trial. It is null if tasks are
// missing; Lacking lists those.
type exportedMean struct {
	Benchmark string   `json:"benchmark"`
	Name      string   `json:"name"`
	Side      string   `json:"side,omitempty"`
	Measure   string   `json:"measure"`
	Mean      *float64 `json:"mean"`
	Tasks     int      `json:"tasks"`
	Queries   int      `json:"queries"`
	Lacking   []string `json:"lacking,omitempty"`
}

type exportedBenchmark struct {
	Name      string `json:"name"`
	Synthetic bool   `json:"synthetic"`
	Source    string `json:"source"`
	Revision  string `json:"revision"`
	Licence   string `json:"licence,omitempty"`
}

// exportedScore is one scoring of a trial. Mean is over the defined values, null if there are none.
type exportedScore struct {
	Benchmark string          `json:"benchmark"`
	Task      string          `json:"task"`
	Side      string          `json:"side,omitempty"`
	Measure   string          `json:"measure"`
	Mean      *float64        `json:"mean"`
	Aggregate bool            `json:"aggregate,omitempty"` // the mean was imported without values of queries
	Queries   int             `json:"queries"`
	Undefined int             `json:"undefined"`
	Values    []exportedValue `json:"values"`
}

type exportedValue struct {
	Query string   `json:"query"`
	Value *float64 `json:"value"` // null: undefined
}

// exportJSON writes all trials, finished or not, in the shape of Schema.
func exportJSON(v *scores.Set) ([]File, []string, error) {
	out := exportedResults{Format: exportFormat, Trials: []exportedTrial{}}
	for _, t := range v.Trials {
		s := systemOf(v, t)
		e := exportedTrial{ID: t.ID, Experiment: t.Experiment, System: s.Label, Kind: s.Kind, State: t.State, Error: t.Error,
			Config: t.Config, Marker: t.Marker, Parameters: t.Parameters, Benchmarks: []exportedBenchmark{}, Scores: []exportedScore{}}
		for _, b := range t.Provenance.Benchmarks {
			b = scores.CleanBenchmark(b)
			e.Benchmarks = append(e.Benchmarks, exportedBenchmark{b.Name, b.Synthetic, b.Source, b.Revision, b.Licence})
		}
		for _, at := range v.Slots {
			if have, ok := t.Scores[at]; ok {
				e.Scores = append(e.Scores, exportedValues(have, at))
			}
		}
		e.Means = exportedMeans(v, t)
		e.Standing = t.Standing()
		out.Trials = append(out.Trials, e)
	}
	file, err := jsonFile("results.json", out)
	return []File{file}, nil, err
}

// exportedMeans lists the means of a trial over several tasks.
func exportedMeans(v *scores.Set, t *scores.Trial) []exportedMean {
	var out []exportedMean
	for _, name := range v.BenchmarkNames() {
		for _, c := range v.Columns(name).Means() {
			cell := v.Cell(&scores.System{Trials: []*scores.Trial{t}}, c)
			if cell.State == scores.Unplanned {
				continue
			}
			m := exportedMean{Benchmark: name, Name: c.Called(), Side: c.Side, Measure: c.Measure, Tasks: cell.Tests, Queries: cell.Queries, Lacking: cell.Lacking}
			if cell.State.Valued() {
				m.Mean = &cell.Value
			}
			out = append(out, m)
		}
	}
	return out
}

// exportedValues returns one scoring with its values.
func exportedValues(s scores.Values, at scores.Slot) exportedScore {
	out := exportedScore{Benchmark: at.Benchmark, Task: at.Task, Side: at.Side, Measure: at.Measure, Queries: len(s.Queries), Values: []exportedValue{}}
	mean, defined := s.Mean()
	if out.Undefined = len(s.Queries) - defined; defined > 0 {
		out.Mean = &mean
	}
	if out.Aggregate = s.Aggregate; s.Aggregate {
		out.Queries, out.Undefined = 0, 0
		return out
	}
	for i, q := range s.Queries {
		value := exportedValue{Query: words.Clean(q)}
		if !math.IsNaN(s.Values[i]) {
			value.Value = &s.Values[i]
		}
		out.Values = append(out.Values, value)
	}
	return out
}
