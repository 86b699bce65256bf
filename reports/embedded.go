package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"infbench/internal/disk"
	"infbench/internal/words"
	"infbench/reports/claims"
	"infbench/reports/published"
	"infbench/runners/results"
)

// DataStart precedes the data of a page. It cannot occur in a text on a page, because < is
// escaped in all texts.
const DataStart = `<script type="application/json" id="report-data">`

// ReadData reads the data of a page. It returns an error if the page has no data, another
// format or contradictory data, and if its seal is broken: numbers are only taken from a
// sealed page.
func ReadData(text []byte) (*Data, error) {
	if err := CheckSeal(text); err != nil && bytes.Contains(text, []byte(DataStart)) {
		return nil, fmt.Errorf("read report: %w; infbench verify lists what differs", err)
	}
	return DataOf(text)
}

// DataOf is like ReadData, but accepts a broken seal. It is for code that looks for the
// changes.
func DataOf(text []byte) (*Data, error) {
	_, rest, found := bytes.Cut(text, []byte(DataStart))
	text, _, closed := bytes.Cut(rest, []byte("</script>"))
	if !found || !closed {
		return nil, errors.New("read report: it carries no data, so infbench did not write it as a report")
	}
	var d Data
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("read data of the report: %w", err)
	}
	if err := disk.CheckFormat("", d.version(d.Layout), (&Data{Format: DataFormat}).version(d.ownLayout())); err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("read data of the report: %w", err)
	}
	return &d, nil
}

// check checks that all indexes are in range, and that claims can be parsed.
func (d *Data) check() error {
	for _, c := range d.Options.Claims {
		if _, err := c.file(); err != nil {
			return err
		}
	}
	for _, l := range d.Left {
		if l.Slot < 0 || l.Slot >= len(d.Slots) {
			return fmt.Errorf("values left out of slot %d of %d", l.Slot, len(d.Slots))
		}
	}
	for _, t := range d.Trials {
		if t.Build < 0 || t.Build > len(d.Builds) {
			return fmt.Errorf("trial %s: build %d of %d", t.ID, t.Build, len(d.Builds))
		}
		for _, b := range t.Benchmarks {
			if b < 0 || b >= len(d.Benchmarks) {
				return fmt.Errorf("trial %s: benchmark %d of %d", t.ID, b, len(d.Benchmarks))
			}
		}
		for _, v := range t.Values {
			switch {
			case v.Slot < 0 || v.Slot >= len(d.Slots):
				return fmt.Errorf("trial %s: slot %d of %d", t.ID, v.Slot, len(d.Slots))
			case v.Queries < 0 || v.Queries >= len(d.Queries):
				return fmt.Errorf("trial %s: list of queries %d of %d", t.ID, v.Queries, len(d.Queries))
			case len(v.Values) != len(d.Queries[v.Queries]):
				return fmt.Errorf("trial %s: %d values for %d queries in slot %d", t.ID, len(v.Values), len(d.Queries[v.Queries]), v.Slot)
			}
		}
	}
	return nil
}

// file parses the claims again.
func (c DataClaims) file() (*claims.File, error) {
	f, err := claims.Parse(c.Name, []byte(c.Text))
	if err == nil && f.Hash() != c.SHA256 {
		err = fmt.Errorf("claims %s do not have the SHA-256 %s", c.Name, words.Shorten(c.SHA256))
	}
	return f, err
}

// Experiments converts the data back into the input of Build.
func (d *Data) Experiments() []*results.Experiment {
	raw := map[string]string{}
	for _, b := range d.Benchmarks {
		raw[b.Display] = b.Benchmark.Name
	}
	var out []*results.Experiment
	for _, t := range d.Trials {
		if len(out) == 0 || out[len(out)-1].Name != t.Experiment {
			out = append(out, &results.Experiment{Name: t.Experiment})
		}
		e := out[len(out)-1]
		e.Trials = append(e.Trials, d.trial(t, raw))
	}
	if len(out) > 0 {
		out[0].Notes = d.Notes
	}
	for _, e := range out {
		if i := slices.IndexFunc(d.Forgetting, func(a forgettingPlan) bool { return a.Experiment == e.Name }); i >= 0 {
			e.Forgetting = &d.Forgetting[i].Forgetting
		}
		if i := slices.IndexFunc(d.Questions, func(q Question) bool { return q.Experiment == e.Name }); i >= 0 {
			e.Question = d.Questions[i].Text
		}
	}
	return out
}

func (d *Data) trial(t DataTrial, raw map[string]string) results.Trial {
	out := results.Trial{ID: t.ID, State: t.State, Error: t.Error, Config: t.Config, Labels: t.Labels, Marker: t.Marker, Parameters: t.Parameters, Selection: t.Selection, Active: t.Active, Ties: t.Ties}
	out.Provenance.Removed, out.Provenance.Trained, out.Provenance.Deviations, out.Provenance.Chat = t.Removed, t.Trained, t.Deviations, t.Chat
	out.Provenance.Submission, out.Provenance.Approximations, out.Provenance.Chunk = t.Submission, t.Approximations, t.Chunk
	if t.Build > 0 {
		d.Builds[t.Build-1].Into(&out.Provenance)
	}
	for _, b := range t.Benchmarks {
		out.Provenance.Benchmarks = append(out.Provenance.Benchmarks, d.Benchmarks[b].Benchmark)
	}
	for _, v := range t.Values {
		s := d.Slots[v.Slot]
		for i, q := range d.Queries[v.Queries] {
			r := results.Result{Benchmark: raw[s.Benchmark], Task: s.Task, Query: q, Measure: s.Measure, Aggregate: v.Aggregate}
			setText(&r.Side, s.Side)
			if !math.IsNaN(v.Values[i]) {
				r.Value = &v.Values[i]
			}
			out.Results = append(out.Results, r)
		}
	}
	return out
}

// setText sets a string type that this package does not name.
func setText[T ~string](into *T, text string) { *into = T(text) }

// BuildOptions returns the options that the page was built with.
func (d *Data) BuildOptions() Options {
	o := d.Options
	var judged []*claims.File
	for _, c := range o.Claims {
		if f, err := c.file(); err == nil { // check reported errors already
			judged = append(judged, f)
		}
	}
	return Options{Claims: judged, Reference: o.Reference, Measures: o.Measures, Projection: o.Projection, Overlaps: o.Overlaps, Ablation: o.Ablation, View: o.View, Studies: o.Studies,
		Repositories: o.Repositories, Published: o.collections(), Measured: d.Measured}
}

// collections returns the published collections by name and hash.
func (o DataOptions) collections() []*published.Collection {
	var out []*published.Collection
	for _, p := range o.Published {
		out = append(out, &published.Collection{Source: p.Source, SHA256: p.SHA256, Absent: true})
	}
	return out
}
