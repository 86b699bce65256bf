package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"infbench/internal/words"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

// originSections describes how the numbers were made, so that others can reproduce them.
func originSections(r *Report) ([]section.Section, error) {
	s := section.Section{ID: "origin", Title: "How it was made", Nav: "How it was made"}
	v := r.set
	if len(v.Trials) == 0 {
		return []section.Section{s}, nil
	}
	s.Intro = "Differences: two-sided t tests. Queries are a sample within each task, tasks are fixed, and training runs are a sample of their system, not paired with other systems' runs. " +
		"The variance of runs is pooled over the trained systems of a column, unless a test (Bartlett) shows that it differs. Results of a system trained once hold for that run. " +
		"p-values are corrected by Holm over all comparisons with the reference on a benchmark, and for ranks over all pairs of systems in a column. Intervals next to corrected p-values are simultaneous 95% intervals."
	s.Parts = []section.Section{
		{ID: "data", Title: "Data", Folded: true, Tables: section.Listed(benchmarkTable(v))},
		submissionPart(v),
		{ID: "machines", Title: "Programs and machines", Folded: true, Intro: measured(daysOf(v)), Parts: machineSections(v), Source: section.OfRuns()},
		{ID: "trials", Title: "Trials", Folded: true, Tables: section.Listed(cellTable(v, r.options.Room)), Source: section.OfRuns()},
		{ID: "commands", Title: "The command that repeats each trial", Folded: true, Tables: section.Listed(commandTable(v, r.options.Room)), Source: section.OfRuns()},
	}
	return []section.Section{s}, nil
}

// Days are the first and the last UTC date on which trials were begun: "2026-11-27". Both are ""
// if no time was recorded.
type Days struct {
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
}

// String formats the days: "2026-11-27 to 2026-11-28", or one of them if they are equal.
func (d Days) String() string {
	if d.First == d.Last {
		return d.First
	}
	return d.First + " to " + d.Last
}

// daysOf returns the days of the trials of a set.
func daysOf(v *scores.Set) (d Days) {
	for _, t := range v.Trials {
		if t.Provenance.Started.IsZero() {
			continue
		}
		day := t.Provenance.Started.UTC().Format(time.DateOnly)
		if d.First == "" || day < d.First {
			d.First = day
		}
		d.Last = max(d.Last, day)
	}
	return d
}

// measured is the sentence on the days of a report; "" if they are not known.
func measured(d Days) string {
	if d == (Days{}) {
		return ""
	}
	return "Measured " + d.String() + "."
}

// machineSections describes each distinct combination of program and hardware.
func machineSections(v *scores.Set) []section.Section {
	var out []section.Section
	index, count := map[string]int{}, map[int]int{}
	for _, s := range v.Systems {
		for _, t := range s.Trials {
			if t.Provenance.Started.IsZero() {
				continue
			}
			m := machine(t)
			key := fmt.Sprint(m)
			if _, ok := index[key]; !ok {
				index[key] = len(out)
				m.ID = fmt.Sprintf("machines-%d", len(out)+1)
				m.Parts[0].ID = m.ID + "-libraries"
				out = append(out, m)
			}
			count[index[key]]++
		}
	}
	for i := range out {
		out[i].Title = words.Plural(count[i], "trial", "trials")
	}
	return out
}

