package verify

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/internal/testkit/reportstest"
	"infbench/reports"
	"infbench/reports/claims"
	"infbench/reports/published"
	"infbench/reports/scores"
	"infbench/reports/section"
	"infbench/runners/results"
)

// forgedPages are pages that together have every kind of section.
func forgedPages(t *testing.T) []sample {
	t.Helper()
	paper, mteb := collections(t)
	printed := *paper
	printed.Cells, printed.Doubts = nil, nil
	for _, c := range paper.Cells {
		if c.Source == "InF-IR, table 2" && len(printed.Cells) < 30 {
			printed.Cells = append(printed.Cells, c)
		}
	}
	value := .5
	return []sample{
		of("all", func(o *reports.Options) {
			o.Published, o.Repositories = []*published.Collection{mteb, sized(t)}, map[string]string{"e5": "org/one"}
			o.Projection = &scores.Projection{Row: []string{"loss"}, Col: []string{scores.KeyTask, scores.KeySide, scores.KeyMeasure}}
			o.Overlaps = []results.Overlap{{Train: "mini", Test: "followir", Group: "queries of headline", Words: 8, Texts: 20, Exact: 1, Partial: 2}}
		}, tiny(named("followir"))),
		of("tasks", nil, evaluation("bm25", suites), evaluation("e5", suites)),
		of("printed", func(o *reports.Options) { o.View, o.Published = "main", []*published.Collection{&printed} }, reportstest.TwoSystems()...),
		of("ablation", func(o *reports.Options) { o.Ablation, o.Claims = true, []*claims.File{claimsOf(t)} }, tiny(generated)),
		of("study", func(o *reports.Options) {
			o.View = "agreement"
			o.Studies = []*results.Study{{Format: results.StudyFormat, Kind: "agreement", Name: "picks", Level: .95, Values: []results.StudyValue{{Measure: "Cohen's kappa", Of: "a | b", N: 9, Value: &value}}}}
		}),
	}
}

// placed is a section of a page: its own text, without its parts.
type placed struct {
	id, title  string
	start, end int
	above      []string // titles of the sections that it is part of
}

var opening = regexp.MustCompile(`<(?:section|details)[^>]* id="([^"]+)"`)

// sectionsOf finds the sections of a page in its text.
func sectionsOf(html string, r *reports.Report) []placed {
	known := map[string]placed{"found": {title: "What was found"}, "warnings": {title: "Read this first"}}
	var above []string
	section.Each(r.Sections, func(s *section.Section, depth int) {
		above = append(above[:depth:depth], strings.TrimSpace(s.Title+" "+s.Source.Name))
		known[s.ID] = placed{title: above[depth], above: slices.Clone(above)}
	})
	var out []placed
	for _, at := range opening.FindAllStringSubmatchIndex(html, -1) {
		id := html[at[2]:at[3]]
		s, ok := known[id]
		if !ok {
			continue
		}
		if len(out) > 0 && out[len(out)-1].end > at[0] {
			out[len(out)-1].end = at[0]
		}
		s.id, s.start = id, at[0]
		s.end = s.start + strings.Index(html[s.start:], "\n</main>")
		if id == "found" || id == "warnings" {
			s.end = s.start + strings.Index(html[s.start:], "\n</section>")
		}
		out = append(out, s)
	}
	return out
}

// way is a way to forge the contents of a section; it leaves texts unchanged to which it does not
// apply.
type way struct {
	name  string
	forge func(own string) string
}

// first replaces the first match of a pattern.
func first(name, pattern, by string) way {
	re := regexp.MustCompile(pattern)
	return way{name, func(own string) string {
		at := re.FindStringSubmatchIndex(own)
		if at == nil {
			return own
		}
		return own[:at[0]] + string(re.ExpandString(nil, by, own, at)) + own[at[1]:]
	}}
}

