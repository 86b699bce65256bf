package trial

import (
	"slices"
	"testing"
	"time"

	"infbench/runners/engine"
	"infbench/runners/runs"
)

// TestTasks: progress moves within a task, never goes back, and ends with the last task.
func TestTasks(t *testing.T) {
	var got []int
	saves := 0
	tasks := newTasks(2, func(p engine.Progress) {
		if p.Phase == runs.PhaseSave {
			saves++
			return
		}
		got = append(got, p.Done)
		if p.Percent() > 99 || p.Total != 2*ofTask {
			t.Errorf("%+v is %d%%", p, p.Percent())
		}
	})
	within := func(share float64) {
		tasks.last = time.Time{}
		tasks.within(share)
	}
	within(0.25)
	within(0.125) // a second ranking of the task
	within(1)
	tasks.end()
	tasks.last = time.Now()
	tasks.within(0.5)
	within(0.5)
	tasks.end()
	within(0.5)
	if want := []int{0, 250, 999, 1000, 1500, 2000}; !slices.Equal(got, want) || saves != 1 {
		t.Errorf("reported %v, want %v; %d saves", got, want, saves)
	}
}
