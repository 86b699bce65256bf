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

// unsealed is a page without the comment at its end, which names its own digest.
func unsealed(text string) string {
	if at := strings.LastIndex(text, reports.SealStart); at >= 0 {
		return text[:at]
	}
	return text
}

// unlike holds a page byte by byte to the texts that it should be made of: at even
// places what should stand there, at odd ones the ID of a section that cannot be
// made again, which may hold whatever such a section is written of, own among its
// IDs. It returns what such sections hold beside, and the first difference of the
// rest, nil where there is none.
func unlike(shown string, parts []string, own map[string][]string) (beside []Finding, first *Finding) {
	rest, place := unsealed(shown), ""
	parts[len(parts)-1] = unsealed(parts[len(parts)-1])
	for i, text := range parts {
		if i%2 == 1 {
			h := hole{id: text, own: own[text], next: parts[i+1], rest: rest}
			err := h.read()
			if h.odd != nil {
				beside = append(beside, Finding{Where: fmt.Sprintf("section %s: %v", text, h.odd)})
			}
			if err != nil {
				return beside, &Finding{Where: fmt.Sprintf("section %s: %v", text, err)}
			}
			rest = h.rest
			continue
		}
		after, found := strings.CutPrefix(rest, text)
		if !found {
			return beside, differing(rest, text, place)
		}
		rest, place = after, cmp.Or(lastID(text), place)
	}
	if rest != "" {
		return beside, &Finding{Where: "the page goes on after its end", Shown: clip(rest)}
	}
	return beside, nil
}

// differing names where two texts begin to differ.
func differing(shown, want, place string) *Finding {
	at := 0
	for at < min(len(shown), len(want)) && shown[at] == want[at] {
		at++
	}
	return &Finding{Where: "the page, after " + cmp.Or(lastID(want[:at]), place, "its beginning") + ", is not written as reports are", Shown: clip(shown[at:]), Want: clip(want[at:])}
}

var anID = regexp.MustCompile(` id="([^"]*)"`)

// lastID is the last ID in a text.
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
	own  []string // IDs of what it may hold, numberless
	next string   // what follows it
	rest string   // of the page
	open []string // elements
	odd  error    // the first thing that reports do not write
}