// contentWays change the contents of a section, in elements that reports have.
var contentWays = []way{
	{"a number", func(own string) string {
		at := regexp.MustCompile(`<td[^>]*>(?:<strong>)?[−+<]?\d`).FindStringIndex(own)
		if at == nil {
			return own
		}
		return own[:at[1]-1] + string('0'+(own[at[1]-1]-'0'+1)%10) + own[at[1]:]
	}},
	first("what a number sorts by", `data-sort="`, `data-sort="1`),
	first("a sentence", `(<p[^>]*>|<li>|<dd>)`, `${1}uni(P) is above every published system (p &lt; 0.001). `),
	first("a sentence more", `(</h[234]></summary>|</h[234]>|</summary>)`, "${1}\n<p class=\"intro\">measured on FollowIR: uni(P) is best</p>"),
	first("a sentence more in a list", `<li>`, "<li>uni(P) is above every published system (p &lt; 0.001)</li><li>"),
	first("a sentence less", `<p class="(?:intro|legend)">[^<]*</p>`, ""),
	first("a caption", `</caption>`, `, measured by this program</caption>`),
	first("a caption of a chart", `(</h4><p>)`, "${1}Proven. "),
	first("a description of a chart", ` alt="`, ` alt="Proven. `),
	first("a heading of a column", `(<th scope="col"[^>]*>)`, "${1}best "),
	first("a heading of a row", `(<th scope="row">)`, "${1}best "),
	first("a remark", `<td( class="[^"]*")?`, `<td${1} title="p &lt; 0.001" tabindex="0"`),
	first("a picture", `base64,`, "base64,PHN2"),
	first("the best", `(<td class="n[^>]*>)(\d[^< ]*)`, "${1}<strong>${2}</strong>"),
	first("a row less", `<tbody>\n<tr[^\n]*`, "<tbody>"),
	first("rows of another order", `(<tbody>\n)(<tr[^\n]*)\n(<tr[^\n]*)`, "${1}${3}\n${2}"),
	first("a figure less", `(?s)<figure.*?</figure>`, ""),
}

// addition puts a text behind the heading of a section.
func addition(name, text string) way {
	return first(name, `(</h[234]></summary>|</h[234]>|</summary>)`, "${1}"+text)
}

// forgedTable is a table in the form of reports.
func forgedTable(id string) string {
	return fmt.Sprintf("\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"%s-caption\">\n<table id=\"%s\" class=\"sortable\">\n<caption id=\"%s-caption\">FollowIR, measured by this program</caption>\n<tbody>\n<tr><th scope=\"row\">uni(P)</th><td class=\"n\">99.9</td></tr>\n</tbody>\n</table>\n</div>", id, id, id)
}

// foreignWays add something to a section that reports never have there.
var foreignWays = []way{
	addition("a table of another kind's ID", forgedTable("real-published-leaderboard")),
	addition("a section of another kind's ID", `<section id="published-9"><p class="intro">uni(P) is best</p></section>`),
	addition("a style", `<style>main{display:none}</style>`),
	addition("a link", `<p class="intro"><a href="https://example.org">uni(P) is best</a></p>`),
	addition("a second main", `<main id="main"></main>`),
	addition("a comment", `<!-- uni(P) is best -->`),
	addition("a script", `<script>1</script>`),
	addition("a base", `<base href="https://example.org">`),
	addition("a refresh", `<meta http-equiv="refresh" content="0">`),
	addition("a frame", `<iframe></iframe>`),
	addition("foreign content", `<svg><title>uni(P) is best</title></svg>`),
	addition("a text outside of paragraphs", `uni(P) is best`),
	addition("something hidden", `<div hidden><p>uni(P) is best</p></div>`),
	addition("something for some readers only", `<p class="visually-hidden">uni(P) is best</p>`),
	addition("what the script fills", `<div id="query-browser" hidden><p class="intro">uni(P) is best</p></div>`),
	first("what the script fills with filters", ` id="published-\d+-filters" hidden>`, "${0}<p class=\"intro\">uni(P) is best</p>"),
	first("filters that stand there before the script", `( id="published-\d+-filters") hidden>`, "${1}>"),
	addition("filters of another section", `<div id="published-9-filters" hidden></div>`),
	first("filters within an element", `(<div id="published-\d+-filters" hidden></div>)`, "<div>${1}</div>"),
	addition("filters in a part", `<section id="published-1-filters-filters"><div id="published-1-filters-filters" hidden></div></section>`),
	addition("characters that nobody sees", "<p class=\"intro\">uni(P)\u200b is best</p>"),
	addition("an attribute twice", `<p class="intro" class="legend">uni(P) is best</p>`),
	addition("an element of other case", `<P class="intro">uni(P) is best</P>`),
	addition("a style of an element", `<p class="intro" style="font-size:9em">uni(P) is best</p>`),
	addition("an event", `<p class="intro" onclick="1">uni(P) is best</p>`),
	addition("a title of a level above", `<h2 id="x-title">uni(P) is best</h2>`),
	first("a hidden table", `<tbody>`, `<tbody hidden>`),
	first("a hidden row", `<tr>`, `<tr aria-hidden="true">`),
	first("a hidden cell", `(<td[^>]*)>`, `${1} hidden>`),
	first("a picture from elsewhere", `src="data:image/svg`, `src="https://example.org/svg`),
	first("a word of another class", `class="scroll`, `class="visually-hidden scroll`),
}

