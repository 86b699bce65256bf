package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infbench/internal/disk"
	"infbench/runners/results"
)

// fakeKubectl plays the states state.1, state.2, ..., one for each "get"; the last is repeated.
// A state that begins with "!" is an error message; an empty one is a missing Job.
const fakeKubectl = `#!/bin/sh
echo "$*" >>"$FAKE/calls"
case $1 in
apply) cat >>"$FAKE/applied" ;;
get)
	n=$(cat "$FAKE/turn" 2>/dev/null || echo 0)
	[ -e "$FAKE/state.$((n+1))" ] && { n=$((n+1)); echo $n >"$FAKE/turn"; }
	[ -e "$FAKE/turn.$n" ] && . "$FAKE/turn.$n"
	if grep -q '^!' "$FAKE/state.$n"; then cut -c2- "$FAKE/state.$n" >&2; exit 1; fi
	cat "$FAKE/state.$n" ;;
delete) rm -f "$FAKE"/state.*; : >"$FAKE/state.1"; echo 1 >"$FAKE/turn" ;;
esac
`

// newFakeKubernetes returns an engine with a fake kubectl.
func newFakeKubernetes(t *testing.T, states ...string) (*fakeSlurm, *Kubernetes) {
	t.Helper()
	f := newFakeSlurm(t)
	if err := os.WriteFile(filepath.Join(f.dir, "kubectl"), []byte(fakeKubectl), 0o755); err != nil {
		t.Fatal(err)
	}
	for i, state := range states {
		f.file("state."+string(rune('1'+i)), state)
	}
	k := testKubernetes()
	k.RunDir, k.Mount, k.Trials, k.Poll = f.run, f.run, f.engine().Trials, 20*time.Millisecond
	k.Notice = func(text string) { t.Log("notice: " + text) }
	return f, k
}

// A Job meets a server that is away, an index that completes, one whose trial records why it
// failed, and one that never ran.
func TestKubernetesRuns(t *testing.T) {
	f, k := newFakeKubernetes(t,
		`{"status":{"active":3}}`,
		"!Unable to connect to the server: dial tcp 127.0.0.1:6443: connect: connection refused\n",
		`{"status":{"completedIndexes":"0","active":2}}`,
		`{"status":{"completedIndexes":"0","failedIndexes":"1-2"}}`,
	)
	f.file("turn.1", "mkdir -p "+f.trial("b")+"; touch "+filepath.Join(f.trial("b"), results.TrialFile)+"\n")
	f.file("turn.3", f.doneAt("a"))
	f.file("turn.4", failing(t, f.trial("b"), "loss is NaN"))
	got, err := eventsOf(context.Background(), k, "a", "b", "c")
	want := []string{"b started", "a started", "a succeeded", "b failed: loss is NaN", "c started", "c failed: its pods failed"}
	if err != nil || len(got) != len(want) {
		t.Fatalf("events %q, %v; want %q", got, err, want)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("event %d is %q, want %q", i, got[i], want[i])
		}
	}
	applied, err := os.ReadFile(filepath.Join(f.dir, "applied"))
	if err != nil || strings.Count(string(applied), "kind: Job\n") != 1 {
		t.Errorf("applied, %v:\n%s", err, applied)
	}
}

// A Job that an earlier process applied is watched, not applied again.
func TestKubernetesTakesUpJobs(t *testing.T) {
	f, k := newFakeKubernetes(t, `{"status":{"active":1}}`, `{"status":{"completedIndexes":"0"}}`)
	if _, err := openWave(filepath.Join(f.run, "kubernetes"), "infbench-x-1", []string{"a"}); err != nil {
		t.Fatal(err)
	}
	f.file("turn.2", f.doneAt("a"))
	got, err := eventsOf(context.Background(), k, "a")
	if err != nil || strings.Join(got, ", ") != "a started, a succeeded" {
		t.Errorf("events %q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(f.dir, "applied")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was applied, %v", err)
	}
}

// The end of the context deletes the Job with its list of cells.
func TestKubernetesCancels(t *testing.T) {
	f, k := newFakeKubernetes(t, `{"status":{"active":1}}`)
	if err := disk.WriteBytes(filepath.Join(f.trial("a"), results.TrialFile), nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var got []Kind
	err := k.Run(ctx, []Job{{ID: "a"}}, func(e Event) {
		got = append(got, e.Kind)
		cancel() // with the first
	})
	if !errors.Is(err, context.Canceled) || !slices.Equal(got, []Kind{Started, Stopped}) {
		t.Errorf("events %v, %v; want started, stopped", got, err)
	}
	calls, err := os.ReadFile(filepath.Join(f.dir, "calls"))
	if err != nil || !strings.Contains(string(calls), "delete job/infbench-loss-ablation-v2-") {
		t.Errorf("calls, %v:\n%s", err, calls)
	}
}
