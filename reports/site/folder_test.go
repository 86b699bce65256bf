package site

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"infbench/internal/disk"
	"infbench/internal/testkit"
	"infbench/internal/testkit/reportstest"
	"infbench/reports"
)

// publish adds a commit to the site in a folder, written through that file system.
func publish(dir, commit string, files disk.FS) error {
	at, err := Claim(context.Background(), dir)
	if err != nil {
		return err
	}
	defer at.Release()
	at.files = files
	h, err := at.History()
	if err != nil {
		return err
	}
	exps := reportstest.OneSystem(0.25, 0.75)
	if h.Commits, err = Record(h.Commits, Push{Commit: commit, Results: exps}); err != nil {
		return err
	}
	site, err := Site(exps, h.Commits, nil, reports.Options{})
	if err != nil {
		return err
	}
	return at.Put(site)
}

// contents are the files below a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTogether publishes six commits into one folder at once: none is lost.
func TestTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			if err := publish(dir, fmt.Sprintf("c0ffee%d", i), disk.OS{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text := contents(t, dir)[string(filepath.Separator)+HistoryFile]
	if n := strings.Count(text, "\n"); n != 6 {
		t.Errorf("%d commits of 6:\n%s", n, text)
	}
	if _, err := os.Stat(filepath.Join(dir, lockFile)); err == nil {
		t.Error("the lock stays")
	}
}

// TestCut cuts lines off the end of a history.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	for _, commit := range []string{"a", "b", "c"} {
		if err := publish(dir, commit, disk.OS{}); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(dir, HistoryFile)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	for n := range 3 {
		if err := disk.WriteBytes(name, []byte(strings.Join(lines[:n], ""))); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%s:%d: the history ends here", HistoryFile, n)
		if err := publish(dir, "d", disk.OS{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d of 3 lines: %v", n, err)
		}
	}
}

// TestForeignIndex keeps the index of another program.
func TestForeignIndex(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, indexFile), []byte("<h1>mine</h1>"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := publish(dir, "a", disk.OS{}); err == nil || !strings.Contains(err.Error(), "that infbench did not write") {
		t.Error(err)
	}
	if all := contents(t, dir); len(all) != 1 || all[string(filepath.Separator)+indexFile] != "<h1>mine</h1>" {
		t.Errorf("%v", all)
	}
}

// TestClaimWaits ends the wait for another publisher with its context.
func TestClaimWaits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	at, err := Claim(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Claim(ctx, dir); err == nil {
		t.Error("two have the folder")
	}
	if err := at.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder that was made for nothing stays")
	}
}

// crash is the file system of a process that is killed after some operations.
type crash struct {
	disk.OS
	left *int
}

type killed struct{}

func (c crash) step() {
	if *c.left--; *c.left < 0 {
		panic(killed{})
	}
}
func (c crash) Create(path string) (disk.File, error) { c.step(); return c.OS.Create(path) }
func (c crash) Rename(from, to string) error          { c.step(); return c.OS.Rename(from, to) }
func (c crash) Remove(path string) error              { c.step(); return c.OS.Remove(path) }
func (c crash) SyncDir(dir string) error              { c.step(); return c.OS.SyncDir(dir) }

// survives runs a function and reports whether the process survives.
func survives(do func()) (lives bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
			lives = false
		}
	}()
	do()
	return true
}

// TestKilled kills a publisher before each of its operations. Every file of the site is then the
// old or the new one, and links lead somewhere. Repeating the command leaves the same bytes as a
// publisher that was never killed.
func TestKilled(t *testing.T) {
	testkit.Deep(t)
	whole := filepath.Join(t.TempDir(), "whole")
	for _, commit := range []string{"a", "b"} {
		if err := publish(whole, commit, disk.OS{}); err != nil {
			t.Fatal(err)
		}
	}
	want, points := contents(t, whole), 0
	for lives := false; !lives; points++ {
		dir := filepath.Join(t.TempDir(), "site")
		if err := publish(dir, "a", disk.OS{}); err != nil {
			t.Fatal(err)
		}
		before, left := contents(t, dir), points
		lives = survives(func() {
			if err := publish(dir, "b", crash{left: &left}); err != nil {
				t.Error(err)
			}
		})
		for name, text := range contents(t, dir) {
			if !disk.IsTemporary(name) && filepath.Base(name) != lockFile && text != before[name] && text != want[name] {
				t.Errorf("killed at %d: %s is half", points, name)
			}
		}
		if err := publish(dir, "b", disk.OS{}); err != nil {
			t.Errorf("killed at %d, again: %v", points, err)
		}
		after := contents(t, dir)
		if len(after) != len(want) {
			t.Errorf("killed at %d: %d files, want %d", points, len(after), len(want))
		}
		for name, text := range want {
			if after[name] != text {
				t.Errorf("killed at %d: %s differs", points, name)
			}
		}
	}
	t.Logf("killed at each of %d operations", points-1)
}

// full is a file system that is full after some bytes.
type full struct {
	disk.OS
	room *int
}

type fullFile struct {
	disk.File
	room *int
}

func (f full) Create(path string) (disk.File, error) {
	file, err := f.OS.Create(path)
	return fullFile{file, f.room}, err
}

func (f fullFile) Write(p []byte) (int, error) {
	if *f.room -= len(p); *f.room < 0 {
		return 0, fmt.Errorf("no space left on device")
	}
	return f.File.Write(p)
}

// TestFullDisk changes nothing of a site if there is no room for another.
func TestFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	if err := publish(dir, "a", disk.OS{}); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	for _, room := range []int{0, 100, 1000, 10_000} {
		if err := publish(dir, "b", full{room: &room}); err == nil || !strings.Contains(err.Error(), "no space") {
			t.Errorf("room for %d: %v", room, err)
		}
		after := contents(t, dir)
		if len(after) != len(before) {
			t.Errorf("%d files, were %d", len(after), len(before))
		}
		for name, text := range before {
			if after[name] != text {
				t.Errorf("%s changed", name)
			}
		}
	}
}

// In the order of a site's files, no link ever leads nowhere.
func TestOrder(t *testing.T) {
	all := hostileSite(t)
	if all[0].Name != HistoryFile || all[1].Name != SumFile || all[len(all)-1].Name != indexFile {
		t.Errorf("%s, %s, ..., %s", all[0].Name, all[1].Name, all[len(all)-1].Name)
	}
}

// A first site replaces no file of the user, but continues from the files of a killed publisher.
func TestFirstSiteReplacesNothing(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	if err := publish(whole, "c0ffee1", disk.OS{}); err != nil {
		t.Fatal(err)
	}
	for name, text := range contents(t, whole) {
		if filepath.Base(name) == HistoryFile { // the history of a site is its own
			continue
		}
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		put := func(text string) {
			t.Helper()
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		put("mine")
		if err := publish(dir, "c0ffee1", disk.OS{}); err == nil || !strings.Contains(err.Error(), filepath.Base(name)) {
			t.Errorf("over the user's %s: %v", name, err)
		}
		if got := contents(t, dir); len(got) != 1 || got[name] != "mine" {
			t.Errorf("over the user's %s: %d files, there is now %.40q", name, len(got), got[name])
		}
		if filepath.Base(name) == SumFile { // a sum without its history belongs to nothing
			continue
		}
		put(text)
		if err := publish(dir, "c0ffee1", disk.OS{}); err != nil {
			t.Errorf("after a kill that left %s: %v", name, err)
		}
	}
}
