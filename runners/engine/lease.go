package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"infbench/internal/disk"
	"infbench/internal/usage"
)

// ErrBusy says that another process runs the trial.
var ErrBusy = errors.New("another process is running this trial")

// ErrLost says that a lease was taken by another process, because this one stood
// still for too long.
var ErrLost = fmt.Errorf("%w: it took it over", ErrBusy)

// Leases is a folder in which processes of any number of hosts claim trials; a
// shared folder is all that they need to have in common.
//
// The lease of a trial is a file ID.N that only one process could create (O_EXCL).
// Its holder raises a counter in it (the heartbeat) as long as it lives, and
// removes it at the end. Whoever wants a trial whose newest lease stands still
// creates ID.N+1, which only one can either, and the former holder, should it
// come back, sees that and stops. No clock is compared with any other: standing
// still is measured by the watcher's own monotonic clock, so clocks may differ or
// be set back. While the watcher stood still itself, as where the machine was frozen
// with all that runs on it, it saw nothing: between two looks at most half of
// Patience counts.
//
// A lease saves work, nothing hangs on it: two processes that did run one trial
// at a time would write the same bytes.
type Leases struct {
	Dir      string
	Beat     time.Duration // between heartbeats; 0: 2 seconds
	Patience time.Duration // how long a heartbeat may stand still; 0: 30 seconds

	// Self names this process; the zero value is filled in. Tests pretend to be
	// on another host.
	Self Owner
}

// The defaults of Leases. Patience is many beats: a loaded machine or a file
// server that hangs for a while must not cost a trial.
const (
	defaultBeat     = 2 * time.Second
	defaultPatience = 30 * time.Second
)

// Owner is the process that holds a lease.
type Owner struct {
	Host    string `json:"host"`    // for people
	Machine string `json:"machine"` // what shares process IDs with us, until it boots again; "": unknown
	PID     int    `json:"pid"`
	Start   string `json:"start"` // when the process began, as the kernel counts; IDs are used again
	Token   string `json:"token"` // random, one a lease
}

// claim is a lease file as it was read.
type claim struct {
	generation int // 0: there is none
	content    []byte
}

func (l Leases) beat() time.Duration {
	if l.Beat > 0 {
		return l.Beat
	}
	return defaultBeat
}

func (l Leases) patience() time.Duration {
	if l.Patience > 0 {
		return l.Patience
	}
	return defaultPatience
}

func (l Leases) path(id string, generation int) string {
	return filepath.Join(l.Dir, id+"."+strconv.Itoa(generation))
}

// Take claims a trial for this process, until Release. Where another holds it,
// Take watches for its heartbeat: at the first it returns ErrBusy, after Patience
// without one, or at once if that process of this machine is no more, it takes
// the trial over.
func (l Leases) Take(ctx context.Context, id string) (*Lease, error) {
	l = l.fresh()
	for {
		if err := l.makeFolder(); err != nil {
			return nil, err
		}
		held, err := l.newest(id)
		if err != nil {
			return nil, err
		}
		if held.generation > 0 {
			dead, err := l.awaitDeath(ctx, id, held)
			if err != nil {
				return nil, err
			}
			if !dead {
				continue
			}
		}
		lease, err := l.claim(id, held)
		if lease != nil {
			lease.forget = usage.BeforeEnd(ctx, func() { lease.giveBack() })
		}
		if lease != nil || err != nil {
			return lease, err
		}
	}
}