// commandTable lists the command that repeats each trial; nil if none was recorded.
func commandTable(v *scores.Set, room int) *table.Table {
	t := &table.Table{ID: "commands-table", Title: "Commands", Columns: []table.Column{{Name: "system"}, {Name: "seed"}, {Name: "command", Code: true}}}
	for _, s := range v.Systems {
		for _, tr := range s.Trials {
			if tr.Provenance.Command != "" {
				t.Add(room, func() table.Row {
					return table.Row{Entries: []table.Entry{{Text: s.Label}, {Text: tr.Config[results.Seed]}, {Text: words.Clean(tr.Provenance.Command)}}}
				})
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// machine lists the provenance that can affect a trial's last digits or its speed.
func machine(t *scores.Trial) section.Section {
	p := t.Provenance
	m := section.Section{Terms: []section.Term{
		{Name: "infbench", Text: p.Infbench}, {Name: "Go", Text: p.Go}, {Name: "system", Text: p.OS}, {Name: "processor", Text: p.CPU},
		{Name: "cores", Text: fmt.Sprint(p.Cores)}, {Name: "backend", Text: p.Backend},
	}}
	if set := scores.BuildOf(&p).Kernels; set != "" {
		m.Terms = append(m.Terms, section.Term{Name: "kernels", Text: set})
	}
	if p.Source != "" {
		m.Terms = slices.Insert(m.Terms, 1, section.Term{Name: "sources", Text: p.Source})
	}
	if p.Address != "" {
		m.Terms = slices.Insert(m.Terms, 1, section.Term{Name: "address", Text: p.Address})
	}
	m.Terms = append(m.Terms, accelerator(p.Accelerator)...)
	for i := range m.Terms {
		m.Terms[i].Text = words.Clean(m.Terms[i].Text)
	}
	libraries := section.Section{Title: "Libraries", Folded: true}
	for _, name := range words.SortedKeys(p.Modules) {
		libraries.Notes = append(libraries.Notes, words.Clean(name+" "+p.Modules[name]))
	}
	m.Parts = []section.Section{libraries}
	return m
}

// accelerator describes an accelerator and the resources used; nil if there was none.
func accelerator(a *results.Accelerator) (terms []section.Term) {
	if a == nil {
		return nil
	}
	add := func(name, text string) {
		if text != "" {
			terms = append(terms, section.Term{Name: name, Text: text})
		}
	}
	add("plugin", a.Plugin)
	add("plugin's SHA-256", a.PluginSum)
	add("PJRT", fmt.Sprintf("%s of the plugin, %s of go-xla %s", cmp.Or(a.PJRT, "unknown"), a.Header, a.GoXLA))
	add("XLA's flags", a.Flags)
	if a.CompileSeconds > 0 {
		compiling := words.Fixed(a.CompileSeconds, 1) + " s"
		if a.Programs > 0 {
			compiling += " for " + words.Plural(a.Programs, "program", "programs")
		}
		add("compiling", compiling)
	}
	if a.PeakMemory > 0 {
		add("card's memory", words.Fixed(float64(a.PeakMemory)/(1<<20), 0)+" MiB at most")
	}
	if a.Joules > 0 {
		add("card's energy", words.Fixed(a.Joules/1000, 1)+" kJ")
	}
	if a.Unchecked {
		add("self-test", "off: by a test of infbench itself")
	}
	return terms
}

// cellTable lists the finished trials with their cost.
func cellTable(v *scores.Set, room int) *table.Table {
	t := &table.Table{ID: "trials-table", Title: "Trials",
		Caption: "Wall-clock seconds, processor seconds of all cores together, and peak resident memory as each trial recorded them; an empty cell was not recorded. Times are UTC.",
		Columns: []table.Column{{Name: "system"}, {Name: "seed"}, {Name: "trial"}, {Name: "started"},
			{Name: "train s", Number: true}, {Name: "evaluate s", Number: true}, {Name: "total s", Number: true}, {Name: "total CPU s", Number: true}, {Name: "peak MiB", Number: true}}}
	for _, s := range v.Systems {
		for _, tr := range s.Trials {
			if tr.Finished() {
				t.Add(room, func() table.Row { return cellRow(s, tr) })
			}
		}
	}
	return t
}

// cellRow returns the row of a trial in the table of trials.
func cellRow(s *scores.System, tr *scores.Trial) table.Row {
	p := &tr.Provenance
	started := ""
	if !p.Started.IsZero() {
		started = p.Started.UTC().Format(time.DateTime)
	}
	memory := table.Entry{}
	if p.PeakRSS > 0 {
		mib := float64(p.PeakRSS) / (1 << 20)
		memory = table.Number(words.Fixed(mib, 0), mib)
	}
	return table.Row{Kind: s.Kind, Entries: []table.Entry{
		{Text: s.Label}, {Text: tr.Config[results.Seed]}, {Text: words.Shorten(tr.ID)}, {Text: started},
		seconds(p.Seconds, "train"), seconds(p.Seconds, "evaluate"), seconds(p.Seconds, "total"), seconds(p.CPUSeconds, "total"), memory}}
}

// seconds returns the time of a phase, empty if it was not run.
func seconds(all map[string]float64, phase string) table.Entry {
	s, ok := all[phase]
	if !ok {
		return table.Entry{}
	}
	return table.Number(words.Fixed(s, 1), s)
}

// benchmarkTable lists the revision and content of each benchmark, and its tasks.
func benchmarkTable(v *scores.Set) *table.Table {
	t := &table.Table{ID: "benchmarks", Title: "Benchmarks",
		Columns: []table.Column{{Name: "benchmark"}, {Name: "data"}, {Name: "source"}, {Name: "revision"}, {Name: "content"}, {Name: "licence"}, {Name: "tasks"}}}
	seen := map[string]bool{}
	for _, s := range v.Slots {
		if seen[s.Benchmark] {
			continue
		}
		seen[s.Benchmark] = true
		b := v.Benchmarks[s.Benchmark]
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: s.Benchmark}, {Text: string(b.Realm())}, {Text: b.Source},
			{Text: b.Revision}, {Text: b.ContentText()}, {Text: b.Licence}, {Text: strings.Join(v.Columns(s.Benchmark).Tasks(), ", ")}}})
	}
	return t
}
