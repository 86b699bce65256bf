package verify

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"infbench/reports/words"
)

// leaf is the smallest thing of a page that is held to what it should be: a
// table cell, a text, a chart.
type leaf struct {
	region string // ID of the nearest table, figure or section around it
	where  string // for a reader: "board-1-leaderboard: uni(P), AP@1000"
	text   string // with the attributes of the element
}

// flattener walks a parsed page.
type flattener struct {
	leaves []leaf
	region string
	script int
}

// flatten takes a page apart. The data that pages carry is no part of it.
func flatten(page []byte) ([]leaf, error) {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return nil, fmt.Errorf("parse report: %w", err)
	}
	f := &flattener{}
	f.walk(root)
	return f.leaves, nil
}

func (f *flattener) add(where, text string) {
	f.leaves = append(f.leaves, leaf{f.region, where, text})
}

func (f *flattener) walk(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		if text := strings.TrimSpace(n.Data); text != "" {
			f.add("text in "+cmp.Or(f.region, "the page"), text)
		}
		return
	case attr(n, "aria-hidden") == "true": // dividers
		return
	case n.Type == html.ElementNode && n.Data == "script":
		f.addScript(n)
		return
	case n.Type == html.ElementNode && n.Data == "style":
		f.add("style of the page", digest(inner(n)))
		return
	case n.Type == html.ElementNode:
		defer func(was string) { f.region = was }(f.region)
		f.region = cmp.Or(attr(n, "id"), about(n), f.region)
		if n.Data == "table" {
			f.addTable(n)
			return
		}
		if text := attributes(n); text != "" {
			f.add("<"+n.Data+"> in "+cmp.Or(f.region, "the page"), text)
		}
	}
	for c := range n.ChildNodes() {
		f.walk(c)
	}
}

// about is the ID of what an element heads or leads to: a section's heading, the
// target of a link within the page.
func about(n *html.Node) string {
	switch n.Data {
	case "section":
		return attr(n, "aria-labelledby")
	case "a":
		target, _ := strings.CutPrefix(attr(n, "href"), "#")
		return target
	}
	return ""
}

// addScript takes the charts apart by their ID, and any other script by its
// digest.
func (f *flattener) addScript(n *html.Node) {
	switch id := attr(n, "id"); id {
	case "report-data":
	case "charts":
		charts := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(inner(n)), &charts); err != nil {
			f.add("charts", "no JSON: "+err.Error())
			return
		}
		for _, name := range words.SortedKeys(charts) {
			f.leaves = append(f.leaves, leaf{name, "chart " + name, string(charts[name])})
		}
	default:
		name := id
		if id == "" {
			f.script++
			name = fmt.Sprintf("script %d", f.script)
		}
		f.leaves = append(f.leaves, leaf{cmp.Or(id, "scripts"), name, attributes(n) + " " + digest(inner(n))})
	}
}

// addTable takes a table apart by the heads of its rows and columns.
func (f *flattener) addTable(table *html.Node) {
	f.add("<table>", attributes(table))
	heads := map[string]string{}
	rows := map[string]int{}
	for tr := range table.Descendants() {
		switch {
		case tr.Type != html.ElementNode:
		case tr.Data == "caption":
			f.add(f.region+": caption", inner(tr))
		case tr.Data == "tr" && tr.Parent.Data == "thead":
			for th := range cells(tr) {
				if i := attr(th, "data-column"); i != "" {
					heads[i] = inner(th)
				}
				f.add(f.region+": heading", attributes(th)+" "+inner(th))
			}
		case tr.Data == "tr":
			f.addRow(tr, heads, rows)
		}
	}
}

// addRow names each cell by the head of its row and column; rows of one head
// are told apart by their number.
func (f *flattener) addRow(tr *html.Node, heads map[string]string, rows map[string]int) {
	name, i := "", 0
	for td := range cells(tr) {
		text := inner(td)
		if i == 0 {
			name = text
			if rows[text]++; rows[text] > 1 {
				name = fmt.Sprintf("%s (%d)", text, rows[text])
			}
			f.add(f.region+": row "+name, attributes(tr)+" "+attributes(td)+" "+text)
		} else {
			f.add(fmt.Sprintf("%s: %s, %s", f.region, name, cmp.Or(heads[fmt.Sprint(i)], fmt.Sprintf("column %d", i+1))), strings.TrimSpace(text+" "+attributes(td)+inside(td)))
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

// inside lists the elements within a cell: what is bold, what is set apart.
func inside(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.ElementNode {
			b.WriteString(" <" + c.Data + attributes(c) + ">")
		}
	}
	return b.String()
}

// inner is the text within an element.
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

// attributes prints the attributes of an element, sorted; long ones, which are
// pictures, as their digest.
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
