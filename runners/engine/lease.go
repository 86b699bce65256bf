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

// ErrBusy means that another process runs the trial.
var ErrBusy = errors.New("another process is running this trial")

// ErrLost means that another process took a lease over because this one stood still for too
// long.
var ErrLost = fmt.Errorf("%w: it took the trial over", ErrBusy)

// Leases is a folder in which processes on any number of hosts claim trials. The hosts only
// need to share this folder.
//
// The lease of a trial is a file ID.N that only one process could create (O_EXCL). Its holder
// raises a counter in it (the heartbeat) as long as it lives, and removes the file at the end.
// A process that wants a trial whose newest lease stands still creates ID.N+1, which again only
// one process can. If the former holder comes back, it sees the new file and stops. Clocks of
// different hosts are never compared, so they may differ or be set back: each watcher measures
// a standstill with its own monotonic clock. A watcher that stood still itself, as when the
// machine was frozen with everything on it, has seen nothing meanwhile: at most half of
// Patience counts between two looks.
//
// Leases only save work. Two processes that ran one trial at the same time would write the same
// bytes.
type Leases struct {
	Dir      string
	Beat     time.Duration // between heartbeats; 0: 2 seconds
	Patience time.Duration // how long a heartbeat may stand still; 0: 30 seconds

	// Self names this process; the zero value is filled in. Tests use it to act as another
	// host.
	Self Owner
}

// Defaults of Leases. Patience is many beats: a loaded machine or a file server that hangs for
// a while must not cost a trial.
const (
	defaultBeat     = 2 * time.Second
	defaultPatience = 30 * time.Second
)

// Owner is the process that holds a lease.
type Owner struct {
	Host    string `json:"host"`    // informative
	Machine string `json:"machine"` // identifies the processes that share our process IDs, until the next boot; "": unknown
	PID     int    `json:"pid"`
	Start   string `json:"start"` // when the process began, in the kernel's units; IDs are reused
	Token   string `json:"token"` // random, one for each lease
}

// claim is the content of a lease file.
type claim struct {
	generation int // 0: there is no lease
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

// Take claims a trial for this process, until Release. If another process holds it, Take
// watches for its heartbeat and returns ErrBusy at the first. Take takes the trial over after
// Patience without a heartbeat, or at once if the holder ran on this machine and no longer
// exists.
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

// makeFolder creates the folder. It tries again if the last process to leave removes the folder
// at the same moment.
func (l Leases) makeFolder() (err error) {
	for range 100 {
		err = disk.MkdirAll(disk.OS{}, l.Dir)
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil && !errors.Is(err, syscall.ENOTDIR) { // ENOTDIR: the path is a file, and nobody wanted leases for it
		return fmt.Errorf("create lease folder: %w", err)
	}
	return err
}

// fresh names this process and a new lease of it.
func (l Leases) fresh() Leases {
	if l.Self == (Owner{}) {
		l.Self = thisProcess()
	}
	l.Self.Token = strconv.FormatUint(rand.Uint64(), 16)
	return l
}

// newest reads the valid lease, which has the highest generation.
func (l Leases) newest(id string) (claim, error) {
	all, err := l.generations()
	if err != nil {
		return claim{}, err
	}
	for n := all[id]; n > 0; n-- {
		content, err := readLease(l.path(id, n))
		if errors.Is(err, fs.ErrNotExist) {
			continue // given back at this moment
		}
		if err != nil {
			return claim{}, fmt.Errorf("read lease: %w", err)
		}
		return claim{n, content}, nil
	}
	return claim{}, nil
}

// readLease reads a lease file. Anything that is not a file reads as empty.
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

// awaitDeath reports whether the holder of a lease has shown that it is dead. It returns false
// if the lease has changed by now, which proves nothing about its holder: an invalid lease may
// have existed above it for a moment. It returns ErrBusy at a sign of life.
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

// between returns how much of the time since the last look counts as watched.
func (l Leases) between(looked time.Time) time.Duration {
	return min(time.Since(looked), l.patience()/2)
}

// claim tries to succeed a lease that was seen. It returns nil without an error if another
// process was faster, or if the lease was not dead after all.
func (l Leases) claim(id string, seen claim) (*Lease, error) {
	lease := &Lease{folder: l, id: id, generation: seen.generation + 1, lost: make(chan struct{}), stop: make(chan struct{})}
	if err := lease.create(); errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the last process to leave removed the folder
	} else if err != nil {
		return nil, fmt.Errorf("take lease: %w", err)
	}
	// The lease that was seen must still precede this one. Its holder may have come back to
	// life, or have given it back and another process may have taken the trial under a lower
	// number.
	valid, err := lease.follows(seen)
	if !valid {
		return nil, errors.Join(err, lease.remove())
	}
	for n := seen.generation; n > 0 && os.Remove(l.path(id, n)) == nil; n-- {
	}
	lease.beating.Go(lease.heartbeat)
	return lease, nil
}

// owner returns who wrote a lease. ok is false if the lease is incomplete.
func (c claim) owner() (Owner, bool) {
	line, _, _ := bytes.Cut(c.content, []byte("\n"))
	var o Owner
	err := json.Unmarshal(line, &o)
	return o, err == nil && o.PID > 0
}

// dead reports whether a process is known to have ended.
func (l Leases) dead(o Owner) bool {
	return o.Machine != "" && o.Machine == l.Self.Machine && !alive(o.PID, o.Start)
}

// follows reports whether this lease is the newest and the one before it is unchanged.
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
