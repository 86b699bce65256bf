package published

import "testing"

// TestArchitectures: the embedded table is valid, and has only models that MTEB describes.
func TestArchitectures(t *testing.T) {
	all, err := readArchitectures(architectures)
	if err != nil || len(all) < 100 {
		t.Fatalf("%d models: %v", len(all), err)
	}
	for model := range all {
		if _, ok := FactsOf(model); !ok {
			t.Errorf("%s is no model of MTEB's", model)
		}
	}
	for _, c := range []struct{ model, kind, name string }{
		{"sentence-transformers/all-mpnet-base-v2", Network, "mpnet"},
		{"Cohere/Cohere-embed-english-v3.0", Interface, "cohere"},
		{"mteb/baseline-bm25s", Baseline, "bm25"},
	} {
		if a, ok := ArchitectureOf(c.model); !ok || a.Kind != c.kind || a.Name != c.name {
			t.Errorf("%s is %+v (%t), want %s %s", c.model, a, ok, c.kind, c.name)
		}
	}
	for _, text := range []string{
		"model,kind,name,obstacle,source\na/b,net,bert,,x\n",
		"model,kind,name,obstacle,source\na/b,network,,,x\n",
		"model,kind,name,obstacle,source\na/b,network,bert,,x\na/b,network,bert,,x\n",
		"model,kind,name\na/b,network,bert\n",
	} {
		if _, err := readArchitectures(text); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}