// makeFolder makes the folder, again where the one who left it last takes it away in the
// same moment.
func (l Leases) makeFolder() (err error) {
	for range 100 {
		err = disk.MkdirAll(disk.OS{}, l.Dir)
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil && !errors.Is(err, syscall.ENOTDIR) { // that names a file, for which nobody wanted leases
		return fmt.Errorf("create lease folder: %w", err)
	}
	return err
}

// fresh names this process, and a lease of it that is none before.
func (l Leases) fresh() Leases {
	if l.Self == (Owner{}) {
		l.Self = thisProcess()
	}
	l.Self.Token = strconv.FormatUint(rand.Uint64(), 16)
	return l
}

// newest reads the lease that counts: that of the highest generation.
func (l Leases) newest(id string) (claim, error) {
	all, err := l.generations()
	if err != nil {
		return claim{}, err
	}
	for n := all[id]; n > 0; n-- {
		content, err := readLease(l.path(id, n))
		if errors.Is(err, fs.ErrNotExist) {
			continue // given back in this moment
		}
		if err != nil {
			return claim{}, fmt.Errorf("read lease: %w", err)
		}
		return claim{n, content}, nil
	}
	return claim{}, nil
}

// readLease reads a lease file; what is no file says as little as an empty one.
func readLease(path string) ([]byte, error) {
	content, err := disk.ReadFile(path)
	if errors.Is(err, disk.ErrIrregular) {
		return nil, nil
	}
	return content, err
}

// generations lists the highest generation of every trial that has a lease.
func (l Leases) generations() (map[string]int, error) {
	entries, err := disk.ReadDir(l.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list leases: %w", err)
	}
	all := map[string]int{}
	for _, e := range entries {
		dot := strings.LastIndexByte(e.Name(), '.')
		if n, err := strconv.Atoi(e.Name()[dot+1:]); err == nil && dot > 0 {
			all[e.Name()[:dot]] = max(all[e.Name()[:dot]], n)
		}
	}
	return all, nil
}

// awaitDeath says whether the holder of a lease has given a sign of death; not where the
// lease is another by now, which says nothing of its holder: one that could not be valid
// may have stood over it for a moment. ErrBusy at a sign of life.
func (l Leases) awaitDeath(ctx context.Context, id string, held claim) (dead bool, err error) {
	if owner, ok := held.owner(); ok && l.dead(owner) {
		return true, nil
	}
	stood, looked := time.Duration(0), time.Now()
	for stood < l.patience() {
		select {
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-time.After(l.beat() / 4):
		}
		now, err := l.newest(id)
		if err != nil || now.generation != held.generation {
			return false, err
		}
		if !bytes.Equal(now.content, held.content) {
			return false, ErrBusy
		}
		stood += l.between(looked)
		looked = time.Now()
	}
	return true, nil
}

// between is how much of the time since the last look counts as having watched.
func (l Leases) between(looked time.Time) time.Duration {
	return min(time.Since(looked), l.patience()/2)
}

// claim tries to succeed a lease that was seen; nil without an error says that
// another process was faster, or that the lease was not dead after all.
func (l Leases) claim(id string, seen claim) (*Lease, error) {
	lease := &Lease{folder: l, id: id, generation: seen.generation + 1, lost: make(chan struct{}), stop: make(chan struct{})}
	if err := lease.create(); errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the folder is not there where the one who left last took it away
	} else if err != nil {
		return nil, fmt.Errorf("take lease: %w", err)
	}
	// The one that was seen must still be the one before this: it could have come
	// back to life, or been given back and taken by another under a lower number.
	valid, err := lease.follows(seen)
	if !valid {
		return nil, errors.Join(err, lease.remove())
	}
	for n := seen.generation; n > 0 && os.Remove(l.path(id, n)) == nil; n-- {
	}
	lease.beating.Go(lease.heartbeat)
	return lease, nil
}

// owner reads who wrote a lease; not ok where it was not written to its end.
func (c claim) owner() (Owner, bool) {
	line, _, _ := bytes.Cut(c.content, []byte("\n"))
	var o Owner
	err := json.Unmarshal(line, &o)
	return o, err == nil && o.PID > 0
}

// dead says whether a process is known to be no more.
func (l Leases) dead(o Owner) bool {
	return o.Machine != "" && o.Machine == l.Self.Machine && !alive(o.PID, o.Start)
}

// follows says whether this lease is the newest, and the one before it as it was
// seen.
func (l *Lease) follows(seen claim) (bool, error) {
	now, err := l.folder.newest(l.id)
	if err != nil || now.generation != l.generation {
		return false, err
	}
	if seen.generation == 0 {
		return true, nil
	}
	before, err := readLease(l.folder.path(l.id, seen.generation))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return slices.Equal(before, seen.content), err
}
