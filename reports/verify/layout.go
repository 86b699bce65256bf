package verify

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"infbench/reports"
	"infbench/reports/page"
	"infbench/reports/seal"
	"infbench/reports/table"
	"infbench/reports/words"
)

// The first layout, which has no number: the digests of its style and its script. A
// page of other ones is of another layout, whatever it says.
const (
	firstStyle  = "sha256:d98c5b251f437b9f522c9e94e66070c6a060bcce3326dca678ec30b1fef5722c"
	firstScript = "sha256:1c68b5f003d558943159aa3a336f7e683b913fd36776ed28f8b139c4b024aff4"
)

// firstElements are those of the first layout, with their attributes.
var firstElements = map[string][]string{
	"html": {"lang"}, "head": nil, "meta": {"charset", "http-equiv", "content", "name"}, "title": nil, "style": nil, "body": nil,
	"header": nil, "h1": nil, "nav": {"aria-label"}, "main": {"id"}, "footer": nil, "script": {"type", "id"}, "a": {"class", "href"},
	"section": {"class", "aria-labelledby"}, "details": {"class", "open"}, "summary": nil, "h2": {"id"}, "h3": {"id"}, "h4": nil,
	"p": {"class"}, "span": {"class", "aria-hidden"}, "strong": nil, "code": nil, "ul": {"class"}, "li": nil, "dl": {"class"}, "dt": nil, "dd": nil,
	"div":    {"class", "tabindex", "role", "aria-labelledby", "aria-label", "data-chart", "hidden", "id"},
	"figure": {"id", "class"}, "figcaption": nil, "img": {"class", "src", "width", "height", "alt"},
	"table": {"id", "class"}, "caption": {"id"}, "thead": nil, "tbody": nil, "tr": {"class"},
	"th": {"scope", "class", "data-column", "colspan", "rowspan"}, "td": {"class", "data-sort", "data-from", "title", "tabindex"},
}

// firstClasses are the words that classes of the first layout are made of.
var firstClasses = strings.Fields("skip kicker facts lead warned notice board badge intro legend printed grid small slices notes machine modules drawing static live pair scroll wide sortable visually-hidden group n first better worse absent trained baseline null kind under")

// firstLayout holds a page of the first layout, whose texts this version words
// otherwise, to what does not depend on either: it is made of what such pages are
// made of, and every cell that links to values shows what cells of this version
// show that link to the same. What that leaves is named by its headings.
func (v *Verification) firstLayout(shown []byte, r *reports.Report) error {
	root, err := parsed(shown)
	if err != nil {
		return err
	}
	v.firstParts(root)
	var again bytes.Buffer
	if err := page.WriteWith(&again, r, nil); err != nil {
		return err
	}
	made, err := parsed(again.Bytes())
	if err != nil {
		return err
	}
	text := string(shown)
	if !strings.HasPrefix(text, firstStart) || !strings.HasSuffix(strings.TrimRight(unsealed(text), "\n"), "\n</html>") || strings.Count(text, seal.Start) != 1 {
		v.find("the page does not begin or end as reports do, or has two seals", "", "")
	}
	unmade := v.compareLinks(linked(root), linked(made))
	v.Unchecked = append(v.Unchecked, "title, facts and navigation: the page is of an older layout")
	known := tables(made)
	if other := slices.DeleteFunc(words.SortedKeys(tables(root)), func(id string) bool { return known[id] }); len(other) > 0 {
		v.Unchecked = append(v.Unchecked, "tables by names that this version has none of: "+strings.Join(other, ", "))
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "h2" || n.Data == "h3") {
			v.Unchecked = append(v.Unchecked, inner(n)+": its texts, its charts and cells without links: the page is of an older layout")
		}
	}
	if unmade > 0 {
		v.Unchecked = append(v.Unchecked, fmt.Sprintf("%d cells that link to numbers which this version does not show", unmade))
	}
	return nil
}

// firstStart is how pages of the first layout begin.
const firstStart = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"

// tables are the IDs of tables.
func tables(root *html.Node) map[string]bool {
	out := map[string]bool{}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "table" {
			out[cmp.Or(attr(n, "id"), "one without")] = true
		}
	}
	return out
}

