package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// moduleWith makes a module with a pinned copy of ours, whose relies.sum is text.
func moduleWith(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, string(data))
	}
	write(t, dir, relied, text)
	write(t, dir, added+"/gobackend/extra.go", "package gobackend\n")
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The copy has upstream's files and the added ones, go.mod names it by a path independent of
// this machine, a second call changes nothing, and concurrent calls make one copy.
func TestGlued(t *testing.T) {
	dir := moduleWith(t, "")
	paths := make(chan error, 3)
	for range cap(paths) {
		go func() {
			_, err := glued(dir)
			paths <- err
		}()
	}
	for range cap(paths) {
		if err := <-paths; err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"compute.go", "LICENSE", "gobackend/extra.go"} {
		if _, err := os.Stat(filepath.Join(dir, copied, name)); err != nil {
			t.Error(err)
		}
	}
	mod, err := os.ReadFile(filepath.Join(dir, modfile))
	if err != nil || !strings.Contains(string(mod), "\nreplace "+upstream+" => ./"+copied+"\n") {
		t.Errorf("%v\n%s", err, mod)
	}
	info := func() os.FileInfo {
		i, err := os.Stat(filepath.Join(dir, copied, "gobackend/extra.go"))
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	old := info()
	if path, err := glued(dir); err != nil || path != filepath.Join(dir, filepath.FromSlash(modfile)) || info().ModTime() != old.ModTime() {
		t.Errorf("%s, %v, or files were written again", path, err)
	}
	write(t, dir, added+"/gobackend/other.go", "package gobackend\n")
	if err := os.Remove(filepath.Join(dir, added, "gobackend/extra.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := glued(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, copied, "gobackend/extra.go")); err == nil {
		t.Error("a file that was taken away is still in the copy")
	}
	write(t, dir, added+"/compute.go", "package compute\n")
	if _, err := glued(dir); err == nil || !strings.Contains(err.Error(), "compute.go") {
		t.Errorf("a file of upstream's name: %v", err)
	}
}

// A changed file of upstream is named, with the remedy.
func TestFits(t *testing.T) {
	dir := moduleWith(t, strings.Repeat("0", 64)+"  compute.go\n")
	if _, err := glued(dir); err == nil || !strings.Contains(err.Error(), "compute.go of "+upstream) || !strings.Contains(err.Error(), "--accept") {
		t.Errorf("%v", err)
	}
	if err := acceptPinned(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := glued(dir); err != nil {
		t.Errorf("after --accept: %v", err)
	}
	write(t, dir, relied, "compute.go\n")
	if _, err := glued(dir); err == nil || !strings.HasPrefix(err.Error(), relied+":1:") {
		t.Errorf("%v", err)
	}
}

// The repository's files fit the module that it pins.
func TestOwn(t *testing.T) {
	p, err := pinned(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.fits(filepath.Join("..", "..", "..")); err != nil {
		t.Error(err)
	}
}
