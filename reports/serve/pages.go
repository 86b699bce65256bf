package serve

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"infbench/internal/words"
	"infbench/reports/page"
	"infbench/reports/section"
)

//go:embed serve.html serve.css serve.js
var files embed.FS

// pages has the templates, and the files that pages load, under names that change with their
// content.
type pages struct {
	templates *template.Template
	files     map[string][]byte // by the name in addresses
	names     map[string]string // name in pages -> name in addresses
}

func newPages() (p pages, err error) {
	if p.templates, err = page.Parts(); err != nil {
		return p, err
	}
	p.templates.Funcs(template.FuncMap{"clean": words.Clean, "group": words.Group, "path": url.PathEscape, "views": page.Views, "options": page.ChartOptions,
		"bar": bar, "sentence": sentence, "asset": func(name string) string { return p.names[name] }, "one": func(s section.Section) []section.Section { return []section.Section{s} }})
	if p.templates, err = p.templates.ParseFS(files, "serve.html"); err != nil {
		return p, fmt.Errorf("templates: %w", err)
	}
	all, err := page.ServedFiles()
	if err != nil {
		return p, err
	}
	p.files, p.names = map[string][]byte{}, map[string]string{}
	own := map[string][]byte{}
	for _, name := range []string{"serve.css", "serve.js"} {
		if own[name], err = files.ReadFile(name); err != nil {
			return p, err
		}
	}
	maps.Copy(all, own)
	for name, data := range all {
		sum := sha256.Sum256(data)
		ending := path.Ext(name)
		p.names[name] = strings.TrimSuffix(name, ending) + "-" + hex.EncodeToString(sum[:6]) + ending
		p.files[p.names[name]] = data
	}
	return p, nil
}

// Parts of pages that are updated.
const (
	partHead   = "head"
	partCells  = "cells"
	partCurves = "curves"
	partBoard  = "board"
	partReport = "report"
)

// view is the data of a template about a run.
type view struct {
	Root    string // relative address of the first page
	At      string // relative address of the run's page
	Stream  string // relative address of the run's events
	Name    string
	Title   string
	Tab     string // which of the pages of a run
	Prefix  string // prefix of the IDs of elements
	Seen    *seen
	List    listing
	Curves  section.Section
	Lines   int // cells whose curves are drawn
	Wanted  int // cells that pass the filter
	Board   made
	Live    bool // the reader's script draws charts
	Parts   map[string]int
	Cell    *Cell
	Detail  *Detail
	Log     string
	LogSize int64
	LogCut  bool
	Fault   string
	Asked   Question
	Answer  *Answer
}

// ECharts reports whether pages can draw charts.
func (p *pages) ECharts() bool { return p.names["echarts.js"] != "" }

// routes returns the handlers by address. All addresses in pages are relative, so that tunnels and
// proxies may move them.
func (s *Server) routes() *http.ServeMux {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", s.first)
	m.HandleFunc("GET /compare", s.compare)
	m.HandleFunc("GET /assets/{name}", s.asset)
	of := func(answer func(http.ResponseWriter, *http.Request, *follower)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			name := r.PathValue("run")
			if f := s.find(name); f != nil {
				answer(w, r, f)
			} else {
				s.absent(w, r, "there is no run "+name)
			}
		}
	}
	m.HandleFunc("GET /runs/{run}/{$}", of(s.run))
	m.HandleFunc("GET /runs/{run}/events", of(s.events))
	m.HandleFunc("GET /runs/{run}/board", of(s.boardPage))
	m.HandleFunc("GET /runs/{run}/report", of(s.reportPage))
	m.HandleFunc("GET /runs/{run}/query", of(s.query))
	m.HandleFunc("GET /runs/{run}/cells/{id}/{$}", of(s.cell))
	m.HandleFunc("GET /runs/{run}/cells/{id}/log", of(s.log))
	m.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) { s.absent(w, r, "there is no such page") })
	return m
}

// html is the kind of pages.
const html = "text/html; charset=utf-8"

// show answers with a template.
func (s *Server) show(w http.ResponseWriter, r *http.Request, code int, name string, data any) {
	var out bytes.Buffer
	if err := s.pages.templates.ExecuteTemplate(&out, name, data); err != nil {
		http.Error(w, "this page cannot be made: "+words.Clean(err.Error()), http.StatusInternalServerError)
		return
	}
	reply(w, r, code, html, out.Bytes())
}

// absent answers that an address does not exist.
func (s *Server) absent(w http.ResponseWriter, r *http.Request, what string) {
	root := strings.Repeat("../", max(0, strings.Count(r.URL.EscapedPath(), "/")-1))
	s.show(w, r, http.StatusNotFound, "absent", map[string]any{"Root": cmp.Or(root, "./"), "PageTitle": "Not found", "What": words.Clean(what), "ECharts": false})
}

