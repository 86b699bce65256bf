package disk

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"sync"
	"time"
)

// HashKind is the way in which a file is hashed.
type HashKind string

// The kinds.
const (
	HashSHA256 HashKind = "sha256"
	HashGit    HashKind = "git" // SHA-1 of the file as a git blob
)

// fileState identifies the content of a file: if it is unchanged, so is the file.
type fileState struct {
	size  int64
	time  int64  // time of the content, in nanoseconds
	inode uint64 // 0 if the system has none
	moved int64  // change time of the inode, in nanoseconds; 0 if the system has none
}

// knownHash is a remembered hash.
type knownHash struct {
	fileState
	sum string
}

// hashSettled is the time for which a file must be unchanged before its hash is remembered: a file
// that just changed may change again within the resolution of its timestamp.
const hashSettled = 2 * time.Second

// HashMemory hashes files once. It remembers a file's hash with its size, time and inode, so that a
// process that opens weights again does not read them again. It lasts only as long as the process:
// bits that a disk loses change neither size nor times. Every process therefore hashes the inputs
// of its results, which takes one to two seconds per gigabyte (BenchmarkHashOf). A HashMemory is
// safe for concurrent use.
type HashMemory struct {
	mu   sync.Mutex
	sums map[string]knownHash // by kind and absolute path
}

// NewHashMemory returns an empty memory.
func NewHashMemory() *HashMemory { return &HashMemory{sums: map[string]knownHash{}} }

// hashes returns the memory of this process.
var hashes = sync.OnceValue(NewHashMemory)

// HashOf returns the hash of a regular file. This process reads the file at most once while it
// stays unchanged.
func HashOf(path string, kind HashKind) (string, error) { return hashes().Hash(path, kind) }

// Hash is like HashOf with this memory.
func (m *HashMemory) Hash(path string, kind HashKind) (string, error) {
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
		return have.sum, nil
	}
	sum, err := hashFile(full, kind, before.size)
	if err != nil {
		return "", err
	}
	if after, err := stateOf(full); err == nil && after == before && time.Since(time.Unix(0, max(after.time, after.moved))) > hashSettled {
		m.mu.Lock()
		m.sums[key] = knownHash{after, sum}
		m.mu.Unlock()
	}
	return sum, nil
}

// hashFile reads and hashes a file.
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
		return "", fmt.Errorf("unknown kind of hash %q", kind)
	}
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// stateOf returns the current state of a file.
func stateOf(path string) (fileState, error) {
	info, err := Stat(path)
	if err != nil {
		return fileState{}, err
	}
	s := fileState{size: info.Size(), time: info.ModTime().UnixNano()}
	s.inode, s.moved = inode(info)
	return s, nil
}
