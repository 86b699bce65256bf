package spec

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"infbench/datasets/mixture"
	"infbench/internal/nearest"
	"infbench/training"
)

// testNames replaces package catalog.
type testNames struct {
	Losses, Data, Backbone, Collection func(name string) (string, error)
	Task                               func(benchmark, task string) error
	Model                              func(name string) (Model, error)
	Chat                               func(*Chat) error
	Ranking                            func(*Cell) error
	Benchmarks                         []string // also collections if Collection is nil; if Model is nil, models are baselines
}

// resolve does the same as catalog.Resolve.
func (k testNames) resolve(e *Experiment) error {
	for n := range e.Names() {
		n.Found(k.find(n))
	}
	for b := range e.Rankings() {
		if c := &b.Cell; c.Model == ChatModel && k.Chat != nil {
			b.Refuse(k.Chat(&c.Chat))
		}
		if k.Ranking != nil {
			b.Refuse(k.Ranking(&b.Cell))
		}
	}
	return e.Complete()
}

func (k testNames) find(n *Name) (m Model, err error) {
	m.Name = n.Text
	switch {
	case n.Kind == NameOfLoss:
		m.Name, err = k.Losses(n.Text)
	case n.Kind == NameOfData:
		m.Name, err = k.Data(n.Text)
	case n.Kind == NameOfBackbone:
		m.Name, err = k.Backbone(n.Text)
	case n.Kind == NameOfCollection && k.Collection != nil:
		m.Name, err = k.Collection(n.Text)
	case n.Kind == NameOfCollection:
		err = oneOf("benchmark", n.Text, k.Benchmarks)
	case n.Kind == NameOfTask && k.Task != nil:
		err = k.Task(n.Of, n.Text)
	case n.Kind == NameOfModel && k.Model != nil:
		return k.Model(n.Text)
	case n.Kind == NameOfModel:
		err = oneOf("baseline", n.Text, BaselineNames())
	}
	return m, err
}

// canonical does the same as catalog.Canonical.
func (k testNames) canonical(kind NameKind, text string) (string, error) {
	m, err := k.find(&Name{Kind: kind, Text: text})
	return m.Name, err
}

// parse reads an experiment file and resolves its names.
func parse(name string, data []byte, known testNames) (*Experiment, error) {
	e, err := Parse(name, data)
	if err != nil {
		return nil, err
	}
	return e, known.resolve(e)
}

func (k testNames) set(e *Experiment, text string) error {
	if err := e.Set(text); err != nil {
		return err
	}
	return k.resolve(e)
}

func (k testNames) override(e *Experiment, text string) error {
	if err := e.Override(text); err != nil {
		return err
	}
	return k.resolve(e)
}

// testKnown knows a few names.
var testKnown = testNames{
	Losses: func(name string) (string, error) {
		losses := []string{"uni(P)", "uni(I)", "multi(P,I)"}
		for _, l := range losses {
			if l == name {
				return l, nil
			}
		}
		return "", nearest.Unknown("loss", name, losses)
	},
	Data: func(text string) (string, error) {
		m, err := mixture.Parse(text)
		for _, name := range m.Names() {
			if name != "mini-infir" && name != "other" {
				err = nearest.Unknown("training data", name, []string{"mini-infir"})
			}
		}
		return m.String(), err
	},
	Backbone: func(name string) (string, error) {
		if name == "tiny-bert" {
			return name, nil
		}
		return "", nearest.Unknown("backbone", name, []string{"tiny-bert"})
	},
	Benchmarks: []string{"mini-followir", "mini-mair"},
}

// testResolve pins every input by its name and world.
func testResolve(name string, world uint64) (string, error) {
	if strings.HasPrefix(name, SimilarityInput) {
		return "", nil
	}
	return fmt.Sprintf("%s@%d", name, world), nil
}

// plan parses and expands a valid experiment, with settings overridden.
func plan(t *testing.T, yaml string, set ...string) *Plan {
	t.Helper()
	return planKnowing(t, testKnown, yaml, set...)
}

