package reports

import (
	"fmt"
	"slices"
	"strings"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// recipeID is the ID of the section, and the prefix of the IDs of its parts.
const recipeID = "recipe"

// recipeSections shows how systems were trained and run.
func recipeSections(r *Report) ([]section.Section, error) {
	if r.Asked {
		return nil, nil
	}
	return append(adaptiveSections(r.set, r.recipes), recipeSection(r.set, r.recipes)), nil
}

// recipeSection shows how systems were trained and run, so that others can repeat it: the
// settings that all share, those that differ, the experiment file as planned, hashes of
// the data and of the trained weights, and the commands. It is empty if nothing was run.
func recipeSection(v *scores.Set, exps []*results.Experiment) section.Section {
	s := section.Section{ID: recipeID, Title: "How it was run", Nav: "How it was run"}
	if len(v.Trials) == 0 {
		return s
	}
	if len(v.Trained()) > 0 {
		s.Title = "How it was trained"
		s.Nav = s.Title
	}
	s.Parts = []section.Section{
		{ID: recipeID + "-common", Title: "Settings that all trained systems share", Tables: section.Listed(commonSettings(v))},
		{ID: recipeID + "-varies", Title: "Settings that differ", Tables: section.Listed(varyingSettings(v))},
		{ID: recipeID + "-others", Title: "Systems not trained here", Folded: true, Tables: section.Listed(untrainedTable(v))},
	}
	s.Parts = append(s.Parts,
		section.Section{ID: recipeID + "-files", Title: "Experiment files", Intro: "As they were when the experiments were planned; each plan stores its own with a hash.", Parts: experimentFiles(exps), Source: section.OfRuns()},
		section.Section{ID: recipeID + "-inputs", Title: "Inputs and their hashes", Folded: true, Tables: section.Listed(inputTable(v)), Source: section.OfRuns()},
		section.Section{ID: recipeID + "-weights", Title: "Trained weights", Folded: true, Tables: section.Listed(weightTable(v)), Source: section.OfRuns()},
		section.Section{ID: recipeID + "-again", Title: "Commands to repeat it", Terms: repeatCommands(exps), Source: section.OfRuns()})
	return s
}

// commonSettings lists the settings that all trained systems share; nil if none was
// trained.
func commonSettings(v *scores.Set) *table.Table {
	trained := v.Trained()
	t := &table.Table{ID: recipeID + "-common-table", Title: "Common settings", Caption: "Settings by their keys in an experiment file; infbench list keys explains each.",
		Columns: []table.Column{{Name: "setting"}, {Name: "value"}, {Name: "key", Code: true}}}
	if len(trained) == 0 {
		return nil
	}
	for _, k := range results.Keys() {
		value, given := trained[0].Config()[k.Name]
		if !given || k.Name == results.Model || k.Name == results.Seed || scores.Varies(k.Name, trained) { // a trained model is given by its backbone
			continue
		}
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: k.Label}, {Text: withoutRoots(words.Clean(value))}, {Text: k.Name}}})
	}
	return t
}

// varyingSettings lists the trained systems by the settings in which they differ; nil if
// there are none.
func varyingSettings(v *scores.Set) *table.Table {
	trained := v.Trained()
	if len(trained) == 0 {
		return nil
	}
	t := &table.Table{ID: recipeID + "-varies-table", Title: "Settings that differ", Columns: []table.Column{{Name: "system"}}}
	var keys []results.Key
	for _, k := range results.Keys() {
		if k.Name != results.Seed && scores.Varies(k.Name, trained) {
			keys = append(keys, k)
			t.Columns = append(t.Columns, table.Column{Name: k.Label})
		}
	}
	t.Columns = append(t.Columns, table.Column{Name: "seeds"}, table.Column{Name: "records"}, table.Column{Name: "rows"}, table.Column{Name: "steps"})
	for _, s := range trained {
		row := table.Row{Entries: []table.Entry{{Text: s.Label}}}
		for _, k := range keys {
			row.Entries = append(row.Entries, settingOf(s, k.Name))
		}
		t.Rows = append(t.Rows, table.Row{Entries: append(row.Entries, append([]table.Entry{{Text: seedsOf(s)}}, amountEntries(s)...)...)})
	}
	dropEmpty(t)
	return t
}

