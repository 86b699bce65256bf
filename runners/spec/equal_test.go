package spec

import (
	"strings"
	"testing"

	"infbench/training"
)

// repeating answers as testResolve does, and reports equal texts for the named data.
func repeating(data string) Resolver {
	return func(name string, world uint64) (string, error) {
		if asked, ok := strings.CutPrefix(name, RepeatsInput); ok {
			if strings.Contains(asked, `"Data":"`+data+`"`) {
				return Repeating, nil
			}
			return "", nil
		}
		return testResolve(name, world)
	}
}

// If a file does not set the masking of equal texts, the data has some and the preset masks
// them, the masking is written out. The ID is then the same as with an explicit setting, and
// not that of the time when equal texts were kept. All other IDs stay.
func TestEqualTextsAreSaidOfDataThatHasThem(t *testing.T) {
	const text = `
name: equal
base: {data: mini-infir, loss: uni(P), backbone: tiny-bert}
evaluate: [mini-followir]
matrix:
  data: [mini-infir, other]
`
	axis := ""
	expand := func(resolve Resolver, set ...string) map[string]Trial {
		t.Helper()
		e, err := parse("equal.yaml", []byte(text+axis), testKnown)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range set {
			if err := testKnown.override(e, s); err != nil {
				t.Fatal(err)
			}
		}
		p, err := e.Expand(resolve)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]Trial{}
		for _, trial := range p.Trials {
			of[trial.Cell.Data+" "+string(trial.Cell.Train.FalseNegatives.Equal)] = trial
		}
		return of
	}
	without, with := expand(repeating("none")), expand(repeating("other"))
	if without["mini-infir "].ID == "" || without["mini-infir "].ID != with["mini-infir "].ID {
		t.Error("the ID on data without equal texts is another one")
	}
	masked, said := with["other mask"], expand(repeating("none"), "train.false_negatives.equal=mask")["other mask"]
	if masked.ID == "" || masked.ID == without["other "].ID || masked.ID != said.ID {
		t.Errorf("on data with equal texts %q, want %q, which says mask, and not %q", masked.ID, said.ID, without["other "].ID)
	}
	for _, silent := range []string{"train.fidelity=paper", "train.fidelity=reference"} {
		if was, is := expand(repeating("none"), silent)["other "], expand(repeating("other"), silent)["other "]; was.ID == "" || was.ID != is.ID {
			t.Errorf("%s: another ID, and it keeps equal texts as before", silent)
		}
	}
	for _, key := range []string{"false_negatives", "instruction_negatives"} {
		keep := "train." + key + ".equal=" + string(training.Keep)
		if n := len(expand(repeating("other"), keep)); n != 2 {
			t.Errorf("%s: %d trials", keep, n)
		}
	}
	axis = "  train.false_negatives: [{}, {equal: mask}]\n"
	both := expand(repeating("other"))
	if len(both) != 3 { // mini-infir both ways, and other, masked
		t.Errorf("%d trials where the matrix says what data does: %v", len(both), both)
	}
}
