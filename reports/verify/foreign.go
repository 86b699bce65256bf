package verify

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// written are the elements that sections of a page are made of, with their
// attributes. A section that cannot be made again may hold nothing else: no style,
// no link, nothing hidden, no ID of another section.
var written = map[string][]string{
	"section": {"id", "aria-labelledby"}, "details": {"id", "class"}, "summary": nil,
	"h2": {"id"}, "h3": {"id"}, "h4": {"id"}, "p": {"class"}, "span": {"class"}, "strong": nil, "code": nil,
	"ul": {"class"}, "li": nil, "dl": {"class"}, "div": {"class", "tabindex", "role", "aria-labelledby", "data-chart", "hidden", "id"}, "dt": nil, "dd": nil,
	"figure": {"id", "class"}, "figcaption": nil, "img": {"class", "src", "width", "height", "alt"},
	"table": {"id", "class"}, "caption": {"id"}, "thead": nil, "tbody": nil, "tr": {"class"},
	"th": {"scope", "class", "data-column", "colspan", "rowspan"}, "td": {"class", "data-sort", "data-from", "title", "tabindex"},
}

// look are the words that classes are made of.
var look = strings.Fields("printed intro badge terms notes legend grid small scroll wide sortable group n first better worse absent trained baseline null kind under visually-hidden drawing static live pair")

// browser is the element that the page's script fills in the section on queries.
const browser = "query-browser"

// check notes an element that no report has, in a section that cannot be made
// again.
func (f *leaves) check(n *html.Node, region string) {
	if !f.unchecked[region] {
		return
	}
	allowed, known := written[n.Data]
	if !known {
		f.foreign = append(f.foreign, fmt.Sprintf("<%s> in %s is no part of a report", n.Data, region))
		return
	}
	for _, a := range n.Attr {
		if !slices.Contains(allowed, a.Key) || !fits(n, a, region) {
			f.foreign = append(f.foreign, fmt.Sprintf("<%s %s=%.80q> in %s is no part of a report", n.Data, a.Key, a.Val, region))
		}
	}
}

// fits reports whether an attribute has a value that reports write.
func fits(n *html.Node, a html.Attribute, region string) bool {
	switch a.Key {
	case "id", "aria-labelledby", "data-chart":
		return a.Val == region || strings.HasPrefix(a.Val, region+"-") || a.Val == browser
	case "class":
		return !slices.ContainsFunc(strings.Fields(a.Val), func(word string) bool { return !slices.Contains(look, word) })
	case "src":
		return strings.HasPrefix(a.Val, "data:image/svg+xml;base64,")
	case "hidden":
		return attr(n, "class") == "live" || attr(n, "id") == browser
	}
	return true
}