// forged applies a way to all wanted sections at once.
func forged(html string, sections []placed, w way, wanted func(placed) bool) (changed string, at []placed) {
	changed = html
	for _, s := range slices.Backward(sections) {
		own := html[s.start:s.end]
		if other := w.forge(own); wanted(s) && other != own {
			changed = changed[:s.start] + other + changed[s.end:]
			at = append(at, s)
		}
	}
	return resealed(changed), at
}

// differs reports whether a finding names a part of a section.
func differs(v *Verification, html string, s placed) bool {
	names := []string{s.id}
	for _, m := range anID.FindAllStringSubmatch(html[s.start:s.end], -1) {
		names = append(names, strings.TrimSuffix(m[1], "-caption"))
	}
	return slices.ContainsFunc(v.Differ, func(f Finding) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(f.Where, name) })
	})
}

// unchecked reports whether a section, or one that contains it, is listed as not checked.
func unchecked(v *Verification, s placed) bool {
	return slices.ContainsFunc(s.above, func(title string) bool { return heads(v, title) })
}

// heads reports whether a heading is that of a section that was not made again. It is not if the
// section was made again from the data in the page.
func heads(v *Verification, title string) bool {
	return slices.ContainsFunc(v.Unchecked, func(text string) bool {
		why, found := strings.CutPrefix(text, title+": ")
		return found && (why == needsRuns || strings.HasPrefix(why, "everything in it") || strings.HasPrefix(why, "numbers of others") || strings.HasPrefix(why, "the page has no room"))
	})
}

// in returns the unchecked section that contains a part.
func in(sections []placed, part placed, v *Verification) placed {
	return sections[slices.IndexFunc(sections, func(s placed) bool { return slices.Contains(part.above, s.title) && heads(v, s.title) })]
}

// TestForgeries: every forgery in a section of any kind is named. If the section cannot be made
// again, possible contents are named by its heading; contents that no report has always differ.
func TestForgeries(t *testing.T) {
	testkit.Deep(t)
	kinds := map[string]bool{}
	for _, s := range forgedPages(t) {
		html := s.write(t, false)
		sections := sectionsOf(html, build(t, s.options, s.exps...))
		without := verified(t, html, nil)
		for _, p := range sections {
			kinds[regexp.MustCompile(`^(real|synthetic|unrecorded)-\d+-?|-\d+`).ReplaceAllString(p.id, "")] = true
		}
		for mode, o := range []Options{{}, s.all()} {
			if mode == 0 && s.name != "all" && s.name != "printed" {
				continue
			}
			check := func(w way, wanted func(placed) bool, ok func(*Verification, placed) bool) {
				changed, at := forged(html, sections, w, wanted)
				if len(at) == 0 {
					return
				}
				v, err := Page([]byte(changed), o)
				for _, p := range at {
					if err == nil && !ok(v, p) {
						t.Errorf("%s, %d: %s in %s is not named: %.150v", s.name, mode, w.name, p.id, v.Differ)
					}
				}
			}
			all := func(placed) bool { return true }
			open := func(p placed) bool { return mode == 0 && unchecked(without, p) }
			for _, w := range contentWays {
				check(w, all, func(v *Verification, p placed) bool { return differs(v, html, p) || open(p) && unchecked(v, p) })
			}
			if s.name != "all" {
				continue
			}
			for _, w := range foreignWays {
				check(w, func(p placed) bool { return open(p) && heads(without, p.title) }, func(v *Verification, p placed) bool { return differs(v, html, p) })
				check(w, func(p placed) bool { return open(p) && !heads(without, p.title) }, func(v *Verification, p placed) bool { return differs(v, html, in(sections, p, without)) })
				check(w, func(p placed) bool { return !open(p) }, func(v *Verification, p placed) bool { return differs(v, html, p) })
			}
		}
	}
	for _, kind := range strings.Fields("found warnings claims claims-each projection ranking runs ablation effects tradeoff differences slices tasks checks costs training scorings beside published published-size published-tradeoff published-lacking printed queries queries-movers coverage matrix contamination origin data machines machines-libraries trials commands") {
		if !kinds[kind] {
			t.Errorf("no page has a section of the kind %q: %v", kind, kinds)
		}
	}
}

