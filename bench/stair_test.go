package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors are the layers of the repository, from the bottom up. A package may import from its
// own floor and from lower ones.
var floors = []string{"internal", "metrics", "datasets", "training", "runners", "reports", "bench"}

// outside reports whether a folder holds fakes, fault engines or tools. They may import every
// floor, and only tests and other tools may import them.
func outside(folder string) bool {
	return strings.HasPrefix(folder, "internal/testkit") || strings.HasPrefix(folder, "internal/tools")
}

func floor(folder string) int {
	top, _, _ := strings.Cut(folder, "/")
	return slices.Index(floors, top)
}

func TestStair(t *testing.T) {
	opensBackend := map[string]bool{}
	eachImport(t, func(file, imported string) {
		folder, isTest := path.Dir(file), strings.HasSuffix(file, "_test.go")
		ours, isOurs := strings.CutPrefix(imported, "infbench/")
		switch {
		case outside(folder):
		case isOurs && outside(ours):
			if !isTest {
				t.Errorf("%s imports %s, which is for tests and tools", file, imported)
			}
		case isOurs && floor(ours) > floor(folder):
			t.Errorf("%s imports %s, which is on a higher floor", file, imported)
		case isOurs && !isTest && floor(folder) == floor("reports") && floor(ours) == floor("runners") && ours != "runners/results":
			t.Errorf("%s imports %s; reports read runners' results alone", file, imported)
		case floor(folder) != floor("bench") && strings.HasPrefix(imported, "github.com/spf13/"):
			t.Errorf("%s imports %s, which is for the command", file, imported)
		case imported == "github.com/gomlx/compute/gobackend" && folder != "training/backend":
			t.Errorf("%s imports %s; training/backend adds the kernels", file, imported)
		case !isTest && (imported == "infbench/training/backend" || strings.HasPrefix(imported, "github.com/gomlx/go-xla")):
			opensBackend[folder] = true
		}
	})
	if len(opensBackend) != 1 || !opensBackend["runners/device"] {
		t.Errorf("packages that open a backend of GoMLX: %v, want runners/device alone", opensBackend)
	}
}

func TestBinaryLinksNoTestkit(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "infbench/internal/testkit") || strings.Contains(string(out), "infbench/internal/tools") {
		t.Errorf("infbench links what is for tests and tools:\n%s", out)
	}
}

// TestDevelopmentNamesPackages: docs/development.md describes every package.
func TestDevelopmentNamesPackages(t *testing.T) {
	page, err := os.ReadFile("../docs/development.md")
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]bool{}
	eachImport(t, func(file, _ string) { folders[path.Dir(file)] = true })
	for folder := range folders {
		if !outside(folder) && folder != "metrics/kernel/asm" && !strings.Contains(string(page), "`"+folder+"`") {
			t.Errorf("docs/development.md does not name %s", folder)
		}
	}
	for _, name := range regexp.MustCompile("`((?:"+strings.Join(floors, "|")+")/[a-z/]+)`").FindAllStringSubmatch(string(page), -1) {
		if info, err := os.Stat(filepath.Join("..", name[1])); err != nil || !info.IsDir() {
			t.Errorf("docs/development.md names %s, which is not a folder", name[1])
		}
	}
}

// eachImport calls f for every import of every Go file that eachFile visits.
func eachImport(t *testing.T, f func(file, imported string)) {
	t.Helper()
	eachFile(t, parser.ImportsOnly, func(file string, parsed *ast.File) {
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			f(file, imported)
		}
	})
}

// eachFile calls f for every Go file of the module and of the generator's module, whatever its
// build constraints. File names are relative to the module's root.
func eachFile(t *testing.T, mode parser.Mode, f func(file string, parsed *ast.File)) {
	t.Helper()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file := filepath.ToSlash(strings.TrimPrefix(name, ".."+string(filepath.Separator)))
		if d.IsDir() && floor(file) < 0 && name != ".." {
			return fs.SkipDir // bin, runs, .git
		}
		if d.IsDir() && d.Name() == "testdata" || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, mode|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		f(file, parsed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
