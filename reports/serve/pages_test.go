package serve

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"infbench/internal/testkit/reportstest"
	"infbench/reports/table"
	"infbench/runners/results"
)

// each visits every page of a run of ten cells.
func each(t *testing.T, visit func(path, body string, header http.Header)) {
	t.Helper()
	fake := newFake(10)
	fake.exp = reportstest.HostileExperiment()
	_, h := serving(t, fake)
	for _, run := range []string{"demo", url.PathEscape(hostileName)} {
		at := "/runs/" + run + "/"
		for _, path := range []string{at, at + "?live=1", at + "?q=uni&state=failed&order=plan&page=7", at + "?part=head,cells,curves,board", at + "?part=board&as=left", at + "board", at + "query?q=x", at + "query?q=nothing", at + "query?id=" + url.QueryEscape(hostileText),
			at + "cells/0000000000000001/", at + "cells/0000000000000001/?part=cells,curves"} {
			code, body, header := get(t, h, path)
			if code != http.StatusOK {
				t.Errorf("%s: %d\n%.300s", path, code, body)
			}
			visit(path, body, header)
		}
	}
	for path, want := range map[string]int{"/": 200, "/compare": 200, "/compare?a=demo&b=demo": 200, "/compare?a=demo&b=none": 404, "/none": 404, "/runs/none/": 404, "/runs/demo/cells/none/": 404,
		"/runs/demo/cells/none/log": 404, "/runs/demo/none": 404, "/runs/demo/cells/%3Cscript%3E/": 404, "/%3Cscript%3Ealert(1)": 404} {
		code, body, header := get(t, h, path)
		if code != want {
			t.Errorf("%s: %d, want %d\n%.300s", path, code, want, body)
		}
		visit(path, body, header)
	}
}

// Texts from outside stay texts on every page.
func TestPagesAreInert(t *testing.T) {
	scripts := regexp.MustCompile(`<script[^>]*>`)
	fine := regexp.MustCompile(`^<script (src="[./]*assets/[a-z]+-[0-9a-f]{12}\.js" defer|type="application/json" (id="charts"|class="options"))>$`)
	each(t, func(path, body string, header http.Header) {
		for _, s := range scripts.FindAllString(body, -1) {
			if !fine.MatchString(s) {
				t.Errorf("%s has %s", path, s)
			}
		}
		if regexp.MustCompile(`<[^>]*\son[a-z]+=`).MatchString(body) && strings.Contains(body, "<img src=x") {
			t.Errorf("%s has a handler", path)
		}
		if strings.Contains(body, "alert(1)</script>") || strings.ContainsAny(body, "\x1b\x00") || strings.Contains(body, "ZgotmplZ") {
			t.Errorf("%s lets a text out", path)
		}
		if got := header.Get("Content-Security-Policy"); got != policy || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: policy %q", path, got)
		}
	})
}

// A tunnel has its own port, and a proxy its own path, so no address may contain the place of the
// server. Only papers and data are elsewhere.
func TestAddressesAreRelative(t *testing.T) {
	addresses := regexp.MustCompile(`(?:href|src|action|data-stream|data-from)="([^"]*)"( rel="noreferrer">https://)?`)
	each(t, func(path, body string, _ http.Header) {
		for _, m := range addresses.FindAllStringSubmatch(body, -1) {
			if m[2] != "" {
				continue // the address of a paper or of data
			}
			if strings.HasPrefix(m[1], "/") || strings.Contains(m[1], "//") || strings.HasPrefix(m[1], "javascript") {
				t.Errorf("%s leads to %s", path, m[1])
			}
		}
	})
}