// replaced is a way to forge text anywhere in a page.
func replaced(name, old, by string) way {
	return way{name, func(html string) string { return strings.Replace(html, old, by, 1) }}
}

// pageWays forge text outside of sections, or the form of the page.
var pageWays = []way{
	addition("a section's ID again", `<section id="found"></section>`),
	addition("the ID of a section that cannot be made again", `<section id="machines"></section>`),
	replaced("the title", "<title>", "<title>best "),
	replaced("the heading", "<h1>", "<h1>best "),
	replaced("the facts", `<p class="facts">`, `<p class="facts">peer-reviewed `),
	replaced("the footer", "Made by infbench", "Checked by infbench"),
	replaced("a section of its own", "</main>", "<section id=\"proof\"><p>uni(P) is best</p></section></main>"),
	replaced("a table of another kind's ID", "</main>", forgedTable("real-published-leaderboard")+"</main>"),
	replaced("a second main", "<footer>", `<main id="second"></main><footer>`),
	replaced("a text after the end", "</html>", "</html>uni(P) is best"),
	replaced("a comment", "<footer>", "<!-- uni(P) is best --><footer>"),
	replaced("a seal's comment", "<footer>", "<!-- sha256:"+strings.Repeat("0", 64)+" --><footer>"),
	replaced("a link", `href="#origin"`, `href="https://example.org"`),
	replaced("a link to another section", `<li><a href="#coverage">`, `<li><a href="#origin">`),
	replaced("a navigation without a section", `<li><a href="#coverage">Coverage</a></li>`, ``),
	replaced("a style", "</style>", "td{display:none}</style>"),
	replaced("another style", "</head>", "<style>main{display:none}</style></head>"),
	replaced("the policy", "default-src &#39;none&#39;", "default-src *"),
	replaced("no policy", `http-equiv="Content-Security-Policy"`, `name="policy"`),
	replaced("a base", "<head>", `<head><base href="https://example.org">`),
	replaced("a refresh", "<head>", `<head><meta http-equiv="refresh" content="0;url=https://example.org">`),
	replaced("a language", `lang="en"`, `lang="en" hidden`),
	first("an attribute of the body", `<body(?: class="report")?>`, `<body hidden>`),
	replaced("a hidden main", `<main id="main">`, `<main id="main" hidden>`),
	replaced("a main for no reader", `<main id="main">`, `<main id="main" aria-hidden="true">`),
	replaced("an attribute twice", `<main id="main">`, `<main id="main" id="other">`),
	replaced("an entity", "What was found", "What was f&ZeroWidthSpace;ound"),
	replaced("another spelling of a text", "What was found", "Wh&#97;t was found"),
	replaced("white space", "What was found", "What  was found"),
	replaced("white space between elements", "<footer>", "\n\n<footer>"),
	replaced("a space that does not break", "<footer><p>", "<footer><p>\u00a0"),
	replaced("an element in two", "What was found</h2>", "What was</h2><h2>found</h2>"),
	replaced("a word marked", "What was found", "What was <mark>found</mark>"),
	replaced("CDATA", "<footer>", "<footer><svg><![CDATA[uni(P) is best]]></svg>"),
	replaced("a byte order mark", "<!DOCTYPE html>", "\ufeff<!DOCTYPE html>"),
	replaced("quirks", "<!DOCTYPE html>", ""),
	replaced("no script", "<footer>", "<noscript>uni(P) is best</noscript><footer>"),
	replaced("a template", "<footer>", "<template><p>uni(P) is best</p></template><footer>"),
	replaced("data before the data", reports.DataStart, `<script type="application/json" id="report-data"> {}</script>`+reports.DataStart),
	replaced("data of another key", `"format":`, `"Format":"x","format":`),
	replaced("the order of rows", `"trials":[`, `"unknown":1,"trials":[`),
	replaced("the script", "'use strict'", "'use sloppy'"),
	replaced("a script", "</body>", "<script>1</script></body>"),
	replaced("the notice on charts", `<main id="main">`, "<main id=\"main\">\n<p class=\"notice\">uni(P) is best</p>"),
	first("an end tag less", `</ul>(\n(?:</details>\n)?</nav>)`, "$1"),
	replaced("a zero byte", "What was found", "What was\x00 found"),
	replaced("a carriage return", "</head>\n", "</head>\r\n"),
	{"sections of another order", func(html string) string {
		if !strings.Contains(html, `<section id="coverage"`) {
			return html
		}
		from, middle, to := strings.Index(html, `<section id="coverage"`), strings.Index(html, `<section id="origin"`), strings.Index(html, "\n</main>")
		return html[:from] + html[middle:to] + "\n" + html[from:middle-1] + html[to:]
	}},
	{"a moved paragraph", func(html string) string {
		p := regexp.MustCompile(`\n<p class="legend">[^<]*</p>`).FindString(html)
		return strings.Replace(strings.Replace(html, p, "", 1), "\n</main>", p+"\n</main>", 1)
	}},
	{"a section less", func(html string) string {
		if !strings.Contains(html, `<section id="coverage"`) {
			return html
		}
		from, to := strings.Index(html, `<section id="coverage"`), strings.Index(html, `<section id="origin"`)
		return html[:from] + html[to:]
	}},
	{"a folded section", func(html string) string {
		if !strings.Contains(html, `<section id="coverage"`) {
			return html
		}
		from, to := strings.Index(html, `<section id="coverage"`), strings.Index(html, `<section id="origin"`)
		return html[:from] + "<details><summary>Coverage</summary>" + html[from:to-1] + "</details>\n" + html[to:]
	}},
}

