package spec

import (
	"strings"
	"testing"
)

// TestDesign varies the changes to a backbone. The untrained baseline has the same changes.
func TestDesign(t *testing.T) {
	p := plan(t, `
name: x
base: {design: {padding_side: left}}
matrix:
  design.pooling: [mean, last]
  design.share_encoder: [true, false]
  seed: [1]
exclude: [{design.pooling: mean, design.share_encoder: false}]
baselines: [untrained, random]
evaluate: [mini-followir]
`)
	want := "uni(P) design.pooling=mean design.share_encoder=true; uni(P) design.pooling=last design.share_encoder=true; " +
		"uni(P) design.pooling=last design.share_encoder=false; " +
		"untrained design.pooling=mean design.share_encoder=true; untrained design.pooling=last design.share_encoder=true; " +
		"untrained design.pooling=last design.share_encoder=false; random"
	if got := labels(p); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := p.Trials[2].Cell.Settings()["design.padding_side"]; got != "left" {
		t.Errorf("padding_side %q", got)
	}
}

// TestPresetsOfDesigns checks that a preset's reading of texts is in the plan and that the file
// takes precedence.
func TestPresetsOfDesigns(t *testing.T) {
	p := plan(t, `
name: x
base: {design: {concat: text}}
matrix:
  loss: [uni(P), "multi(P,I)"]
  train.fidelity: [recommended, paper, reference]
include: [{loss: "multi(P,I)", train.fidelity: reference, design.concat: token, design.join: instruct}]
baselines: [untrained]
evaluate: [mini-followir]
`)
	for i, want := range []string{
		"", "instruction_first", "query_first", // uni(P)
		"", "instruction_first", "query_first", // multi(P,I)
		"instruct",
		"", "instruction_first", "query_first", "instruct", // untrained
	} {
		if got := p.Trials[i].Cell.Design.Join; got != want {
			t.Errorf("trial %d (%s): join %q, want %q", i, p.Trials[i].Label, got, want)
		}
	}
	p = plan(t, `
name: x
matrix:
  loss: [uni(P), "multi(P,I)"]
  train.fidelity: [paper, reference]
evaluate: [mini-followir]
`)
	for i, want := range []string{" text", " text false right", " text", "token text false right"} {
		s := p.Trials[i].Cell.Settings()
		if want := []string{"1", "0.05"}[i%2]; s["train.temperature"] != want {
			t.Errorf("trial %d: temperature %q, want %s", i, s["train.temperature"], want)
		}
		got := strings.TrimRight(strings.Join([]string{s["train.concat"], s["design.concat"], s["design.prompts"], s["design.truncation_side"]}, " "), " ")
		if got != want {
			t.Errorf("trial %d (%s): %q, want %q", i, p.Trials[i].Label, got, want)
		}
	}
}

func TestDesignMistakes(t *testing.T) {
	_, err := parse("x.yaml", []byte(`
name: x
base: {design: {pooling: first, padding_side: up, join: "{query}", shared: true}}
matrix:
  design.concat: [tokens]
  design.share_encoder: ["yes"]
evaluate: [mini-followir]
`), testKnown)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`x.yaml:3:68`, `unknown key "shared"`, `x.yaml:5:19`, `did you mean "token"`, `x.yaml:6:26`, "want true or false",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
	_, err = parse("x.yaml", []byte("name: x\nbase: {design: {pooling: first, padding_side: up, join: \"{query}\"}}\nevaluate: [mini-followir]\n"), testKnown)
	for _, want := range []string{`"first"`, `"up"`, "{instruction} once"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
}
