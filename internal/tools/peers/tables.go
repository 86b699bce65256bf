package main

import (
	"fmt"
	"io"
	"strings"

	"infbench/reports/table"
	"infbench/reports/terminal"
)

// print writes the tables for a terminal.
func (r *record) print(w io.Writer) error {
	screen := terminal.On(w)
	lines := append([]string{""}, screen.Lines("", r.caption())...)
	for _, t := range r.tables() {
		lines = append(append(lines, ""), screen.Table(t)...)
	}
	for _, note := range r.notes() {
		lines = append(lines, screen.Lines("note: ", note)...)
	}
	for _, row := range r.missed() {
		lines = append(lines, screen.Lines("missed: ", row)...)
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// markdown formats a record for docs/performance.md.
func (r *record) markdown() (string, error) {
	parts := []string{r.caption() + ":\n"}
	for _, t := range r.tables() {
		text, err := table.MarkdownTable(t)
		if err != nil {
			return "", err
		}
		parts = append(parts, text)
	}
	var notes []string
	for _, note := range r.notes() {
		notes = append(notes, strings.ToUpper(note[:1])+note[1:]+".")
	}
	parts = append(parts, "("+strings.Join(notes, " ")+")\n")
	if missed := r.missed(); len(missed) > 0 {
		parts = append(parts, "Missed goals: "+strings.Join(missed, "; ")+".\n")
	}
	return strings.Join(parts, "\n"), nil
}

// caption names the machine and settings of the figures.
func (r *record) caption() string {
	text := fmt.Sprintf("%s, %d of %d cores, kernels %s, %s, %s; medians of %d turns", r.Machine.Processor, r.Machine.Threads, r.Machine.Cores,
		r.Machine.Kernels, r.Machine.Go, r.Machine.System, r.Runs)
	if r.Small {
		text += "; TINY INPUTS, the figures mean nothing"
	}
	return text
}

// tables returns the tables with and without peers that have rows.
func (r *record) tables() (all []*table.Table) {
	if len(r.Lines) > 0 {
		all = append(all, r.linesTable())
	}
	if len(r.Own) > 0 {
		all = append(all, r.ownTable())
	}
	return all
}

func (r *record) linesTable() *table.Table {
	t := columns("work", "", "ours", "s", "peer's", "s", "time, ours to peer's", "s", "goal", "s", "MiB, ours", "s", "peer's", "s", "peer", "")
	for _, l := range r.Lines {
		peer := l.Why
		if l.Theirs != nil {
			peer = l.Theirs.name()
		} else if l.Why != "" {
			peer = "not run: " + l.Why
		}
		ratio, goal := "–", "–"
		if l.Ratio != nil {
			ratio = fmt.Sprintf("%.2f [%.2f, %.2f]", l.Ratio.Median, l.Ratio.Least, l.Ratio.Most)
		}
		if l.Goal > 0 {
			goal = fmt.Sprintf("%.2f", l.Goal)
		}
		addRow(t, l.Work, l.Ours.time(), l.Theirs.time(), ratio, goal, l.Ours.memory(), l.Theirs.memory(), peer)
	}
	return t
}

func (r *record) ownTable() *table.Table {
	t := columns("work that no peer does", "", "time", "s", "MiB", "s", "a tenth of it: time", "s", "MiB", "s", "growth of time", "s", "of memory", "s")
	for _, o := range r.Own {
		work, growth, memory := o.Work, "–", "–"
		if o.Why != "" {
			work += " (not run: " + o.Why + ")"
		}
		if g := o.growth(); g > 0 {
			growth, memory = fmt.Sprintf("%.1f ×", g), fmt.Sprintf("%.1f ×", median(o.All.MiB)/median(o.Less.MiB))
		}
		addRow(t, work, o.All.time(), o.All.memory(), o.Less.time(), o.Less.memory(), growth, memory)
	}
	return t
}

// notes lists the explanations of the rows, each once.
func (r *record) notes() []string {
	notes := []string{
		"Time is the ratio of medians and the range of the turns' ratios, below 1 if ours is faster; memory is the peak of a process",
	}
	for _, l := range r.Lines {
		if l.Note != "" && notes[len(notes)-1] != l.Note {
			notes = append(notes, l.Note)
		}
	}
	return notes
}

// columns makes a table with heads; a non-empty string after a head makes it a column of
// numbers.
func columns(pairs ...string) *table.Table {
	t := &table.Table{}
	for i := 0; i < len(pairs); i += 2 {
		t.Columns = append(t.Columns, table.Column{Name: pairs[i], Number: pairs[i+1] != ""})
	}
	return t
}

func addRow(t *table.Table, texts ...string) {
	entries := make([]table.Entry, len(texts))
	for i, text := range texts {
		entries[i].Text = text
	}
	t.Rows = append(t.Rows, table.Row{Entries: entries})
}

// time is the median time, with three digits.
func (f *figures) time() string {
	if f == nil {
		return "–"
	}
	if s := median(f.Seconds); s < 0.1 {
		return fmt.Sprintf("%.3g ms", 1000*s)
	}
	return fmt.Sprintf("%.3g s", median(f.Seconds))
}

// memory is the median peak in MiB.
func (f *figures) memory() string {
	if f == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f", median(f.MiB))
}

// String describes a turn.
func (c *child) String() string {
	var parts []string
	for _, name := range sortedKeys(c.Seconds) {
		parts = append(parts, fmt.Sprintf("%s %.4g s", name, median(c.Seconds[name])))
	}
	return fmt.Sprintf("%s, %.0f MiB", strings.Join(parts, ", "), c.mib)
}