// asset answers with a file that pages load. The name of a file changes with its content.
func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	data, ok := s.pages.files[r.PathValue("name")]
	if !ok {
		s.absent(w, r, "there is no such file")
		return
	}
	w.Header().Set("Cache-Control", "max-age=31536000, immutable")
	kind := "text/javascript; charset=utf-8"
	if path.Ext(r.PathValue("name")) == ".css" {
		kind = "text/css; charset=utf-8"
	}
	reply(w, r, http.StatusOK, kind, data)
}

// listed is a run on the first page.
type listed struct {
	Name    string
	Summary string
	Shares  []share
	Fault   string
}

// runsAtMost limits the runs whose state the first page shows; others are only listed.
const runsAtMost = 50

// first shows the page of all runs.
func (s *Server) first(w http.ResponseWriter, r *http.Request) {
	names, err := s.source.Names()
	fault := ""
	if err != nil {
		fault = words.Clean(err.Error())
	}
	if len(names) == 1 && err == nil {
		w.Header().Set("Location", "runs/"+url.PathEscape(names[0])+"/")
		w.WriteHeader(http.StatusFound)
		return
	}
	var all []listed
	for i, name := range names {
		one := listed{Name: name}
		if f := s.find(name); f != nil && i < runsAtMost {
			now := f.now(r.Context())
			one.Fault = now.Fault
			if now.State != nil {
				one.Summary, one.Shares = now.State.Summary, bar(now.State.Cells)
			}
		}
		all = append(all, one)
	}
	s.show(w, r, http.StatusOK, "first", map[string]any{"Root": "./", "PageTitle": "Runs", "Runs": all, "At": time.Now().Format(time.TimeOnly), "Fault": fault, "ECharts": false})
}

// viewOf returns the common data of the pages of a run.
func (s *Server) viewOf(r *http.Request, f *follower, root, at string) view {
	now := f.now(r.Context())
	v := view{Root: root, At: at, Stream: at + "events", Name: f.name, Title: f.name, Seen: now, Parts: now.parts(), Live: r.FormValue("live") != "" && s.pages.ECharts()}
	if now.State != nil && now.State.Title != "" {
		v.Title = words.Clean(now.State.Title)
	}
	return v
}

// PageTitle is the title of the window: the page, the run folder, and its experiment if that has
// another name, so that windows of several runs differ.
func (v view) PageTitle() string {
	title := words.Clean(v.Name)
	if title != v.Title {
		title += " (" + v.Title + ")"
	}
	switch {
	case v.Cell != nil:
		return words.Clean(v.Cell.Label) + " · " + title
	case v.Tab == "board":
		return "Report · " + title
	case v.Tab == "query":
		return "Queries · " + title
	}
	return title
}

// cells returns the cells of the last successful look.
func (v *view) cells() []Cell {
	if v.Seen.State == nil {
		return nil
	}
	return v.Seen.State.Cells
}

// wants reports whether a request asks for a part; without a list it asks for all.
func wants(r *http.Request, part string) bool {
	named := r.FormValue("part")
	return named == "" || slices.Contains(strings.Split(named, ","), part)
}

// run shows the page of a run, or the requested parts of it.
func (s *Server) run(w http.ResponseWriter, r *http.Request, f *follower) {
	v := s.viewOf(r, f, "../../", "./")
	v.Tab = "run"
	wanted := filterOf(r.URL.Query())
	v.List = list(v.cells(), wanted).scored(f.board.current().scores)
	if as := r.FormValue("as"); as == "left" || as == "right" {
		v.Prefix, v.At = as+"-", "runs/"+url.PathEscape(f.name)+"/"
	}
	if wants(r, partCurves) {
		found := wanted.choose(v.cells())
		cells := curvesOf(f.run, found)
		v.Lines, v.Wanted = len(cells), len(found)
		var err error
		if v.Curves, err = curvesSection(cells); err != nil {
			v.Fault = words.Clean(err.Error())
		}
		v.Curves = v.drawn(v.Curves)
	}
	if wants(r, partBoard) {
		v.takeBoard(r, f)
	}
	s.showParts(w, r, "run", v, partHead, partCells, partCurves, partBoard)
}

// showParts answers with a page, or with its requested parts.
func (s *Server) showParts(w http.ResponseWriter, r *http.Request, page string, v view, parts ...string) {
	if r.FormValue("part") == "" {
		s.show(w, r, http.StatusOK, page, v)
		return
	}
	var out bytes.Buffer
	for _, part := range parts {
		if !wants(r, part) {
			continue
		}
		if err := s.pages.templates.ExecuteTemplate(&out, part, v); err != nil {
			http.Error(w, "this part cannot be made: "+words.Clean(err.Error()), http.StatusInternalServerError)
			return
		}
	}
	reply(w, r, http.StatusOK, html, out.Bytes())
}

// Done returns how many cells of the run have their numbers.
func (v view) Done() int { return doneOf(v.Seen) }

// ECharts reports whether the page loads the script for charts.
func (v view) ECharts() bool { return true }

// drawn returns a section with the IDs of the page, without drawings if the reader's script draws.
func (v *view) drawn(s section.Section) section.Section {
	return refit(s, v.Prefix, v.Live)
}

