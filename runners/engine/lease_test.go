package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"infbench/internal/disk"
)

// on returns the leases of a folder as a process on another host sees them: it only sees
// heartbeats of other processes. Tests that wait run in a synctest bubble, so that the load of
// the machine does not matter.
func on(dir, host string) Leases {
	return Leases{Dir: dir, Beat: 5 * time.Millisecond, Patience: 150 * time.Millisecond, Self: Owner{Host: host, PID: 1}}
}

func take(t *testing.T, l Leases, id string) *Lease {
	t.Helper()
	lease, err := l.Take(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

func TestLeaseIsExclusive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "leases")
		first := take(t, on(dir, "a"), "x")
		if _, err := on(dir, "b").Take(t.Context(), "x"); !errors.Is(err, ErrBusy) {
			t.Errorf("second lease: %v, want ErrBusy", err)
		}
		if o, held, err := on(dir, "b").Watch().Holder("x"); o.Host != "a" || !held || err != nil {
			t.Errorf("Holder = %+v, %v, %v", o, held, err)
		}
		other := take(t, on(dir, "b"), "y")
		if all, err := on(dir, "c").Watch().Survey(t.Context()); len(all) != 2 || all["y"].Host != "b" || !all["y"].Alive || err != nil {
			t.Errorf("Survey = %v, %v", all, err)
		}
		if err := errors.Join(first.Release(), other.Release()); err != nil {
			t.Fatal(err)
		}
		if _, held, err := on(dir, "b").Watch().Holder("x"); held || err != nil {
			t.Errorf("Holder = %v, %v after Release", held, err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
		take(t, on(dir, "b"), "x").Release()
	})
}

// A process that stands still loses its lease after the patience of a waiting process, not
// before. It writes nothing more when it comes back.
func TestLeaseOfAStandingProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		asleep := on(dir, "a")
		asleep.Beat = time.Hour
		old := take(t, asleep, "x")
		ctx, cancel := old.Context(t.Context())
		defer cancel()

		began := time.Now()
		taker := on(dir, "b")
		taken := take(t, taker, "x")
		defer taken.Release()
		if waited := time.Since(began); waited < taker.Patience || waited > taker.Patience+taker.Beat {
			t.Errorf("taken over after %v, patience is %v", waited, taker.Patience)
		}
		fs, path := old.Fence(disk.OS{}), filepath.Join(dir, "file")
		if err := disk.WriteBytesTo(fs, path, nil); !errors.Is(err, ErrLost) {
			t.Errorf("the former holder wrote: %v", err)
		}
		if err := fs.Link(asleep.path("x", 2), path); !errors.Is(err, ErrLost) {
			t.Errorf("the former holder gave a file another name: %v", err)
		}
		if err := disk.WriteBytesTo(taken.Fence(disk.OS{}), path, nil); err != nil {
			t.Errorf("the holder could not write: %v", err)
		}
		awake := asleep // it wakes up
		awake.Beat = time.Millisecond
		woken := &Lease{folder: awake, id: "x", generation: 1, counter: old.counter, lost: old.lost, stop: make(chan struct{})}
		woken.heartbeat()
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
		if !errors.Is(context.Cause(ctx), ErrLost) {
			t.Errorf("the former holder's context: %v", context.Cause(ctx))
		}
		if err := old.Release(); err != nil {
			t.Error(err)
		}
		if o, held, _ := taker.Watch().Holder("x"); !held || o.Host != "b" {
			t.Errorf("held by %+v, %v; want b", o, held)
		}
	})
}

// A process that watches a lease stand still for long enough knows that nobody holds it. One
// look is not enough.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		asleep := on(dir, "a")
		asleep.Beat = time.Hour
		lease := take(t, asleep, "x")
		defer lease.Release()
		if err := os.Chtimes(lease.path(), time.Now(), time.Now()); err != nil { // in the bubble's time
			t.Fatal(err)
		}
		defer take(t, on(dir, "a"), "y").Release()
		watch := on(dir, "b").Watch()
		for _, alive := range []bool{true, false} {
			if all, err := watch.Survey(t.Context()); all["x"].Alive != alive || !all["y"].Alive || err != nil {
				t.Errorf("Survey = %v, %v; want x to live: %v", all, err, alive)
			}
			time.Sleep(watch.leases.Patience * 3 / 2)
		}
	})
}

// The lease of a dead process on this machine is free at once, even if another process has its
// ID now.
func TestLeaseOfADeadProcess(t *testing.T) {
	self := thisProcess()
	if self.Machine == "" {
		t.Skip("SKIP: processes of this system cannot be told apart")
	}
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	for name, dead := range map[string]Owner{
		"ended":        {Machine: self.Machine, PID: gone.ProcessState.Pid(), Start: self.Start},
		"another's ID": {Machine: self.Machine, PID: self.PID, Start: "1"},
	} {
		dir := t.TempDir()
		l := Leases{Dir: dir, Beat: time.Hour, Self: dead}
		take(t, l, "x")
		l.Self = Owner{}
		if _, held, err := l.Watch().Holder("x"); held || err != nil {
			t.Errorf("%s: Holder = %v, %v", name, held, err)
		}
		began := time.Now()
		if take(t, l, "x"); time.Since(began) > defaultPatience/2 {
			t.Errorf("%s: waited %v", name, time.Since(began))
		}
	}
}

