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

// Shards are what a folder holds of shards until all are joined. They are hidden in that of
// their trial or evaluation, since they are not part of what it gave.
type Shards struct{ at Folder }

// Shards are those of the folder.
func (f Folder) Shards() Shards { return Shards{f} }

// Folder is where one shard lies.
func (s Shards) Folder(one datasets.Shard) Folder {
	return Folder{filepath.Join(s.Dir(one.Of), strconv.Itoa(one.Number)), s.at.Files}
}

// shardsPrefix begins the names of folders that hold shards.
const shardsPrefix = ".shards-of-"

// IsShards says whether a folder of this name holds shards.
func IsShards(name string) bool { return strings.HasPrefix(name, shardsPrefix) }

// Dir is what holds the folders of so many shards.
func (s Shards) Dir(of int) string { return s.at.path(shardsPrefix + strconv.Itoa(of)) }

// Held names what holds shards in the folder; "" where nothing does.
func (s Shards) Held() (name string, err error) {
	entries, err := disk.ReadDir(s.at.Dir)
	for _, e := range entries {
		if IsShards(e.Name()) {
			return e.Name(), nil
		}
	}
	return "", err
}

// Drop removes all shards: they are joined. What a process makes there at this
// moment, to find that out, stays until the next one does.
func (s Shards) Drop() error {
	entries, err := disk.ReadDir(s.at.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !IsShards(e.Name()) {
			continue
		}
		if dropped := s.at.drop(s.at.path(e.Name())); !errors.Is(dropped, syscall.ENOTEMPTY) {
			err = errors.Join(err, dropped)
		}
	}
	return err
}
