package catalog

import (
	"testing"

	"infbench/internal/testkit"
)

// TestStaticBaseline: a table of word vectors has modules.json but no config.json, and is a
// baseline like any model that finds documents.
func TestStaticBaseline(t *testing.T) {
	m, err := checkModel(testkit.SharedPath(t, "models", "glove-50d-5k-static"))
	if err != nil || !m.Finds || m.Pairs {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := checkModel(t.TempDir()); err == nil {
		t.Error("an empty folder is a model")
	}
}
