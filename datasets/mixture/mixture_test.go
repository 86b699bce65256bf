package mixture

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"mini-infir":                              "mini-infir",
		" mini-infir:3 ":                          "mini-infir",
		"inf-ir:0.8 + promptriever:0.2":           "inf-ir:0.8 + promptriever:0.2",
		"inf-ir:.80  +promptriever:2e-1":          "inf-ir:0.8 + promptriever:0.2",
		"a:1 + b:1@0.4":                           "a:1 + b:1@0.4",
		"a + b@0":                                 "a + b",
		"./trip.jsonl":                            "./trip.jsonl",
		"./my data/a+b.jsonl:2 + ./c:d.parquet:1": "./my data/a+b.jsonl:2 + ./c:d.parquet:1",
		"ORG/NAME@main:0.5@0.25 + x:1":            "ORG/NAME@main:0.5@0.25 + x:1",
		"ORG/NAME@1234567":                        "ORG/NAME@1234567",
		"trip.csv.gz + x":                         "trip.csv.gz + x",
	} {
		m, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := m.String(); got != want {
			t.Errorf("%q prints as %q, want %q", text, got, want)
		}
		if again, err := Parse(m.String()); err != nil || again.String() != want {
			t.Errorf("%q read again: %q, %v", m, again, err)
		}
	}
}

func TestParseFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "a source is missing",
		"a +":                         "a source is missing",
		"inf-ir:0.8 promptriever:0.2": `a "+" is missing between "inf-ir:0.8" and "promptriever:0.2"`,
		"inf-ir promptriever":         `a "+" is missing between "inf-ir" and "promptriever"`,
		"./a.jsonl ./b.jsonl":         `a "+" is missing between "./a.jsonl" and "./b.jsonl"`,
		"inf-ir:0.8+promptriever:0.2": `want spaces around the "+"`,
		"a:0 + b:1":                   `"a:0": weight 0: want a number above 0`,
		"a:-1 + b:1":                  `"a:-1": weight -1: want a number above 0`,
		"a:x + b:1":                   `"a:x": weight "x": want a number above 0`,
		"a:1e999 + b:1":               `"a:1e999": weight 1e999`,
		"a:1e308 + b:1e308":           `"a:1e308": weight 1e308: want at most 1e+100`,
		"a:1 + b":                     `"b" has no weight, but others do`,
		"a + b@1":                     `"b@1": share of steps "1": want a number of at least 0 and below 1`,
		"a + b@-0.5":                  `share of steps "-0.5"`,
		"a + b:1@40%":                 `share of steps "40%"`,
		"a + b@late":                  `share of steps "late"`,
		"a@0.5":                       "no source from the start",
		"a@0.2 + b@0.5":               "no source from the start",
		"a:1 + a:2":                   `"a" is in the mixture twice`,
		":1":                          "does not name a source",
	} {
		if m, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v; want %s", text, m, err, want)
		}
	}
}
