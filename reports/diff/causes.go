package diff

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/runners/results"
)

// Cause is one possible reason why two sets of numbers differ.
type Cause struct {
	Name   string       `json:"name"`
	State  CauseState   `json:"state"`
	Differ []Difference `json:"differences,omitempty"` // if State is Differs
}

// CauseState is the knowledge about a cause.
type CauseState string

// The states of a cause.
const (
	Differs     CauseState = "differs"
	Same        CauseState = "same"
	NotRecorded CauseState = "not recorded" // by at least one side, and no known difference
)

// Difference is a setting with its values on both sides, and the systems that have them.
type Difference struct {
	What    string   `json:"what"` // "mini-mair", "train.lr"
	Before  string   `json:"before"`
	After   string   `json:"after"`
	Systems []string `json:"systems"`
}

// kind is a kind of cause, with the evidence that is compared: parts of the data, a record of the
// provenance, settings, and the fact of the kind's name.
type kind struct {
	name   string
	data   []string
	record func(*results.Trial) map[string]string
	keys   []string
}

// configuration is the kind of all settings that belong to no other kind.
const configuration = "model and training"

// measureVersion is the kind for the program that computed the numbers.
const measureVersion = "measure version"

// kinds lists the kinds, sorted by how often each is the reason and how much of the others it
// explains.
var kinds = []kind{
	{name: "data revision", data: []string{documents, candidates}},
	{name: "qrels", data: []string{judgments}},
	{name: "instruction text", data: []string{queries}, record: instructionTexts},
	{name: results.FactJoining, keys: []string{results.Interaction, results.Join, results.Concat, results.Prompts}},
	{name: results.FactLength, keys: []string{results.MaxQuery, results.MaxDocument, results.TruncationSide}},
	{name: results.FactDtype, keys: []string{results.Precision}},
	{name: results.FactPooling, keys: []string{results.Pooling, results.PaddingSide}},
	{name: results.FactTies},
	{name: "chunk", record: chunk},
	{name: measureVersion, record: programVersion},
	{name: configuration},
	{name: "seeds"},
	{name: results.FactWeights, record: weights},
	{name: machines, record: machineSettings},
}

// instructionTexts returns the texts of each query.
func instructionTexts(t *results.Trial) map[string]string {
	out := map[string]string{}
	for _, q := range t.Queries {
		out[q.Benchmark+"/"+q.Task+", query "+q.Query] = strings.Join([]string{q.Text, q.Instruction, q.Changed}, " | ")
	}
	return out
}

// weights returns the hash of the weights that an evaluation read; settings contain it too.
func weights(t *results.Trial) map[string]string {
	if sum := t.Config[results.Weights]; sum != "" && t.Config[results.Loss] == "" {
		return map[string]string{"SHA-256": sum}
	}
	return nil
}

// chunk returns how many sequences were trained at a time if memory ran out.
func chunk(t *results.Trial) map[string]string {
	if t.Provenance.Infbench == "" {
		return nil
	}
	if c := t.Provenance.Chunk; c > 0 {
		return map[string]string{"sequences at a time": fmt.Sprintf("%d, as memory ran out", c)}
	}
	return map[string]string{"sequences at a time": "as set"}
}

// programVersion identifies the program that computed the measures.
func programVersion(t *results.Trial) map[string]string {
	p := t.Provenance
	if p.Infbench == "" {
		return nil
	}
	out := map[string]string{programName: p.Infbench}
	if p.Source != "" {
		out[programSources] = p.Source
	}
	return out
}

// Names of a program's version. programSources distinguishes builds of one version.
const (
	programName    = "infbench"
	programSources = "sources"
)

// keepComparable reduces two programs to comparable evidence: the hashes of their sources if both
// are known, since a version also changes for other reasons.
func keepComparable(was, is map[string]string) {
	key := programName
	if was[programSources] == "" || is[programSources] == "" {
		key = programSources
	} else if was[programSources] != is[programSources] {
		return
	}
	delete(was, key)
	delete(is, key)
}

// tellsSources reports whether a trial's record of its program identifies the sources: it has their
// hash, or the revision of an unchanged tree.
func tellsSources(t *results.Trial) bool {
	_, err := hex.DecodeString(t.Provenance.Infbench)
	return t.Provenance.Source != "" || err == nil
}

// machines is the kind for the machine and the libraries other than infbench.
const machines = "machine and libraries"

// carried reports whether a trial comes from a page, which records little about its machine.
func carried(t *results.Trial) bool { return t.Provenance.CPU == "" && len(t.Provenance.Modules) == 0 }

// keepShared keeps the keys that both sides have.
func keepShared(was, is map[string]string) {
	maps.DeleteFunc(was, func(key, _ string) bool { _, ok := is[key]; return !ok })
	maps.DeleteFunc(is, func(key, _ string) bool { _, ok := was[key]; return !ok })
}

