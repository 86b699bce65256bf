package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"infbench/internal/testkit"
)

// The command type-checks for every target, without the minutes of compiling for each, and
// the sources of all targets are among those hashed for the stamp.
func TestTargets(t *testing.T) {
	testkit.Deep(t)
	module := moduleDir(t)
	stamped, err := treeOf(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range targets {
		t.Run(to.String(), func(t *testing.T) {
			packages, err := packagesOf(t.Context(), module, to)
			if err != nil {
				t.Fatal(err)
			}
			names, err := sourceFiles(packages, module)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if !slices.Contains(stamped.files, name) {
					t.Errorf("the hash of the sources leaves out %s", name)
				}
			}
			if to.OS == runtime.GOOS && to.Arch == runtime.GOARCH {
				return // every build checks it
			}
			for _, err := range typeErrors(packages, to) {
				t.Error(err)
			}
		})
	}
}

// typeErrors returns the type errors in the packages of this module. In other modules, only
// declarations are checked and errors are ignored.
func typeErrors(packages []linked, to target) []error {
	files := token.NewFileSet()
	parsed := parseAll(files, packages)
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	var found []error
	for i, p := range packages {
		if p.ImportPath == "unsafe" {
			continue
		}
		config := types.Config{
			Importer: importer{known, p.ImportMap}, Sizes: types.SizesFor("gc", to.Arch), IgnoreFuncBodies: !p.ours(), FakeImportC: true,
			Error: func(err error) {
				if p.ours() {
					found = append(found, err)
				}
			},
		}
		known[p.ImportPath], _ = config.Check(p.ImportPath, files, parsed[i], nil)
	}
	return found
}

// parseAll parses the files of each package, many at a time.
func parseAll(files *token.FileSet, packages []linked) [][]*ast.File {
	parsed := make([][]*ast.File, len(packages))
	var all sync.WaitGroup
	turn := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, p := range packages {
		all.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			for _, name := range p.GoFiles {
				f, _ := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
				parsed[i] = append(parsed[i], f)
			}
		})
	}
	all.Wait()
	return parsed
}

// importer finds packages that were checked before, since go list lists them first.
type importer struct {
	known map[string]*types.Package
	as    map[string]string // import paths that stand for others, such as those vendored in Go
}

func (im importer) Import(path string) (*types.Package, error) {
	if other, ok := im.as[path]; ok {
		path = other
	}
	if p := im.known[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("not listed before: %s", path)
}

// moduleDir is the folder of the module.
func moduleDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// An error on only one platform is found there.
func TestTypeErrors(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "go.mod", "module infbench\n\ngo 1.26\n")
	write(t, dir, "bench/main.go", "package main\n\nimport (\n\t\"os\"\n\t\"syscall\"\n)\n\nfunc main() { _ = syscall.SIGUSR1; os.Exit(0) }\n")
	for _, c := range []struct {
		os   string
		want int
	}{{"linux", 0}, {"darwin", 0}, {"windows", 1}} {
		to := target{OS: c.os, Arch: "amd64"}
		packages, err := packagesOf(t.Context(), dir, to)
		if err != nil {
			t.Fatal(err)
		}
		if found := typeErrors(packages, to); len(found) != c.want {
			t.Errorf("%s: %v, want %d", to, found, c.want)
		}
	}
}

// write writes a file below a folder.
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
