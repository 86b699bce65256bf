package output_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"infbench/bench/output"
)

// TestOutputFileReplaces: a file at the path of an output is replaced if the same command may
// have written it, and is an error if it could be lost.
func TestOutputFileReplaces(t *testing.T) {
	const (
		numpy = "\x93NUMPY\x01\x00"
		html  = "<!DOCTYPE html>\n<html>"
		svg   = `<svg xmlns="http://www.w3.org/2000/svg">`
		json  = "{\n  \"sum\": \"0\"\n}\n"
		lines = `{"query": "a"}` + "\n" + `{"query": "b"}` + "\n"
		csv   = "query,value\na,1\n"
		note  = "Remember the milk: Zürich\n"
	)
	for _, c := range []struct {
		kind       output.Kind
		name, text string
		replaced   bool
	}{
		{output.Numpy, "v.npy", numpy, true},
		{output.Numpy, "v", numpy, true},
		{output.Numpy, "v.npy", "", true},
		{output.Numpy, "v.npy", note, false},
		{output.Numpy, "train.jsonl", lines, false},
		{output.HTML, "r.html", html, true},
		{output.HTML, "r.html", note, false},
		{output.HTML, "train.jsonl", lines, false},
		{output.HTML, "d.svg", svg, false},
		{output.SVG, "d.svg", svg, true},
		{output.SVG, "d.svg", "<?xml version=\"1.0\"?>\n" + svg, true},
		{output.SVG, "d.svg", "%PDF-1.3\n", false},
		{output.PNG, "d.png", "\x89PNG\r\n\x1a\n", true},
		{output.PNG, "d.png", svg, false},
		{output.PDF, "d.pdf", "%PDF-1.3\n", true},
		{output.PDF, "d.pdf", note, false},
		{output.JSON, "c.json", json, true},
		{output.JSON, "c.json", lines, false},
		{output.JSON, "c.csv", json, false},
		{output.JSONLines, "m.jsonl", lines, true},
		{output.JSONLines, "m.JSONL", lines, true},
		{output.JSONLines, "m.json", json, false},
		{output.CSV, "t.csv", csv, true},
		{output.CSV, "t", csv, true},
		{output.CSV, "t.md", note, false},
		{output.CSV, "t.csv", json, false},
		{output.CSV, "t.csv", "PK\x03\x04\x00\x00", false},
		{output.Markdown, "t.md", "# Board\n", true},
		{output.Markdown, "t.md", html, false},
		{output.Text, "t.txt", note, true},
		{output.Text, "t.md", note, true},
		{output.Text, "t.go", "package main\n", false},
		{output.LaTeX, "t.tex", "\\begin{table}\n", true},
		{output.LaTeX, "refs.bib", "@book{a}\n", false},
		{output.Text, "t.txt", strings.Repeat("ü", 511) + "a", true}, // a letter crosses the end of the bytes that are read
		{output.Text, "t.txt", "a" + strings.Repeat("ü", 511), true},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		put(t, path, c.text)
		out := output.File{Path: path, Kind: c.kind}
		err := out.WriteBytes([]byte("new"))
		got := get(t, path)
		if c.replaced && (err != nil || got != "new") {
			t.Errorf("%s over %s %q: %v, holds %q", c.kind, c.name, c.text, err, got)
		}
		if !c.replaced && (err == nil || got != c.text || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--out")) {
			t.Errorf("%s over %s %q: %v, holds %q; want it refused", c.kind, c.name, c.text, err, got)
		}
	}
}

// TestOutputFileSparesInputs: an input of the verb is never overwritten, under any name, nor is
// a file in an input folder.
func TestOutputFileSparesInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	const lines = `{"query": "a"}` + "\n"
	put(t, "data/train.jsonl", lines)
	for _, link := range []func() error{
		func() error { return os.Symlink("data/train.jsonl", "symbolic.jsonl") },
		func() error { return os.Link("data/train.jsonl", "hard.jsonl") },
		func() error { return os.Symlink("data", "folder") },
	} {
		if err := link(); err != nil {
			t.Fatal(err)
		}
	}
	for _, out := range []string{"data/train.jsonl", "./data/../data/train.jsonl", "symbolic.jsonl", "hard.jsonl", "folder/train.jsonl"} {
		for _, input := range []string{"data/train.jsonl", "symbolic.jsonl", "data", "folder"} {
			if out == "hard.jsonl" && (input == "data" || input == "folder") {
				continue // a name outside of the folder
			}
			err := output.File{Path: out, Kind: output.JSONLines, Inputs: []string{"mini-infir", input}}.WriteBytes(nil)
			if err == nil || !strings.Contains(err.Error(), input) || get(t, "data/train.jsonl") != lines {
				t.Errorf("--out %s with input %s: %v", out, input, err)
			}
		}
	}
	if err := (output.File{Path: "data/new.jsonl", Kind: output.JSONLines, Inputs: []string{"data"}}).WriteBytes([]byte(lines)); err != nil {
		t.Errorf("a new file: %v", err)
	}
}

// TestOutputFileFollowsLinks: links at the path of an output are followed to an existing or a
// future file; a link to a folder is an error.
func TestOutputFileFollowsLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "elsewhere/there.txt", "old")
	for _, name := range []string{"there", "absent"} {
		if err := os.Symlink("elsewhere/"+name+".txt", name); err != nil {
			t.Fatal(err)
		}
		if err := (output.File{Path: name, Kind: output.Text}).WriteBytes([]byte("new")); err != nil {
			t.Error(err)
		}
		if info, err := os.Lstat(name); err != nil || info.Mode()&os.ModeSymlink == 0 || get(t, "elsewhere/"+name+".txt") != "new" {
			t.Errorf("%s is not a link to the written file: %v", name, err)
		}
	}
	if err := os.Symlink("loop", "loop"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"loop", "elsewhere"} {
		if err := (output.File{Path: name, Kind: output.Text}).WriteBytes(nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOutputFileIntoPipe: output for a pipe goes into it, and the pipe remains.
func TestOutputFileIntoPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.txt")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skip(err)
	}
	read := make(chan string)
	go func() {
		f, err := os.Open(path)
		if err != nil {
			read <- err.Error()
			return
		}
		defer f.Close()
		text, _ := io.ReadAll(f)
		read <- string(text)
	}()
	if err := (output.File{Path: path, Kind: output.HTML}).WriteBytes([]byte("new")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "new" {
		t.Errorf("read %q", got)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("%v, %v: the pipe is gone", info, err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
