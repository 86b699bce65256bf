package verify

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"infbench/internal/words"
)

// leaf is the smallest part of a page that is compared with its expected value: a table cell, a
// text, the beginning or end of an element, or a chart.
type leaf struct {
	where string // for a reader: "board-1-leaderboard: uni(P), AP@1000"
	text  string // with the attributes of the element
}

// closing marks the end of an element.
const closing = "end of an element"

// leaves are the leaves of a page by section; those outside of all sections have the key "".
// Sections that cannot be made again have none.
type leaves struct {
	of    map[string][]leaf
	cells int // of tables

	places    map[string]bool   // sections of the report
	unchecked map[string]bool   // sections that cannot be made again
	charts    map[string]string // section of each figure
}

func parsed(page []byte) (*html.Node, error) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil, fmt.Errorf("parse report: %w", err)
	}
	return root, nil
}

// flatten splits a page by its sections. The embedded data of the page are not included.
func flatten(root *html.Node, places, unchecked map[string]bool) *leaves {
	f := &leaves{of: map[string][]leaf{}, places: places, unchecked: unchecked, charts: map[string]string{}}
	f.walk(root, "", "the page")
	return f
}

func (f *leaves) add(region, where, text string) {
	if !f.unchecked[region] {
		f.of[region] = append(f.of[region], leaf{where, text})
	}
}

// regionName names a section for a reader.
func regionName(region string) string { return cmp.Or(region, "the page, outside of its sections") }

// structural elements are also compared by their ends.
var structural = []string{"section", "details", "figure", "div", "dl", "ul", "header", "main", "nav", "footer", "body"}

// sealComment matches the comment at the end of a page.
var sealComment = regexp.MustCompile("^ sha256:[0-9a-f]{64} $")

// walk adds a node and its contents; place is the nearest ID.
func (f *leaves) walk(n *html.Node, region, place string) {
	switch n.Type {
	case html.TextNode:
		if text := strings.TrimSpace(n.Data); text != "" {
			f.add(region, "text in "+place, text)
		}
		return
	case html.CommentNode:
		if !sealComment.MatchString(" " + strings.TrimSpace(n.Data) + " ") {
			f.add(region, "comment in "+place, n.Data)
		}
		return
	case html.DoctypeNode:
		f.add(region, "document type", n.Data+attributes(n))
		return
	case html.ElementNode:
		id := attr(n, "id")
		region, place = f.enter(n, region), cmp.Or(id, place)
		switch n.Data {
		case "script":
			f.addScript(n, region, place)
			return
		case "style":
			f.add(region, "style of the page", attributes(n)+digest(inner(n)))
			return
		case "table":
			f.addTable(n, region, place)
			return
		case "figure":
			f.charts[id] = region
		}
		f.add(region, "<"+n.Data+"> in "+place, attributes(n))
	}
	for c := range n.ChildNodes() {
		f.walk(c, region, place)
	}
	if slices.Contains(structural, n.Data) {
		f.add(region, closing, n.Data)
	}
}

// enter returns the section of an element, which is the element itself if it is a section.
func (f *leaves) enter(n *html.Node, region string) string {
	id := attr(n, "id")
	if !f.places[id] || n.Data != "section" && n.Data != "details" {
		return region
	}
	f.add(id, "section "+id, "")
	return id
}

// addScript adds the charts by their ID, and any other script by its digest.
func (f *leaves) addScript(n *html.Node, region, place string) {
	id := attr(n, "id")
	switch {
	case id == "report-data":
		f.add(region, "script "+id, attributes(n))
	case id == "query-data" && f.unchecked["queries"]:
	case id == "charts":
		charts := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(inner(n)), &charts); err != nil {
			f.add(region, "charts", "no JSON: "+err.Error())
			return
		}
		f.add(region, "script "+id, attributes(n))
		for _, name := range words.SortedKeys(charts) {
			if !within(name, f.unchecked) {
				f.add(f.charts[name], "chart "+name, string(charts[name]))
			}
		}
	default:
		f.add(region, cmp.Or(id, "script in "+place), attributes(n)+" "+digest(inner(n)))
	}
}

// addTable adds a table by the headings of its rows and columns.
func (f *leaves) addTable(table *html.Node, region, place string) {
	f.add(region, "<table> "+place, attributes(table))
	heads, rows := map[string]string{}, map[string]int{}
	for n := range table.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "caption":
			f.add(region, place+": caption", inner(n)+inside(n)+attributes(n))
		case "tr":
			if n.Parent.Data == "thead" {
				f.addHeads(n, region, place, heads)
			} else {
				f.addRow(n, region, place, heads, rows)
			}
		case "thead", "tbody", "tfoot", "colgroup", "col":
			f.add(region, place+": <"+n.Data+">", attributes(n))
		}
	}
}

func (f *leaves) addHeads(tr *html.Node, region, place string, heads map[string]string) {
	f.add(region, place+": headings", attributes(tr))
	for th := range cells(tr) {
		f.cells++
		if i := attr(th, "data-column"); i != "" {
			heads[i] = inner(th)
		}
		f.add(region, place+": heading", attributes(th)+" "+inner(th)+inside(th))
	}
}

// addRow names each cell by the headings of its row and column; rows with the same heading are
// numbered.
func (f *leaves) addRow(tr *html.Node, region, place string, heads map[string]string, rows map[string]int) {
	name, i := "", 0
	for td := range cells(tr) {
		f.cells++
		text := inner(td)
		if i == 0 {
			name = text
			if rows[text]++; rows[text] > 1 {
				name = fmt.Sprintf("%s (%d)", text, rows[text])
			}
			f.add(region, place+": row "+name, attributes(tr)+" "+attributes(td)+" "+text+inside(td))
		} else {
			f.add(region, fmt.Sprintf("%s: %s, %s", place, name, cmp.Or(heads[fmt.Sprint(i)], fmt.Sprintf("column %d", i+1))), strings.TrimSpace(text+" "+attributes(td)+inside(td)))
		}
		i++
	}
}

// cells yields the cells of a row.
func cells(tr *html.Node) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for c := range tr.ChildNodes() {
			if c.Type == html.ElementNode && (c.Data == "td" || c.Data == "th") && !yield(c) {
				return
			}
		}
	}
}

// inside lists the elements within a cell, such as bold or separate text.
func inside(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.ElementNode {
			b.WriteString(" <" + c.Data + attributes(c) + ">" + inner(c))
		}
	}
	return b.String()
}

// inner returns the text within an element.
func inner(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// byID finds a section by its ID, or returns nil.
func byID(root *html.Node, id string) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "section" || n.Data == "details") && attr(n, "id") == id {
			return n
		}
	}
	return nil
}

// headingOf returns the text of a section's heading, without the badge next to it.
func headingOf(section *html.Node, id string) string {
	var b strings.Builder
	for n := range section.Descendants() {
		if n.Type == html.TextNode && n.Parent.Type == html.ElementNode && attr(n.Parent, "id") == id {
			b.WriteString(n.Data)
		}
	}
	return strings.TrimSpace(b.String())
}

// attributes prints the sorted attributes of an element; long ones, which are pictures, by their
// digest.
func attributes(n *html.Node) string {
	var out []string
	for _, a := range n.Attr {
		value := a.Val
		if len(value) > 500 {
			value = digest(value)
		}
		out = append(out, a.Key+"="+value)
	}
	slices.Sort(out)
	if len(out) == 0 {
		return ""
	}
	return "[" + strings.Join(out, " ") + "]"
}

func digest(text string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) }
