package runs

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"infbench/datasets"
	"infbench/datasets/hub"
	"infbench/internal/disk"
	"infbench/runners/results"
	"infbench/runners/spec"
	"infbench/training/encoder"
)

// LoadAll loads the named run folders, or all below runs/, with the numbers of parameters of
// their models. RUN:SYSTEM names one system of a folder.
func LoadAll(dirs []string) ([]*results.Experiment, error) {
	dirs, err := NamedOrAll(dirs)
	if err != nil {
		return nil, err
	}
	var exps []*results.Experiment
	for _, name := range dirs {
		dir, system := Split(name)
		exp, err := At(dir).Reader().Load()
		if err == nil && system != "" {
			err = At(dir).Reader().narrow(exp, system)
		}
		if err != nil {
			return nil, err
		}
		if err := addParameters(exp); err != nil {
			return nil, err
		}
		exps = append(exps, exp)
	}
	return exps, nil
}

// noteCards notes the models that are read as their cards say. It also notes that untrained
// models are not, because they are compared with cells that start from them.
func noteCards(exp *results.Experiment) {
	var said []string
	untrained := false
	for i := range exp.Trials {
		c := exp.Trials[i].Config
		untrained = untrained || c[results.Model] == spec.Untrained
		if card := c[results.Card]; card != "" {
			if note := fmt.Sprintf("%s is read as its card says (%s).", c[results.Model], card); !slices.Contains(said, note) {
				said = append(said, note)
			}
		}
	}
	if len(said) > 0 && untrained {
		said = append(said, spec.Untrained+" keeps the design of the trained cells, whatever a card says.")
	}
	exp.Notes = append(exp.Notes, said...)
}

// noteCoverage notes the trials that ranked only some queries of a task.
func noteCoverage(exp *results.Experiment) {
	for i := range exp.Trials {
		t := &exp.Trials[i]
		for _, c := range results.PartCovered(t.Results) {
			exp.Notes = append(exp.Notes, fmt.Sprintf("%s %s.", cmp.Or(t.Config[results.Model], t.ID), c))
		}
	}
}

// Config returns a trial's configuration as reports show it. The model of a trained trial is
// its backbone; a backbone from elsewhere is also named by its content.
func Config(t *spec.Trial) results.Config {
	c := results.Config(t.Cell.Settings())
	if label := t.DataLabel(); label != "" {
		c[results.Data] = label
	}
	if label := t.StepsOfLabel(); label != "" {
		c[results.StepsOf] = label
	}
	if t.Cell.Model == spec.Trained {
		c[results.Model] = t.Cell.Backbone
	}
	for _, key := range []string{results.Model, results.Backbone, results.First} {
		if name, ok := c[key]; ok {
			c[key], _ = spec.Snapshot(name)
		}
	}
	var read, cards []string
	for _, r := range t.Revisions {
		switch {
		case strings.HasPrefix(r.Name, spec.BackboneInput), strings.HasPrefix(r.Name, spec.ModelInput):
			read = append(read, strings.TrimPrefix(r.Revision, "sha256:"))
		case strings.HasPrefix(r.Name, spec.CardInput):
			cards = append(cards, r.Revision)
		}
	}
	if sum := results.WeightsOf(read); sum != "" {
		c[results.Weights] = sum
	}
	if len(cards) > 0 {
		c[results.Card] = strings.Join(cards, "+")
	}
	return c
}

// FolderOf returns the folder of a trial in an experiment. An evaluation is its own trial.
func FolderOf(exp *results.Experiment, t *results.Trial) (results.Folder, error) {
	at := At(exp.Dir).Trial(t.ID)
	there, err := disk.Exists(at.Dir)
	if !there {
		at = results.At(exp.Dir)
	}
	return at, err
}

// addParameters adds the number of parameters in use to the trials of an experiment if the
// weights still exist. It reads each backbone once, because all its trials have the same
// number.
func addParameters(exp *results.Experiment) error {
	known := map[string]int64{}
	for i := range exp.Trials {
		t := &exp.Trials[i]
		if t.State != results.Done {
			continue
		}
		at, err := FolderOf(exp, t)
		if err != nil {
			return err
		}
		folder := at.Model()
		if t.Config[results.Loss] == "" {
			folder = t.Config[results.Model] // of an evaluation: a folder, or a name that is not one
		}
		backbone := cmp.Or(t.Config[results.Backbone], folder)
		if _, seen := known[backbone]; !seen {
			if err := results.Hold(folder); err != nil {
				return err
			}
			if encoder.IsAdapter(folder) {
				base, _, err := encoder.AdapterBase(folder)
				if err != nil || !strings.HasPrefix(base, ".") {
					continue // of the hub: unknown, as below
				}
				folder = filepath.Join(disk.RealPath(folder), base)
			}
			found, err := encoder.Inspect(folder)
			if err != nil {
				continue // unknown, which the report shows
			}
			known[backbone] = found.Parameters
		}
		t.Parameters = known[backbone]
	}
	return nil
}

// AddTies computes the effect of ties on each trial's p-MRR from its saved rankings.
func AddTies(exps []*results.Experiment) error {
	for _, exp := range exps {
		if exp.Dir == "" {
			continue // read from an HTML report
		}
		for i := range exp.Trials {
			t := &exp.Trials[i]
			if t.State != results.Done {
				continue
			}
			at, err := FolderOf(exp, t)
			if err != nil {
				return err
			}
			if t.Ties, err = at.Reader().Ties(t.Results); err != nil {
				return err
			}
		}
	}
	return nil
}

// conceal removes the query texts of a trial that have become private since it ran.
func conceal(t *results.Trial, private hub.Private) {
	for i := range t.Queries {
		q := &t.Queries[i]
		b := slices.IndexFunc(t.Provenance.Benchmarks, func(b results.Benchmark) bool { return b.Name == q.Benchmark })
		if b < 0 || !datasets.HasPrivateContent(private, t.Provenance.Benchmarks[b].Path, t.Provenance.Benchmarks[b].Content[q.Task]) {
			continue
		}
		q.Text, q.Instruction, q.Changed = "", "", ""
		for k := range q.Documents {
			q.Documents[k].Title, q.Documents[k].Text = "", ""
		}
	}
}

// askedAtMost is the largest number of trials whose single queries a page shows.
const askedAtMost = 60

// AddQueries reads the query records of trials. It takes one trial from each group that differs
// only in the seed, and at most as many trials as a page can show.
func AddQueries(exps []*results.Experiment) error {
	seen := map[string]bool{}
	private, err := hub.ReadPrivate()
	if err != nil {
		return err
	}
	for _, exp := range exps {
		if exp.Dir == "" {
			continue // read from an HTML report
		}
		for i := range exp.Trials {
			t := &exp.Trials[i]
			if t.State != results.Done || len(seen) >= askedAtMost {
				continue
			}
			var system strings.Builder
			for _, key := range slices.Sorted(maps.Keys(t.Config)) {
				if key != results.Seed {
					system.WriteString(key + "\x00" + t.Config[key] + "\x00")
				}
			}
			if seen[system.String()] {
				continue
			}
			seen[system.String()] = true
			at, err := FolderOf(exp, t)
			if err != nil {
				return err
			}
			if t.Queries, err = at.Reader().Queries(); err != nil {
				return err
			}
			conceal(t, private)
		}
	}
	return nil
}
