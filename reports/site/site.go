// Package site makes the static pages of a leaderboard with its history: boards, a page for each
// model, badges, and the record of past commits, in a folder that it keeps consistent. It runs no
// gate and pushes nothing; the verb publish does.
package site

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"
	"time"

	"infbench/internal/words"
	"infbench/metrics"
	"infbench/metrics/stats"
	"infbench/reports"
	"infbench/reports/chart"
	"infbench/reports/export"
	"infbench/reports/gate"
	"infbench/reports/page"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/reports/table"
	"infbench/runners/results"
)

//go:embed site.html site.css
var siteFiles embed.FS

// Files of a site. HistoryFile is its history, ReportFile the full report of the last commit, and
// BaselineFile that of the last commit that passed a gate, if it is another.
const (
	HistoryFile  = "history.jsonl"
	ReportFile   = "report.html"
	BaselineFile = "baseline.html"
	indexFile    = "index.html"
	wordsFile    = gate.DefinitionsFile
	modelsDir    = "models"
	badgesDir    = "badges"
)

// generator is in every page of a site, and identifies it.
const generator = `<meta name="generator" content="infbench">`

// sitePage is the data of a page of the site. All texts are strings, which the template escapes.
type sitePage struct {
	Title, Up string // Up leads to the site's root: "" or "../"
	Policy    string
	CSS       template.CSS
	Script    template.JS // of the index: sorts tables

	Latest *siteCommit // of the index; nil without a history

	Boards    []siteBoard    // of the index
	Kind      table.Kind     // of a model; "" if it was trained
	Badge     string         // address of its badge; "" without a number
	Tables    []*table.Table // of a model
	Facts     []section.Term
	Trials    []*table.Table
	Charts    []siteChart
	Changes   []siteChange // steps and drifts
	Marks     []siteMark
	Models    []siteGone // systems that only the history has
	Words     []gate.Definition
	Commits   int
	Judged    bool   // some numbers could be judged
	Undecided string // a sentence about the numbers that could not; "" if all could
	Quiet     string // mean number of commits between two false alarms
}

// siteBoard is a leaderboard whose rows lead to pages.
type siteBoard struct {
	Name, Intro, Legend string
	Synthetic           bool
	Table               *table.Table
	Links               map[string]string // pages of systems by label
	Charts              []siteChart       // the history of the leading system's first number
}

// siteCommit is the commit that a site shows, with the result of its gate if it has marks.
type siteCommit struct{ Commit, Date, Gate string }

// siteGone is a system that is no longer measured.
type siteGone struct{ Name, Href, How string }

// siteChart is one number over the commits.
type siteChart struct {
	Name, Points string
	Commits      string // how many
	Dots         []siteDot
	First, Last  string // labels of those commits
	Failed       bool   // a commit failed the gate
	Low, High    string
}

// siteDot is a commit of a chart; it is larger if the number moves.
type siteDot struct {
	X, Y, Commit, Date, Label string
	Value, Change             string // Change is the difference from the dot before; "" for the first
	Moves                     string // "step", "drift" or ""
	Gate                      string // "failed", "undecided", "accepted" or ""
}

// Site makes a static site: index.html with the leaderboards, a page for each model, the full
// report, badges, and the history itself. Files come in an order in which they may appear: targets
// of links before the pages. kept lists the commits whose full report the folder has; reports that
// are not worth keeping are dropped. The site needs no script and loads nothing. Its links are
// relative, so that it works from disk and below any path. Equal input gives equal bytes.
func Site(exps []*results.Experiment, history []Commit, kept []string, opts reports.Options) ([]export.File, error) {
	r, err := reports.Build(exps, opts)
	if err != nil {
		return nil, err
	}
	v, err := scores.New(exps)
	if err != nil {
		return nil, err
	}
	w := siteWriter{report: r, view: v, history: history, all: tracesOf(history)}
	w.changes = changesOf(history, w.all)
	if w.files, err = HistoryFiles(history); err != nil {
		return nil, err
	}
	var full bytes.Buffer
	if err := page.Write(&full, r); err != nil {
		return nil, err
	}
	w.files = append(w.files, export.File{Name: ReportFile, Data: full.Bytes()})
	for i, commit := range worthKeeping(history, w.changes) {
		last := i == 0 && commit == history[len(history)-1].Commit
		if last {
			w.files = append(w.files, export.File{Name: keptReport(commit), Data: full.Bytes()})
		}
		if last || slices.Contains(kept, commit) {
			w.kept = append(w.kept, commit)
		}
	}
	err = w.pages()
	return w.files, err
}

// HistoryFiles returns a history and its sum without other files.
func HistoryFiles(history []Commit) ([]export.File, error) {
	data, err := WriteHistory(history)
	if err != nil {
		return nil, err
	}
	return []export.File{{Name: HistoryFile, Data: data}, {Name: SumFile, Data: sumLine(data)}}, nil
}