// File times and truncated leases do not matter.
func TestLeaseKnowsNoClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		for _, year := range []int{1971, 2100} {
			lease := take(t, on(dir, "a"), "x")
			when := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
			if err := os.Chtimes(lease.path(), when, when); err != nil {
				t.Fatal(err)
			}
			if _, err := on(dir, "b").Take(t.Context(), "x"); !errors.Is(err, ErrBusy) {
				t.Errorf("in %d: %v, want ErrBusy", year, err)
			}
			lease.Release()
		}
		if err := os.WriteFile(filepath.Join(dir, "x.7"), []byte("{\"ho"), 0o644); err != nil {
			t.Fatal(err)
		}
		lease := take(t, on(dir, "b"), "x")
		defer lease.Release()
		if lease.generation != 8 {
			t.Errorf("generation %d, want 8", lease.generation)
		}
	})
}

// Sixteen hosts do forty trials: each trial has at most one holder at a time, and all are done.
func TestLeaseRace(t *testing.T) {
	dir := t.TempDir()
	const trials = 40
	var holders, runs [trials]atomic.Int32
	var hosts sync.WaitGroup
	for h := range 16 {
		hosts.Go(func() {
			l := on(dir, fmt.Sprint(h))
			l.Patience = time.Minute // all of them live
			for i := range trials {
				trial := (i + h*5) % trials
				for runs[trial].Load() == 0 {
					lease, err := l.Take(t.Context(), fmt.Sprint("t", trial))
					if errors.Is(err, ErrBusy) {
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					if holders[trial].Add(1) > 1 {
						t.Errorf("trial %d has two holders", trial)
					}
					if runs[trial].Load() == 0 {
						time.Sleep(time.Millisecond)
						runs[trial].Add(1)
					}
					holders[trial].Add(-1)
					if err := lease.Release(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	hosts.Wait()
	for i := range runs {
		if n := runs[i].Load(); n != 1 {
			t.Errorf("trial %d ran %d times", i, n)
		}
	}
}

// A lease that another has covered in the meantime is not dead: the other one may be gone in
// the next moment, and the first may still hold the trial.
func TestLeaseCoveredForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		held := take(t, on(dir, "a"), "x")
		defer held.Release()
		b := on(dir, "b")
		seen, err := b.newest("x")
		if err != nil {
			t.Fatal(err)
		}
		cover := filepath.Join(dir, "x.2")
		if err := os.WriteFile(cover, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if dead, err := b.awaitDeath(t.Context(), "x", seen); dead || err != nil {
			t.Errorf("awaitDeath = %v, %v, want no sign of death", dead, err)
		}
		if err := os.Remove(cover); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Take(t.Context(), "x"); !errors.Is(err, ErrBusy) {
			t.Errorf("%v, want ErrBusy", err)
		}
	})
}

// A lease file that another process removed at the same moment counts as given back.
func TestLeaseRemovedByAnother(t *testing.T) {
	lease := take(t, on(t.TempDir(), "a"), "x")
	for range 2 {
		if err := lease.remove(); err != nil {
			t.Error(err)
		}
	}
	lease.Release()
}

// A Watch takes at once a trial that nobody holds or whose lease it saw stand still for long.
// It takes no other trial.
func TestWatchTakesWithoutWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "leases")
		held := take(t, on(dir, "a"), "x")
		w := on(dir, "b").Watch()
		for range 3 {
			if _, err := w.Take("x"); !errors.Is(err, ErrBusy) {
				t.Fatalf("a held trial: %v, want ErrBusy", err)
			}
			time.Sleep(20 * time.Millisecond)
		}
		if err := held.Release(); err != nil {
			t.Fatal(err)
		}
		lease, err := w.Take("x")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := on(dir, "c").Watch().Take("x"); !errors.Is(err, ErrBusy) {
			t.Errorf("taken twice: %v", err)
		}
		if err := lease.Release(); err != nil {
			t.Fatal(err)
		}

		// The lease of a host that died stands still.
		if err := os.WriteFile(filepath.Join(dir, "y.1"), []byte(`{"host":"d","pid":1}`+"\n00000000000000000007\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Take("y"); !errors.Is(err, ErrBusy) {
			t.Errorf("seen for the first time: %v, want ErrBusy", err)
		}
		// This process may have stood still itself, with the holder: one look later is not
		// enough.
		time.Sleep(time.Hour)
		if _, err := w.Take("y"); !errors.Is(err, ErrBusy) {
			t.Errorf("seen twice, an hour between: %v, want ErrBusy", err)
		}
		time.Sleep(w.leases.Patience / 2)
		if lease, err = w.Take("y"); err != nil {
			t.Fatal(err)
		}
		if err := lease.Release(); err != nil {
			t.Error(err)
		}
	})
}

// The last process to leave a folder may remove it while another comes.
func TestLeaseFolderGoes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "leases")
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 100 {
				lease, err := on(dir, fmt.Sprint(i)).Take(t.Context(), fmt.Sprint(i))
				if err != nil {
					t.Error(err)
					return
				}
				if err := lease.Release(); err != nil {
					t.Error(err)
				}
				os.Remove(dir) // fails if another process has a lease
			}
		})
	}
	all.Wait()
}
