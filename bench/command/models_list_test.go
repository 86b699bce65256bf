package command

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"infbench/bench/output"
	"infbench/internal/usage"
	"infbench/training/encoder"
)

// TestModelsVerb: every card is listed in each format; in the table, prompts have no line
// breaks.
func TestModelsVerb(t *testing.T) {
	cards, err := encoder.Cards()
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range output.Formats {
		var out, errs bytes.Buffer
		if code := run([]string{"models", "--format", format}, &out, &errs); code != exitOK {
			t.Fatalf("models --format %s: exit %d: %s", format, code, errs.String())
		}
		for _, c := range cards {
			if !strings.Contains(out.String(), c.Name) {
				t.Errorf("%s: no %s", format, c.Name)
			}
		}
		lines := strings.Count(out.String(), "\n")
		if format == "csv" && lines != len(cards)+1 || format == "table" && lines != len(cards)+4 {
			t.Errorf("%s: %d lines for %d models:\n%s", format, lines, len(cards), out.String())
		}
		if format != "json" {
			continue
		}
		var all []encoder.Card
		if err := json.Unmarshal(out.Bytes(), &all); err != nil || len(all) != len(cards) {
			t.Errorf("%d cards, %v", len(all), err)
		}
	}
}

// TestModelsShow: a card by name and by repository, with its open questions.
func TestModelsShow(t *testing.T) {
	for _, name := range []string{"e5-base-v2", "intfloat/e5-base-v2"} {
		var out, errs bytes.Buffer
		if code := run([]string{"models", name}, &out, &errs); code != exitOK {
			t.Fatalf("exit %d: %s", code, errs.String())
		}
		for _, want := range []string{"query: {query} {instruction}", "1c644c92ad3ba1efdad3f1451a637716616a20e8", "Table 5, InF-Embed (e5-base-v2)", "arXiv 2212.03533"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, out.String())
			}
		}
	}
	for _, c := range []struct{ name, want string }{
		{"Llama-3.2-1B", "unpinned"},
		{"Llama-3.2-1B", "note: not known: licence, citation, revision"},
		{"gritlm-7b", `<|user|>\n{instruction}\n<|embed|>\n{query}`},
		{"monot5-base", "▁true or ▁false"},
		{"nv-embed-v1", "exclude(count=bare)"},
		{"promptriever-llama2-7b", "meta-llama/Llama-2-7b-hf@01c7f73d771dfac7d292323805ebc428287df4f9"},
	} {
		var out, errs bytes.Buffer
		run([]string{"models", c.name}, &out, &errs)
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: no %q in\n%s%s", c.name, c.want, out.String(), errs.String())
		}
	}
	var out, errs bytes.Buffer
	var settings struct{ Query, Pooling string }
	run([]string{"models", "settings", "gritlm-7b"}, &out, &errs)
	if err := json.Unmarshal(out.Bytes(), &settings); err != nil || settings.Query != "<|user|>\n{instruction}\n<|embed|>\n{query}" || settings.Pooling != "mean" {
		t.Errorf("settings %+v, %v: %s", settings, err, errs.String())
	}
	for _, args := range [][]string{{"models", "e5-bose-v2"}, {"models", "settings", "bm25"}, {"models", "--format", "xml"}, {"models", "shaw"}} {
		var out, errs bytes.Buffer
		if code := run(args, &out, &errs); code != usage.ExitUsage {
			t.Errorf("%v: exit %d: %s", args, code, errs.String())
		}
	}
}
