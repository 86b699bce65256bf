package verify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"

	"infbench/internal/words"
	"infbench/reports"
	"infbench/reports/section"
)

// unsealed returns a page without the comment at its end, which contains its digest.
func unsealed(text string) string {
	if at := strings.LastIndex(text, reports.SealStart); at >= 0 {
		return text[:at]
	}
	return text
}

// unlike compares a page byte by byte with its expected parts. Parts at even places are texts.
// Those at odd places are IDs of sections that cannot be made again. Such a section may contain
// anything that sections of reports consist of, with the IDs in own. unlike returns the other
// contents of such sections, and the first difference elsewhere, or nil.
func unlike(shown string, parts []string, own map[string][]string) (foreign []Finding, first *Finding) {
	rest, place := unsealed(shown), ""
	parts[len(parts)-1] = unsealed(parts[len(parts)-1])
	for i, text := range parts {
		if i%2 == 1 {
			h := hole{id: text, own: own[text], next: parts[i+1], rest: rest}
			err := h.read()
			if h.odd != nil {
				foreign = append(foreign, Finding{Where: fmt.Sprintf("section %s: %v", text, h.odd)})
			}
			if err != nil {
				return foreign, &Finding{Where: fmt.Sprintf("section %s: %v", text, err)}
			}
			rest = h.rest
			continue
		}
		after, found := strings.CutPrefix(rest, text)
		if !found {
			return foreign, differing(rest, text, place)
		}
		rest, place = after, cmp.Or(lastID(text), place)
	}
	if rest != "" {
		return foreign, &Finding{Where: "the page goes on after its end", Shown: clip(rest)}
	}
	return foreign, nil
}

// differing describes the first difference of two texts.
func differing(shown, want, place string) *Finding {
	at := 0
	for at < min(len(shown), len(want)) && shown[at] == want[at] {
		at++
	}
	return &Finding{Where: "the page, after " + cmp.Or(lastID(want[:at]), place, "its beginning") + ", differs from the form of reports", Shown: clip(shown[at:]), Want: clip(want[at:])}
}

var anID = regexp.MustCompile(` id="([^"]*)"`)

// lastID returns the last ID in a text.
func lastID(text string) string {
	found := anID.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1][1]
}

func clip(text string) string { return text[:min(len(text), 80)] }

// hole is the place of a section that cannot be made again.
type hole struct {
	id   string
	own  []string // IDs that it may contain, without numbers
	next string   // the text that follows it
	rest string   // rest of the page
	open []string // open elements
	odd  error    // the first content that reports do not have
}

// read reads up to the text that must follow. Content that reports do not have is recorded as odd:
// an unknown element, an element in a wrong place or with wrong attributes, an ID of another
// section, or text outside of elements for text. read fails if the section does not end correctly.
func (h *hole) read() error {
	for len(h.open) > 0 || !strings.HasPrefix(h.rest, h.next) {
		if h.rest == "" {
			return fmt.Errorf("it does not end correctly, or the text after it differs")
		}
		token := nextToken(h.rest)
		h.rest = h.rest[len(token):]
		in := "section"
		if len(h.open) > 0 {
			in = h.open[len(h.open)-1]
		}
		name, isEnd := strings.CutPrefix(strings.TrimSuffix(token, ">"), "</")
		var err error
		switch {
		case token[0] != '<':
			err = checkText(token, in)
		case isEnd && len(h.open) > 0 && name == strings.TrimSuffix(in, hidden):
			h.open = h.open[:len(h.open)-1]
		case isEnd:
			return fmt.Errorf("%s closes no open element, or the text after the section differs", token)
		default:
			name, err = h.checkTag(token, in)
			if strings.HasSuffix(token, " hidden>") {
				name += hidden
			}
			if !slices.Contains(void, name) {
				h.open = append(h.open, name)
			}
		}
		h.odd = cmp.Or(h.odd, err)
	}
	return nil
}

// void are elements without an end tag.
var void = strings.Fields("img input br wbr hr meta link base !--")

// hidden marks an open element that scripts fill and that must be empty.
const hidden = ", hidden"

// nextToken returns a tag, or the text before the next tag, from the beginning of a non-empty text.
func nextToken(text string) string {
	at := strings.IndexByte(text, '>') + 1
	if text[0] != '<' {
		at = strings.IndexByte(text, '<')
	}
	if at <= 0 {
		return text
	}
	return text[:at]
}

// texts are the elements that contain text.
var texts = strings.Fields("summary h3 h4 p dt dd li span strong code caption th td pre a")

func checkText(text, in string) error {
	visible := strings.ReplaceAll(text, "\n", "")
	switch {
	case strings.ContainsFunc(visible, words.Invisible):
		return fmt.Errorf("a text contains invisible characters: %q", clip(text))
	case visible != "" && !slices.Contains(texts, in):
		return fmt.Errorf("there is text in <%s>: %q", in, clip(text))
	}
	return nil
}

