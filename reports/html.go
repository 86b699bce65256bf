package reports

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"regexp"
	"strings"
)

//go:embed page.html page.css page.js page_queries.js
var pageFiles embed.FS

// assets holds echarts.min.js where `make assets` ran before the build, and
// nothing of use otherwise.
//
//go:embed all:assets
var assets embed.FS

// page is what the template is filled with. Only first-party files and the
// pinned ECharts script are given types that pass unescaped; all text from
// outside is a string.
type page struct {
	*Report
	Policy  string
	CSS     template.CSS
	Script  template.JS
	ECharts template.JS
	Static  bool        // there are charts, and no ECharts to make them move
	Options template.JS // JSON of all chart options by figure ID
	Values  template.JS // JSON of Report.Data
	Asked   template.JS // JSON of Report.Queries
}

// WriteHTML prints a report as one HTML file that opens from disk, reads
// without JavaScript and, under its own content security policy, can neither
// load anything nor run a script or style but its own.
func WriteHTML(w io.Writer, r *Report) error {
	echarts, err := fs.ReadFile(assets, "assets/echarts.min.js")
	if errors.Is(err, fs.ErrNotExist) {
		echarts = nil
	} else if err != nil {
		return fmt.Errorf("read embedded script: %w", err)
	}
	return sealed(w, func(w io.Writer) error { return writeHTML(w, r, echarts) })
}

// writeHTML prints the page with that ECharts script, or with static charts
// only.
func writeHTML(w io.Writer, r *Report, echarts []byte) error {
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"minus": minus, "image": image,
		"tableOf": viewOfTable, "commands": firstCommands,
	}).ParseFS(pageFiles, "page.html")
	if err != nil {
		return fmt.Errorf("page template: %w", err)
	}
	css, err := pageFiles.ReadFile("page.css")
	if err != nil {
		return err
	}
	script, err := pageScript()
	if err != nil {
		return err
	}
	css = append([]byte(paletteCSS()), css...)
	drawn := len(r.options()) > 0
	static := drawn && len(echarts) == 0
	if !drawn {
		echarts = nil // a megabyte that nothing would use
	}
	p := page{Report: r, CSS: template.CSS(css), Script: template.JS(script), ECharts: template.JS(echarts), Static: static}
	if err := p.encode(); err != nil {
		return err
	}
	p.Policy = policy(css, script, echarts)
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// encode fills in what scripts read.
func (p *page) encode() error {
	for _, part := range []struct {
		name  string
		into  *template.JS
		value any
		there bool
	}{
		{"chart options", &p.Options, p.options(), true},
		{"data of the page", &p.Values, p.Data, p.Data != nil},
		{"queries", &p.Asked, p.Queries, p.Queries != nil},
	} {
		if !part.there {
			continue
		}
		data, err := scriptJSON(part.value)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		*part.into = template.JS(data)
	}
	return nil
}

// pageScript is the page's own script, one function after the other.
func pageScript() ([]byte, error) {
	var script []byte
	for _, name := range []string{"page.js", "page_queries.js"} {
		part, err := pageFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		script = append(script, part...)
	}
	return script, nil
}

// policy allows exactly these inline styles and scripts, pictures inside the
// page, and nothing from anywhere else.
func policy(css []byte, scripts ...[]byte) string {
	hash := func(text []byte) string {
		sum := sha256.Sum256(text)
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	var allowed []string
	for _, s := range scripts {
		if len(s) > 0 {
			allowed = append(allowed, hash(s))
		}
	}
	return fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'",
		strings.Join(allowed, " "), hash(css))
}

// options collects the chart options of all figures by their ID.
func (r *Report) options() map[string]any {
	out := map[string]any{}
	for _, f := range r.figures() {
		if f.Option != nil {
			out[f.ID] = map[string]any{"height": f.Height, "option": f.Option}
		}
	}
	return out
}

// figures lists every chart of a report.
func (r *Report) figures() []*Figure {
	var out []*Figure
	for _, b := range r.Boards {
		out = append(out, b.Ablation...)
		out = append(out, b.Tradeoff...)
		out = append(out, b.Differences...)
		out = append(out, b.Tasks...)
		out = append(out, b.Curves...)
	}
	for _, b := range r.Published {
		out = append(out, b.Tradeoff...)
	}
	return out
}

// tableView is a table with how the page shows it.
type tableView struct {
	*Table
	Sortable bool
	Rows     []Row // those that the page has room for
}

// Rows that a table has on the page. Others are in the files of the other
// formats, and in the values that the page carries.
const (
	boardRowsAtMost = 4000
	rowsAtMost      = 500
)

// Wide reports whether a table wants a page on its side when it is printed.
func (t tableView) Wide() bool { return len(t.Columns) > 9 }

// viewOfTable cuts a table to what the page has room for, and says so.
func viewOfTable(t *Table, sortable bool) tableView {
	room := rowsAtMost
	if strings.HasSuffix(t.ID, "-leaderboard") {
		room = boardRowsAtMost
	}
	if len(t.Rows) <= room {
		return tableView{t, sortable, t.Rows}
	}
	cut := *t
	cut.Notes = append([]string{fmt.Sprintf("The first %s of %s rows; --format csv or json has all.", group(room), group(len(t.Rows)))},
		t.Notes[:min(len(t.Notes), rowsAtMost)]...)
	return tableView{&cut, sortable, t.Rows[:room]}
}

// firstCommands are the commands that the page has room for.
func firstCommands(all []Command) []Command { return all[:min(len(all), rowsAtMost)] }

// Head is one heading cell of a table.
type Head struct {
	Text           string
	Number         bool
	Columns, Rows  int // columns and rows that it spans
	Group, Divider bool
	Index          int // of its column
}

// Heads lays the headings out in one row, or in two where columns share one.
func (t *Table) Heads() [][]Head {
	grouped := false
	for _, c := range t.Columns {
		grouped = grouped || c.Group != ""
	}
	var top, bottom []Head
	for j := 0; j < len(t.Columns); j++ {
		c := t.Columns[j]
		own := Head{Text: c.Name, Number: c.Number, Columns: 1, Rows: 1, Index: j}
		if !grouped || c.Group == "" {
			if grouped {
				own.Rows = 2
			}
			top = append(top, own)
			continue
		}
		if j == 0 || t.Columns[j-1].Group != c.Group {
			top = append(top, Head{Text: c.Group, Columns: 1, Rows: 1, Group: true})
			own.Divider = true
		} else {
			top[len(top)-1].Columns++
		}
		bottom = append(bottom, own)
	}
	if !grouped {
		return [][]Head{top}
	}
	return [][]Head{top, bottom}
}

// Starts reports whether column j opens a group of columns.
func (t *Table) Starts(j int) bool {
	return j > 0 && t.Columns[j].Group != "" && t.Columns[j-1].Group != t.Columns[j].Group
}

// minus sets negative numbers with a real minus sign, as wide as a plus.
func minus(s string) string { return negative.ReplaceAllString(s, "$1−$2") }

var negative = regexp.MustCompile(`(^|[\[ ])-(\d)`)

// image is a drawing as a data address; as a picture it cannot run anything.
func image(svg []byte) template.URL {
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg))
}