// firstParts holds the elements of a page to those of the first layout: its own
// style and scripts, the policy that allows no other, no style, address or attribute
// beside.
func (v *Verification) firstParts(root *html.Node) {
	count := map[string]int{}
	var style, policy string
	var scripts [][]byte
	for n := range root.Descendants() {
		if n.Type == html.CommentNode && !sealComment.MatchString(" "+strings.TrimSpace(n.Data)+" ") {
			v.find("a comment is no part of a report", n.Data, "")
		}
		if n.Type != html.ElementNode {
			continue
		}
		count[n.Data]++
		allowed, known := firstElements[n.Data]
		odd := !known || n.Namespace != ""
		for _, a := range n.Attr {
			odd = odd || !slices.Contains(allowed, a.Key) || !firstValue(n, a)
		}
		if odd {
			v.find(fmt.Sprintf("<%s%s> is no part of a report of its layout", n.Data, attributes(n)), "", "")
		}
		switch {
		case n.Data == "style":
			style = whole(n)
		case n.Data == "script" && attr(n, "type") == "":
			scripts = append(scripts, []byte(whole(n)))
		case attr(n, "http-equiv") != "":
			policy = attr(n, "content")
		}
	}
	v.firstHead(style, policy, scripts)
	for _, once := range strings.Fields("html head title style body header h1 nav main footer") {
		if count[once] != 1 {
			v.find(fmt.Sprintf("the page has %d <%s>", count[once], once), "", "")
		}
	}
}

// whole is the text of an element that holds nothing else.
func whole(n *html.Node) string {
	if n.FirstChild == nil {
		return ""
	}
	return n.FirstChild.Data
}

// firstHead holds the style, the scripts and the policy of a page to those of the
// first layout.
func (v *Verification) firstHead(style, policy string, scripts [][]byte) {
	own := len(scripts) - 1
	known := own >= 0 && own <= 1 && digest(style) == firstStyle && digest(string(scripts[own])) == firstScript &&
		(own == 0 || digest(string(scripts[0])) == "sha256:"+page.EChartsSHA256)
	if !known {
		v.find("the page is not of the layout that it says it is of: it has another style or other scripts", "", "")
		return
	}
	if slices.Reverse(scripts); policy != page.Policy([]byte(style), scripts...) {
		v.find("the content policy of the page", policy, page.Policy([]byte(style), scripts...))
	}
}

// firstValue reports whether an attribute has a value that the first layout has.
func firstValue(n *html.Node, a html.Attribute) bool {
	switch a.Key {
	case "class":
		return !slices.ContainsFunc(strings.Fields(a.Val), func(word string) bool { return !slices.Contains(firstClasses, word) }) &&
			(!strings.Contains(a.Val, "visually-hidden") || n.Parent.Data == "caption")
	case "href":
		return strings.HasPrefix(a.Val, "#")
	case "src":
		return strings.HasPrefix(a.Val, "data:image/svg+xml;base64,")
	case "http-equiv":
		return a.Val == "Content-Security-Policy"
	case "hidden":
		return n.FirstChild == nil
	case "aria-hidden":
		return inner(n) == "·"
	}
	return true
}

// compareLinks holds cells to those that link to the same, and counts those that
// have none.
func (v *Verification) compareLinks(have, made map[string]map[string]bool) (unmade int) {
	for _, link := range words.SortedKeys(have) {
		texts, want := have[link], made[link]
		v.Cells += len(texts)
		if want == nil {
			unmade += len(texts)
			continue
		}
		for _, text := range words.SortedKeys(texts) {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(made string) bool { return sameNumber(text, made) }) {
				v.find(fmt.Sprintf("link %q", link), text, strings.Join(words.SortedKeys(want), " or "))
			}
		}
	}
	return unmade
}

// sameNumber reports whether two cells show the same and sort alike, but for the last
// bits of a sum: an older version may have added up in another order. Where it drew a heat
// map and this version draws points, the table sorted by what was drawn.
func sameNumber(shown, made string) bool {
	if shown == made {
		return true
	}
	a, b := strings.LastIndexByte(shown, ' '), strings.LastIndexByte(made, ' ')
	x, err := strconv.ParseFloat(shown[a+1:], 64)
	y, err2 := strconv.ParseFloat(made[b+1:], 64)
	return shown[:a] == made[:b] && err == nil && err2 == nil && (math.Abs(x-y) <= rounding || x == words.Scaled(y))
}

// linked lists what cells show by their links.
func linked(root *html.Node) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for n := range root.Descendants() {
		if link := attr(n, "data-from"); n.Type == html.ElementNode && link != "" {
			if out[link] == nil {
				out[link] = map[string]bool{}
			}
			out[link][number(n)+" "+attr(n, "data-sort")] = true
		}
	}
	return out
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
