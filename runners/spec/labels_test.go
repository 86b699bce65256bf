package spec

import (
	"maps"
	"os"
	"strings"
	"testing"
)

// labelled is an experiment with paths and values to be labelled.
const labelled = `name: small
base: {data: mini-infir, world: 1}
matrix:
  loss: [uni(P), "multi(P,I)"]
  train.lr: [5e-3, 1e-3]
baselines: [bm25, untrained, "./runs/2026-07-01/checkpoints/e5", "./runs/2026-07-02/checkpoints/e5", {model: /srv/models/large/mono, first: bm25, depth: 50}]
evaluate: [mini-followir]
`

// planOf returns the plan of a text whose models may be any paths.
func planOf(t *testing.T, text string) (*Plan, error) {
	t.Helper()
	known := testKnown
	known.Model = func(name string) (Model, error) {
		_, made := FindBaseline(name)
		if !made && !strings.Contains(name, "/") {
			return Model{}, oneOf("baseline", name, BaselineNames())
		}
		return Model{Name: strings.TrimPrefix(name, "./"), Finds: true, Stages: true, Weightless: made}, nil
	}
	e, err := parse("small.yaml", []byte(text), known)
	if err != nil {
		return nil, err
	}
	return e.Expand(testResolve)
}

// labelsIn lists the labels of a plan.
func labelsIn(p *Plan) string {
	var all []string
	for _, t := range p.Trials {
		all = append(all, t.Label)
	}
	return strings.Join(all, "; ")
}

// TestLabelsAreNoPartOfIDs: labels and short paths name trials, unlike each other, and change no
// ID. The long label stays known.
func TestLabelsAreNoPartOfIDs(t *testing.T) {
	bare, err := planOf(t, labelled)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.ReplaceAll(labelsIn(bare), " seed=1", ""), "uni(P) train.lr=0.005; uni(P) train.lr=0.001; multi(P,I) train.lr=0.005; multi(P,I) train.lr=0.001; bm25; untrained; 2026-07-01/checkpoints/e5; 2026-07-02/checkpoints/e5; mono depth=50 first=bm25"; got != want {
		t.Errorf("labels\n%s, want\n%s", got, want)
	}
	named, err := planOf(t, strings.Replace(labelled, "depth: 50}", "depth: 50, label: reranked}", 1)+`labels:
  model: {"./runs/2026-07-02/checkpoints/e5": e5 tuned}
  train.lr: {5e-3: high, 1e-3: low}
  loss:
    multi(P,I): InF
`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.ReplaceAll(labelsIn(named), " seed=1", ""), "uni(P) train.lr=high; uni(P) train.lr=low; InF train.lr=high; InF train.lr=low; bm25; untrained; 2026-07-01/checkpoints/e5; e5 tuned; reranked"; got != want {
		t.Errorf("labels\n%s, want\n%s", got, want)
	}
	for i := range bare.Trials {
		long := bare.Trials[i].Long
		if long == "" {
			long = bare.Trials[i].Label
		}
		if mine := named.Trials[i]; mine.ID != bare.Trials[i].ID || mine.Long != long && mine.Label != long {
			t.Errorf("%s (%s) became %s (%s, long %s)", bare.Trials[i].ID, long, mine.ID, mine.Label, mine.Long)
		}
	}
	if d := Diff(bare, named); d.Same != len(bare.Trials) || named.IsOfSame(bare) != "" {
		t.Errorf("differences %+v, %s", d, named.IsOfSame(bare))
	}
	path := t.TempDir() + "/plan.json"
	if err := named.Write(path); err != nil {
		t.Fatal(err)
	}
	again, err := ReadPlan(path)
	if err != nil || labelsIn(again) != labelsIn(named) || again.Trials[7].Labels[0] != (ValueLabel{"model", "e5 tuned"}) {
		t.Errorf("read again: %v", err)
	}
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), "long_label") {
		t.Error("the plan has no long label")
	}
}

// TestEntriesWithOneLabel: an entry with a list of prompts is several systems, and their labels
// have what distinguishes them.
func TestEntriesWithOneLabel(t *testing.T) {
	p, err := planOf(t, "name: small\nbaselines: [{model: ./a/b/c, query_prompt: [query, sts], label: mine}]\nevaluate: [mini-followir]\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := labelsIn(p), "mine query_prompt=query; mine query_prompt=sts"; got != want {
		t.Errorf("labels %s, want %s", got, want)
	}
}

