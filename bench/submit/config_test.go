package submit

import (
	"testing"

	"infbench/runners/results"
	"infbench/training/setting"
)

// TestConfig: an imported system writes only known keys, and all keys of imports.
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
