package reports

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// Data is the data of the trials behind a page, which the page carries as JSON in
//
//	<script type="application/json" id="report-data">
//
// so that every number on it can be recomputed without the run folders. A table cell that
// shows a number links to its values by the attribute data-from, in the syntax of
// ParseLink: a statistic, and the indexes of trials and slots in Trials and Slots.
//
// Building a report from Experiments with Options gives the tables of the page again.
// Times, memory and training curves are not included, so their tables cannot be rebuilt.
// Either all values are included, or those of complete slots; Left then lists the others.
// Digest identifies all values.
type Data struct {
	Format     string          `json:"format"`
	Title      string          `json:"title"`
	Options    DataOptions     `json:"options"`
	Benchmarks []DataBenchmark `json:"benchmarks"`
	Queries    [][]string      `json:"queries"` // lists of query IDs, ascending, that values refer to
	Slots      []DataSlot      `json:"slots"`
	Trials     []DataTrial     `json:"trials"`
	Left       []DataLeft      `json:"left,omitempty"`   // slots left out for lack of room
	Notes      []string        `json:"notes,omitempty"`  // notes of the experiments
	Layout     int             `json:"layout,omitempty"` // layout of the page

	Builds     []scores.Build   `json:"builds,omitempty"`     // builds that computed the cells
	Forgetting []forgettingPlan `json:"forgetting,omitempty"` // plans of the experiments
	Questions  []Question       `json:"questions,omitempty"`  // plans of the experiments
	Measured   Days             `json:"measured,omitzero"`    // days on which the trials were begun
}

// DataFormat is the name and version of this format.
const DataFormat = "infbench-report-data/1"

// DataOptions are the options that affect numbers.
type DataOptions struct {
	Reference  string             `json:"reference"`
	Measures   []string           `json:"measures,omitempty"` // measures that the boards show; empty for all
	Projection *scores.Projection `json:"projection,omitempty"`
	Ablation   bool               `json:"ablation,omitempty"`
	View       string             `json:"view,omitempty"`
	Studies    []*results.Study   `json:"studies,omitempty"`
	Overlaps   []results.Overlap  `json:"overlaps,omitempty"` // counts about the benchmarks on the page

	Claims       []DataClaims      `json:"claims,omitempty"`    // claim files that the page judges
	Published    []DataPublished   `json:"published,omitempty"` // collections whose numbers the page shows
	Repositories map[string]string `json:"repositories,omitempty"`
}

// DataClaims is a claim file, unchanged.
type DataClaims struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Text   string `json:"text"`
}

// DataPublished identifies a collection.
type DataPublished struct {
	Source string `json:"source"`
	SHA256 string `json:"sha256"`
}

// DataBenchmark is a benchmark with its name in slots: its own name, with the revision if
// there are several.
type DataBenchmark struct {
	Display   string            `json:"display"`
	Described bool              `json:"described"` // a finished trial recorded its origin
	Benchmark results.Benchmark `json:"benchmark"`
}

// DataSlot identifies one measured quantity.
type DataSlot struct {
	Benchmark string `json:"benchmark"` // a Display
	Task      string `json:"task"`
	Side      string `json:"side,omitempty"`
	Measure   string `json:"measure"`
}

// DataTrial is one planned trial with its values.
type DataTrial struct {
	ID             string                  `json:"id"`
	Experiment     string                  `json:"experiment"`
	State          results.State           `json:"state"`
	Error          string                  `json:"error,omitempty"`
	Config         map[string]string       `json:"config"`
	Labels         []results.ValueLabel    `json:"labels,omitempty"` // of values in Config, which are shown instead
	Marker         string                  `json:"marker,omitempty"` // SHA-256 of the trial folder's done.json
	Parameters     int64                   `json:"parameters,omitempty"`
	Selection      results.Selection       `json:"selection,omitzero"`
	Active         bool                    `json:"active,omitempty"` // its sweep chose cells by their results
	Chunk          int                     `json:"chunk,omitempty"`  // sequences trained at a time, if the program chose the number
	Removed        *results.Removed        `json:"removed,omitempty"`
	Trained        *results.Trained        `json:"trained,omitempty"`
	Deviations     []results.Deviation     `json:"deviations,omitempty"`
	Approximations []results.Approximation `json:"approximations,omitempty"`
	Chat           *results.Chat           `json:"chat,omitempty"`
	Submission     *results.Submission     `json:"submission,omitempty"`
	Ties           []results.Ties          `json:"ties,omitempty"`       // ties in the rankings, if published numbers are shown
	Build          int                     `json:"build,omitempty"`      // index in Data.Builds, from 1; 0 if not recorded
	Benchmarks     []int                   `json:"benchmarks,omitempty"` // benchmarks in its provenance
	Values         []DataValues            `json:"values,omitempty"`
}

// DataValues holds the values of a trial on one slot.
type DataValues struct {
	Slot    int    `json:"s"`
	Queries int    `json:"q"` // index in Data.Queries
	Values  Floats `json:"v"` // one per query; NaN is undefined

	Aggregate bool `json:"a,omitempty"` // the value is a mean without per-query values
}

// Floats is encoded in JSON as base64 of the little-endian bits: exact, and half as long
// as decimals.
type Floats []float64