// written lists for each element the elements that may contain it, and its attributes; @ is an ID.
// If an element differs by its place, the key contains both.
var written = map[string]struct {
	in         string
	attributes func() *regexp.Regexp
}{
	"section":        {"section details", attributesLike(` id="@"(?: aria-labelledby="@-title")?`)},
	"details":        {"section details", attributesLike(`(?: class="printed")? id="@"`)},
	"summary":        {"details", attributesLike(``)},
	"h3":             {"section details summary", attributesLike(` id="@-title"`)},
	"h4":             {"section details figcaption summary", attributesLike(`(?: id="@-title")?`)},
	"p":              {"section details dd figcaption", attributesLike(`(?: class="(?:intro|legend|told)")?`)},
	"dl":             {"section details", attributesLike(` class="terms"`)},
	"dt":             {"div", attributesLike(``)},
	"dd":             {"div", attributesLike(`(?: class="(?:better|worse|absent)")?`)},
	"pre":            {"section details", attributesLike(` tabindex="0" role="region" aria-labelledby="@-title"`)},
	"ul":             {"section details figure", attributesLike(` class="notes"`)},
	"li":             {"ul", attributesLike(``)},
	"div":            {"section details figure div dl", attributesLike(`| class="(?:grid|grid small|drawing)"| id="query-browser" hidden| id="@-filters" hidden| class="live" data-chart="@" hidden| class="scroll(?: wide)?" tabindex="0" role="region" aria-labelledby="@-caption"`)},
	"figure":         {"section details div", attributesLike(` id="@"(?: class="pair")?`)},
	"figcaption":     {"figure", attributesLike(``)},
	"img":            {"div", attributesLike(` class="static" src="data:image/svg&#43;xml;base64,(?:[A-Za-z0-9/=]|&#43;)+" width="\d+" height="\d+" alt="[^"]*"`)},
	"table":          {"div", attributesLike(` id="@" class="sortable"`)},
	"caption":        {"table", attributesLike(` id="@-caption"`)},
	"thead":          {"table", attributesLike(``)},
	"tbody":          {"table", attributesLike(``)},
	"tr":             {"thead tbody", attributesLike(`(?: class="(?:trained|baseline|null)")?`)},
	"th":             {"tr", attributesLike(` scope="row"(?: class="name")?(?: title="[^"]*")?| scope="colgroup" class="group"(?: colspan="\d+")?(?: rowspan="\d+")?| scope="col" data-column="\d+"(?: class="n(?: first)?(?: name)?")?(?: rowspan="\d+")?(?: title="[^"]*")?`)},
	"td":             {"tr", attributesLike(`(?: class="(?:n|better|worse|absent| first| )+")?(?: data-sort="[^"]*")?(?: data-from="[^"]*")?(?: title="[^"]*" tabindex="0")?`)},
	"figure details": {"figure", attributesLike(``)},
	"caption span":   {"caption", attributesLike(` class="visually-hidden"`)},
	"th span":        {"th", attributesLike(` class="kind"`)},
	"td span":        {"td", attributesLike(` class="under"`)},
	"strong":         {"td", attributesLike(``)},
	"a":              {"th", attributesLike(` href="https://huggingface\.co/[\w.-]+/[\w.-]+" rel="noreferrer"`)},
	"wbr":            {"th td strong a", attributesLike(``)},
	"code":           {"td dd", attributesLike(``)},
}

// attributesLike returns a function that compiles a pattern of attributes on its first call; IDs
// match any text.
func attributesLike(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^(?:" + strings.ReplaceAll(pattern, "@", `[^" ]+`) + ")$")
	})
}

// ids matches the attributes that have IDs.
var ids = regexp.MustCompile(` (id|aria-labelledby|data-chart)="([^"]*)"`)

// idsOf lists by section the IDs of a report's elements in it and its parts, without their numbers:
// with fewer values there may be fewer elements of a kind.
func idsOf(r *reports.Report) map[string][]string {
	out := map[string][]string{}
	section.Each(r.Sections, func(s *section.Section, _ int) {
		for _, t := range s.AllTables() {
			out[s.ID] = append(out[s.ID], numberless(t.ID), numberless(t.ID+"-caption"))
		}
		for _, f := range s.AllFigures() {
			out[s.ID] = append(out[s.ID], numberless(f.ID))
		}
	})
	return out
}

var digits = regexp.MustCompile(`\d+`)

func numberless(id string) string { return digits.ReplaceAllString(id, "#") }

// browser is the element that the page's script fills in the section on queries.
const browser = "query-browser"

// filters is the ending of the ID of an element that the page's script fills with filters of a
// section's table. The element is in the section itself, not in its parts.
const filters = "-filters"

