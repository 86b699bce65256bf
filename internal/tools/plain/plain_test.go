package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPatterns has a sentence for each pattern, and one next to it that is plain.
func TestPatterns(t *testing.T) {
	for _, c := range []struct{ found, plain, write string }{
		{"isNote returns true where it is no file of a model.", "There is no file. It is no longer there.", "is not a"},
		{"Two are, one is none.", "None of these is one.", "is not one"},
		{"It is begun anew.", "It is begun again.", "again"},
		{"The values beside the board.", "The values next to the board.", "next to, with, as well as"},
		{"A test holds the list to them.", "A table holds from one to ten rows.", "check against"},
		{"It reads the whole file.", "It reads a whole number.", "complete, entire, all"},
		{"Fit says whether it fits.", "Fit reports whether it fits.", "reports whether, returns, names"},
		{"It tells two models apart.", "It distinguishes two models.", "reports whether, distinguishes"},
		{"The reason is said once.", "The reason is printed once.", "is reported"},
		{"describe words the error.", "describe uses words that differ.", "formats, writes"},
		{"It fails. Of two, one is taken.", "It fails for one of two.", "begin with the subject"},
		{"It returns a list of what failed.", "It returns the failed trials.", "name the thing"},
		{"The reason stands in the table.", "X stands for nothing.", "is"},
		{"All but for one.", "All except one.", "except, apart from"},
		{"Weights of one's own.", "Your own weights.", "your own"},
	} {
		if got := (&passage{text: c.found, starts: []int{0}}).find(); !slices.ContainsFunc(got, func(f finding) bool { return f.write == c.write }) {
			t.Errorf("%q: found %v", c.found, got)
		}
		if got := (&passage{text: c.plain, starts: []int{0}}).find(); len(got) > 0 {
			t.Errorf("%q: found %v", c.plain, got)
		}
	}
}

// TestFiles: comments are read over line breaks, strings for users are read, and code in
// comments is not. Waived lines are left out.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "package a\n\n// A is read. It\n// says whether b.\n//\n//\tcode is no code\nvar A = \"is anew read\" // `anew`\n\nvar B = \"it is anew read\" //plain:ok a quotation\n\nvar C = \"anew\"\n",
		"a.md": "A line.\n\n```\nanew\n```\n\n> anew\n\nread\nanew\n\nanew <!-- plain:ok -->\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	found, err := check(&out, false, []string{dir})
	got := strings.ReplaceAll(out.String(), dir+string(filepath.Separator), "")
	want := "a.go:4: \"says whether\": reports whether, returns, names\na.go:7: \"anew\": again\na.md:10: \"anew\": again\n"
	if err != nil || found != 3 || got != want {
		t.Errorf("%d %v\n%s", found, err, got)
	}
}
