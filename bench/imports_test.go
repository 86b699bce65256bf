package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// leaves are small packages that every other may import.
var leaves = []string{"metrics/nearest", "metrics/processor", "datasets/atomicfile", "datasets/secret", "datasets/format/strict"}

// mayImport is the house rule: which package may import which others of this
// module. A package that is not listed may import leaves only; bench may import
// everything.
var mayImport = map[string][]string{
	"metrics":           {"metrics/trec"},
	"metrics/trec":      {},
	"metrics/stats":     {},
	"metrics/agreement": {"metrics/stats"},
	"metrics/diversity": {"metrics/stats"},
	"datasets":          {"metrics", "metrics/trec", "datasets/format", "datasets/hub"},
	"datasets/curate":   {"datasets", "metrics"},
	"runners":           {"datasets", "metrics/trec"},
	"training/encoder":  {"training/tokenizer"},
	"training":          {"datasets", "training/encoder", "training/tokenizer"},
	"bench/results":     {"metrics", "metrics/trec", "datasets"},
	"bench/spec":        {"metrics", "training", "datasets"},
	"bench/engine":      {"bench/spec", "bench/results"},
	"reports":           {"bench/results", "metrics/stats", "reports/published"},
	"reports/published": nil,
	"reports/foreign":   {"metrics", "metrics/trec", "datasets/format", "reports/published"},
}

// The packages keep to the house rule; in particular runners, training and
// reports never import each other, and only bench opens a GoMLX backend.
func TestImportGraph(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "runs") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator)))
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			checkImport(t, path, pkg, imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImport(t *testing.T, path, pkg, imported string) {
	t.Helper()
	if strings.Contains(imported, "gobackend") || strings.HasPrefix(imported, "github.com/gomlx/gomlx/backends") || strings.HasPrefix(imported, "github.com/gomlx/go-xla") {
		if pkg != "bench" {
			t.Errorf("%s imports the backend %s; only bench may", path, imported)
		}
		return
	}
	target, ours := strings.CutPrefix(imported, "infbench/")
	if !ours || pkg == "bench" || slices.Contains(leaves, target) {
		return
	}
	// A folder's own sub-packages are its private parts unless they are listed
	// as packages of the house themselves.
	if _, listed := mayImport[target]; !listed && strings.HasPrefix(target, pkg+"/") {
		return
	}
	for _, allowed := range mayImport[owner(pkg)] {
		if target == allowed || strings.HasPrefix(target, allowed+"/") && mayImport[target] == nil {
			return
		}
	}
	t.Errorf("%s: package %s may not import %s", path, pkg, target)
}

// owner is the listed package whose rule holds for pkg: itself, or the nearest
// listed folder above it.
func owner(pkg string) string {
	for p := pkg; p != "."; p = filepath.ToSlash(filepath.Dir(p)) {
		if _, ok := mayImport[p]; ok {
			return p
		}
	}
	return pkg
}
