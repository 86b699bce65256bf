package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestShortPath: a path has one canonical spelling, however it is typed.
func TestShortPath(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(top)
	for _, dir := range []string{"work/models/e5", "far"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"work/train.jsonl", "work/0a1b2c"} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"work/link": "models", "linked": "work", "work/far": "../far", "work/hub.jsonl": "0a1b2c", "work/t.jsonl": "train.jsonl"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir("linked")
	far := filepath.ToSlash(filepath.Join(top, "far"))
	for path, want := range map[string]string{
		"models/e5": "models/e5", "./models/e5/": "models/e5", "models/x/../e5": "models/e5", "link/e5": "models/e5",
		filepath.Join(top, "work/models/e5"): "models/e5", filepath.Join(top, "linked/models/e5"): "models/e5", "../work/models/e5": "models/e5",
		".": filepath.ToSlash(filepath.Join(top, "work")), "../far": far, "far": far, "../far/": far,
		"train.jsonl": "train.jsonl", "t.jsonl": "train.jsonl", "hub.jsonl": "hub.jsonl", "link/../hub.jsonl": "hub.jsonl",
		"absent": "absent", "./absent/": "absent",
	} {
		if got := ShortPath(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// TestLongNames: names of any length have temporary names and shortened names that file systems
// accept. Characters are not split, and different names stay different.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	for _, letter := range []string{"n", "ü", "語", "😀"} {
		for size := 225; size <= MostName; size++ {
			name := strings.Repeat(letter, size/len(letter))
			name += strings.Repeat("x", size-len(name))
			other := name[:size-1] + "y"
			temporary := filepath.Base(Temporary(filepath.Join(dir, name)))
			if len(temporary) > MostName || utf8.ValidString(name) != utf8.ValidString(temporary) || !IsTemporary(temporary) || !IsTemporaryOf(temporary, name) || IsTemporaryOf(temporary, other) {
				t.Fatalf("%s: %d bytes: %s", name, len(temporary), temporary)
			}
			if err := WriteBytes(filepath.Join(dir, name), nil); err != nil {
				t.Fatal(err)
			}
			for _, room := range []int{0, 1, 8, 30} {
				short := FitName(name, room)
				if len(short)+room > MostName || (short == name) != (size+room <= MostName) || !utf8.ValidString(short) || short == FitName(other, room) {
					t.Errorf("%s with %d bytes more: %s, %d bytes", name, room, short, len(short))
				}
			}
		}
	}
}
