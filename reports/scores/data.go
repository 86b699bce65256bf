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

// collections maps what trials say of a benchmark to the collection that it is: one
// benchmark of one revision and content.
type collections map[string]*collection

// collection is the data of a benchmark as some trials say they are, and the name that
// slots use for them.
type collection struct {
	results.Benchmark // its content that of all tasks that any of them ran
	display           string
}

// saidOf is all that a trial says of the data of a benchmark.
func saidOf(b *results.Benchmark) string {
	text, _ := json.Marshal([]any{b.Name, b.Revision, b.Content, b.DropSelf}) // strings only
	return string(text)
}

// collectionsOf gives each collection its own name, with the revision added where there
// is more than one, and the hash of its content where those are of one revision: other
// data are another benchmark. What recorded no content is of its revision, if that
// names one content; else it is like nothing else.
func collectionsOf(exps []*results.Experiment) (collections, error) {
	all, err := allSaid(exps)
	if err != nil {
		return nil, err
	}
	byName := map[string][]*collection{}
	found := collections{}
	for _, b := range all {
		if len(b.Content) > 0 {
			found[saidOf(b)] = joined(byName, b)
		}
	}
	for _, b := range all {
		if len(b.Content) > 0 {
			continue
		}
		alike := slices.DeleteFunc(slices.Clone(byName[b.Name]), func(c *collection) bool { return c.Revision != b.Revision || c.DropSelf != b.DropSelf })
		if len(alike) == 1 && b.IsPinned() {
			found[saidOf(b)] = alike[0]
			continue
		}
		c := &collection{Benchmark: *b}
		byName[b.Name], found[saidOf(b)] = append(byName[b.Name], c), c
	}
	for name, all := range byName {
		nameApart(words.Clean(name), all)
	}
	return found, nil
}

// allSaid lists what trials say of benchmarks, each once, and refuses one that is said
// to be both synthetic and real.
func allSaid(exps []*results.Experiment) (all []*results.Benchmark, err error) {
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
				if said := saidOf(b); !seen[said] {
					seen[said] = true
					all = append(all, b)
				}
			}
		}
	}
	return all, nil
}

// joined finds the collection that a benchmark is of, or makes it one. Trials that ran
// different tasks of one revision are of one collection; those that read one task
// differently are not.
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

// contradict reports whether a task was read differently.
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

// contentSum is a hash of all that a collection was read as; "" where that is not
// recorded.
func contentSum(b *results.Benchmark) string {
	if len(b.Content) == 0 {
		return ""
	}
	text, _ := json.Marshal(b.Content) // strings only, in the order of the tasks
	return disk.Sum(text)
}

// ContentText names the content of a benchmark, by a hash that a reader can compare.
func (b *Benchmark) ContentText() string {
	if sum := contentSum(&b.Benchmark); sum != "" {
		return words.Shorten(sum)
	}
	return words.Unrecorded
}
