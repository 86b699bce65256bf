package runs

import (
	"testing"
	"time"

	"infbench/runners/engine"
	"infbench/runners/results"
	"infbench/runners/spec"
)

// TestPace checks the estimate by hand: training and the rest apart, from trials of the same settings,
// else of the same backbone, and never from another kind.
func TestPace(t *testing.T) {
	trial := func(id, model, backbone, loss string, seed int64) *spec.Trial {
		one := &spec.Trial{ID: id}
		one.Cell.Model, one.Cell.Backbone, one.Cell.Loss, one.Cell.Seed = model, backbone, loss, seed
		return one
	}
	took := func(total, train float64, by *results.TrainedBy) *results.Provenance {
		return &results.Provenance{Seconds: map[string]float64{"total": total, "train": train}, TrainedBy: by}
	}
	var p Pace
	p.Read(At(t.TempDir()), trial("absent", "bm25", "", "", 1)) // unreadable: ignored
	p.add(trial("a", spec.Trained, "small", "uni(P)", 1), took(100, 80, nil))
	p.add(trial("b", spec.Trained, "small", "multi(P,I)", 1), took(180, 160, nil))
	p.add(trial("c", spec.Trained, "small", "uni(P)", 2), took(20, 80, &results.TrainedBy{})) // of a model that existed
	p.add(trial("d", "bm25", "", "", 1), took(3, 0, nil))
	for _, c := range []struct {
		name     string
		trial    *spec.Trial
		progress engine.Progress
		trained  bool
		want     time.Duration
		unknown  int
	}{
		{"same settings", trial("e", spec.Trained, "small", "uni(P)", 3), engine.Progress{}, false, 100 * time.Second, 0},
		{"another loss: the means of the backbone", trial("f", spec.Trained, "small", "uni(I)", 1), engine.Progress{}, false, 140 * time.Second, 0},
		{"half trained", trial("e", spec.Trained, "small", "uni(P)", 3), engine.Progress{Phase: PhaseTrain, Done: 5, Total: 10}, false, 60 * time.Second, 0},
		{"all trained", trial("e", spec.Trained, "small", "uni(P)", 3), engine.Progress{Phase: PhaseTrain, Done: 10, Total: 10}, false, 20 * time.Second, 0},
		{"started", trial("e", spec.Trained, "small", "uni(P)", 3), engine.Progress{Phase: PhaseStart}, false, 100 * time.Second, 0},
		{"stopped early", trial("e", spec.Trained, "small", "uni(P)", 3), engine.Progress{Phase: StoppedPhase, Done: 5, Total: 10}, false, 100 * time.Second, 0},
		{"opening the data", trial("e", spec.Trained, "small", "uni(P)", 3), engine.Progress{Phase: PhaseOpen}, false, 20 * time.Second, 0},
		{"ranking shards", trial("e", spec.Trained, "small", "uni(P)", 3), engine.Progress{Phase: "shard 1 of 2: ranked"}, false, 20 * time.Second, 0},
		{"opening the data, another backbone", trial("j", spec.Trained, "large", "uni(P)", 1), engine.Progress{Phase: PhaseOpen}, false, 0, 1},
		{"half evaluated", trial("e", spec.Trained, "small", "uni(P)", 3), engine.Progress{Phase: PhaseEvaluate, Done: 1, Total: 2}, false, 10 * time.Second, 0},
		{"all evaluated", trial("e", spec.Trained, "small", "uni(P)", 3), engine.Progress{Phase: PhaseSave}, false, 0, 0},
		{"weights exist", trial("e", spec.Trained, "small", "uni(P)", 3), engine.Progress{}, true, 20 * time.Second, 0},
		{"untrained encodes as trained", trial("g", spec.Untrained, "small", "", 1), engine.Progress{}, false, 20 * time.Second, 0},
		{"bm25 with another seed", trial("h", "bm25", "", "", 2), engine.Progress{}, false, 3 * time.Second, 0},
		{"another model", trial("i", "random", "", "", 1), engine.Progress{}, false, 0, 1},
		{"another backbone", trial("j", spec.Trained, "large", "uni(P)", 1), engine.Progress{}, false, 0, 1},
		{"another backbone, its own pace", trial("j", spec.Trained, "large", "uni(P)", 1), engine.Progress{Phase: PhaseTrain, Done: 6, Total: 10, From: 2, Spent: 40}, false, 40 * time.Second, 1},
	} {
		left, unknown := p.Left([]Unfinished{{c.trial, c.progress, c.trained}}, 1)
		if left != c.want || unknown != c.unknown {
			t.Errorf("%s: %v, %d unknown; want %v, %d", c.name, left, unknown, c.want, c.unknown)
		}
	}
	all := []Unfinished{{Trial: trial("e", spec.Trained, "small", "uni(P)", 3)}, {Trial: trial("h", "bm25", "", "", 2)}, {Trial: trial("i", "random", "", "", 1)}}
	if left, unknown := p.Left(all, 1); left != 103*time.Second || unknown != 1 || LeftWords(left, unknown) != "over 1m43s left (1 trial of a kind that has not finished)" {
		t.Errorf("one after the other: %s", LeftWords(left, unknown))
	}
	if left, _ := p.Left(all[:2], 2); left != 100*time.Second || LeftWords(left, 0) != "about 1m40s left" {
		t.Errorf("two at a time: %v, want as long as the longest", left)
	}
	if LeftWords(0, 2) != "" {
		t.Error("an estimate without a finished trial")
	}
}
