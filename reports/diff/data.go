package diff

import (
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// said is what the trials of a system say of the data that they were run on.
type said struct {
	benchmarks []string            // by name, whatever is said of them
	bare       map[string]bool     // those of which a trial recorded no content
	pins       map[string][]string // their revisions, "" where one names no content
	values     map[string][]string // by what it is of: a benchmark, or a part of a task
}

// dataOf gathers what is said of some parts of the data of a system: its revision
// beside documents and candidates, its protocol beside judgments.
func dataOf(s *scores.System, parts ...string) said {
	out := said{bare: map[string]bool{}, pins: map[string][]string{}, values: map[string][]string{}}
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

// data notes what differs in parts of the data of a system. What only one side says of
// a benchmark that both have is no difference; missing reports that a side does not say
// what one of those was.
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

// samePin reports whether both sides have one revision that names its content.
func samePin(a, b []string) bool {
	return len(a) == 1 && slices.Equal(a, b) && a[0] != ""
}

// only notes the benchmarks that a side alone has.
func only(say map[string]string, own, others []string) {
	for _, name := range own {
		if !slices.Contains(others, name) {
			say[name] = "run"
		}
	}
}