// planKnowing is plan with other known names.
func planKnowing(t *testing.T, known testNames, yaml string, set ...string) *Plan {
	t.Helper()
	e, err := parse("x.yaml", []byte(yaml), known)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range set {
		if err := known.override(e, s); err != nil {
			t.Fatal(err)
		}
	}
	p, err := e.Expand(testResolve)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// labels lists the trials of a plan.
func labels(p *Plan) string {
	var out []string
	for _, t := range p.Trials {
		out = append(out, t.Label)
	}
	return strings.Join(out, "; ")
}

func TestExpand(t *testing.T) {
	for _, c := range []struct{ name, yaml, want string }{
		{
			"matrix in file order, first axis slowest",
			"matrix: {loss: [uni(P), uni(I)], seed: [1, 2]}",
			"uni(P) seed=1; uni(P) seed=2; uni(I) seed=1; uni(I) seed=2",
		},
		{
			"what only some cells set tells them apart",
			"base: {data: mini-infir}\nmatrix: {train.hardness: [{}, {alpha: 5}], dims: [0, 32]}",
			"uni(P); uni(P) dims=32; uni(P) train.hardness.alpha=5; uni(P) dims=32 train.hardness.alpha=5",
		},
		{
			"exclude drops cells that match every key",
			"matrix: {loss: [uni(P), uni(I)], seed: [1, 2]}\nexclude: [{loss: uni(I), seed: 2}]",
			"uni(P) seed=1; uni(P) seed=2; uni(I) seed=1",
		},
		{
			"include is spread over the axes it does not name",
			"matrix: {loss: [uni(P)], seed: [1, 2]}\ninclude: [{loss: \"multi(P,I)\", interaction: cross_attention}]",
			"uni(P) interaction=concat seed=1; uni(P) interaction=concat seed=2; " +
				"multi(P,I) interaction=cross_attention seed=1; multi(P,I) interaction=cross_attention seed=2",
		},
		{
			"a cell given twice is planned once",
			"matrix: {seed: [1, 2]}\ninclude: [{seed: 2}]",
			"uni(P) seed=1; uni(P) seed=2",
		},
		{
			"baselines once per setting they depend on",
			"matrix: {loss: [uni(P), uni(I)], seed: [1, 2]}\nbaselines: [bm25, random]",
			"uni(P) seed=1; uni(P) seed=2; uni(I) seed=1; uni(I) seed=2; bm25; random seed=1; random seed=2",
		},
		{
			"nested keys are axes too",
			"matrix: {train.lr: [0.001, 0.002]}",
			"uni(P) train.lr=0.001; uni(P) train.lr=0.002",
		},
		{
			"aliases expand",
			"base: {seed: &s 7}\nmatrix: {world: [*s, 8]}",
			"uni(P) world=7; uni(P) world=8",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := labels(plan(t, "name: x\nevaluate: [mini-followir]\n"+c.yaml))
			if got != c.want {
				t.Errorf("trials:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	const head = "name: x\nevaluate: [mini-followir]\n"
	for _, c := range []struct{ name, yaml, want string }{
		{"unknown section", head + "matrx: {}", `x.yaml:3:1: unknown key "matrx"; did you mean "matrix"?`},
		{"unknown key", head + "base: {los: uni(P)}", `x.yaml:3:8: unknown key "los"; did you mean "loss"?`},
		{"unknown nested key", head + "base: {train: {epoch: 2}}", `x.yaml:3:16: unknown key "epoch"; did you mean "epochs"?`},
		{"unknown axis", head + "matrix: {sed: [1]}", `x.yaml:3:10: unknown key "sed"; did you mean "seed"?`},
		{"unknown loss", head + "matrix:\n  loss: [uni(P), uni(Q)]", `x.yaml:4:18: unknown loss "uni(Q)"; did you mean "uni(P)"?`},
		{"unknown loss in base", head + "base: {loss: multi(P.I)}", `x.yaml:3:14: unknown loss "multi(P.I)"; did you mean "multi(P,I)"?`},
		{"unknown benchmark", "name: x\nevaluate: [mini-folowir]", `x.yaml:2:12: unknown benchmark "mini-folowir"; did you mean "mini-followir"?`},
		{"unknown baseline", head + "baselines: [bm52]", `x.yaml:3:13: unknown baseline "bm52"; did you mean "bm25"?`},
		{"unknown backbone", head + "base: {backbone: tiny-bart}", `unknown backbone "tiny-bart"; did you mean "tiny-bert"?`},
		{"fraction for an integer", head + "matrix: {seed: [1.5]}", `x.yaml:3:17: seed: want a whole number, found "1.5"`},
		{"text for a number", head + "base: {seed: one}", `x.yaml:3:14: seed: want a whole number, found "one"`},
		{"NaN", head + "base: {train: {lr: .nan}}", `x.yaml:3:20: train.lr: want a finite number, found ".nan"`},
		{"Inf", head + "base: {train: {lr: .inf}}", `want a finite number`},
		{"negative world", head + "base: {world: -1}", `world: want a whole number of at least 0, found "-1"`},
		{"model is not set", head + "base: {model: bm25}", `list baselines under "baselines"`},
		{"key twice", head + "base: {seed: 1, seed: 2}", `key "seed" given twice`},
		{"value twice", head + "matrix: {seed: [1, 1]}", `value 2 repeats value 1`},
		{"empty axis", head + "matrix: {seed: []}", `want a list of at least one value`},
		{"axis is no list", head + "matrix: {seed: 1}", `want a list of at least one value, found "1"`},
		{"second document", head + "---\nname: y", `a second document`},
		{"missing name", "evaluate: [mini-followir]", `missing key "name"`},
		{"missing evaluate", "name: x", `missing key "evaluate"`},
		{"name leaves the folder", "name: ../x\nevaluate: [mini-followir]", `x.yaml:1:7: name: want up to 64`},
		{"not a mapping", "- 1", `want a mapping, found a list`},
		{"syntax", "name: [", `x.yaml:`},
		{"empty", "", `empty file`},
		{"tab", "name:\tx\n\tevaluate: 1", `x.yaml:2`},
		{"negative epochs", head + "base: {train: {epochs: -1}}", `x.yaml:3:24: epochs -1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse("x.yaml", []byte(c.yaml), testKnown)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error:\n%v\nwant it to contain:\n%s", err, c.want)
			}
		})
	}
}

func TestParseReportsAllErrorsInOrder(t *testing.T) {
	_, err := parse("x.yaml", []byte("name: x\nbase: {sed: 1}\nevaluate: [mini-fllowir]\nmatrix: {loss: [uni(X)]}"), testKnown)
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d errors, want 3:\n%v", len(lines), err)
	}
	for i, prefix := range []string{"x.yaml:2:", "x.yaml:3:", "x.yaml:4:"} {
		if !strings.HasPrefix(lines[i], prefix) {
			t.Errorf("error %d is %q, want it to begin with %q", i, lines[i], prefix)
		}
	}
}

// A "billion laughs" file expands to 10^9 values; it must be refused at once.
func TestAliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("name: x\nevaluate: [mini-followir]\nbase:\n  a0: &a0 [1]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "  a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	b.WriteString("matrix: {seed: *a9}\n")
	begin := time.Now()
	if _, err := parse("bomb.yaml", []byte(b.String()), testKnown); err == nil {
		t.Error("accepted")
	}
	if d := time.Since(begin); d > time.Minute {
		t.Errorf("took %v", d)
	}
}

// The limit also counts included cells, applies when the matrix is extended in code, and
// accepts exactly its own number of cells.
func TestMatrixCap(t *testing.T) {
	seeds := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint(i))
		}
		return strings.Join(list, ", ")
	}
	const head = "name: x\nevaluate: [mini-followir]\n"
	for _, c := range []struct{ name, yaml, want string }{
		{"two axes", fmt.Sprintf("matrix: {seed: [%s], world: [%s]}", seeds(200), seeds(200)), "x.yaml:3:9: matrix: more than 20000 cells"},
		{"one axis", "matrix: {seed: [" + seeds(20_001) + "]}", "x.yaml:3:9: matrix: more than 20000 cells"},
		{"by inclusion", "matrix: {seed: [" + seeds(15_000) + "]}\ninclude: [{world: 2}]", "x.yaml:4:10: more than 20000 cells"},
		{"by bases", "matrix: {seed: [" + seeds(15_000) + "]}\nbases: {a: {world: 2}, b: {world: 3}}", "x.yaml:4:8: more than 20000 cells"},
		{"entries", "include: [" + strings.Repeat("{seed: 1}, ", 20_001) + "]", "x.yaml:3:10: include: 20001 entries, more than 20000"},
	} {
		if _, err := parse("x.yaml", []byte(head+c.yaml), testKnown); err == nil || err.Error() != c.want {
			t.Errorf("%s: error = %.200v, want %s", c.name, err, c.want)
		}
	}
	e, err := parse("x.yaml", []byte(head+"matrix: {seed: ["+seeds(20_000)+"]}"), testKnown)
	if err != nil {
		t.Fatal(err)
	}
	if e.size() != 20_000 {
		t.Errorf("%d cells, want 20000", e.size())
	}
	e.Axes = append(e.Axes, Axis{Key: "world", Values: []Cell{{World: 1}, {World: 2}}})
	if _, err := e.Expand(testResolve); err == nil || !strings.Contains(err.Error(), "more than 20000 cells") {
		t.Errorf("widened: %v, want the cap named", err)
	}
}

func TestTrialIDs(t *testing.T) {
	const src = "name: x\nevaluate: [mini-followir]\n"
	base := plan(t, src).Trials[0]
	if again := plan(t, src+"# a comment\n").Trials[0]; again.ID != base.ID {
		t.Error("a comment changed the trial ID")
	}
	if defaults := plan(t, src+"base: {seed: 1}").Trials[0]; defaults.ID != base.ID {
		t.Error("writing out a default changed the trial ID")
	}
	for _, other := range []string{
		"base: {seed: 2}", "base: {world: 2}", "base: {loss: uni(I)}", "base: {train: {epochs: 7}}",
	} {
		if plan(t, src+other).Trials[0].ID == base.ID {
			t.Errorf("%s left the trial ID as it was", other)
		}
	}
	e, err := parse("x.yaml", []byte(src), testKnown)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := e.Expand(func(string, uint64) (string, error) { return "other revision", nil })
	if err != nil {
		t.Fatal(err)
	}
	if moved.Trials[0].ID == base.ID {
		t.Error("another data revision left the trial ID as it was")
	}
}

func TestSet(t *testing.T) {
	e, err := parse("x.yaml", []byte("name: x\nevaluate: [mini-followir]\nmatrix: {loss: [uni(P), uni(I)], seed: [1, 2]}"), testKnown)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"loss=uni(I)", "seed=9", "train.epochs=5"} {
		if err := testKnown.set(e, s); err != nil {
			t.Fatal(err)
		}
	}
	p, err := e.Expand(testResolve)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Trials) != 1 || p.Trials[0].Cell.Loss != "uni(I)" || p.Trials[0].Cell.Seed != 9 || p.Trials[0].Cell.Train.Epochs != 5 {
		t.Errorf("narrowed to %+v", p.Trials)
	}
	for assignment, want := range map[string]string{
		"seed":        "want KEY=VALUE",
		"sed=1":       `did you mean "seed"?`,
		"seed=x":      "want a whole number",
		"loss=uni(Q)": `unknown loss "uni(Q)"`,
	} {
		if err := testKnown.set(e, assignment); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Set(%q) = %v, want %q", assignment, err, want)
		}
	}
}

// A loss with commas needs quotes in brackets. One error explains this, and offers the form
// without quotes.
func TestLossWithoutQuotes(t *testing.T) {
	const head = "name: x\nevaluate: [mini-followir]\n"
	const say = `YAML ends a value at the comma of multi(P,I): quote it, "multi(P,I)", or write multi:P+I`
	known := testKnown
	known.Losses = func(name string) (string, error) {
		l, err := training.ParseLoss(name)
		return training.NameOf(l), err
	}
	for _, c := range []struct {
		name, yaml string
		want       []string
	}{
		{"an axis", head + "matrix: {loss: [uni(P), multi(P,I)]}", []string{"x.yaml:3:25: " + say}},
		{"an axis over lines", head + "matrix:\n  loss: [uni(P),\n    multi(P, I), uni(I)]", []string{"x.yaml:5:5: " + say}},
		{"base", head + "base: {loss: multi(P,I), seed: 2}", []string{"x.yaml:3:14: " + say}},
		{"bases", head + "bases: {a: {loss: multi(P,I)}}", []string{"x.yaml:3:19: " + say}},
		{"exclude", head + "exclude: [{loss: multi(P,I), seed: 3}]", []string{"x.yaml:3:18: " + say}},
		{"when", head + "resources: {overrides: [{when: {loss: multi(P,I)}, gpus: 1}]}", []string{"x.yaml:3:39: " + say}},
		{"twice, of three terms", head + "matrix: {loss: [multi(P,I), multi(P,I,IQ)]}", []string{"x.yaml:3:17: " + say, `x.yaml:3:29: YAML ends a value at the comma of multi(P,I,IQ): quote it, "multi(P,I,IQ)", or write multi:P+I+IQ`}},
		{"an interaction", head + "matrix: {interaction: [concat, cross_attn(level=pooled,a=b)]}", []string{
			`x.yaml:3:32: YAML ends a value at the comma of cross_attn(level=pooled,a=b): quote it, "cross_attn(level=pooled,a=b)"`,
			"x.yaml:3:32: unknown interaction"}},
		{"no loss", head + "matrix: {loss: [uni(P), multi(P,Q)]}", []string{`x.yaml:3:25: YAML ends a value at the comma of multi(P,Q): quote it, "multi(P,Q)"`, `x.yaml:3:25: unknown loss "multi(P,Q)"`}},
		{"quoted", head + `matrix: {loss: [uni(P), "multi(P,I)"]}`, nil},
		{"plain", head + "matrix: {loss: [uni:P, multi:P+I]}", nil},
		{"below each other", head + "matrix:\n  loss:\n  - uni(P)\n  - multi(P,I)", nil},
		{"never closed", head + "matrix: {loss: [uni(P, uni(I]}", []string{`unknown loss "uni(P"`, `unknown loss "uni(I"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse("x.yaml", []byte(c.yaml), known)
			var lines []string
			if err != nil {
				lines = strings.Split(err.Error(), "\n")
			}
			if len(lines) != len(c.want) {
				t.Fatalf("%d errors, want %d:\n%v", len(lines), len(c.want), err)
			}
			for i, want := range c.want {
				if !strings.Contains(lines[i], want) || len(lines[i]) > 400 {
					t.Errorf("error %d:\n%s\nwant:\n%s", i, lines[i], want)
				}
			}
		})
	}
}

// A loss without quotes gives the same cell with the same ID.
func TestPlainLossIsTheSameCell(t *testing.T) {
	known := testKnown
	known.Losses = func(name string) (string, error) {
		l, err := training.ParseLoss(name)
		return training.NameOf(l), err
	}
	const head = "name: x\nevaluate: [mini-followir]\n"
	quoted := planKnowing(t, known, head+`matrix: {loss: [uni(P), "multi(P,I)"]}`)
	plain := planKnowing(t, known, head+"matrix: {loss: [uni:P, multi:P+I]}")
	set := planKnowing(t, known, head+"matrix: {loss: [uni:P, multi:P+I]}", "loss=multi:I+P")
	if quoted.Trials[1].ID != plain.Trials[1].ID || plain.Trials[1].Label != "multi(P,I)" || set.Trials[0].ID != plain.Trials[1].ID {
		t.Errorf("%s, %s (%s), %s", quoted.Trials[1].ID, plain.Trials[1].ID, plain.Trials[1].Label, set.Trials[0].ID)
	}
	part, err := plain.Only([]string{"loss=multi:P+I"}, known.canonical)
	if err != nil || len(part.Trials) != 1 {
		t.Errorf("%v, %v", part, err)
	}
}
