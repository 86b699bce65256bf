package verify

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"infbench/reports"
	"infbench/reports/page"
	"infbench/reports/table"
)

// otherLayout holds a page that another version laid out and worded to what does
// not depend on either: every cell that links to values is held to the cells of
// this version that link to the same.
func (v *Verification) otherLayout(shown []byte, d *reports.Data, r *reports.Report) error {
	var again bytes.Buffer
	if err := page.WriteWith(&again, r, nil); err != nil {
		return err
	}
	have, err := linked(shown)
	if err != nil {
		return err
	}
	made, err := linked(again.Bytes())
	if err != nil {
		return err
	}
	unmade := 0
	for link, texts := range have {
		v.Cells += len(texts)
		want, ok := made[link]
		if !ok {
			unmade += len(texts)
			continue
		}
		for text := range texts {
			if !want[text] {
				for w := range want {
					v.find(fmt.Sprintf("link %q", link), text, w)
					break
				}
			}
		}
	}
	v.Unchecked = append(v.Unchecked, fmt.Sprintf("texts and charts: the page is of layout %d, this program writes %d; numbers were held to their values by their links", d.Layout, reports.Layout))
	if unmade > 0 {
		v.Unchecked = append(v.Unchecked, fmt.Sprintf("%d cells that link to numbers which this version does not show", unmade))
	}
	return nil
}

// linked lists what cells show by their links.
func linked(text []byte) (map[string]map[string]bool, error) {
	root, err := parsed(text)
	if err != nil {
		return nil, err
	}
	out := map[string]map[string]bool{}
	for n := range root.Descendants() {
		if link := attr(n, "data-from"); n.Type == html.ElementNode && link != "" {
			if out[link] == nil {
				out[link] = map[string]bool{}
			}
			out[link][number(n)+" "+attr(n, "data-sort")] = true
		}
	}
	return out, nil
}

// number is the number that a cell shows, without its marks and what stands below it.
func number(td *html.Node) string {
	var b strings.Builder
	for c := range td.ChildNodes() {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.Data != "span":
			b.WriteString(inner(c))
		}
	}
	return table.Unmarked(strings.TrimSpace(b.String()))
}
