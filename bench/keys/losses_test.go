package keys_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"infbench/bench/keys"
	"infbench/datasets"
	"infbench/runners/catalog"
	"infbench/training"
)

// TestElsewheresAreSettings: the settings for every name of another library are valid and go
// together in an experiment file.
func TestElsewheresAreSettings(t *testing.T) {
	for _, e := range keys.Elsewheres() {
		settings := strings.ReplaceAll(e.Train, "MODEL", training.Self)
		text := fmt.Sprintf("name: a\nevaluate: [mini-followir]\nbase: {loss: %q, train: {%s}}\n", cmp.Or(e.Loss, "uni(P)"), settings)
		exp, err := catalog.Parse(e.Name, []byte(text))
		if err != nil {
			t.Errorf("%s: %v\n%s", e.Name, err, text)
			continue
		}
		l, err := training.ParseLoss(exp.Base.Loss)
		if err != nil {
			t.Fatal(err)
		}
		fields := training.Fields{Shape: datasets.Shape{Instruction: l.Needs()&training.I != 0}, Negatives: 4, Scores: true}
		if err := errors.Join(exp.Base.Train.CheckModifiers(), exp.Base.Train.CheckFields(l, fields)); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	var out bytes.Buffer
	if err := keys.WriteLosses(&out); err != nil || !strings.HasPrefix(out.String(), "uni(P)\n") || !strings.Contains(out.String(), "GISTEmbedLoss") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