// settingOf returns a setting of a system.
func settingOf(s *scores.System, key string) table.Entry {
	value, given := s.Config()[key]
	if !given {
		return table.Entry{Text: "not set", Tone: table.Absent}
	}
	return table.Entry{Text: words.Clean(value)}
}

// seedsOf lists the seeds of a system.
func seedsOf(s *scores.System) string {
	var seeds []string
	for _, t := range s.Trials {
		if seed := t.Config[results.Seed]; seed != "" {
			seeds = words.AddNew(seeds, words.Clean(seed))
		}
	}
	return words.Listed(seeds)
}

// amountEntries returns the records, rows and steps of training, if they were recorded.
func amountEntries(s *scores.System) []table.Entry {
	out := make([]table.Entry, 3)
	for i, of := range []func(*results.Trained) int{
		func(t *results.Trained) int { return t.Records }, func(t *results.Trained) int { return t.Rows }, func(t *results.Trained) int { return t.Steps },
	} {
		var counts []string
		for _, t := range s.Trials {
			if t.Provenance.Trained != nil {
				counts = words.AddNew(counts, words.Group(of(t.Provenance.Trained)))
			}
		}
		out[i].Text = words.Listed(counts)
	}
	return out
}

// dropEmpty removes the columns in which no row has a text.
func dropEmpty(t *table.Table) {
	for j := len(t.Columns) - 1; j > 0; j-- {
		if slices.ContainsFunc(t.Rows, func(r table.Row) bool { return r.Entries[j].Text != "" }) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, j, j+1)
		for i := range t.Rows {
			t.Rows[i].Entries = slices.Delete(t.Rows[i].Entries, j, j+1)
		}
	}
}

// untrainedTable lists the settings of the systems that were not trained here; nil if
// there are none.
func untrainedTable(v *scores.Set) *table.Table {
	t := &table.Table{ID: recipeID + "-others-table", Title: "Settings of systems not trained here", Columns: []table.Column{{Name: "system"}, {Name: "settings"}}}
	for _, s := range v.Systems {
		if s.Kind == table.Trained {
			continue
		}
		var said []string
		for _, k := range results.Keys() {
			if value, given := s.Config()[k.Name]; given && (k.Name != results.Model || s.Long != "") {
				said = append(said, k.Label+" "+words.Clean(value))
			}
		}
		text := strings.Join(said, "; ")
		if text == "" {
			text = "none"
		}
		t.Rows = append(t.Rows, table.Row{Kind: s.Kind, Entries: []table.Entry{{Text: s.Label}, {Text: text}}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// inputTable lists the inputs of trials with their hashes or revisions; nil if none was
// recorded.
func inputTable(v *scores.Set) *table.Table {
	t := &table.Table{ID: recipeID + "-inputs-table", Title: "Inputs", Caption: "Data and models with the hash or revision that identifies their content, or both. Trials with the same inputs are counted.",
		Columns: []table.Column{{Name: "input"}, {Name: "content", Code: true}, {Name: "trials", Number: true, Best: table.NoBest}}}
	type input struct{ name, content string }
	count := map[input]int{}
	var order []input
	for _, tr := range v.Trials {
		for _, name := range words.SortedKeys(tr.Provenance.Inputs) {
			in := input{withoutRoots(words.Clean(name)), words.Clean(tr.Provenance.Inputs[name])}
			order = words.AddNew(order, in)
			count[in]++
		}
	}
	for _, in := range order {
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: in.name}, {Text: in.content}, table.Number(fmt.Sprint(count[in]), float64(count[in]))}})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// weightTable lists the trained weights by their hashes; nil if nothing was trained.
func weightTable(v *scores.Set) *table.Table {
	t := &table.Table{ID: recipeID + "-weights-table", Title: "Weights", Caption: "SHA-256 of the weight file in the trial's folder; if there are several files, of their hashes.",
		Columns: []table.Column{{Name: "system"}, {Name: "seed"}, {Name: "trial", Code: true}, {Name: "SHA-256", Code: true}}}
	for _, s := range v.Trained() {
		for _, tr := range s.Trials {
			if tr.Weights != "" {
				t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: s.Label}, {Text: words.Clean(tr.Config[results.Seed])}, {Text: words.Clean(tr.ID)}, {Text: tr.Weights}}})
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
