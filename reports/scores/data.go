package scores

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"infbench/internal/disk"
	"infbench/internal/words"
	"infbench/runners/results"
)

// collections maps a trial's record of a benchmark to the collection it belongs to: one
// benchmark of one revision and content.
type collections map[string]*collection

// collection is the data of a benchmark as recorded by some trials, with its name in
// slots.
type collection struct {
	results.Benchmark // Content has all tasks that any of the trials ran
	display           string
}

// recordKey encodes a trial's record of the data of a benchmark.
func recordKey(b *results.Benchmark) string {
	text, _ := json.Marshal([]any{b.Name, b.Revision, b.Content, b.DropSelf}) // strings only
	return string(text)
}

// collectionsOf names each collection. If a benchmark has several collections, the name
// includes the revision, and the hash of the content if the revision is the same:
// different data are different benchmarks. A record without content belongs to the
// collection of its revision if there is exactly one, else to a collection of its own.
func collectionsOf(exps []*results.Experiment) (collections, error) {
	all, err := allRecords(exps)
	if err != nil {
		return nil, err
	}
	byName := map[string][]*collection{}
	found := collections{}
	for _, b := range all {
		if len(b.Content) > 0 {
			found[recordKey(b)] = joined(byName, b)
		}
	}
	for _, b := range all {
		if len(b.Content) > 0 {
			continue
		}
		alike := slices.DeleteFunc(slices.Clone(byName[b.Name]), func(c *collection) bool { return c.Revision != b.Revision || c.DropSelf != b.DropSelf })
		if len(alike) == 1 && b.IsPinned() {
			found[recordKey(b)] = alike[0]
			continue
		}
		c := &collection{Benchmark: *b}
		byName[b.Name], found[recordKey(b)] = append(byName[b.Name], c), c
	}
	for name, all := range byName {
		nameApart(words.Clean(name), all)
	}
	return found, nil
}

// allRecords lists the trials' records of benchmarks, each once. It rejects a benchmark that
// is recorded as both synthetic and real.
func allRecords(exps []*results.Experiment) (all []*results.Benchmark, err error) {
	seen := map[string]bool{}
	synthetic := map[[2]string]bool{}
	for _, e := range exps {
		for i := range e.Trials {
			t := &e.Trials[i]
			for j := range t.Provenance.Benchmarks {
				b := &t.Provenance.Benchmarks[j]
				key := [2]string{b.Name, b.Revision}
				if known, ok := synthetic[key]; ok && known != b.Synthetic {
					return nil, fmt.Errorf("trial %s: benchmark %s is recorded both as synthetic and as real", t.ID, b.Name)
				}
				synthetic[key] = b.Synthetic
				if record := recordKey(b); !seen[record] {
					seen[record] = true
					all = append(all, b)
				}
			}
		}
	}
	return all, nil
}

// joined returns the collection that a record belongs to, and adds it if needed. Trials
// that ran different tasks of one revision belong to one collection. Trials that read
// different data for one task do not.
func joined(byName map[string][]*collection, b *results.Benchmark) *collection {
	for _, c := range byName[b.Name] {
		if c.Revision == b.Revision && c.DropSelf == b.DropSelf && !contradict(&c.Benchmark, b) {
			maps.Copy(c.Content, b.Content)
			return c
		}
	}
	c := &collection{Benchmark: *b}
	c.Content = maps.Clone(b.Content)
	byName[b.Name] = append(byName[b.Name], c)
	return c
}

// contradict reports whether two records have different data for a task.
func contradict(a, b *results.Benchmark) bool {
	for task, content := range b.Content {
		if known, ok := a.Content[task]; ok && known != content {
			return true
		}
	}
	return false
}

// nameApart names the collections of one benchmark.
func nameApart(name string, all []*collection) {
	pins := make([]string, len(all))
	for i, c := range all {
		pins[i] = c.Revision
		alone := !slices.ContainsFunc(all, func(other *collection) bool { return other != c && other.Revision == c.Revision })
		switch {
		case alone && c.Revision != "":
		case len(c.Content) > 0:
			pins[i] = contentSum(&c.Benchmark)
		default:
			pins[i] = words.Unrecorded
		}
	}
	short := words.ShortenApart(pins)
	for i, c := range all {
		c.display = name
		if len(all) > 1 {
			c.display += " @" + words.Clean(short[i])
		}
	}
}

// contentSum returns a hash of all data of a record; "" if the data are not recorded.
func contentSum(b *results.Benchmark) string {
	if len(b.Content) == 0 {
		return ""
	}
	text, _ := json.Marshal(b.Content) // strings only, in the order of the tasks
	return disk.Sum(text)
}

// ContentText returns a short hash of a benchmark's content, for readers to compare.
func (b *Benchmark) ContentText() string {
	if sum := contentSum(&b.Benchmark); sum != "" {
		return words.Shorten(sum)
	}
	return words.Unrecorded
}