// optionWays forge charts that scripts draw.
var optionWays = []way{
	first("a chart", `("real-1-tradeoff-1":\{"height":)4`, "${1}5"),
	first("a chart of a section that cannot be made again", `("real-1-training-loss":.*?"renderMode":")richText`, "${1}html"),
	first("a place for HTML", `("real-1-training-loss":.*?"series":\[\{)`, `${1}"tooltip":{"formatter":"uni(P)"},`),
	first("a link", `("real-1-training-loss":\{"height":\d+,"option":\{)`, `${1}"title":{"link":"https://example.org"},`),
	first("a chart less", `"real-1-tradeoff-1":`, `"real-1-tradeoff-2":`),
	first("a chart more", `(id="charts">\{)`, `${1}"proof":{"height":1,"option":{}},`),
	first("a setting of another place", `("real-1-training-loss":\{)`, `${1}"also":1,`),
	first("a query", `("query-data">\{)`, `${1}"also":1,`),
}

// TestForgedPages: a page with a forgery outside of its sections, or in another form, differs.
func TestForgedPages(t *testing.T) {
	s := forgedPages(t)[0]
	differ := func(html string, ways []way) {
		for _, w := range ways {
			changed := w.forge(html)
			if changed == html {
				t.Errorf("%s: nothing was forged", w.name)
				continue
			}
			if v, err := Page([]byte(resealed(changed)), Options{}); err == nil && len(v.Differ) == 0 {
				t.Errorf("%s is not named", w.name)
			}
		}
	}
	differ(s.write(t, false), pageWays)
	if html := s.write(t, true); strings.Contains(html, `id="charts"`) {
		differ(html, optionWays)
	}
}

// TestForgedLayouts: a page that claims another layout does not avoid the checks of its own.
func TestForgedLayouts(t *testing.T) {
	html := pageOf(t, reportstest.TwoSystems())
	now := fmt.Sprintf(`"layout":%d`, reports.Layout)
	for _, test := range []struct{ name, by, want string }{
		{"none", `"layout":0`, "layout 0, and this build"},
		{"negative", `"layout":-1`, "layout -1, and this build"},
		{"between", `"layout":1`, "layout 1, and this build"},
		{"of other pages", fmt.Sprintf(`"layout":%d`, reports.Layout+1), fmt.Sprintf("layout %d, and this build", reports.Layout+1)},
	} {
		v, err := Page([]byte(resealed(strings.Replace(html, now, test.by, 1))), Options{})
		if got := fmt.Sprintf("error: %v %v", err, v); !strings.Contains(got, test.want) {
			t.Errorf("%s: %.300s, want %q", test.name, got, test.want)
		}
	}
}
