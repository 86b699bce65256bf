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

// Shard is a part of an evaluation's corpora that one process ranked.
type Shard struct {
	datasets.Shard
	Host    string    `json:"host,omitempty"`
	Backend string    `json:"backend"`
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"` // wall-clock time
	PeakRSS int64     `json:"peak_rss_bytes"`
}

// Shards are the shards in a folder until all are joined. They are in a hidden folder of their
// trial or evaluation because they are not part of its results.
type Shards struct{ at Folder }

// Shards returns the shards of the folder.
func (f Folder) Shards() Shards { return Shards{f} }

// Folder returns the folder of one shard.
func (s Shards) Folder(one datasets.Shard) Folder {
	return Folder{filepath.Join(s.Dir(one.Of), strconv.Itoa(one.Number)), s.at.Files}
}

// shardsPrefix begins the names of folders of shards.
const shardsPrefix = ".shards-of-"

// IsShards reports whether a folder name is that of a folder of shards.
func IsShards(name string) bool { return strings.HasPrefix(name, shardsPrefix) }

// Dir returns the folder of a set of this many shards.
func (s Shards) Dir(of int) string { return s.at.path(shardsPrefix + strconv.Itoa(of)) }

// Held returns the name of the folder of shards, or "".
func (s Shards) Held() (name string, err error) {
	entries, err := disk.ReadDir(s.at.Dir)
	for _, e := range entries {
		if IsShards(e.Name()) {
			return e.Name(), nil
		}
	}
	return "", err
}

// Drop removes all shards after they are joined. A file that another process creates there at
// this moment, to find out, stays until the next Drop.
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
