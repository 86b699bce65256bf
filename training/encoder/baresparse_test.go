package encoder_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infbench/internal/testkit"
	"infbench/training/encoder"
)

// bareMasked is the network of goldens-beyond's SPLADE without sentence-transformers' files.
func bareMasked(t *testing.T) string {
	t.Helper()
	dir := copied(t, testkit.SharedPath(t, "goldens-beyond", "splade_bert"))
	for _, name := range []string{"modules.json", "sentence_bert_config.json", "config_sentence_transformers.json", "1_SpladePooling/config.json"} {
		damage(t, filepath.Join(dir, name), nil)
	}
	return dir
}

// TestBareSparse: a masked language model without modules.json has the golden's weights as a sparse
// model. As an encoder it is noted that there are two readings, unless a file or a card decides.
func TestBareSparse(t *testing.T) {
	dir := bareMasked(t)
	if c, err := compareBeyond(t, dir); err != nil || !c.fits() {
		t.Fatalf("%d values, the largest difference is %.2g times its tolerance, %v", c.values, c.worst, err)
	}
	noted := func(dir string) bool {
		t.Helper()
		e, err := encoder.Open(dir, backend(t))
		if err != nil {
			t.Fatal(err)
		}
		found, err := encoder.Inspect(dir)
		if err != nil || !found.Runs() || found.Kind != "encoder" {
			t.Fatalf("inspected: %+v, %v", found, err)
		}
		config := e.Config()
		note := config.OtherReading()
		if in := slices.Contains(found.Notes, note); in != (note != "") {
			t.Errorf("models check notes %q, want %q", found.Notes, note)
		}
		return strings.Contains(note, "the mean of the states") && strings.Contains(note, "similarity sparse")
	}
	if !noted(dir) {
		t.Error("the other reading is not noted")
	}
	for _, own := range []map[string]any{{"similarity": "cosine"}, {"pooling": "mean"}} {
		stated := bareMasked(t)
		rewrite(t, filepath.Join(stated, "infbench.json"), own)
		if noted(stated) {
			t.Errorf("%v: the other reading is noted", own)
		}
	}
	carded, err := (&encoder.Card{Kind: encoder.KindEncoder}).Open(dir, backend(t))
	if err != nil {
		t.Fatal(err)
	}
	if config := carded.Config(); config.OtherReading() != "" {
		t.Error("the other reading is noted although there is a card")
	}
	other := bareMasked(t)
	list := readTensors(t, other)
	for i := range list {
		if strings.HasPrefix(list[i].Name, "cls.predictions.") {
			list = list[:i]
			break
		}
	}
	writeTensors(t, other, list)
	if noted(other) {
		t.Error("the other reading of a network without a head is noted")
	}
	_, err = encoder.OpenSparse(other, backend(t))
	wantError(t, err, "missing tensors: cls.predictions.")

	rewrite(t, filepath.Join(dir, "infbench.json"), map[string]any{"similarity": "sparse"})
	found, err := encoder.Inspect(dir)
	if err != nil || !found.Runs() || found.Kind != encoder.KindSparse {
		t.Errorf("inspected: %+v, %v", found, err)
	}
	_, err = encoder.Open(dir, backend(t))
	wantError(t, err, "it is a sparse model")
	if name, err := encoder.FolderSimilarity(dir); err != nil || name != encoder.Sparsely {
		t.Errorf("similarity %q, %v", name, err)
	}
	rewrite(t, filepath.Join(dir, "infbench.json"), map[string]any{"similarity": "sparce"})
	_, err = encoder.Open(dir, backend(t))
	wantError(t, err, `unknown similarity "sparce"; did you mean "sparse"?`)
}
