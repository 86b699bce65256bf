package published

import "testing"

// Facts are those of the embedded table; sizes equal those of the models' cards.
func TestFacts(t *testing.T) {
	all, err := readFacts(mtebModels)
	if err != nil || len(all) < 800 {
		t.Fatalf("%d models: %v", len(all), err)
	}
	for name, f := range all {
		if f.Kind == "" || f.Parameters < 0 {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, c := range []struct{ model, size, kind string }{
		{"intfloat/e5-mistral-7b-instruct", "7.1B", "dense, instructed"},
		{"BAAI/bge-base-en-v1.5", "109M", "dense, instructed"},
		{"openai/text-embedding-3-large", "", "dense, closed"},
		{"castorini/monot5-3b-msmarco-10k", "3.0B", "cross-encoder"},
	} {
		f, ok := FactsOf(c.model)
		if !ok || f.Size() != c.size || f.Type() != c.kind {
			t.Errorf("%s is %q %q (%t), want %q %q", c.model, f.Size(), f.Type(), ok, c.size, c.kind)
		}
	}
	if _, ok := FactsOf("nobody/nothing"); ok {
		t.Error("facts of a model that nobody made")
	}
	for n, want := range map[int64]string{0: "", 4_400_000: "4.4M", 999_400_000: "999M", 999_600_000: "1.0B", 27_000_000_000: "27B"} {
		if got := (Facts{Parameters: n}).Size(); got != want {
			t.Errorf("%d parameters are %q, want %q", n, got, want)
		}
	}
}
