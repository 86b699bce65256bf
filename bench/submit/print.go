package submit

import (
	"fmt"
	"io"
	"strings"

	"infbench/bench/output"
	"infbench/internal/words"
	"infbench/reports/table"
	"infbench/reports/terminal"
	"infbench/runners/results"
)

// formats are the values of --format.
var formats = []string{"text", "json", "markdown"}

// Summary is the result for all checked submissions. Its texts are unescaped; code that prints
// them must escape them.
type Summary struct {
	Format      string   `json:"format"`
	Accepted    int      `json:"accepted"`
	Refused     int      `json:"refused"`
	Unchanged   []string `json:"unchanged"` // submissions that are published with the same files
	Faults      []Fault  `json:"faults"`    // faults of other files next to submissions
	Submissions []Report `json:"submissions"`
}

// summaryFormat identifies the JSON format of a Summary.
const summaryFormat = "infbench-submission-check/1"

// summaryOf collects the results.
func summaryOf(done []*checked, all *found) *Summary {
	out := &Summary{Format: summaryFormat, Unchanged: []string{}, Faults: append([]Fault{}, all.faults...), Submissions: []Report{}, Refused: len(all.faults)}
	for _, at := range all.skipped {
		out.Unchanged = append(out.Unchanged, at.dir)
	}
	for _, s := range done {
		r := s.report()
		out.Submissions = append(out.Submissions, r)
		if r.Accepted {
			out.Accepted++
		} else {
			out.Refused++
		}
	}
	return out
}

// report is the result for a submission.
func (s *checked) report() Report {
	r := Report{Folder: s.place.dir, System: strings.Replace(s.place.org, "__", "/", 1), Revision: s.place.folder, Standing: s.standing(), Accepted: s.passes(),
		Replaced: s.replacedBy, Faults: append([]Fault{}, s.faults.list()...), Notes: append([]string{}, s.notes...), Tasks: []TaskReport{}}
	if s.declaration == nil {
		return r
	}
	for _, at := range s.tasks() {
		r.Tasks = append(r.Tasks, s.taskReport(at))
	}
	return r
}

// taskReport is the result for a task of a submission.
func (s *checked) taskReport(at taskName) TaskReport {
	t := TaskReport{Benchmark: at.benchmark, Task: at.task, Standing: results.Claimed, Numbers: []Number{}}
	if b := s.benches[at.benchmark]; b != nil {
		task := b.task(at.task)
		t.Queries, t.Lacking = len(units(task)), s.countMissing(at, task)
	}
	claimed := map[scoring]*float64{}
	for _, r := range s.means(at) {
		claimed[scoring{side: r.Side, measure: r.Measure}] = r.Value
	}
	if r := s.runs[at]; r != nil {
		t.Standing = results.Recomputed
		var all []map[scoring]*float64
		for _, one := range r.seeds() {
			all = append(all, valuesOf(one.results))
		}
		computed := meanOverSeeds(all)
		for _, values := range results.ByScoring(r.results) {
			column := scoring{side: values[0].Side, measure: values[0].Measure}
			t.Numbers = append(t.Numbers, Number{Side: string(column.side), Measure: column.measure, Claimed: claimed[column], Computed: computed[column]})
		}
		return t
	}
	for _, r := range s.means(at) {
		t.Numbers = append(t.Numbers, Number{Side: string(r.Side), Measure: r.Measure, Claimed: r.Value})
	}
	return t
}

// print prints the summary in one of the formats.
func (s *Summary) print(w io.Writer, format string) error {
	switch format {
	case "json":
		return output.WriteJSON(w, s)
	case "markdown":
		return s.markdown(w)
	}
	return s.text(w)
}

// verdict summarises a submission in one line.
func (r *Report) verdict() string {
	name := words.Clean(r.System + " " + r.Revision)
	switch {
	case !r.Accepted:
		return fmt.Sprintf("%s: refused, %s", name, words.Plural(len(r.Faults), "fault", "faults"))
	case r.Replaced != "":
		return fmt.Sprintf("%s: accepted, %s; not shown: revision %s replaces it", name, r.Standing, words.Clean(r.Replaced))
	}
	return fmt.Sprintf("%s: accepted, %s", name, r.Standing)
}

// text prints the summary for a terminal or a job log: faults have the format of compiler
// errors.
func (s *Summary) text(w io.Writer) error {
	p, screen := table.Printer{W: w}, terminal.On(w)
	line := func(lead, text string) { p.Keep(screen.Print(lead, text)) }
	for _, f := range s.Faults {
		line("", f.String())
	}
	for i := range s.Submissions {
		r := &s.Submissions[i]
		line("", r.verdict())
		for _, f := range r.Faults {
			line("", f.String())
		}
		for _, note := range r.Notes {
			line("note: ", note)
		}
		if numbers := r.sheet(); len(numbers.Rows) > 0 {
			p.Keep(numbers.WriteTable(w))
		}
	}
	p.Line(s.closing())
	return p.Err
}

// closing is the last line, with counts.
func (s *Summary) closing() string {
	out := fmt.Sprintf("accepted: %d; refused: %d", s.Accepted, s.Refused)
	if n := len(s.Unchanged); n > 0 {
		out += fmt.Sprintf("; already published: %d", n)
	}
	return out
}

// sheet lists the numbers of a submission.
func (r *Report) sheet() output.Sheet {
	out := output.Sheet{Head: []string{"task", "standing", "number", "claimed ×100", "computed ×100", "queries", "lacking"}, Left: 3}
	for _, t := range r.Tasks {
		for _, n := range t.Numbers {
			out.Rows = append(out.Rows, []string{t.Benchmark + "/" + t.Task, string(t.Standing), strings.TrimSpace(n.Measure + " " + n.Side), decimals(n.Claimed), decimals(n.Computed),
				count(t.Queries), count(t.Lacking)})
		}
	}
	return out
}

// decimals formats a value times 100 with the decimals that are compared; "" if there is none.
func decimals(v *float64) string {
	if v == nil {
		return ""
	}
	return words.PercentExact(*v)
}

// count formats a number; "" for 0.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// markdown prints the summary for a pull request.
func (s *Summary) markdown(w io.Writer) error {
	p := table.Printer{W: w}
	p.Line("## Submissions\n")
	p.Line(s.closing())
	bullets(&p, s.Faults)
	for i := range s.Submissions {
		r := &s.Submissions[i]
		p.Line("\n### " + table.MarkdownText(r.verdict()) + "\n")
		bullets(&p, r.Faults)
		for _, note := range r.Notes {
			p.Line("- note: " + table.MarkdownText(note))
		}
		if numbers := r.sheet(); len(numbers.Rows) > 0 {
			text, err := asMarkdown(numbers)
			p.Keep(err)
			p.Line("\n" + text)
		}
	}
	return p.Err
}

// bullets lists faults.
func bullets(p *table.Printer, faults []Fault) {
	for _, f := range faults {
		p.Line("- **fault** " + table.MarkdownText(f.String()))
	}
}

// asMarkdown converts a sheet to Markdown.
func asMarkdown(s output.Sheet) (string, error) {
	t := &table.Table{ID: "numbers"}
	for i, name := range s.Head {
		t.Columns = append(t.Columns, table.Column{Name: name, Number: i >= s.Left})
	}
	for _, row := range s.Rows {
		var entries []table.Entry
		for _, text := range row {
			entries = append(entries, table.Entry{Text: text})
		}
		t.Rows = append(t.Rows, table.Row{Entries: entries})
	}
	return table.MarkdownTable(t)
}
