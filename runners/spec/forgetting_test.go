package spec

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/nearest"
)

// folderKnown knows two folders of collections in addition to the benchmarks.
func folderKnown() testNames {
	known := taskKnown()
	known.Collection = func(name string) (string, error) {
		all := append([]string{"./scifact/beir", "./vaswani/beir", "/else/scifact", "./od(d)"}, known.Benchmarks...)
		if !slices.Contains(all, name) {
			return "", nearest.Unknown("benchmark", name, all)
		}
		return name, nil
	}
	return known
}

const forgets = "name: x\nmatrix: {loss: [uni(P)], seed: [1, 2]}\nbaselines: [bm25]\nevaluate: [mini-followir]\n"

// evaluated lists the benchmarks of each model's trials.
func evaluated(p *Plan) map[string]string {
	out := map[string]string{}
	for _, t := range p.Trials {
		out[t.Cell.Model] = strings.Join(t.Evaluate, " ")
	}
	return out
}

// Trained cells and their start, which is planned even if it is not listed, are also evaluated
// on the collections. Other baselines are not and keep their IDs.
func TestForgetting(t *testing.T) {
	before := plan(t, forgets)
	p := planKnowing(t, folderKnown(), forgets+"forgetting: {collections: [mini-mair, ./scifact/beir], margin: 0.02}")
	if want := (Forgetting{[]string{"mini-mair", "./scifact/beir"}, "nDCG@10", 0.02}); !slices.Equal(p.Forgetting.Collections, want.Collections) || p.Forgetting.Measure != want.Measure || p.Forgetting.Margin != want.Margin {
		t.Errorf("forgetting is %+v", p.Forgetting)
	}
	const both = "mini-followir mini-mair ./scifact/beir"
	if got := evaluated(p); got["trained"] != both || got["untrained"] != both || got["bm25"] != "mini-followir" || len(got) != 3 {
		t.Errorf("evaluated on %q", got)
	}
	if d := Diff(before, p); d.Same != 1 || d.Counts() != "2 added, 0 dropped, 2 altered, 1 as before" {
		t.Errorf("the section gives %s", d.Counts())
	}
	if rev := p.Trials[0].Revisions; rev[len(rev)-1] != (Revision{"./scifact/beir", "./scifact/beir@1"}) {
		t.Errorf("pinned as %+v", rev)
	}
	listed := planKnowing(t, folderKnown(), strings.Replace(forgets, "bm25", "untrained, bm25", 1)+"forgetting: {collections: [mini-mair, ./scifact/beir], margin: 0.02}")
	if got := len(listed.Trials); got != len(p.Trials) || listed.Trials[2].Cell.Model != "untrained" {
		t.Errorf("%d trials where untrained is listed, %d where not", got, len(p.Trials))
	}
	if got := p.Forgetting.Names(); !slices.Equal(got, []string{"mini-mair", "scifact"}) {
		t.Errorf("collections are called %q", got)
	}
}

// Margin and measure change the plan and none of its trials; a change is reported. A collection
// that is also in evaluate is evaluated once.
func TestForgettingIsOfThePlan(t *testing.T) {
	at := func(section string) *Plan { return planKnowing(t, folderKnown(), forgets+"forgetting: "+section) }
	p, wider := at("{collections: [mini-mair], margin: 0.02}"), at("{collections: [mini-mair], margin: 0.05, measure: R@100}")
	d := Diff(p, wider)
	if d.Same != len(p.Trials) || Reason(d.Settings) != "forgetting.margin: 0.02 -> 0.05, forgetting.measure: nDCG@10 -> R@100" {
		t.Errorf("%s: %s", d.Counts(), Reason(d.Settings))
	}
	if said := p.IsOfSame(wider); !strings.Contains(said, "forgetting.margin: 0.02 -> 0.05") {
		t.Errorf("parts of different margins: %q", said)
	}
	if d := Diff(p, at("{collections: [./scifact/beir], margin: 0.02}")); Reason(d.Settings) != "forgetting.collections: mini-mair -> ./scifact/beir" || d.Same != 1 {
		t.Errorf("%s: %s", d.Counts(), Reason(d.Settings))
	}
	if got := at("{collections: [mini-followir], margin: 0.02}"); evaluated(got)["trained"] != "mini-followir" || got.Trials[0].ID != plan(t, forgets).Trials[0].ID {
		t.Errorf("evaluated on %q", evaluated(got))
	}
	var one, other bytes.Buffer
	if err := p.Encode(&one); err != nil {
		t.Fatal(err)
	}
	if err := wider.Encode(&other); err != nil || bytes.Equal(one.Bytes()[:80], other.Bytes()[:80]) {
		t.Errorf("two margins have plans of one sum, %v", err)
	}
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := p.Write(path); err != nil {
		t.Fatal(err)
	}
	read, err := ReadPlan(path)
	if err != nil || len(Diff(p, read).Settings) > 0 || read.Forgetting.Margin != 0.02 {
		t.Errorf("read again as %+v, %v", read, err)
	}
}

func TestForgettingMistakes(t *testing.T) {
	for section, want := range map[string]string{
		"{collections: [mini-mar], margin: 0.02}":                                                    `x.yaml:5:28: unknown benchmark "mini-mar"; did you mean "mini-mair"?`,
		"{collections: [mini-mair], margins: 0.02}":                                                  `x.yaml:5:40: forgetting: unknown key "margins"; did you mean "margin"?`,
		"{collections: [mini-mair]}":                                                                 `x.yaml:5:13: forgetting: missing key "margin"`,
		"{margin: 0.02}":                                                                             `forgetting: missing key "collections"`,
		"{collections: [], margin: 0.02}":                                                            `forgetting: collections: the list is empty`,
		"{collections: mini-mair, margin: 0.02}":                                                     `forgetting: collections: want a list`,
		"{collections: [mini-mair], margin: 2}":                                                      `x.yaml:5:48: forgetting: margin 2: want a number above 0 and below 1, in the unit of the measure: 0.02 appears as 2.0 in tables`,
		"{collections: [mini-mair], margin: -0.02}":                                                  `forgetting: margin -0.02: want a number above 0`,
		"{collections: [mini-mair], margin: .nan}":                                                   `margin`,
		"{collections: [mini-mair], margin: 0.02, measure: nDGC@10}":                                 `did you mean "nDCG"?`,
		"{collections: [mini-mair], margin: 0.02, measure: NumRet}":                                  `has no direction`,
		"{collections: [mini-mair, mini-mair], margin: 0.02}":                                        `forgetting: collections: "mini-mair" given twice`,
		"{collections: [./scifact/beir, /else/scifact], margin: 0.02}":                               `forgetting: collections: ./scifact/beir and /else/scifact are both called scifact: give one of them another name by infbench data import`,
		"{collections: [./od(d)], margin: 0.02}":                                                     `./od(d) contains a parenthesis`,
		"[mini-mair]":                                                                                `forgetting`,
		"{collections: [{mini-followir: [a]}], margin: 0.02}":                                        `forgetting: evaluate has mini-followir, and this is mini-followir(a): name the same tasks`,
		"{collections: [mini-mair], margin: 0.02}\nexclude: [{seed: 1}, {seed: 2}]":                  `forgetting: the experiment has no trained cell`,
		"{collections: [mini-mair], margin: 0.02}\nbase: {validate: {data: mini-mair, measure: AP}}": `is also the cell's test`,
	} {
		e, err := parse("x.yaml", []byte(forgets+"forgetting: "+section), folderKnown())
		if err == nil {
			_, err = e.Expand(testResolve)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", section, err, want)
		}
	}
}
