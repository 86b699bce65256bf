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

// HashKind is how a file is hashed.
type HashKind string

// The kinds.
const (
	HashSHA256 HashKind = "sha256"
	HashGit    HashKind = "git" // SHA-1 of the file as git's blob
)

// fileState is what tells that a file has not changed since it was hashed.
type fileState struct {
	size  int64
	time  int64  // of the content, in nanoseconds
	inode uint64 // 0 where the system has none
	moved int64  // of the inode, in nanoseconds; 0 where the system has none
}

// knownHash is a hash that is remembered.
type knownHash struct {
	fileState
	sum string
}

// hashSettled is how long a file must have been left alone to be remembered: one that changed
// a moment ago may change again within the grain of its time.
const hashSettled = 2 * time.Second

// HashMemory hashes files once: it remembers the hash of a file of some size, time and
// inode, so that a process that opens weights again does not read them again. It forgets
// with the process: bits that a disk loses change neither size nor times, so what a result is
// computed from is hashed by the process that computes it: one to two seconds a
// gigabyte (BenchmarkHashOf). It is safe for concurrent use.
type HashMemory struct {
	mu   sync.Mutex
	sums map[string]knownHash // by kind and absolute path
}

// NewHashMemory returns a memory that knows no file.
func NewHashMemory() *HashMemory { return &HashMemory{sums: map[string]knownHash{}} }

// hashes is the memory of this process.
var hashes = sync.OnceValue(NewHashMemory)

// HashOf returns the hash of a regular file, which this process reads at most once while
// the file stays as it is.
func HashOf(path string, kind HashKind) (string, error) { return hashes().Of(path, kind) }

// Of is HashOf with this memory.
func (m *HashMemory) Of(path string, kind HashKind) (string, error) {
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
	s := fileState{size: info.Size(), time: info.ModTime().UnixNano()}
	s.inode, s.moved = inode(info)
	return s, nil
}
