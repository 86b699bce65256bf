package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"infbench/internal/usage"
)

// shell returns an engine whose jobs are shell scripts; a job's label is its script.
func shell(t *testing.T, workers int) *Local {
	return &Local{
		Workers: workers,
		Command: func(j Job, slot int) (string, []string) {
			return "/bin/sh", []string{"-c", j.Label, "sh", fmt.Sprint(slot)}
		},
		LogDir: filepath.Join(t.TempDir(), "logs"),
	}
}

func TestLocalReportsEveryJob(t *testing.T) {
	jobs := []Job{
		{ID: "ok", Label: `echo noise; echo '{"phase":"train","done":1,"total":2,"loss":0.5}'`},
		{ID: "bad", Label: `echo first >&2; echo 'infbench: no such model' >&2; exit 1`},
		{ID: "silent", Label: `exit 3`},
		{ID: "late", Label: `echo '{"phase":"found done"}'`},
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
		"late 0", "late 1 found done 0/0 0", "late 5",
	}
	if !slices.Equal(got, want) {
		t.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// No two jobs are in one slot at a time, and all slots are used: the first jobs wait for each
// other.
func TestLocalSlots(t *testing.T) {
	dir := t.TempDir()
	var jobs []Job
	for i := range 12 {
		jobs = append(jobs, Job{ID: fmt.Sprint(i), Label: "cd " + dir + " && mkdir slot$1 && touch used$1 && for i in $(seq 1200); do [ -e used0 ] && [ -e used1 ] && [ -e used2 ] && break; sleep 0.05; done && rmdir slot$1"})
	}
	err := shell(t, 3).Run(context.Background(), jobs, func(e Event) {
		if e.Kind == Failed {
			t.Errorf("job %s: %v", e.Job.ID, e.Err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	used, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(used) != 3 || filepath.Base(used[2]) != "used2" {
		t.Errorf("left %v, %v; want three slots used", used, err)
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

// The engine returns to a job that another process runs until it is free or finished.
func TestLocalLeavesWhatOthersRun(t *testing.T) {
	l := shell(t, 2)
	looks := map[string][]State{"a": {Busy, Finished}, "b": {Free}}
	var mu sync.Mutex
	l.Look = func(j Job) (State, error) {
		mu.Lock()
		defer mu.Unlock()
		next := looks[j.ID][0]
		looks[j.ID] = looks[j.ID][1:]
		return next, nil
	}
	got := map[string][]Kind{}
	err := l.Run(t.Context(), []Job{{ID: "a", Label: "exit 9"}, {ID: "b", Label: "exit 0"}}, func(e Event) {
		got[e.Job.ID] = append(got[e.Job.ID], e.Kind)
	})
	want := map[string][]Kind{"a": {Elsewhere}, "b": {Started, Succeeded}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("events %v, %v; want %v", got, err, want)
	}
}

// A failed job runs again as often as the policy allows. A job that stopped by itself has not
// failed and does not run again.
func TestLocalRetries(t *testing.T) {
	l := shell(t, 1)
	l.Retry = func(_ Job, err error) (time.Duration, bool) {
		return time.Millisecond, err.Error() == "not yet"
	}
	mark := filepath.Join(t.TempDir(), "mark")
	jobs := []Job{
		{ID: "a", Label: "test -e " + mark + " || { touch " + mark + "; echo infbench: not yet >&2; exit 1; }"},
		{ID: "b", Label: fmt.Sprint("exit ", usage.ExitStopped)},
		{ID: "c", Label: "echo infbench: never >&2; exit 1"},
		{ID: "d", Label: "echo working >&2; kill -9 $$"},
	}
	ends := map[string][]Kind{}
	err := l.Run(t.Context(), jobs, func(e Event) {
		ends[e.Job.ID] = append(ends[e.Job.ID], e.Kind)
		if e.Job.ID == "d" && e.Kind == Failed && !strings.Contains(e.Err.Error(), "killed") {
			t.Errorf("a killed job: %v", e.Err)
		}
	})
	want := map[string][]Kind{"a": {Started, Retried, Started, Succeeded}, "b": {Started, Stopped}, "c": {Started, Failed}, "d": {Started, Failed}}
	if err != nil || !reflect.DeepEqual(ends, want) {
		t.Errorf("events %v, %v; want %v", ends, err, want)
	}
}

// A process that stays runs the jobs of its slot in turn, and writes to the log of each. One that
// fails or is killed is replaced for the next job.
func TestLocalStays(t *testing.T) {
	l := shell(t, 1)
	l.Stay = true
	l.Command = func(Job, int) (string, []string) {
		// Lines are {"job":"NAME","log":"PATH"}.
		return "/bin/sh", []string{"-c", `while read -r line; do
			log=${line##*'"log":"'} && exec 2>>"${log%'"'*}"
			echo "{\"phase\":\"process\",\"done\":$$}"
			case $line in
			*'"fails"'*) echo "infbench: no such model" >&2; exit 1 ;;
			*'"dies"'*) kill -9 $$ ;;
			*'"leaves"'*) exit 0 ;;
			esac
			echo '{"phase":"ended"}'
		done`}
	}
	var jobs []Job
	for _, id := range []string{"a", "b", "fails", "c", "dies", "d", "leaves", "e", "f"} {
		jobs = append(jobs, Job{ID: id})
	}
	process, failed := map[string]int{}, map[string]string{}
	if err := l.Run(t.Context(), jobs, func(e Event) {
		switch e.Kind {
		case Progressed:
			process[e.Job.ID] = e.Progress.Done
		case Failed:
			failed[e.Job.ID], _, _ = strings.Cut(e.Err.Error(), " (")
		}
	}); err != nil {
		t.Fatal(err)
	}
	for _, same := range [][]string{{"a", "b", "fails"}, {"c", "dies"}, {"d", "leaves"}, {"e", "f"}} {
		for _, id := range same {
			if process[id] == 0 || process[id] != process[same[0]] {
				t.Errorf("%s ran in process %d, %s in %d", same[0], process[same[0]], id, process[id])
			}
		}
	}
	if process["a"] == process["c"] || process["c"] == process["d"] || process["d"] == process["e"] {
		t.Errorf("a process took a job after its end: %v", process)
	}
	if want := map[string]string{"fails": "no such model", "dies": "signal: killed", "leaves": "its process ended before it"}; !maps.Equal(failed, want) {
		t.Errorf("failed: %v, want %v", failed, want)
	}
	if text, err := os.ReadFile(filepath.Join(l.LogDir, "fails.log")); err != nil || string(text) != "infbench: no such model\n" {
		t.Errorf("the log of the job that failed: %q, %v", text, err)
	}
}
