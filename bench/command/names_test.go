package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// No two names of a package differ by case only: readers would confuse them.
func TestNamesDifferByMoreThanCase(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); name != ".." && (strings.HasPrefix(name, ".") || name == "runs" || name == "bin" || name == "testdata") {
			return filepath.SkipDir
		}
		folder := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		for _, clash := range caseClashes(t, path) {
			t.Errorf("%s: %s differ by case only", folder, clash)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// caseClashes lists the names of the package in a folder that differ by case only.
func caseClashes(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{} // lower case -> as written
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			for _, id := range namesOf(d) {
				lower := strings.ToLower(id.Name)
				if !slices.Contains(names[lower], id.Name) {
					names[lower] = append(names[lower], id.Name)
				}
			}
		}
	}
	var clashes []string
	for _, lower := range slices.Sorted(maps.Keys(names)) {
		if len(names[lower]) > 1 {
			clashes = append(clashes, strings.Join(names[lower], " and "))
		}
	}
	return clashes
}

// namesOf lists the names that a declaration adds to its package; methods count as names of
// their type.
func namesOf(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var names []*ast.Ident
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				names = append(names, s.Names...)
			case *ast.TypeSpec:
				names = append(names, s.Name)
			}
		}
		return names
	}
	return nil
}