// TestLabelsAreChecked: each mistake is refused at its line, with the nearest name.
func TestLabelsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"train.lrr: {5e-3: a}":                              `small.yaml:9:3: labels: unknown key "train.lrr"; did you mean "train.lr"?`,
		"train.lr: {0.004: a}":                              `small.yaml:9:14: labels train.lr: no cell has it: unknown value "0.004"`,
		"train.lr: {high: a}":                               "small.yaml:9:14: labels train.lr: want a finite number",
		"loss: {uni(Q): a}":                                 "small.yaml:9:10:",
		"loss: {uni(I): a}":                                 `small.yaml:9:10: labels loss: no cell has it: unknown value "uni(I)"; did you mean "uni(P)"?`,
		"model: {bm24: a}":                                  `small.yaml:9:11: unknown baseline "bm24"; did you mean "bm25"?`,
		"model: {random: a}":                                `no cell has it: unknown value "random"`,
		"model: {bm25: a, untrained: a}":                    `small.yaml:9:20: label "a" is that of another value already, on line 9`,
		"model: {bm25: untrained}":                          `label "untrained" is the name of something else`,
		"model: {bm25: uni:P}":                              "small.yaml:9:",
		"model: {bm25: \"uni(P)\"}":                         `label "uni(P)" is the name of something else`,
		"train.lr: {5e-3: 0.001}":                           `label "0.001" is also a value of train.lr`,
		"train.lr: {5e-3: a, 5.0e-3: b}":                    `labels train.lr: 0.005 has the label "a" already`,
		"train.lr: {5e-3: \"a,b\"}":                         "want a name without",
		"train.lr: {5e-3: \"a  b\"}":                        "one space",
		"train.lr: {5e-3: \"\"}":                            "want a short name",
		"train.lr: {5e-3: [a]}":                             "found a list",
		"train.lr: 5e-3":                                    "want a mapping",
		"train.lr: {5e-3: " + strings.Repeat("x", 41) + "}": "at most 40",
	} {
		if _, err := planOf(t, labelled+"labels:\n  "+text+"\n"); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "small.yaml:9:") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"{model: bm25, label: a}, {model: random, label: a}": `label "a" is that of another value already, on line 2`,
		"{model: bm25, label: 'a:b'}":                        "want a name without",
		"{model: bm25, label: ''}":                           "want a short name",
		"{model: random, label: bm25}":                       `label "bm25" is the name of something else`,
	} {
		if _, err := planOf(t, "name: small\nbaselines: ["+text+"]\nevaluate: [mini-followir]\n"); err == nil || !strings.Contains(err.Error(), "small.yaml:2:") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestLastParts checks that short names of paths are unlike each other and all other names.
func TestLastParts(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  map[string]string
	}{
		{[]string{"bm25", "intfloat/e5", "/a/b/c"}, map[string]string{"/a/b/c": "c"}},
		{[]string{"/a/x/c", "/a/y/c", "/a/y/d"}, map[string]string{"/a/x/c": "x/c", "/a/y/c": "y/c", "/a/y/d": "d"}},
		{[]string{"/m/bm25", "../trained"}, map[string]string{"/m/bm25": "m/bm25", "../trained": "../trained"}},
		{[]string{"/r/7/a/best/model", "/r/8/a/best/model", "/s/8/b/best/model"}, map[string]string{"/r/7/a/best/model": "7/a/best/model", "/r/8/a/best/model": "8/a/best/model", "/s/8/b/best/model": "b/best/model"}},
		{[]string{"/r/A/1/checkpoints-of-the-summer/model", "/r/A/2/checkpoints-of-the-summer/model", "/r/B/1/checkpoints-of-the-summer/model"},
			map[string]string{"/r/A/1/checkpoints-of-the-summer/model": "A/1/.../model", "/r/A/2/checkpoints-of-the-summer/model": "2/.../model", "/r/B/1/checkpoints-of-the-summer/model": "B/.../model"}},
		{[]string{"c", "/a/c"}, map[string]string{"/a/c": "a/c"}},
		{[]string{"a/c", "/x/a/c", "/a/c"}, map[string]string{"/x/a/c": "x/a/c", "/a/c": "/a/c"}},
		{[]string{"./a/", "https://a/b/c", "/"}, map[string]string{"./a/": "a", "/": "/"}},
	} {
		if got := LastParts(c.names); !maps.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.names, got, c.want)
		}
	}
}
