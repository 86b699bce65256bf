package page

import (
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"infbench/datasets/annotate"
	"infbench/internal/testkit/reportstest"
	"infbench/reports"
)

// written returns the page of a sheet in which every text tries to break out of the
// markup.
func written(t *testing.T) (text string, s *annotate.Sheet) {
	t.Helper()
	s = &annotate.Sheet{Code: "0123456789abcdef", Annotator: "ann"}
	for _, text := range reportstest.HostileTexts {
		s.Questions = append(s.Questions, annotate.Asked{Instruction: text, Query: text, Passages: reportstest.HostileTexts})
	}
	var b strings.Builder
	if err := WriteSheet(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String(), s
}

// TestPageIsItsOwn checks that texts create no elements, that nothing can use the network,
// and that the policy allows exactly the scripts and styles of the page.
func TestPageIsItsOwn(t *testing.T) {
	text, _ := written(t)
	scripts := 0
	for n := range reportstest.Parse(t, text).Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "iframe", "object", "embed", "link", "base", "img":
			t.Errorf("the page has a <%s>", n.Data)
		case "script":
			scripts++
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
	if inline := reportstest.CheckPolicy(t, text); scripts != 2 || inline != 2 {
		t.Errorf("%d scripts, %d texts that the policy allows", scripts, inline)
	}
	if strings.ContainsAny(text, "\x1b\u202e\x07") {
		t.Error("the page holds a control character")
	}
	if err := reports.CheckSeal([]byte(text)); err != nil {
		t.Error(err)
	}
}

// TestPageCarriesTheSheet checks that the page carries the sheet and nothing else.
func TestPageCarriesTheSheet(t *testing.T) {
	text, s := written(t)
	_, data, _ := strings.Cut(text, `<script type="application/json" id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	var got struct {
		Format string
		annotate.Sheet
	}
	strict := json.NewDecoder(strings.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Format != annotate.PicksFormat || got.Code != s.Code || len(got.Questions) != len(s.Questions) || len(got.Questions[0].Passages) != len(reportstest.HostileTexts) {
		t.Errorf("%+v", got)
	}
}
