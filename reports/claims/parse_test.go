package claims

import (
	"strings"
	"testing"
)

const good = `paper: {title: A paper, url: "https://example.org"}
sweep: bench/experiments/paper-losses.yaml
claims:
  - id: one
    says: multi over uni
    where: section 6
    test: better
    measure: p-MRR
    on: followir
    among: {interaction: concat}
    system: {loss: ["multi(P,I)", "multi(P,IQ)"]}
    against: {form: uni}
    only: {loss: ["multi(P,I)", uni(P)], backbone: b}
    printed: "+9.0"
  - {id: two, says: s, test: equal, study: data, measure: positives, system: {name: d}, than: 30000, margin: 0, command: "infbench data stats d"}
`

func TestParse(t *testing.T) {
	f, err := Parse("dir/claims.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	c := f.Claims[0]
	if f.Name != "claims.yaml" || f.Title != "A paper" || c.Pairs[0].System.Words() != "loss=multi(P,I) or multi(P,IQ) interaction=concat" || c.Pairs[0].Against.Words() != "form=uni interaction=concat" {
		t.Errorf("%+v: %+v", f, c)
	}
	if want := "infbench sweep bench/experiments/paper-losses.yaml --only loss=multi:P+I,uni:P --only backbone=b"; c.Command != want {
		t.Errorf("command %q, want %q", c.Command, want)
	}
	if p := *c.Printed; p.Text != "+9.0" || p.Value != .09 || p.Half < .000499 || p.Half > .000501 {
		t.Errorf("printed %+v", p)
	}
	if c := f.Claims[1]; *c.Than != 30000 || c.Command != "infbench data stats d" {
		t.Errorf("%+v", c)
	}
}

// Every mistake is found, with its place and the nearest known name.
func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ old, by, want string }{
		{"paper:", "papers:", `c.yaml:1:1: claim file: unknown key "papers"`},
		{"title:", "name:", `c.yaml:1:9: paper: unknown key "name"`},
		{"    says: multi over uni\n", "    say: multi over uni\n", `c.yaml:5:5: claim: unknown key "say"; did you mean "says"?`},
		{"    says: multi over uni\n", "", "c.yaml:4:5: a claim needs id, says and measure"},
		{"test: better", "test: beter", `c.yaml:7:11: test: unknown test "beter"; did you mean "better"?`},
		{"    test: better\n", "", "a claim needs a test: better, worse"},
		{"measure: p-MRR", "measure: p-MR", `c.yaml:8:14: measure "p-MR": unknown measure "p-MR"; did you mean "p-MRR"?`},
		{"measure: p-MRR", "measure: NumRet", "c.yaml:7:11: test: neither direction of NumRet is better: use higher or lower"},
		{"    on: followir\n", "", "a claim needs a benchmark (on) or a study (study)"},
		{"study: data", "study: dates", `study: unknown study "dates"`},
		{"interaction: concat", "interactions: concat", `c.yaml:10:13: unknown setting "interactions"; did you mean "interaction"?`},
		{"{name: d}", "{loss: d}", `unknown setting "loss" (known: name, of, file)`},
		{"{form: uni}", "{form: []}", "c.yaml:12:21: form: an empty list"},
		{"{form: uni}", "{form: {a: b}}", "c.yaml:12:21: form: want a value or a list of values"},
		{"    against: {form: uni}\n", "", "c.yaml:4:5: better: give another side (against) or a number (than)"},
		{"    against: {form: uni}\n", "    against: {form: uni}\n    than: 3\n", "better: give another side (against) or a number (than)"},
		{`printed: "+9.0"`, "margin: 1", "c.yaml:14:13: margin: equal and no worse need one, the smallest difference of interest; other tests take none"},
		{`printed: "+9.0"`, "printed: nine", `c.yaml:14:14: printed: want a number as it is printed, such as +9.0, found "nine"`},
		{", margin: 0", "", "margin: equal and no worse need one, the smallest difference of interest; other tests take none"},
		{"than: 30000", "than: .nan", "than: want a finite number"},
		{"id: two", "id: one", "another claim is called one"},
		{"sweep: bench/experiments/paper-losses.yaml\n", "", "a claim needs the command that decides it: sweep: FILE, or command: TEXT"},
		{", command: \"infbench data stats d\"", "", "a claim needs the command that decides it"},
		{"  - id: one", "  - pairs: [{system: {loss: a}}]\n    id: one", "c.yaml:4:13: pairs: each needs system and against"},
		{"    printed: \"+9.0\"\n", "    every: [{system: {loss: a}}]\n", "every: each needs system and against"},
		{"    printed: \"+9.0\"\n", "    every: [{system: {loss: a}, against: {loss: b}}]\n", "c.yaml:4:5: every: it lists the sides of the claim: leave out system, against and pairs"},
		{"    printed: \"+9.0\"\n", "    every: backbones\n", `c.yaml:14:12: unknown setting "backbones"; did you mean "backbone"?`},
		{"on: followir", "on: followir\n    every: backbone", "c.yaml:4:5: every, or several measures: they do not go with equal or printed"},
		{"measure: p-MRR", "measure: [p-MRR, nDCG@10]", "c.yaml:4:5: every, or several measures"},
		{"measure: p-MRR", "measure: [p-MRR, p-MRR]", "c.yaml:8:22: measure: p-MRR is there twice"},
		{"measure: p-MRR", "measure: []", "c.yaml:8:14: measure: want text"},
		{"measure: p-MRR", "measure: [p-MRR, {a: b}]", "c.yaml:8:22: measure: want text"},
		{"measure: positives", "measure: [positives, negatives]", "every, or several measures: they do not go with equal or printed"},
		{"test: equal, study: data, measure: positives, system: {name: d}, than: 30000, margin: 0", "test: higher, study: data, measure: [positives, negatives], system: {name: d}, than: 30000", "every: SETTING and several measures are for claims on systems"},
		{"test: better", "test: no worse", "margin: equal and no worse need one, the smallest difference of interest; other tests take none"},
		{"on: followir", "on: followir\n    each: backbones", `c.yaml:10:11: unknown setting "backbones"; did you mean "backbone"?`},
		{good[strings.Index(good, "claims:"):], "claims: []\n", "c.yaml:3:9: there are no claims"},
		{good[strings.Index(good, "claims:"):], "", "there are no claims"},
	} {
		text := strings.Replace(good, test.old, test.by, 1)
		if text == good {
			t.Fatalf("%q is not in the file", test.old)
		}
		if _, err := Parse("c.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q for %q: error %v, want %q", test.by, test.old, err, test.want)
		}
	}
}

// The form in the help text can be parsed.
func TestForm(t *testing.T) {
	var text []string
	inside := false
	for line := range strings.Lines(Form) {
		if inside = inside || strings.HasPrefix(line, "  paper:"); inside && strings.TrimSpace(line) == "" {
			break
		}
		if name, _, _ := strings.Cut(strings.TrimSpace(line), ":"); inside && name != "than" && name != "margin" && name != "pairs" && name != "every" && name != "sweep" {
			text = append(text, strings.TrimPrefix(line, "  "))
		}
	}
	if _, err := Parse("form.yaml", []byte("sweep: f\n"+strings.Join(text, ""))); err != nil {
		t.Error(err)
	}
}
