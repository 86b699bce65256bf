package diff

import (
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// dataRecord is the recorded data on which the trials of a system were run.
type dataRecord struct {
	benchmarks []string            // names of all benchmarks
	bare       map[string]bool     // benchmarks without recorded content in some trial
	pins       map[string][]string // revisions by benchmark, "" for one that does not identify the content
	values     map[string][]string // by benchmark, or part of a task
}

// dataOf gathers the records of some parts of a system's data. With documents and candidates it
// adds the revision, with judgments the protocol.
func dataOf(s *scores.System, parts ...string) dataRecord {
	out := dataRecord{bare: map[string]bool{}, pins: map[string][]string{}, values: map[string][]string{}}
	put := func(key, value string) { out.values[key] = words.AddNew(out.values[key], value) }
	for _, t := range s.Trials {
		for i := range t.Provenance.Benchmarks {
			b := &t.Provenance.Benchmarks[i]
			out.benchmarks = words.AddNew(out.benchmarks, b.Name)
			out.bare[b.Name] = out.bare[b.Name] || len(b.Content) == 0
			if !b.IsPinned() {
				out.pins[b.Name] = words.AddNew(out.pins[b.Name], "")
			} else if out.pins[b.Name] = words.AddNew(out.pins[b.Name], b.Revision); slices.Contains(parts, documents) {
				put(b.Name, b.Revision)
			}
			if slices.Contains(parts, judgments) {
				for task, notes := range b.Tasks {
					put(b.Name+"/"+task, notes)
				}
			}
			for task, content := range b.Content {
				for _, part := range results.Parts(content) {
					if slices.Contains(parts, part.Name) {
						put(b.Name+"/"+task+" "+part.Name, part.Sum)
					}
				}
			}
		}
	}
	for _, values := range out.values {
		slices.Sort(values)
	}
	return out
}

// Parts of a task's content.
const (
	documents  = "documents"
	candidates = "candidates"
	queries    = "queries"
	judgments  = "judgments"
)

// data notes differences in parts of the data of a system. A record that only one side has about a
// shared benchmark is not a difference; missing reports whether a side lacks the record of such a
// benchmark.
func (c *Cause) data(p systemPair, parts ...string) (recorded, missing bool) {
	a, b := dataOf(p.before, parts...), dataOf(p.after, parts...)
	was, is := map[string]string{}, map[string]string{}
	for key, values := range a.values {
		if others, both := b.values[key]; both {
			was[key], is[key] = strings.Join(values, ", "), strings.Join(others, ", ")
		}
	}
	if slices.Contains(parts, documents) {
		only(was, a.benchmarks, b.benchmarks)
		only(is, b.benchmarks, a.benchmarks)
	}
	c.add(p.after.Label, was, is)
	for _, name := range a.benchmarks {
		if slices.Contains(b.benchmarks, name) {
			recorded = true
			missing = missing || (a.bare[name] || b.bare[name]) && !samePin(a.pins[name], b.pins[name])
		}
	}
	return recorded, missing
}

// samePin reports whether both sides have the same single revision, which identifies its content.
func samePin(a, b []string) bool {
	return len(a) == 1 && slices.Equal(a, b) && a[0] != ""
}

// only notes the benchmarks that only one side has.
func only(noted map[string]string, own, others []string) {
	for _, name := range own {
		if !slices.Contains(others, name) {
			noted[name] = "run"
		}
	}
}
