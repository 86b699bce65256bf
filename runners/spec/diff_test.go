package spec

import (
	"fmt"
	"strings"
	"testing"
)

// TestDiff checks that everything that a file can change is added, dropped or altered, with the
// responsible key.
func TestDiff(t *testing.T) {
	const old = "name: x\nevaluate: [mini-followir]\nbase: {train: {lr: 0.001}}\nmatrix: {loss: [uni(P), uni(I)], seed: [1, 2]}\nbaselines: [bm25]\nresources: {gpus: 1}"
	for _, c := range []struct{ name, from, to, want string }{
		{"nothing", "", "", "5 same"},
		{"a comment", "name: x", "# why\nname: x", "5 same"},
		{"another value on an axis", "seed: [1, 2]", "seed: [1, 2, 3]", "+uni(P) seed=3 +uni(I) seed=3 5 same"},
		{"a value less", "seed: [1, 2]", "seed: [2]", "-uni(P) seed=1 -uni(I) seed=1 3 same"},
		{"a setting of all cells", "lr: 0.001", "lr: 0.002",
			"~uni(P) seed=1 (train.lr: 0.001 -> 0.002) ~uni(P) seed=2 (train.lr: 0.001 -> 0.002) ~uni(I) seed=1 (train.lr: 0.001 -> 0.002) ~uni(I) seed=2 (train.lr: 0.001 -> 0.002) 1 same"},
		{"a setting and an axis", "lr: 0.001}}\nmatrix: {loss: [uni(P), uni(I)], seed: [1, 2]}", "lr: 0.002}}\nmatrix: {loss: [uni(P), \"multi(P,I)\"], seed: [1]}",
			"+multi(P,I) seed=1 -uni(P) seed=2 -uni(I) seed=1 -uni(I) seed=2 ~uni(P) seed=1 (train.lr: 0.001 -> 0.002) 1 same"},
		{"a setting that was unset", "lr: 0.001}}", "lr: 0.001}, design: {pooling: cls}}\nexclude: [{loss: uni(I)}, {seed: 2}]",
			"-uni(P) seed=2 -uni(I) seed=1 -uni(I) seed=2 ~uni(P) seed=1 (design.pooling: unset -> cls) 1 same"},
		{"the tests", "evaluate: [mini-followir]", "evaluate: [mini-mair]\nexclude: [{loss: uni(I)}, {seed: 2}]",
			"-uni(P) seed=2 -uni(I) seed=1 -uni(I) seed=2 " +
				"~uni(P) seed=1 (evaluate: mini-followir -> mini-mair; revision of mini-followir: mini-followir@1 -> unset; revision of mini-mair: unset -> mini-mair@1) " +
				"~bm25 (evaluate: mini-followir -> mini-mair; revision of mini-followir: mini-followir@1 -> unset; revision of mini-mair: unset -> mini-mair@1) 0 same"},
		{"resources, which leave the ID", "gpus: 1}", "gpus: 1, overrides: [{when: {model: bm25}, gpus: 2}]}", "~bm25 (resources.gpus: 1 -> 2) 4 same"},
		{"baselines", "[bm25]", "[bm25, constant]", "+constant 5 same"},
		{"how to pick", "resources", "select: {on: test, measure: AP}\nresources",
			"select.measure: unset -> AP; select.on: unset -> test; select.per: unset -> [\"backbone\"]; 5 same"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(old, c.from) {
				t.Fatalf("no %q", c.from)
			}
			if got := shown(Diff(plan(t, old), plan(t, strings.Replace(old, c.from, c.to, 1)))); got != c.want {
				t.Errorf("diff:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
	moved := plan(t, old)
	for i := range moved.Trials {
		moved.Trials[i].Revisions[len(moved.Trials[i].Revisions)-1].Revision = "newer"
		moved.Trials[i].ID = moved.Trials[i].Hash()
	}
	if got := shown(Diff(plan(t, old), moved)); strings.Count(got, "(revision of mini-followir: mini-followir@1 -> newer)") != 5 {
		t.Errorf("newer data:\n%s", got)
	}
	if d := Diff(&Plan{}, moved); len(d.Added) != 5 || len(d.Altered)+len(d.Dropped)+len(d.Settings) != 0 {
		t.Errorf("against no plan: %+v", d)
	}
}

// shown formats differences in one line.
func shown(d Differences) string {
	var b strings.Builder
	for _, c := range d.Settings {
		fmt.Fprintf(&b, "%s; ", c)
	}
	for _, t := range d.Added {
		fmt.Fprintf(&b, "+%s ", t.Label)
	}
	for _, t := range d.Dropped {
		fmt.Fprintf(&b, "-%s ", t.Label)
	}
	for _, a := range d.Altered {
		var what []string
		for _, c := range a.Changes {
			what = append(what, c.String())
		}
		fmt.Fprintf(&b, "~%s (%s) ", a.New.Label, strings.Join(what, "; "))
	}
	fmt.Fprintf(&b, "%d same", d.Same)
	return b.String()
}
