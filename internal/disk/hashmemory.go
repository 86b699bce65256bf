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

// HashKind is how a file is hashed.
type HashKind string

// The kinds.
const (
	HashSHA256 HashKind = "sha256"
	HashGit    HashKind = "git" // SHA-1 of the file as git's blob
)

// fileState is what tells that a file has not changed since it was hashed.
type fileState struct {
	Size  int64  `json:"size"`
	Time  int64  `json:"time"`   // of the content, in nanoseconds
	Inode uint64 `json:"inode"`  // 0 where the system has none
	Moved int64  `json:"change"` // of the inode, in nanoseconds; 0 where the system has none
}

// knownHash is a hash that is remembered.
type knownHash struct {
	fileState
	Sum string `json:"sum"`
}

// Bounds of what is remembered. A file that changed a moment ago may change again
// within the grain of its time; small files are hashed sooner than looked up.
const (
	hashSettled      = 2 * time.Second
	hashWorthKeeping = 1 << 20 // bytes
)

// HashMemory hashes files once: it remembers the hash of a file of some size, time and
// inode, for large files from one process to the next. Data and weights are checked each
// time they are opened, and reading gigabytes each time would take too long. It is safe
// for concurrent use, and several processes may share its file: a hash that one process
// loses of another is computed again.
type HashMemory struct {
	path string // "": nothing outlives the process
	once sync.Once
	mu   sync.Mutex
	sums map[string]knownHash // by kind and absolute path
}

// NewHashMemory returns a memory in a file, which need not exist.
func NewHashMemory(path string) *HashMemory { return &HashMemory{path: path} }

// userHashes is the memory of this user.
var userHashes = sync.OnceValue(func() *HashMemory {
	dir, err := os.UserCacheDir()
	if err != nil {
		return NewHashMemory("")
	}
	return NewHashMemory(filepath.Join(dir, "infbench", "sums.json"))
})

// HashOf returns the hash of a regular file, from the memory of this user if it is there.
func HashOf(path string, kind HashKind) (string, error) { return userHashes().Of(path, kind) }

// Of is HashOf with this memory.
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
	if ok && have.fileState == before {
		return have.Sum, nil
	}
	sum, err := hashFile(full, kind, before.Size)
	if err != nil {
		return "", err
	}
	if after, err := stateOf(full); err == nil && after == before && time.Since(time.Unix(0, max(after.Time, after.Moved))) > hashSettled {
		m.keep(key, knownHash{after, sum})
	}
	return sum, nil
}

// hashFile reads a file.
func hashFile(path string, kind HashKind, size int64) (string, error) {
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
func stateOf(path string) (fileState, error) {
	info, err := Stat(path)
	if err != nil {
		return fileState{}, err
	}
	s := fileState{Size: info.Size(), Time: info.ModTime().UnixNano()}
	s.Inode, s.Moved = inode(info)
	return s, nil
}

// load reads the file; one that cannot be read remembers nothing.
func (m *HashMemory) load() {
	m.sums = map[string]knownHash{}
	if data, err := ReadFile(m.path); err == nil && json.Unmarshal(data, &m.sums) != nil {
		m.sums = map[string]knownHash{}
	}
}

// keep remembers a hash. A folder that cannot be written to costs time, not the hash.
func (m *HashMemory) keep(key string, k knownHash) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sums[key] = k
	if m.path == "" || k.Size < hashWorthKeeping {
		return
	}
	large := map[string]knownHash{}
	for key, k := range m.sums {
		if k.Size >= hashWorthKeeping {
			large[key] = k
		}
	}
	Write(m.path, func(w io.Writer) error { return json.NewEncoder(w).Encode(large) })
}
