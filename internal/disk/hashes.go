// Package sums hashes files once. What a file of some size, time and inode hashed to is
// remembered, for large ones from one process to the next: data and weights are held to
// what they were each time they are opened, and to read gigabytes each time would take
// too long. A leaf that every package may import.

package disk

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Kind is what a file is hashed by.
type HashKind string

// The kinds.
const (
	HashSHA256 HashKind = "sha256"
	HashGit    HashKind = "git" // SHA-1 of the file as git's blob
)

// state is what tells that a file has not changed since it was hashed.
type state struct {
	Size  int64  `json:"size"`
	Time  int64  `json:"time"`   // of the content, in nanoseconds
	Inode uint64 `json:"inode"`  // 0 where the system has none
	Moved int64  `json:"change"` // of the inode, in nanoseconds; 0 where the system has none
}

// known is a hash that is remembered.
type known struct {
	state
	Sum string `json:"sum"`
}

// Bounds of what is remembered. A file that changed a moment ago may change again
// within the grain of its time; small files are hashed sooner than looked up.
const (
	settled      = 2 * time.Second
	worthKeeping = 1 << 20 // bytes
)

// Memory remembers hashes in a file. It is safe for concurrent use, and several
// processes may share the file: what one forgets of another is hashed again.
type HashMemory struct {
	path string // "": nothing outlives the process
	once sync.Once
	mu   sync.Mutex
	sums map[string]known // by kind and absolute path
}

// NewMemory is a memory in a file, which need not exist.
func NewHashMemory(path string) *HashMemory { return &HashMemory{path: path} }

// shared is the memory of this user.
var shared = sync.OnceValue(func() *HashMemory {
	dir, err := os.UserCacheDir()
	if err != nil {
		return NewHashMemory("")
	}
	return NewHashMemory(filepath.Join(dir, "infbench", "sums.json"))
})

// Of hashes a regular file, or looks up what it hashed to.
func HashOf(path string, kind HashKind) (string, error) { return shared().Of(path, kind) }

// Of is the function of its name.
func (m *HashMemory) Of(path string, kind HashKind) (string, error) {
	m.once.Do(m.load)
	full, err := Resolve(path)
	if err != nil {
		return "", err
	}
	key := string(kind) + " " + full
	before, err := stateOf(full)
	if err != nil {
		return "", err
	}
	m.mu.Lock()
	have, ok := m.sums[key]
	m.mu.Unlock()
	if ok && have.state == before {
		return have.Sum, nil
	}
	sum, err := compute(full, kind, before.Size)
	if err != nil {
		return "", err
	}
	if after, err := stateOf(full); err == nil && after == before && time.Since(time.Unix(0, max(after.Time, after.Moved))) > settled {
		m.keep(key, known{after, sum})
	}
	return sum, nil
}

// compute reads a file.
func compute(path string, kind HashKind, size int64) (string, error) {
	f, err := Stream(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var h hash.Hash
	switch kind {
	case HashSHA256:
		h = sha256.New()
	case HashGit:
		h = sha1.New()
		fmt.Fprintf(h, "blob %d\x00", size)
	default:
		return "", fmt.Errorf("no files are hashed by %q", kind)
	}
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// stateOf looks at a file.
func stateOf(path string) (state, error) {
	info, err := Stat(path)
	if err != nil {
		return state{}, err
	}
	s := state{Size: info.Size(), Time: info.ModTime().UnixNano()}
	s.Inode, s.Moved = inode(info)
	return s, nil
}

// load reads the file; one that cannot be read remembers nothing.
func (m *HashMemory) load() {
	m.sums = map[string]known{}
	if data, err := ReadFile(m.path); err == nil && json.Unmarshal(data, &m.sums) != nil {
		m.sums = map[string]known{}
	}
}

// keep remembers a hash. A folder that cannot be written to costs time, not the hash.
func (m *HashMemory) keep(key string, k known) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sums[key] = k
	if m.path == "" || k.Size < worthKeeping {
		return
	}
	large := map[string]known{}
	for key, k := range m.sums {
		if k.Size >= worthKeeping {
			large[key] = k
		}
	}
	Write(m.path, func(w io.Writer) error { return json.NewEncoder(w).Encode(large) })
}