type siteWriter struct {
	report  *reports.Report
	view    *scores.Set
	history []Commit
	all     []*trace
	changes []Change
	kept    []string // commits whose full report exists
	files   []export.File
}

// modelPage returns the place of a system's page. A part of the label's hash distinguishes labels
// that give the same file name.
func modelPage(label string) string {
	return modelsDir + "/" + siteName(label) + ".html"
}

func siteName(label string) string {
	return fmt.Sprintf("%s-%.4x", export.SafeSegment(words.Prefix(label, 60)), sha256.Sum256([]byte(label)))
}

// pages writes all pages and badges, the index last.
func (w *siteWriter) pages() error {
	index := sitePage{Title: w.report.Title, Commits: len(w.history)}
	for _, b := range w.report.Boards {
		board := siteBoard{Name: b.Name(), Intro: b.Intro(), Legend: b.Legend(), Synthetic: b.Realm == scores.Synthetic, Table: w.withChanges(b.Leaderboard), Links: map[string]string{}}
		for _, row := range b.Leaderboard.Rows {
			board.Links[row.Entries[0].Text] = modelPage(row.Entries[0].Text)
		}
		if t := w.leading(b.Leaderboard); t != nil {
			c := t.chart(w.gates(nil))
			c.Name = t.System + ": " + c.Name
			board.Charts = []siteChart{c}
		}
		index.Boards = append(index.Boards, board)
	}
	index.Latest = w.latest()
	index.Changes, index.Marks = w.shifts("", ""), w.marks()
	index.Judged, index.Undecided = w.undecided("")
	for _, label := range w.labels() {
		if !slices.ContainsFunc(w.view.Systems, func(s *scores.System) bool { return s.Label == label }) {
			index.Models = append(index.Models, siteGone{label, modelPage(label), w.reasonGone(label)})
		}
		if err := w.model(label); err != nil {
			return err
		}
	}
	if err := w.page(wordsFile, sitePage{Title: gate.DefinitionsTitle, Up: "./", Words: gate.Definitions()}); err != nil {
		return err
	}
	return w.page(indexFile, index)
}

// labels lists all systems: those of the report, then those of the history.
func (w *siteWriter) labels() []string {
	var out []string
	for _, s := range w.view.Systems {
		out = words.AddNew(out, s.Label)
	}
	for _, s := range w.all {
		out = words.AddNew(out, s.System)
	}
	return out
}

// model writes the page and the badge of a system.
func (w *siteWriter) model(label string) error {
	p := sitePage{Title: label, Up: "../", Commits: len(w.history)}
	for _, s := range w.view.Systems { // systems of different kinds may have the same label
		if s.Label != label {
			continue
		}
		if len(p.Tables) == 0 {
			if err := w.badge(s, &p); err != nil {
				return err
			}
		}
		if s.Kind != table.Trained {
			p.Kind = s.Kind
		}
		p.Tables = append(p.Tables, w.numbers(s, len(p.Tables)+1))
		p.Facts = append(p.Facts, facts(s)...)
		p.Trials = append(p.Trials, trialTable(s, len(p.Tables)))
	}
	for _, s := range w.all {
		if s.System == label {
			p.Charts = append(p.Charts, s.chart(w.gates(s)))
		}
	}
	p.Changes = w.shifts(label, p.Up)
	p.Judged, p.Undecided = w.undecided(label)
	return w.page(modelPage(label), p)
}

// facts returns the configuration of a system.
func facts(s *scores.System) []section.Term {
	var out []section.Term
	for _, key := range words.SortedKeys(s.Config()) {
		if key != results.Seed {
			out = append(out, section.Term{Name: key, Text: s.Config()[key]})
		}
	}
	return out
}

// trialTable lists the trials of a system with the command that repeats each.
func trialTable(s *scores.System, number int) *table.Table {
	t := &table.Table{ID: fmt.Sprintf("trials-%d", number), Title: "Trials", Caption: "Training and evaluation runs behind the numbers, and the command that repeats each.",
		Columns: []table.Column{{Name: "trial"}, {Name: "seed"}, {Name: "state"}, {Name: "command, or why there is no number", Code: true}}}
	for _, tr := range s.Trials {
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: words.Shorten(tr.ID)}, {Text: tr.Config[results.Seed]}, {Text: string(tr.State)},
			{Text: cmp.Or(tr.Error, words.Clean(tr.Provenance.Command))}}})
	}
	return t
}

