package export

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/published"
	"infbench/reports/section"
	"infbench/reports/table"
)

// TestSectionsEverywhere: every section with contents has its heading, texts and tables in every
// format.
func TestSectionsEverywhere(t *testing.T) {
	paper, err := published.Paper()
	if err != nil {
		t.Fatal(err)
	}
	o := reports.Options{Published: []*published.Collection{paper}}
	r := build(t, o, reportstest.Fixture(2))
	ids := map[string]bool{}
	for _, format := range Formats() {
		headings, text := headingsIn(t, written(t, r, format), format)
		section.Each(r.Printed(), func(s *section.Section, _ int) {
			if s.Empty() || format == "csv" && s.Source.From == section.FromRuns {
				return
			}
			ids[s.ID] = true
			own := about(s)
			says := len(own)+len(tablesOf(s)) > 0
			if s.Title != "" && (format != "csv" || says) && !slices.Contains(headings, told(format, s.Title)) {
				t.Errorf("%s has no section %q", format, s.Title)
			}
			for _, part := range own {
				if !strings.Contains(text, told(format, part)) {
					t.Errorf("%s, %s lacks %q", format, s.Title, part)
				}
			}
			for _, tb := range tablesOf(s) {
				for _, c := range []string{tb.Rows[0].Entries[0].Text, tb.Rows[len(tb.Rows)-1].Entries[0].Text} {
					if !strings.Contains(text, told(format, c)) {
						t.Errorf("%s, %s lacks the row %q of %q", format, s.Title, c, tb.Title)
					}
				}
			}
		})
	}
	for _, id := range []string{"synthetic-1", "synthetic-1-costs", "synthetic-1-tradeoff", "synthetic-1-ablation", "synthetic-1-scorings-1", "synthetic-1-training", "machines-1-libraries", "commands", "published-1", "beside", "coverage"} {
		if !ids[id] {
			t.Errorf("the report has no section %q", id)
		}
	}
}

// told returns a text as a format prints it, without white space.
func told(format, text string) string {
	switch format {
	case "markdown":
		text = table.MarkdownText(text)
	case "latex":
		text = table.LatexText(text)
	case "html":
		text = strings.ReplaceAll(text, "-", "−")
	}
	return flat(text)
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// headingsIn returns the headings of sections in an output, and all of its text.
func headingsIn(t *testing.T, out, format string) (headings []string, text string) {
	t.Helper()
	switch format {
	case "csv":
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Index(rows[0], "section")
		for _, row := range rows {
			headings = append(headings, flat(row[at]))
			text += flat(strings.Join(row, "\n")) + "\n"
		}
		return headings, text
	case "json":
		var r jsonReport
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		eachJSON(r.Sections, func(s jsonSection) {
			headings = append(headings, flat(s.Title))
			text += flat(strings.Join(s.Text, "\n")) + "\n"
			for _, tb := range s.Tables {
				for _, row := range tb.Rows {
					text += flat(row[0].Text) + "\n"
				}
			}
		})
		return headings, text
	case "html":
		for n := range reportstest.Parse(t, out).Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if slices.Contains([]string{"h2", "h3", "h4", "summary"}, n.Data) && n.FirstChild != nil {
				headings = append(headings, told(format, n.FirstChild.Data))
			}
			if slices.Contains([]string{"p", "li", "th", "td", "dt", "dd"}, n.Data) {
				text += told(format, inside(n)) + "\n"
			}
		}
		return headings, text
	}
	for line := range strings.Lines(out) {
		line = strings.TrimLeft(strings.TrimSpace(line), "# ")
		line = strings.TrimSuffix(strings.TrimPrefix(line, `\paragraph{`), "}")
		headings = append(headings, flat(line))
	}
	return headings, flat(out)
}

// inside returns the text of an element, with terms separated from their descriptions.
func inside(n *html.Node) string {
	var b strings.Builder
	if n.Data == "dd" {
		for c := range n.PrevSibling.Descendants() {
			b.WriteString(c.Data)
		}
		b.WriteString(": ")
	}
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		} else if c.Data == "p" {
			b.WriteString(" ")
		}
	}
	return b.String()
}

func eachJSON(sections []jsonSection, visit func(jsonSection)) {
	for _, s := range sections {
		visit(s)
		eachJSON(s.Parts, visit)
	}
}
