package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// shell makes an engine whose jobs are shell scripts, the script being the
// job's label.
func shell(t *testing.T, workers int) *Local {
	return &Local{
		Workers: workers,
		Command: func(j Job) (string, []string) { return "/bin/sh", []string{"-c", j.Label} },
		LogDir:  filepath.Join(t.TempDir(), "logs"),
	}
}

func TestLocalReportsEveryJob(t *testing.T) {
	jobs := []Job{
		{ID: "ok", Label: `echo noise; echo '{"phase":"train","done":1,"total":2,"loss":0.5}'`},
		{ID: "bad", Label: `echo first >&2; echo 'infbench: no such model' >&2; exit 1`},
		{ID: "silent", Label: `exit 3`},
	}
	var got []string
	err := shell(t, 1).Run(context.Background(), jobs, func(e Event) {
		line := fmt.Sprintf("%s %d", e.Job.ID, e.Kind)
		if e.Kind == Progressed {
			line += fmt.Sprintf(" %s %d/%d %g", e.Progress.Phase, e.Progress.Done, e.Progress.Total, e.Progress.Loss)
		}
		if e.Err != nil {
			line += " " + strings.Split(e.Err.Error(), " (log")[0]
		}
		got = append(got, line)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ok 0", "ok 1 train 1/2 0.5", "ok 2",
		"bad 0", "bad 3 no such model",
		"silent 0", "silent 3 exit status 3",
	}
	if !slices.Equal(got, want) {
		t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLocalStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	jobs := []Job{{ID: "a", Label: `trap 'exit 1' TERM; echo '{"phase":"x"}'; while :; do sleep 0.05; done`}, {ID: "b", Label: "exit 0"}}
	var started []string
	begin := time.Now()
	err := shell(t, 1).Run(ctx, jobs, func(e Event) {
		switch e.Kind {
		case Started:
			started = append(started, e.Job.ID)
		case Progressed:
			cancel()
		case Failed, Succeeded:
			t.Errorf("job %s ended with event %d, want it stopped", e.Job.ID, e.Kind)
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want %v", err, context.Canceled)
	}
	if time.Since(begin) > stopGrace/2 {
		t.Errorf("stopping took %v: the job did not get SIGTERM", time.Since(begin))
	}
	if !slices.Equal(started, []string{"a"}) {
		t.Errorf("started %v, want only a", started)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "locks", "x")
	unlock, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(path); !errors.Is(err, ErrBusy) {
		t.Errorf("second lock: %v, want ErrBusy", err)
	}
	if held, err := Held(path); !held || err != nil {
		t.Errorf("Held = %v, %v while it is", held, err)
	}
	unlock()
	if held, err := Held(path); held || err != nil {
		t.Errorf("Held = %v, %v after unlock", held, err)
	}
	if held, err := Held(path + "-none"); held || err != nil {
		t.Errorf("Held = %v, %v of no file", held, err)
	}
	again, err := Lock(path)
	if err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	again()
}
