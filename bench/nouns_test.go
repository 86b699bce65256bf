package main

import (
	"go/ast"
	"path"
	"strings"
	"testing"
)

// mostMethods is the maximum number of methods of a type: a type with more is several nouns.
const mostMethods = 40

func TestTypesAreOneNoun(t *testing.T) {
	methods := map[string]map[string]bool{} // some have one for each operating system
	eachFile(t, 0, func(file string, parsed *ast.File) {
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || strings.HasSuffix(file, "_test.go") {
				continue
			}
			of := path.Dir(file) + "." + receiver(f.Recv.List[0].Type)
			if methods[of] == nil {
				methods[of] = map[string]bool{}
			}
			methods[of][f.Name.Name] = true
		}
	})
	for name, has := range methods {
		if len(has) > mostMethods {
			t.Errorf("%s has %d methods, want at most %d: which nouns does it hold?", name, len(has), mostMethods)
		}
	}
}

// receiver is the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return e.(*ast.Ident).Name
}