// MarshalJSON implements json.Marshaler.
func (f Floats) MarshalJSON() ([]byte, error) {
	raw := make([]byte, 0, 8*len(f))
	for _, v := range f {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return json.Marshal(raw)
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *Floats) UnmarshalJSON(data []byte) error {
	var raw []byte
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	if len(raw)%8 != 0 {
		return fmt.Errorf("%d bytes are not a list of 8-byte numbers", len(raw))
	}
	*f = make(Floats, 0, len(raw)/8)
	for ; len(raw) > 0; raw = raw[8:] {
		*f = append(*f, math.Float64frombits(binary.LittleEndian.Uint64(raw)))
	}
	return nil
}

// EmbedAtMost is the largest number of values on a page: 10.7 bytes each make 4.3 MB.
const EmbedAtMost = 400_000

// embed collects the data that a page carries. If there are too many values, it keeps
// those behind the leaderboards.
func embed(r *Report) *Data {
	v, o, first := r.set, r.options, shownSlots(r.Boards)
	d := &Data{Format: DataFormat, Title: r.Title, Benchmarks: []DataBenchmark{}, Queries: [][]string{}, Slots: []DataSlot{}, Trials: []DataTrial{}, Notes: v.Notes,
		Options: DataOptions{Reference: o.Reference, Measures: o.Measures, Projection: o.Projection, Overlaps: overlapsOf(v, o), Ablation: o.Ablation, View: o.View, Repositories: o.Repositories}}
	for _, c := range o.Published {
		d.Options.Published = append(d.Options.Published, DataPublished{words.Clean(c.Source), c.Hash()})
	}
	for _, f := range o.Claims {
		d.Options.Claims = append(d.Options.Claims, DataClaims{f.Name, f.Hash(), f.Text})
	}
	if o.View != "" || len(o.Claims) > 0 {
		d.Options.Studies = o.Studies
	}
	d.Forgetting, d.Questions = r.forgetting, r.questions
	d.Builds, d.Measured = v.Builds(), r.days()
	d.Layout = d.ownLayout()
	names := words.SortedKeys(v.Benchmarks)
	for _, name := range names {
		b := v.Benchmarks[name]
		d.Benchmarks = append(d.Benchmarks, DataBenchmark{Display: name, Described: b.Described, Benchmark: b.Benchmark})
	}
	for _, s := range v.Slots {
		d.Slots = append(d.Slots, DataSlot(s))
	}
	kept := keep(v, first)
	for i, s := range v.Slots {
		if !kept[s] {
			d.Left = append(d.Left, leaveOut(v, i))
		}
	}
	lists := queryLists{index: map[string]int{}}
	for _, t := range v.Trials {
		out := embedTrial(v, t, names, kept, &lists, d.Options.Published)
		out.Build = slices.Index(d.Builds, scores.BuildOf(&t.Provenance)) + 1
		d.Trials = append(d.Trials, out)
	}
	d.Queries = append(d.Queries, lists.all...)
	return d
}

// keep chooses the slots whose values fit.
func keep(v *scores.Set, first []scores.Slot) map[scores.Slot]bool {
	kept, room := map[scores.Slot]bool{}, EmbedAtMost
	for _, s := range append(slices.Clone(first), v.Slots...) {
		size := 0
		for _, t := range v.Trials {
			size += len(t.Scores[s].Values)
		}
		if !kept[s] && size <= room {
			kept[s] = true
			room -= size
		}
	}
	return kept
}

func embedTrial(v *scores.Set, t *scores.Trial, names []string, kept map[scores.Slot]bool, lists *queryLists, published []DataPublished) DataTrial {
	out := DataTrial{ID: t.ID, Experiment: t.Experiment, State: t.State, Error: t.Error, Config: t.Config, Labels: t.Labels, Marker: t.Marker, Parameters: t.Parameters, Selection: t.Selection, Active: t.Active, Chunk: t.Provenance.Chunk, Removed: t.Provenance.Removed, Trained: t.Provenance.Trained, Deviations: t.Provenance.Deviations, Approximations: t.Provenance.Approximations, Chat: t.Provenance.Chat, Submission: t.Provenance.Submission}
	if len(published) > 0 {
		for _, x := range t.Ties {
			x.Benchmark, x.Task = words.Clean(x.Benchmark), words.Clean(x.Task)
			out.Ties = append(out.Ties, x)
		}
	}
	for _, b := range t.Described {
		i, _ := slices.BinarySearch(names, b)
		out.Benchmarks = append(out.Benchmarks, i)
	}
	for i, s := range v.Slots {
		have, ok := t.Scores[s]
		if !ok || !kept[s] {
			continue
		}
		out.Values = append(out.Values, DataValues{Slot: i, Queries: lists.place(have.Queries), Values: have.Values, Aggregate: have.Aggregate})
	}
	return out
}

// queryLists stores each distinct list of query IDs once.
type queryLists struct {
	all   [][]string
	index map[string]int
}

func (l *queryLists) place(queries []string) int {
	key := words.Joined(queries)
	i, ok := l.index[key]
	if !ok {
		i = len(l.all)
		l.index[key] = i
		l.all = append(l.all, queries)
	}
	return i
}
