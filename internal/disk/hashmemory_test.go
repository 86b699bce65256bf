package disk_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"infbench/internal/disk"
)

// aged writes a file with an old timestamp.
func aged(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func hashOf(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

func TestKinds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	aged(t, path, []byte("hello\n"))
	m := disk.NewHashMemory()
	// echo hello | sha256sum; echo hello | git hash-object --stdin
	for kind, want := range map[disk.HashKind]string{
		disk.HashSHA256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
		disk.HashGit:    "ce013625030ba8dba906f756967f9e9ca394464a",
	} {
		if got, err := m.Hash(path, kind); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", kind, got, err, want)
		}
	}
	if _, err := m.Hash(path+"x", disk.HashSHA256); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// TestEveryChangeIsSeen: a file that changes after it was hashed is hashed again, however soon,
// even if its size and time are unchanged.
func TestEveryChangeIsSeen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	content := make([]byte, 1<<20)
	m := disk.NewHashMemory()
	for i := range 50 {
		content[i]++
		aged(t, path, content)
		if got, err := m.Hash(path, disk.HashSHA256); err != nil || got != hashOf(content) {
			t.Fatalf("change %d: %s, %v", i, got, err)
		}
	}
	time.Sleep(2100 * time.Millisecond) // until its hash is remembered
	for range 2 {
		if got, err := m.Hash(path, disk.HashSHA256); err != nil || got != hashOf(content) {
			t.Fatalf("remembered %s, %v", got, err)
		}
	}
	content[0]++
	aged(t, path, content)
	if got, err := m.Hash(path, disk.HashSHA256); err != nil || got != hashOf(content) {
		t.Errorf("changed after it was remembered: %s, %v", got, err)
	}
}

// BenchmarkHashOf measures the cost of hashing a gigabyte of weights: run with -benchtime 1x.
func BenchmarkHashOf(b *testing.B) {
	path := filepath.Join(b.TempDir(), "gigabyte")
	if err := os.WriteFile(path, make([]byte, 1<<30), 0o644); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(1 << 30)
	for _, kind := range []disk.HashKind{disk.HashSHA256, disk.HashGit} {
		b.Run(string(kind), func(b *testing.B) {
			b.SetBytes(1 << 30)
			for b.Loop() {
				if _, err := disk.NewHashMemory().Hash(path, kind); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
