package diff

import (
	"fmt"
	"slices"
	"strings"

	"infbench/bench/results"
	"infbench/reports/scores"
	"infbench/reports/words"
)

// Cause is one thing that may make two sets of numbers differ.
type Cause struct {
	Name   string       `json:"name"`
	State  CauseState   `json:"state"`
	Differ []Difference `json:"differences,omitempty"` // where State is Differs
}

// CauseState says what is known of a cause.
type CauseState string

// The states of a cause.
const (
	Differs     CauseState = "differs"
	Same        CauseState = "same"
	NotRecorded CauseState = "not recorded" // by at least one side, and no difference otherwise
)

// Difference is a setting with its values on both sides, for the systems that
// have them.
type Difference struct {
	What    string   `json:"what"` // "mini-mair", "train.lr"
	Before  string   `json:"before"`
	After   string   `json:"after"`
	Systems []string `json:"systems"`
}

// Facts are what a trial's folder says beyond what results hold, by name: those
// below, and any other.
type Facts map[string]string

// Names of facts. Each belongs to the cause of its name.
const (
	FactJoining = "joining order" // how instruction and query make one text
	FactLength  = "max length"
	FactDtype   = "dtype"
	FactPooling = "pooling"
	FactTies    = "tie policy"
	FactWeights = "weights" // SHA-256
)

// kindsOfCause are what is asked, in the order of how often it is the reason and
// how much of the rest it explains. Each lists the settings that a trial has of it;
// prefixes name keys of the configuration.
var kindsOfCause = []struct {
	name     string
	settings func(*results.Trial, Facts) map[string]string
	keys     []string
}{
	{name: "data revision", settings: dataRevisions},
	{name: "qrels", settings: taskNotes},
	{name: "instruction text", settings: instructionTexts},
	{name: FactJoining, keys: []string{"interaction", "design.interaction"}},
	{name: FactLength, keys: []string{"train.max_length", "max_length", "design.max_tokens"}},
	{name: FactDtype, keys: []string{"train.precision", "dtype"}},
	{name: FactPooling, keys: []string{"design.pooling", "pooling"}},
	{name: FactTies, keys: []string{"ties"}},
	{name: "measure version", settings: programVersion},
	{name: "model and training"}, // all keys that no other has
	{name: FactWeights},
	{name: "machine and libraries", settings: machineSettings},
}

// dataRevisions are what pins each benchmark.
func dataRevisions(t *results.Trial, _ Facts) map[string]string {
	out := map[string]string{}
	for _, b := range t.Provenance.Benchmarks {
		out[b.Name] = b.Revision
	}
	return out
}

// taskNotes say by which judgments and protocol a task is scored.
func taskNotes(t *results.Trial, _ Facts) map[string]string {
	out := map[string]string{}
	for _, b := range t.Provenance.Benchmarks {
		for task, notes := range b.Tasks {
			out[b.Name+"/"+task] = notes
		}
	}
	return out
}

// instructionTexts are the texts of each query.
func instructionTexts(t *results.Trial, _ Facts) map[string]string {
	out := map[string]string{}
	for _, q := range t.Queries {
		out[q.Benchmark+"/"+q.Task+", query "+q.Query] = strings.Join([]string{q.Text, q.Instruction, q.Changed}, " | ")
	}
	return out
}

// programVersion is what computed the measures.
func programVersion(t *results.Trial, _ Facts) map[string]string {
	if t.Provenance.Infbench == "" {
		return nil
	}
	return map[string]string{"infbench": t.Provenance.Infbench}
}

func machineSettings(t *results.Trial, _ Facts) map[string]string {
	p := t.Provenance
	if p.Go == "" {
		return nil // a report carries nothing of it
	}
	out := map[string]string{"Go": p.Go, "system": p.OS, "processor": p.CPU, "backend": p.Backend, "SIMD": fmt.Sprint(p.SIMD)}
	for name, version := range p.Modules {
		out[name] = version
	}
	return out
}

// settingsOf lists the settings of a trial that belong to a cause.
func settingsOf(i int, t *results.Trial, facts Facts) map[string]string {
	kind := kindsOfCause[i]
	if kind.settings != nil {
		return kind.settings(t, facts)
	}
	out := map[string]string{}
	if text, ok := facts[kind.name]; ok {
		out[kind.name] = text
	}
	rest := kind.name == "model and training"
	for key, value := range t.Config {
		if key != scores.SeedKey && (slices.Contains(kind.keys, key) || rest && !hasCause(key)) {
			out[key] = value
		}
	}
	return out
}

// hasCause reports whether a key of the configuration belongs to a cause of its
// own.
func hasCause(key string) bool {
	for _, kind := range kindsOfCause {
		if slices.Contains(kind.keys, key) {
			return true
		}
	}
	return false
}

// differencesShown bounds the settings that a cause lists.
const differencesShown = 10

// Causes says what of the two sets differs, the first cause of each matched
// system first. facts holds what is known of a trial by its ID.
func (c *Changes) Causes(facts map[string]Facts) []Cause {
	var out []Cause
	for i, kind := range kindsOfCause {
		cause := Cause{Name: kind.name, State: Same}
		recorded := false
		for _, p := range c.systems {
			if p.before == nil || p.after == nil {
				continue
			}
			a, b := &p.before.Trials[0].Trial, &p.after.Trials[0].Trial
			was, is := settingsOf(i, a, facts[a.ID]), settingsOf(i, b, facts[b.ID])
			recorded = recorded || len(was) > 0 && len(is) > 0
			cause.add(p.after.Label, was, is)
		}
		switch {
		case len(cause.Differ) > 0:
			cause.State = Differs
		case !recorded:
			cause.State = NotRecorded
		}
		out = append(out, cause)
	}
	return out
}

// add notes what differs for a system.
func (c *Cause) add(system string, was, is map[string]string) {
	if len(was) == 0 || len(is) == 0 {
		return // one side says nothing of it, which is no difference
	}
	all := map[string]bool{}
	for key := range was {
		all[key] = true
	}
	for key := range is {
		all[key] = true
	}
	for _, key := range words.SortedKeys(all) {
		a, hasA := was[key]
		b, hasB := is[key]
		if a == b && hasA == hasB {
			continue
		}
		shownA, shownB := firstDifference(words.Clean(a), words.Clean(b)), firstDifference(words.Clean(b), words.Clean(a))
		if !hasA {
			shownA = words.UnsetMark
		}
		if !hasB {
			shownB = words.UnsetMark
		}
		i := slices.IndexFunc(c.Differ, func(d Difference) bool { return d.What == words.Clean(key) && d.Before == shownA && d.After == shownB })
		if i < 0 && len(c.Differ) >= differencesShown {
			continue
		}
		if i < 0 {
			i = len(c.Differ)
			c.Differ = append(c.Differ, Difference{What: words.Clean(key), Before: shownA, After: shownB})
		}
		c.Differ[i].Systems = append(c.Differ[i].Systems, system)
	}
}

// words is a difference in words.
func (d Difference) words(all int) string {
	text := fmt.Sprintf("%s: %q, before %q", d.What, d.After, d.Before)
	if len(d.Systems) < all {
		text += " (" + d.Systems[0]
		if n := len(d.Systems) - 1; n > 0 {
			text += " and " + words.Plural(n, "other", "others")
		}
		text += ")"
	}
	return text
}
