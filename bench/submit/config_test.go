package submit

import (
	"testing"

	"infbench/runners/results"
	"infbench/training/setting"
)

// An imported system writes keys that are known, all there are of imports.
func TestConfig(t *testing.T) {
	c := (&importedTrial{model: "m", revision: "r", formats: []string{"mteb"}}).config()
	for _, k := range results.Keys() {
		if k.Group == setting.OfImport && c[k.Name] == "" {
			t.Errorf("nothing writes %s", k.Name)
		}
		delete(c, k.Name)
	}
	if len(c) > 0 {
		t.Errorf("no keys: %v", c)
	}
}
