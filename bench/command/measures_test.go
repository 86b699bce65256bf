package command

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"infbench/bench/output"
	"infbench/internal/usage"
	"infbench/metrics"
)

// TestMeasuresVerb checks that every family is listed with all required fields, in each
// format.
func TestMeasuresVerb(t *testing.T) {
	for _, format := range output.Formats {
		var out, errs bytes.Buffer
		if code := run([]string{"list", "measures", "--format", format}, &out, &errs); code != exitOK {
			t.Fatalf("measures --format %s: exit %d: %s", format, code, errs.String())
		}
		for _, f := range metrics.Families() {
			if !strings.Contains(out.String(), f.Name) {
				t.Errorf("%s: no %s", format, f.Name)
			}
		}
		if format != "json" {
			continue
		}
		var all []map[string]any
		if err := json.Unmarshal(out.Bytes(), &all); err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			for _, key := range []string{"name", "definition", "range", "direction", "source"} {
				if m[key] == "" || m[key] == nil {
					t.Errorf("%v has no %s", m["name"], key)
				}
			}
		}
	}
	var out, errs bytes.Buffer
	if code := run([]string{"list", "measures", "--format", "xml"}, &out, &errs); code != usage.ExitUsage {
		t.Errorf("measures --format xml: exit %d, want %d", code, usage.ExitUsage)
	}
}