// Every address on a page leads to a page.
func TestLinksLead(t *testing.T) {
	_, h := serving(t, newFake(250))
	links := regexp.MustCompile(`(?:href|src|data-stream)="([^"#]+)"`)
	seen, todo := map[string]bool{}, []string{"/", "/compare?a=demo&b=demo", "/runs/demo/", "/runs/demo/cells/0000000000000001/"}
	for len(todo) > 0 && len(seen) < 400 {
		path := todo[0]
		todo = todo[1:]
		if seen[path] || strings.HasSuffix(path, "/events") {
			continue
		}
		seen[path] = true
		code, body, header := get(t, h, path)
		if code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
		if !strings.HasPrefix(header.Get("Content-Type"), "text/html") || strings.HasSuffix(path, "/report") {
			continue
		}
		base, _ := url.Parse(h.URL + path)
		for _, m := range links.FindAllStringSubmatch(body, 40) {
			if to, err := base.Parse(strings.ReplaceAll(m[1], "&amp;", "&")); err == nil && to.Scheme == "http" {
				todo = append(todo, to.RequestURI())
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d pages were found", len(seen))
	}
}

// Files outside a run cannot be requested, in any spelling.
func TestPathsLeadNowhere(t *testing.T) {
	run := newFake(3)
	_, h := serving(t, run)
	for _, path := range []string{
		"/runs/..%2f..%2f..%2fetc/", "/runs/%2e%2e/", "/runs/demo/cells/..%2f..%2fplan.json/", "/runs/demo/cells/..%2f..%2f..%2fetc%2fpasswd/log", "/runs/demo/cells/%00/log",
		"/assets/..%2fserve.html", "/assets/serve.html", "/assets/%2e%2e%2fserve.go", "/runs/demo/%2e%2e/%2e%2e/etc", "/runs//cells/0000000000000001/log",
	} {
		if code, body, _ := get(t, h, path); code == http.StatusOK {
			t.Errorf("%s: %d\n%.200s", path, code, body)
		}
	}
	if n := run.logs.Load(); n != 0 {
		t.Errorf("%d logs were read", n)
	}
}

// The log of a cell is text, whatever its content.
func TestLogIsText(t *testing.T) {
	_, h := serving(t, newFake(3))
	code, body, header := get(t, h, "/runs/demo/cells/0000000000000001/log")
	if code != http.StatusOK || !strings.Contains(body, "<script>") || header.Get("Content-Type") != "text/plain; charset=utf-8" || header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%d %v\n%s", code, header, body)
	}
}

// The board is that of the report, is marked as unfinished, and is built once for all readers.
func TestBoard(t *testing.T) {
	run := newFake(10)
	_, h := serving(t, run)
	for began := time.Now(); time.Since(began) < patience; time.Sleep(100 * time.Millisecond) {
		if _, body, _ := get(t, h, "/runs/demo/board"); strings.Contains(body, "Unfinished</span> 2 of 10 cells are done") && strings.Contains(body, "-leaderboard") {
			if n := run.loads.Load(); n != 1 {
				t.Errorf("the results were loaded %d times", n)
			}
			code, body, header := get(t, h, "/runs/demo/report")
			if code != http.StatusOK || !strings.Contains(body, "Unfinished: 2 of 10 cells are done") || header.Get("Content-Security-Policy") != "frame-ancestors 'none'" {
				t.Errorf("the report: %d %v\n%.300s", code, header, body)
			}
			return
		}
	}
	t.Error("there is no board")
}

// Without the script for charts there are drawings and tables, and no mention of a script.
func TestWithoutTheScript(t *testing.T) {
	s, h := serving(t, newFake(10))
	delete(s.pages.names, "echarts.js")
	_, body, _ := get(t, h, "/runs/demo/?live=1")
	if !strings.Contains(body, `<img class="static" src="data:image/svg`) || strings.Contains(body, "echarts") || strings.Contains(body, `id="charts"`) {
		t.Errorf("the page without the script:\n%.2000s", body)
	}
	if len(body) < 20_000 {
		t.Errorf("the drawings are left out: %d bytes", len(body))
	}
}

// A missing or broken folder is reported. The last state stays, and everything recovers when the
// folder is back.
func TestFolderThatIsMoved(t *testing.T) {
	run := newFake(10)
	_, h := serving(t, run)
	sees := func(what string, fault bool) {
		t.Helper()
		for began := time.Now(); time.Since(began) < patience; time.Sleep(10 * time.Millisecond) {
			_, body, _ := get(t, h, "/runs/demo/?part=head,cells")
			if strings.Contains(body, what) && strings.Contains(body, `role="alert"`) == fault && strings.Contains(body, "0000000000000001") {
				return
			}
		}
		t.Errorf("nobody says %q", what)
	}
	sees("a summary", false)
	for _, err := range []string{"the folder is not there", "panic"} {
		run.fail(errors.New(err))
		sees(map[bool]string{true: "cannot be read", false: err}[err == "panic"], true)
		run.fail(nil)
		sees("a summary", false)
	}
}

// Ten thousand cells make a page of a hundred, and the event of one change is small.
func TestTenThousandCells(t *testing.T) {
	run := newFake(10_000)
	_, h := serving(t, run)
	_, body, _ := get(t, h, "/runs/demo/?part=head,cells")
	if rows := strings.Count(body, "<tr data-id="); rows != rowsAtMost || len(body) > 200_000 {
		t.Errorf("%d rows, %d bytes", rows, len(body))
	}
	if !strings.Contains(body, "10,000 cells, 1 to 100 here") || !strings.Contains(body, "page 1 of 100") {
		t.Errorf("the page does not say what it leaves out")
	}
	_, body, _ = get(t, h, "/runs/demo/?part=cells&state=failed&q=seed%3D9996")
	if !strings.Contains(body, "1 of 10,000 cells") {
		t.Errorf("the filter finds\n%.500s", body)
	}
	var page bytes.Buffer
	if err := serverOf(t, run).pages.templates.ExecuteTemplate(&page, "bar", bar(run.state.Cells)); err != nil || page.Len() > 2000 {
		t.Errorf("the bar has %d bytes, %v", page.Len(), err)
	}
}

func serverOf(t *testing.T, run *fakeRun) *Server {
	t.Helper()
	s, err := New(fakeSource{run}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Rows are in order of interest.
func TestFilter(t *testing.T) {
	cells := []Cell{{"1", "a", "done", ""}, {"2", "b", "waiting", ""}, {"3", "c", "failed", "why"}, {"4", "d", "running", ""}, {"5", "e", "waiting", "stopped at 5%"}}
	for want, query := range map[string]string{
		"43521": "", "12345": "order=plan", "3": "state=failed", "52": "state=waiting", "43521 ": "state=none&page=0", "5": "q=STOPPED+at", "": "q=nothing", "43521  ": "page=99",
	} {
		asked, _ := url.ParseQuery(query)
		got := ""
		for _, c := range list(cells, filterOf(asked)).Rows {
			got += c.ID
		}
		if got != strings.TrimSpace(want) {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

// The page of all runs shows its time, and offers two different runs side by side.
func TestFirstPage(t *testing.T) {
	_, h := serving(t, newFake(3))
	_, body, _ := get(t, h, "/")
	for _, want := range []string{`id="all-runs" data-again`, "As of ", `<option value="demo">demo</option>`, `selected>`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not on the first page:\n%s", want, body)
		}
	}
}

// Cells that are done show their numbers once there is a board, on the page of all cells and on
// their own.
func TestScoresOfCells(t *testing.T) {
	run := newFake(4)
	run.exp = &results.Experiment{Name: "demo"}
	for i, loss := range []string{"uni(P)", "uni(I)"} {
		run.exp.Trials = append(run.exp.Trials, reportstest.TrialOf(run.state.Cells[i].ID, map[string]string{results.Model: "trained", results.Loss: loss},
			reportstest.At("B", "x", "", "p-MRR", "1", .25), reportstest.At("B", "x", "original", "nDCG@5", "1", .5), reportstest.At("C", "y", "", "nDCG@10", "1", .75)))
	}
	run.set(func(s *State) { s.Cells[0].State, s.Cells[0].Note, s.Cells[1].State = stateDone, "", "failed" })
	_, h := serving(t, run)
	const want = "&#43;25.0 p-MRR, 50.0 nDCG@5 original on B/x; 75.0 nDCG@10 on C/y"
	for began := time.Now(); time.Since(began) < patience; time.Sleep(100 * time.Millisecond) {
		if _, body, _ := get(t, h, "/runs/demo/"); strings.Contains(body, want) {
			if strings.Count(body, want) != 1 {
				t.Errorf("a cell that failed has numbers:\n%s", body)
			}
			if _, body, _ := get(t, h, "/runs/demo/cells/"+run.state.Cells[0].ID+"/"); !strings.Contains(body, want) {
				t.Errorf("the page of the cell has no numbers:\n%.600s", body)
			}
			return
		}
	}
	t.Error("no numbers came")
}

// The titles of windows name the page and the run folder.
func TestTitles(t *testing.T) {
	run := newFake(3)
	run.set(func(s *State) { s.Title, s.Cells[0].Label = "study", "uni(P)" })
	_, h := serving(t, run)
	for path, want := range map[string]string{"/": "Runs", "/runs/demo/": "demo (study)", "/runs/demo/board": "Report · demo (study)", "/runs/demo/query": "Queries · demo (study)",
		"/runs/demo/cells/" + run.state.Cells[0].ID + "/": "uni(P) · demo (study)", "/compare": "Two runs side by side", "/compare?a=demo&b=demo": "demo and demo"} {
		if _, body, _ := get(t, h, path); !strings.Contains(body, "<title>"+want+" · infbench serve</title>") {
			t.Errorf("%s: no title %q in %.400s", path, want, body)
		}
	}
}

// The differences of two runs come before their boards, and a run without any number has no ranks
// that could change.
func TestCompared(t *testing.T) {
	run := newFake(10)
	_, h := serving(t, run)
	_, body, _ := get(t, h, "/compare?a=demo&b=demo")
	differences, boards := strings.Index(body, `id="shared"`), strings.Index(body, `class="beside"`)
	if differences < 0 || boards < differences || !strings.Contains(body, "numbers in both runs are equal") {
		t.Errorf("differences at %d, boards at %d:\n%.2000s", differences, boards, body)
	}
	if said := unfinishedAt(0, 5, time.Now()); strings.Contains(said, "ranks") || !strings.HasPrefix(said, "0 of 5 cells are done") {
		t.Errorf("%q", said)
	}
}

// A board without any cell is not announced as being built.
func TestBoardOfNothing(t *testing.T) {
	run := newFake(5)
	run.set(func(s *State) { s.Cells = s.Cells[3:] })
	run.exp = &results.Experiment{Name: "demo"}
	_, h := serving(t, run)
	_, body, _ := get(t, h, "/runs/demo/?part=board")
	if strings.Contains(body, "being made") || !strings.Contains(body, "o cell is done yet") {
		t.Errorf("the board of nothing:\n%s", body)
	}
}

// Accuracy is times 100, like all shares on pages.
func TestAccuracyIsTimes100(t *testing.T) {
	s, err := curvesSection([]drawn{{Cell{Label: "uni(P)"}, []Curve{{Name: "accuracy", Points: []Point{{1, .25}, {2, .5}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if last := s.Figures[0].Table.Rows[0].Entries[5].Text; last != "50.000" || !strings.Contains(s.Figures[0].Caption, "×100") {
		t.Errorf("%s, %q", last, s.Figures[0].Caption)
	}
}

// The page's explanations of its colours are true.
func TestColoursOfThePage(t *testing.T) {
	if got := (&table.Table{Against: "bm25"}).Explained(false, "Green"); got != "Green: significantly better than bm25; orange: significantly worse." {
		t.Error(got)
	}
	_, h := serving(t, newFake(10))
	for began := time.Now(); time.Since(began) < patience; time.Sleep(100 * time.Millisecond) {
		if _, body, _ := get(t, h, "/runs/demo/?part=board"); strings.Contains(body, "-leaderboard") {
			if strings.Contains(body, "Blue: ") || !strings.Contains(body, "Green: significantly better than") {
				t.Errorf("the board:\n%s", body)
			}
			return
		}
	}
	t.Error("there is no board")
}

// The name of a cell that is drawn alone fits into its charts.
func TestOneCurve(t *testing.T) {
	only := []drawn{{Cell: Cell{Label: "uni(P) seed=1 train.lr=0.005"}}}
	if shortenLabels(only); only[0].Label != "uni(P)" {
		t.Error(only[0].Label)
	}
}