// checkTag checks the start tag of an element against the form of reports.
func (h *hole) checkTag(tag, in string) (name string, err error) {
	name, _, _ = strings.Cut(strings.Trim(tag, "<>"), " ")
	like, known := written[in+" "+name]
	if !known {
		like, known = written[name]
	}
	if !known || !slices.Contains(strings.Fields(like.in), in) || !like.attributes().MatchString(strings.TrimSuffix(strings.TrimPrefix(tag, "<"+name), ">")) {
		return name, fmt.Errorf("%s in <%s> is not a part of reports", clip(tag), in)
	}
	for _, found := range ids.FindAllStringSubmatch(tag, -1) {
		if id := found[2]; !strings.HasPrefix(id, h.id+"-") && id != browser && !slices.Contains(h.own, numberless(id)) {
			return name, fmt.Errorf("%s has an ID of another place", clip(tag))
		} else if strings.HasSuffix(id, filters) && (id != h.id+filters || len(h.open) > 0) {
			return name, fmt.Errorf("%s has filters of another place", clip(tag))
		}
	}
	return name, nil
}

// repeated finds IDs of several elements.
func (v *Verification) repeated(root *html.Node) {
	seen := map[string]int{}
	for n := range root.Descendants() {
		if id := attr(n, "id"); id != "" && n.Type == html.ElementNode {
			if seen[id]++; seen[id] == 2 {
				v.find(fmt.Sprintf("several elements have the ID %q", clip(id)), "", "")
			}
		}
	}
}

// items returns the list items of one of the sections at the top of a page.
func items(root *html.Node, id string) []string {
	var out []string
	if s := byID(root, id); s != nil {
		for n := range s.Descendants() {
			if n.Data == "li" {
				out = append(out, inner(n))
			}
		}
	}
	return out
}

// factsOn returns the facts below the title of a page.
func factsOn(root *html.Node) []string {
	for n := range root.Descendants() {
		if n.Data == "p" && attr(n, "class") == "facts" {
			return strings.Split(inner(n), " · ")
		}
	}
	return nil
}

// scriptByID returns the text of a script; "" if there is none.
func scriptByID(root *html.Node, id string) string {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "script" && attr(n, "id") == id {
			return inner(n)
		}
	}
	return ""
}

// queriesOf returns the data of a page on single queries; nil if they cannot be read.
func queriesOf(root *html.Node) *reports.QueryPages {
	var q reports.QueryPages
	if json.Unmarshal([]byte(scriptByID(root, "query-data")), &q) != nil {
		return nil
	}
	return &q
}

// Settings of charts in reports. A tooltip in HTML could appear anywhere on the page; those of
// reports are drawn.
var (
	settings = strings.Fields("animation aria grid series tooltip visualMap xAxis yAxis")
	tooltip  = map[string]any{"renderMode": "richText", "confine": true, "formatter": "fn:tip", "trigger": "item"}
)

// uncheckedCharts returns the charts of a page in sections that cannot be made again, unchanged.
func (v *Verification) uncheckedCharts(root *html.Node, unchecked map[string]bool) (map[string]any, error) {
	text := scriptByID(root, "charts")
	if text == "" {
		return nil, nil
	}
	all, out := map[string]json.RawMessage{}, map[string]any{}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return nil, fmt.Errorf("read charts of the report: %w", err)
	}
	for _, id := range words.SortedKeys(all) {
		if !within(id, unchecked) {
			continue
		}
		if out[id] = all[id]; !plainChart(all[id]) {
			v.find("chart "+id+" has settings that charts of reports do not have", "", "")
		}
	}
	return out, nil
}

// within reports whether an ID belongs to one of the sections.
func within(id string, sections map[string]bool) bool {
	for s := range sections {
		if strings.HasPrefix(id, s+"-") {
			return true
		}
	}
	return false
}

// plainChart reports whether a chart, with any data, has only the settings of reports.
func plainChart(text json.RawMessage) bool {
	var chart map[string]any
	_ = json.Unmarshal(text, &chart) // an invalid text is not a chart
	option, _ := chart["option"].(map[string]any)
	_, isNumber := chart["height"].(float64)
	if len(chart) != 2 || !isNumber || option == nil || !reflect.DeepEqual(option["tooltip"], tooltip) {
		return false
	}
	for key, value := range option {
		if !slices.Contains(settings, key) || key != "tooltip" && holdsTooltip(value) {
			return false
		}
	}
	return true
}

// holdsTooltip reports whether a part of a chart has a tooltip.
func holdsTooltip(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		_, own := value["tooltip"].(map[string]any)
		return own || slices.ContainsFunc(slices.Collect(maps.Values(value)), holdsTooltip)
	case []any:
		return slices.ContainsFunc(value, holdsTooltip)
	}
	return false
}
