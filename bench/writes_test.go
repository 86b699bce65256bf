package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// writers are the files or packages that may write to disk without package disk, each with its
// reason. Their data belong to a living process, a clock, or no run, so a power loss may take
// them.
var writers = map[string]string{
	"bench/command/accept.go":           "a lock",
	"runners/device/backend.go":         "opens the null device",
	"runners/engine/lease.go":           "leases",
	"runners/engine/leaseheld.go":       "leases",
	"runners/engine/local.go":           "what trials print",
	"internal/tools/finding":            "makes inputs from data of others",
	"internal/tools/peers":              "measures, beside others' programs",
	"internal/tools/pretrained":         "model folders that can be made again",
	"internal/tools/pyenv":              "environments of others' programs",
	"internal/tools/realllm":            "compares in a temporary folder",
	"internal/tools/reference":          "compares in a temporary folder",
	"internal/tools/release/archive.go": "makes releases, for whoever builds them",
	"internal/tools/release/compile.go": "makes releases, for whoever builds them",
	"bench/command/repeat.go":           "compares in a temporary folder",
	"runners/runs/output.go":            "leases",
	"runners/runs/progresslog.go":       "the progress of trials under way",
	"bench/command/serve_run.go":        "reads a log where no link leads out of the run folder",
	"reports/site/folder.go":            "a lock, with the folder that it made",
	"runners/cachefolder.go":            "when a cache was used",
	"runners/cacheturn.go":              "a lock",
}

// TestWritesGoThroughDisk: all results are written through package disk, which syncs them.
func TestWritesGoThroughDisk(t *testing.T) {
	direct := regexp.MustCompile(`\b(os\.(Mkdir|MkdirAll|MkdirTemp|Create|CreateTemp|OpenFile|Rename|Remove|RemoveAll|WriteFile|CopyFS|Link|Symlink|Truncate|Chtimes)|disk\.OpenInside)\(`)
	used := map[string]bool{}
	eachSource(t, func(path, pkg string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found, name := direct.Find(data), path[len("../"):]
		used[name], used[pkg] = found != nil, used[pkg] || found != nil
		if found != nil && writers[name]+writers[pkg] == "" && pkg != "internal/disk" && pkg != "internal/testkit/tracer" && !strings.HasSuffix(pkg, "test") {
			t.Errorf("%s calls %s...)", name, found)
		}
	})
	for name, why := range writers {
		if !used[name] {
			t.Errorf("%s (%s) is no more", name, why)
		}
	}
}

// TestLooksGoThroughDisk: whether a file exists often decides which files are read, written or
// removed. Such checks go through package disk, which looks twice, since file servers sometimes
// miss files.
func TestLooksGoThroughDisk(t *testing.T) {
	direct := regexp.MustCompile(`\bos\.(Stat|ReadDir)\(`)
	own := regexp.MustCompile(`^internal/(disk|tools|testkit)(/|$)`)
	eachSource(t, func(path, pkg string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if found := direct.Find(data); found != nil && !own.MatchString(pkg) {
			t.Errorf("%s calls %s...)", path[len("../"):], found)
		}
	})
}

// eachSource calls do with every non-test Go file and its package.
func eachSource(t *testing.T, do func(path, pkg string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() != ".." && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || path == filepath.Join("..", "runs") || path == filepath.Join("..", "bin")) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			do(path, filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator))))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
