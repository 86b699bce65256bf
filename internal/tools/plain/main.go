// Command plain finds prose that must be read twice: phrases that this repository does not
// use in comments, in strings that users may see, in README and in docs. The list is in
// patterns.go.
//
// Run it in the repository, for all files or for some:
//
//	go run ./internal/tools/plain [-count] [FILE|FOLDER...]
//
// A line that reads well all the same is waived in place: with //plain:ok on its line or in
// the same comment, or with <!-- plain:ok --> on a line of Markdown.
package main

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	count := flag.Bool("count", false, "print how often each kind of phrase is found")
	flag.Parse()
	found, err := check(os.Stdout, *count, flag.Args())
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "plain:", err)
		os.Exit(2)
	case found > 0:
		os.Exit(1)
	}
}

// check prints its findings in files and folders (none: the repository) and returns their
// number.
func check(w io.Writer, count bool, paths []string) (int, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var all []finding
	for _, path := range paths {
		err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir():
				if slices.Contains([]string{"bin", "runs", "corpora"}, path) || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 1 {
					return filepath.SkipDir
				}
				return nil
			}
			found, err := file(path)
			all = append(all, found...)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	counts := map[string]int{}
	for _, f := range all {
		counts[f.write]++
		if !count {
			fmt.Fprintf(w, "%s:%d: %q: %s\n", f.file, f.line, f.text, f.write)
		}
	}
	if count {
		for _, p := range patterns {
			fmt.Fprintf(w, "%5d %s\n", counts[p.write], p.write)
		}
	}
	return len(all), nil
}

// finding is a phrase in a file, with a better one.
type finding struct {
	file  string
	line  int
	text  string
	write string
}

// file checks one file, by its extension.
func file(path string) ([]finding, error) {
	if !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".md") {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var prose []passage
	if strings.HasSuffix(path, ".md") {
		prose = markdown(string(data))
	} else {
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		prose = source(files, parsed)
	}
	var all []finding
	for _, p := range prose {
		for _, f := range p.find() {
			f.file = path
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b finding) int { return a.line - b.line })
	return all, nil
}