// read reads up to what must follow. What reports do not write is noted as odd: an
// element that none is made of, in a place or with attributes where none has it, an
// ID of another section, a text outside of all that hold texts. It fails where the
// section does not end as it must.
func (h *hole) read() error {
	for len(h.open) > 0 || !strings.HasPrefix(h.rest, h.next) {
		if h.rest == "" {
			return fmt.Errorf("it does not end as it should, or what follows it differs")
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
			return fmt.Errorf("%s where nothing of the kind is open, or what follows the section differs", token)
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

// void are elements without an end.
var void = strings.Fields("img input br hr meta link base !--")

// hidden marks an open element that scripts fill, and that holds nothing before.
const hidden = ", hidden"

// nextToken cuts a tag or the text before the next from the beginning of a text
// that is not empty.
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

// texts are the elements that hold texts.
var texts = strings.Fields("summary h3 h4 p dt dd li span strong code caption th td pre")

func checkText(text, in string) error {
	visible := strings.ReplaceAll(text, "\n", "")
	switch {
	case strings.ContainsFunc(visible, words.Invisible):
		return fmt.Errorf("a text holds characters that nobody sees: %q", clip(text))
	case visible != "" && !slices.Contains(texts, in):
		return fmt.Errorf("a text stands in <%s>: %q", in, clip(text))
	}
	return nil
}

// written says of each element in which others it stands, and with which
// attributes; @ is an ID. Of one that differs by where it stands, both are the key.
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
	"th":             {"tr", attributesLike(` scope="row"| scope="colgroup" class="group"(?: colspan="\d+")?(?: rowspan="\d+")?| scope="col" data-column="\d+"(?: class="n(?: first)?")?(?: rowspan="\d+")?`)},
	"td":             {"tr", attributesLike(`(?: class="(?:n|better|worse|absent| first| )+")?(?: data-sort="[^"]*")?(?: data-from="[^"]*")?(?: title="[^"]*" tabindex="0")?`)},
	"figure details": {"figure", attributesLike(``)},
	"caption span":   {"caption", attributesLike(` class="visually-hidden"`)},
	"th span":        {"th", attributesLike(` class="kind"`)},
	"td span":        {"td", attributesLike(` class="under"`)},
	"strong":         {"td", attributesLike(``)},
	"code":           {"td dd", attributesLike(``)},
}

// attributesLike compiles a pattern of attributes, whose IDs become texts to look at, when
// it is first asked for.
func attributesLike(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^(?:" + strings.ReplaceAll(pattern, "@", `[^" ]+`) + ")$")
	})
}

// ids are the attributes that hold IDs.
var ids = regexp.MustCompile(` (id|aria-labelledby|data-chart)="([^"]*)"`)

// idsOf lists, by section, the IDs of what a report has in it and its parts, without
// their numbers: fewer values may leave fewer of a kind.
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

// filters is what a section's ID goes on with in that of the element that the page's
// script fills with filters of its table. It stands in the section itself, in none of its parts.
const filters = "-filters"

// checkTag holds the beginning of an element to how reports are written.
func (h *hole) checkTag(tag, in string) (name string, err error) {
	name, _, _ = strings.Cut(strings.Trim(tag, "<>"), " ")
	like, known := written[in+" "+name]
	if !known {
		like, known = written[name]
	}
	if !known || !slices.Contains(strings.Fields(like.in), in) || !like.attributes().MatchString(strings.TrimSuffix(strings.TrimPrefix(tag, "<"+name), ">")) {
		return name, fmt.Errorf("%s in <%s> is no part of a report", clip(tag), in)
	}
	for _, found := range ids.FindAllStringSubmatch(tag, -1) {
		if id := found[2]; !strings.HasPrefix(id, h.id+"-") && id != browser && !slices.Contains(h.own, numberless(id)) {
			return name, fmt.Errorf("%s has an ID that is not for it", clip(tag))
		} else if strings.HasSuffix(id, filters) && (id != h.id+filters || len(h.open) > 0) {
			return name, fmt.Errorf("%s is filters of another place", clip(tag))
		}
	}
	return name, nil
}

// repeated finds IDs that two elements have.
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

// items are the texts of the list in a section of what a page opens with.
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

// factsOn are the facts below the title of a page.
func factsOn(root *html.Node) []string {
	for n := range root.Descendants() {
		if n.Data == "p" && attr(n, "class") == "facts" {
			return strings.Split(inner(n), " · ")
		}
	}
	return nil
}

// scriptByID is the text of a script; "" where there is none.
func scriptByID(root *html.Node, id string) string {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "script" && attr(n, "id") == id {
			return inner(n)
		}
	}
	return ""
}

// queriesOf is what a page shows of single queries; nil where that is nothing that
// can be read.
func queriesOf(root *html.Node) *reports.QueryPages {
	var q reports.QueryPages
	if json.Unmarshal([]byte(scriptByID(root, "query-data")), &q) != nil {
		return nil
	}
	return &q
}

// The settings that charts of reports have. A tooltip of HTML could stand anywhere on
// the page; that of reports is drawn.
var (
	settings = strings.Fields("animation aria grid series tooltip visualMap xAxis yAxis")
	tooltip  = map[string]any{"renderMode": "richText", "confine": true, "formatter": "fn:tip", "trigger": "item"}
)

// uncheckedCharts are the charts of a page in sections that cannot be made again, as
// they are written.
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
			v.find("chart "+id+" has settings that no chart of a report has", "", "")
		}
	}
	return out, nil
}

// within reports whether an ID is of something in one of the sections.
func within(id string, sections map[string]bool) bool {
	for s := range sections {
		if strings.HasPrefix(id, s+"-") {
			return true
		}
	}
	return false
}

// plainChart reports whether a chart, of whatever data, has the settings of reports.
func plainChart(text json.RawMessage) bool {
	var whole map[string]any
	_ = json.Unmarshal(text, &whole) // what cannot be read is no chart
	option, _ := whole["option"].(map[string]any)
	_, isNumber := whole["height"].(float64)
	if len(whole) != 2 || !isNumber || option == nil || !reflect.DeepEqual(option["tooltip"], tooltip) {
		return false
	}
	for key, value := range option {
		if !slices.Contains(settings, key) || key != "tooltip" && holdsTooltip(value) {
			return false
		}
	}
	return true
}

// holdsTooltip finds a tooltip of a part of a chart.
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
