package results

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"infbench/datasets"
	"infbench/internal/disk"
)

// Shard is a part of the corpora of an evaluation that a process ranked by itself.
type Shard struct {
	datasets.Shard
	Host    string    `json:"host,omitempty"`
	Backend string    `json:"backend"`
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"` // of the wall clock
	PeakRSS int64     `json:"peak_rss_bytes"`
}

// Shard is the folder of a shard until all are joined. It is hidden in that of its trial or
// evaluation, since it is no part of what that gave.
func (f Folder) Shard(s datasets.Shard) Folder {
	return Folder{filepath.Join(f.Shards(s.Of), strconv.Itoa(s.Number)), f.Files}
}

// shardsPrefix begins the names of folders that hold shards.
const shardsPrefix = ".shards-of-"

// IsShards says whether a folder of this name holds shards.
func IsShards(name string) bool { return strings.HasPrefix(name, shardsPrefix) }

// Shards is what holds the folders of so many shards.
func (f Folder) Shards(of int) string { return f.path(shardsPrefix + strconv.Itoa(of)) }

// HeldShards names what holds shards in the folder; "" where nothing does.
func (f Folder) HeldShards() (name string, err error) {
	entries, err := disk.ReadDir(f.Dir)
	for _, e := range entries {
		if IsShards(e.Name()) {
			return e.Name(), nil
		}
	}
	return "", err
}

// DropShards removes all shards: they are joined. What a process makes there at this
// moment, to find that out, stays until the next one does.
func (f Folder) DropShards() error {
	entries, err := disk.ReadDir(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !IsShards(e.Name()) {
			continue
		}
		if dropped := f.drop(f.path(e.Name())); !errors.Is(dropped, syscall.ENOTEMPTY) {
			err = errors.Join(err, dropped)
		}
	}
	return err
}
