package export

import (
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"infbench/internal/testkit/reportstest"
	"infbench/reports"
)

// TestCSVHostile reads the CSV: all lines have the same length, and no cell is a formula, whatever
// the beginnings of names.
func TestCSVHostile(t *testing.T) {
	e := reportstest.HostileExperiment()
	for i, start := range []string{"=", "+", "-", "@", "|", "%", "\t=", "\r\n=", "\ufeff="} {
		e.Trials[i].Config["loss"] = start + `1+1,"x"`
	}
	for name, text := range map[string]string{"report": written(t, build(t, reports.Options{}, e), "csv"), "export": string(exportedFiles(t, "csv", e)[0].Data)} {
		records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		guarded := 0
		for _, record := range records {
			for _, cell := range record {
				if strings.HasPrefix(cell, "'") {
					guarded++
				}
				if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" && strings.ContainsRune("=+-@|%", []rune(strings.TrimSpace(cell))[0]) {
					t.Fatalf("%s: the cell %q is a formula", name, cell)
				}
			}
		}
		if guarded == 0 {
			t.Errorf("%s: no cell is guarded: the test tests nothing", name)
		}
	}
}

// TestHostileFormats checks that no format passes a control byte, an escape sequence or a character
// that reverses text, whatever the input texts.
func TestHostileFormats(t *testing.T) {
	r := build(t, reports.Options{}, reportstest.HostileExperiment())
	for _, format := range Formats() {
		out := written(t, r, format)
		for _, c := range out {
			allowed := c == '\n' || c == '\t' || format == "markdown" && c == '\u200b' // keeps an address from being a link
			if !allowed && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) {
				t.Errorf("%s holds %q", format, c)
				break
			}
		}
		if !strings.Contains(out, "[31mred") && format != "json" {
			t.Errorf("%s: the hostile text is not there: the test tests nothing", format)
		}
	}
}

// TestJSONHostile checks that the JSON parses and is safe inside a script.
func TestJSONHostile(t *testing.T) {
	out := written(t, build(t, reports.Options{}, reportstest.HostileExperiment()), "json")
	if !json.Valid([]byte(out)) || strings.ContainsAny(out, "<>") || !strings.Contains(out, `\u003c/script\u003e`) {
		t.Error("no JSON, a bare < or >, or no hostile text")
	}
}

// TestLaTeXHostile checks that every brace, percent sign and backslash of input texts is escaped:
// braces balance, and no command comes from the texts.
func TestLaTeXHostile(t *testing.T) {
	e := reportstest.HostileExperiment()
	e.Trials[0].Config["loss"] = `\input{/etc/passwd}%$^~#&_{`
	out := written(t, build(t, reports.Options{}, e), "latex")
	depth := 0
	for i := 0; i < len(out); i++ {
		switch out[i] {
		case '\\':
			i++ // the escaped character does not count
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth < 0 {
			t.Fatalf("a brace too many before %.80q", out[i:])
		}
	}
	if depth != 0 || strings.Contains(out, `\input`) || !strings.Contains(out, "input") {
		t.Errorf("%d braces open, or a command of the text's own", depth)
	}
}

// TestMarkdownHostile checks each table for the number of columns of its head, and the text for
// links, images and tags.
func TestMarkdownHostile(t *testing.T) {
	out := written(t, build(t, reports.Options{}, reportstest.HostileExperiment()), "markdown")
	columns, tables := 0, 0
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		bars := 0
		for i := 0; i < len(line); i++ {
			switch line[i] {
			case '\\':
				i++ // the escaped character does not count
			case '|':
				bars++
			case '<':
				t.Fatalf("a tag in %.200q", line)
			}
		}
		if columns == 0 {
			columns = bars
			tables++
		}
		if bars != columns {
			t.Fatalf("%d bars under a head of %d: %.200q", bars, columns, line)
		}
	}
	if tables < 5 || strings.Contains(strings.ReplaceAll(out, `\]`, ""), "](") || strings.Contains(out, "http://") {
		t.Errorf("%d tables, or a link", tables)
	}
}