// numbers lists every scoring of a system.
func (w *siteWriter) numbers(s *scores.System, number int) *table.Table {
	t := &table.Table{ID: fmt.Sprintf("numbers-%d", number), Title: "Numbers", Caption: "Values ×100, unweighted means over queries, then over seeds.",
		Columns: []table.Column{{Name: "task"}, {Name: "measure"}, {Name: "value", Number: true}, {Name: "queries", Number: true}}}
	for _, at := range w.view.Slots {
		cell := w.view.Cell(s, at.Column())
		if cell.State == scores.Unplanned {
			continue
		}
		t.Rows = append(t.Rows, table.Row{Entries: []table.Entry{{Text: at.Test(), Under: string(w.view.Benchmarks[at.Benchmark].Realm())}, {Text: at.Scoring()}, cell.Entry(), {Text: words.Group(cell.Queries)}}})
	}
	t.Notes = t.Remarks()
	return t
}

// badge draws the first number of a system on a leaderboard, and adds the badge's address to its
// page.
func (w *siteWriter) badge(s *scores.System, p *sitePage) error {
	for _, name := range w.view.BenchmarkNames() {
		for _, col := range w.view.Columns(name).Main() {
			cell := w.view.Cell(s, col)
			if !cell.State.Valued() {
				continue
			}
			data, err := Badge(col.Scoring()+" "+col.Benchmark, metrics.Percent(col.Measure, cell.Value), badgePlain)
			name := badgesDir + "/" + siteName(s.Label) + ".svg"
			w.files = append(w.files, export.File{Name: name, Data: data})
			p.Badge = p.Up + name
			return err
		}
	}
	return nil
}

// The area of a chart of the history, in its own units. The highest and lowest value are to the
// left, the first and last commit below.
const (
	chartLeft, chartRight = 66.0, 630.0
	chartTop, chartBottom = 10.0, 110.0
)

// charted limits the commits of a chart, so that pages do not grow without end.
const charted = 100

// chart draws the last commits of a series, evenly spaced; gates are the results of commits.
func (s *trace) chart(gates map[string]string) siteChart {
	first := max(0, len(s.Values)-charted)
	values := s.Values[first:]
	low, high := slices.Min(values), slices.Max(values)
	c := siteChart{Name: s.Scoring + " on " + s.Test, Commits: words.Plural(len(values), "commit", "commits"),
		First: s.label(first), Last: s.label(len(s.Commits) - 1), Low: words.PercentExact(low), High: words.PercentExact(high)}
	if first > 0 {
		c.Commits = fmt.Sprintf("the last %d of %s", charted, words.Plural(len(s.Values), "commit", "commits"))
	}
	if high == low {
		low -= 0.01 // at the top, next to the value
	}
	var points []string
	for i, v := range values {
		x := chartLeft + (chartRight-chartLeft)*float64(i)/max(1, float64(len(values)-1))
		y := chartBottom - (chartBottom-chartTop)*(v-low)/(high-low)
		commit := s.Commits[first+i]
		d := siteDot{X: words.Fixed(x, 1), Y: words.Fixed(y, 1), Commit: words.Shorten(commit), Date: day(s.Dates[first+i]), Label: s.label(first + i),
			Value: words.PercentExact(v), Moves: s.moves(first + i), Gate: gates[commit]}
		if i > 0 {
			d.Change = words.Signed(v - values[i-1])
		}
		c.Failed = c.Failed || d.Gate == gateFailed
		c.Dots = append(c.Dots, d)
		points = append(points, d.X+","+d.Y)
	}
	c.Points = strings.Join(points, " ")
	return c
}

// label names a commit of a series, with its date if known.
func (s *trace) label(i int) string { return commitLabel(s.Commits[i], s.Dates[i]) }

func commitLabel(commit, date string) string {
	return strings.TrimSpace(words.Shorten(commit) + " " + day(date))
}

// day is the day of a date.
func day(date string) string { return words.Prefix(words.Clean(date), len(time.DateOnly)) }

// page makes one page.
func (w *siteWriter) page(name string, p sitePage) error {
	shared, err := page.PageFiles.ReadFile("page.css")
	if err != nil {
		return err
	}
	own, err := siteFiles.ReadFile("site.css")
	if err != nil {
		return err
	}
	p.Quiet = words.Group(stats.QuietFor)
	css := slices.Concat([]byte(chart.PaletteCSS()), shared, own)
	var script []byte
	if len(p.Boards) > 0 {
		if script, err = page.PageFiles.ReadFile("page_tables.js"); err != nil {
			return err
		}
	}
	p.CSS, p.Script, p.Policy = template.CSS(css), template.JS(script), strings.Replace(page.Policy(css, script), "script-src ;", "script-src 'none';", 1)
	t, err := template.New("site.html").Funcs(template.FuncMap{"minus": words.Minus, "heads": (*table.Table).Heads}).ParseFS(siteFiles, "site.html")
	if err != nil {
		return fmt.Errorf("site template: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return fmt.Errorf("page %s: %w", path.Base(name), err)
	}
	w.files = append(w.files, export.File{Name: name, Data: b.Bytes()})
	return nil
}