// boardPage shows the page of all sections of the report.
func (s *Server) boardPage(w http.ResponseWriter, r *http.Request, f *follower) {
	v := s.viewOf(r, f, "../../", "./")
	v.Tab = "board"
	v.takeBoard(r, f)
	s.showParts(w, r, "board-page", v, partHead, partReport)
}

// cell shows the page of a cell.
func (s *Server) cell(w http.ResponseWriter, r *http.Request, f *follower) {
	v := s.viewOf(r, f, "../../../../", "../../")
	id := r.PathValue("id")
	i := slices.IndexFunc(v.cells(), func(c Cell) bool { return c.ID == id })
	if i < 0 {
		s.absent(w, r, "run "+f.name+" has no cell "+id)
		return
	}
	one := listing{Rows: v.cells()[i : i+1]}.scored(f.board.current().scores)
	v.Cell = &one.Rows[0]
	v.takeCell(f)
	s.showParts(w, r, "cell", v, partHead, partCells, partCurves)
}

// logShown is how much of the end of a log the page of a cell shows, and logSent how much is sent
// at most.
const (
	logShown = 1 << 15
	logSent  = 4 << 20
)

// takeCell reads the data of a cell.
func (v *view) takeCell(f *follower) {
	id := v.Cell.ID
	detail, err := f.run.Detail(id)
	v.fail(err)
	v.Detail = detail
	curves, err := f.run.Curves(id)
	v.fail(err)
	only := []drawn{{*v.Cell, curves}}
	shortenLabels(only)
	s, err := curvesSection(only)
	v.fail(err)
	v.Curves = v.drawn(s)
	end, size, err := f.run.Log(id, logShown)
	v.fail(err)
	v.Log, v.LogSize, v.LogCut = cleanLines(string(end)), size, size > logShown
}

// fail keeps the first error of reading.
func (v *view) fail(err error) {
	if err != nil && v.Fault == "" {
		v.Fault = words.Clean(err.Error())
	}
}

// cleanLines applies words.Clean to each line.
func cleanLines(text string) string {
	return strings.Join(words.CleanAll(strings.Split(strings.ToValidUTF8(text, "\ufffd"), "\n")), "\n")
}

// log sends the end of a cell's output as plain text.
func (s *Server) log(w http.ResponseWriter, r *http.Request, f *follower) {
	id := r.PathValue("id")
	now := f.now(r.Context())
	if now.State == nil || !slices.ContainsFunc(now.State.Cells, func(c Cell) bool { return c.ID == id }) {
		s.absent(w, r, "run "+f.name+" has no cell "+id)
		return
	}
	end, _, err := f.run.Log(id, logSent)
	if err != nil {
		http.Error(w, words.Clean(err.Error()), http.StatusNotFound)
		return
	}
	reply(w, r, http.StatusOK, "text/plain; charset=utf-8", end)
}

// reportPage sends the current report, the file that infbench report would write.
func (s *Server) reportPage(w http.ResponseWriter, r *http.Request, f *follower) {
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'") // the page has a stricter policy itself
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", html)
		return
	}
	made, err := f.report(r.Context(), true)
	if err != nil {
		http.Error(w, words.Clean(err.Error()), http.StatusServiceUnavailable)
		return
	}
	if now := f.now(r.Context()); now.State != nil {
		if said := unfinished(now); said != "" {
			made.Warnings = append([]string{"Unfinished: " + said}, made.Warnings...)
		}
	}
	var out bytes.Buffer
	if err := page.Write(&out, made); err != nil {
		http.Error(w, words.Clean(err.Error()), http.StatusInternalServerError)
		return
	}
	reply(w, r, http.StatusOK, html, out.Bytes())
}

// query answers questions about single queries, one reader at a time.
func (s *Server) query(w http.ResponseWriter, r *http.Request, f *follower) {
	v := s.viewOf(r, f, "../../", "./")
	v.Tab = "query"
	v.Asked = Question{ID: r.FormValue("id"), Search: r.FormValue("q"), Task: r.FormValue("task"), Order: r.FormValue("order"), A: r.FormValue("a"), B: r.FormValue("b"), Reverse: r.FormValue("reverse") != ""}
	if r.Method != http.MethodHead {
		answer, err := f.answer(r.Context(), v.Asked)
		v.fail(err)
		v.Answer = answer
	}
	s.show(w, r, http.StatusOK, "query", v)
}

// answer asks the run. A panic on broken files becomes an error.
func (f *follower) answer(ctx context.Context, asked Question) (a *Answer, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("the files of the run cannot be read: %v", broken)
		}
	}()
	select {
	case f.server.busy <- struct{}{}:
		defer func() { <-f.server.busy }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return f.run.Query(ctx, asked)
}

// To returns the address of one query, with the same systems.
func (v view) To(query string) string {
	q := url.Values{"id": {query}}
	for name, value := range map[string]string{"a": v.Answer.A, "b": v.Answer.B} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return "?" + q.Encode()
}