func machineSettings(t *results.Trial) map[string]string {
	p := t.Provenance
	if p.Go == "" {
		return nil // imports and pages of imports have no such records
	}
	out := map[string]string{"Go": p.Go, "backend": p.Backend}
	if p.CPU != "" || p.OS != "" {
		out["system"], out["processor"] = p.OS, p.CPU
	}
	for name, version := range p.Modules {
		out[name] = version
	}
	return out
}

// settings returns the settings of a configuration that belong to a kind, without the seed: seeds
// are runs of one system.
func (k kind) settings(c results.Config) map[string]string {
	out := map[string]string{}
	for key, value := range c {
		switch {
		case key == results.Seed:
		case slices.Contains(k.keys, key), k.name == configuration && !hasKind(key):
			out[key] = value
		}
	}
	return out
}

// hasKind reports whether a key of the configuration belongs to a specific kind.
func hasKind(key string) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return slices.Contains(k.keys, key) })
}

// seeds lists the seeds of a system's trials.
func seeds(s *scores.System) map[string]string {
	var all []string
	for _, t := range s.Trials {
		if seed := t.Config[results.Seed]; seed != "" {
			all = words.AddNew(all, seed)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	return map[string]string{results.Seed: strings.Join(all, ", ")}
}

// differencesShown limits the listed settings of a cause.
const differencesShown = 60

// Causes lists the differences of the two sets by kind, from the first trial of each matched
// system. facts has further facts of trials, by ID.
func (c *Changes) Causes(facts map[string]results.Facts) []Cause {
	var out []Cause
	for _, k := range kinds {
		cause := Cause{Name: k.name, State: NotRecorded}
		known, gaps := false, false
		for _, p := range c.systems {
			if p.before != nil && p.after != nil {
				recorded, missing := cause.compare(k, p, facts)
				known, gaps = known || recorded, gaps || missing
			}
		}
		switch {
		case len(cause.Differ) > 0:
			cause.State = Differs
		case known && !gaps:
			cause.State = Same
		}
		out = append(out, cause)
	}
	return out
}

// compare notes the differences of one kind between a system before and after. recorded reports
// whether both sides have evidence of the kind; missing reports whether one side lacks evidence
// needed to call them the same. A setting that only one configuration has is a difference; other
// evidence that only one side has is not.
func (c *Cause) compare(k kind, p systemPair, facts map[string]results.Facts) (recorded, missing bool) {
	a, b := &p.before.Trials[0].Trial, &p.after.Trials[0].Trial
	name := p.after.Label
	if k.data != nil {
		recorded, missing = c.data(p, k.data...)
	}
	both := func(was, is map[string]string) {
		if len(was) > 0 && len(is) > 0 {
			recorded = true
			c.add(name, was, is)
		}
	}
	if k.record != nil {
		was, is := k.record(a), k.record(b)
		if k.name == measureVersion {
			missing = missing || !tellsSources(a) || !tellsSources(b)
			keepComparable(was, is)
		}
		if k.name == machines && carried(a) != carried(b) {
			missing = true
			keepShared(was, is)
		}
		both(was, is)
	}
	if k.name == "seeds" {
		both(seeds(p.before), seeds(p.after))
	}
	if was, ok := facts[a.ID][k.name]; ok {
		if is, ok := facts[b.ID][k.name]; ok {
			both(map[string]string{k.name: was}, map[string]string{k.name: is})
		}
	}
	was, is := k.settings(a.Config), k.settings(b.Config)
	if k.name == configuration || k.name == results.FactWeights {
		missing = missing || a.Config.HasUnknownWeights() || b.Config.HasUnknownWeights()
	}
	if missing {
		delete(was, results.Weights)
		delete(is, results.Weights)
	}
	if len(a.Config) > 0 && len(b.Config) > 0 && len(was)+len(is) > 0 {
		recorded = true
		c.add(name, was, is)
	}
	return recorded, missing
}

// add notes the differences of a system.
func (c *Cause) add(system string, was, is map[string]string) {
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
		if a != b || hasA != hasB {
			c.note(system, words.Clean(key), shown(a, b, hasA), shown(b, a, hasB))
		}
	}
}

// shown returns the value of a side from the first difference to the other side on.
func shown(value, other string, has bool) string {
	if !has {
		return words.UnsetMark
	}
	return firstDifference(words.Clean(value), words.Clean(other))
}

// note adds a difference, or adds a system to a known difference.
func (c *Cause) note(system, what, before, after string) {
	i := slices.IndexFunc(c.Differ, func(d Difference) bool { return d.What == what && d.Before == before && d.After == after })
	if i < 0 {
		if len(c.Differ) >= differencesShown {
			return
		}
		i = len(c.Differ)
		c.Differ = append(c.Differ, Difference{What: what, Before: before, After: after})
	}
	c.Differ[i].Systems = append(c.Differ[i].Systems, system)
}

// words describes a difference.
func (d Difference) words(all int) string {
	return fmt.Sprintf("%s: %q, before %q", d.What, d.After, d.Before) + d.suffix(all)
}
